package tools

import (
	"context"
	"time"
)

// timeoutKey is the context key of calls with a timeout of their own.
type timeoutKey struct{}

// WithTimeout returns a context that ends with ErrTimeout after the timeout of a call.
func WithTimeout(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithValue(ctx, timeoutKey{}, true), timeout, ErrTimeout)
}

// HasTimeout reports whether the call has a timeout of its own (--timeout). It then
// replaces the limits of single requests to slow services.
func HasTimeout(ctx context.Context) bool { return ctx.Value(timeoutKey{}) != nil }
