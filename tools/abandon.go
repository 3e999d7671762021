package tools

import (
	"context"
	"time"
)

// Time that a call may go on after its context has ended, so that it can return
// its own answer. After that Invoke returns without it, because a system call
// on an unresponsive file cannot be interrupted. A call that changes something
// gets longer, since abandoning it leaves the outcome unknown.
const (
	readGrace   = time.Second
	changeGrace = 10 * time.Second
)

// abandonable runs the tool and returns when it ends, or a grace period after
// the context has ended.
func (v *invocation) abandonable(ctx context.Context) (output, error) {
	type outcome struct {
		out output
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		defer recovered(&o.err)
		o.out, o.err = v.once(ctx)
	}()
	select {
	case o := <-done:
		return o.out, o.err
	case <-ctx.Done():
	}
	late := time.NewTimer(v.grace())
	defer late.Stop()
	select {
	case o := <-done:
		return o.out, o.err
	case <-late.C:
	}
	if v.env.Abandoned != nil {
		ended := v.env.Abandoned()
		go func() { <-done; ended() }()
	}
	return output{}, v.abandoned(ctx)
}

func (v *invocation) grace() time.Duration {
	if v.tool.Effect == Reads {
		return readGrace
	}
	return changeGrace
}

// abandoned returns the error of a call that did not end with its context.
func (v *invocation) abandoned(ctx context.Context) error {
	e := AsError(v.env, context.Cause(ctx))
	if v.tool.Effect == Reads || v.tool.Effect == Asks {
		return e
	}
	unknown := *e
	unknown.Message = v.env.Localize("%s; it is not known whether the change was made", e.Message)
	unknown.Hint = v.env.Hint("Check the current state before you call again")
	unknown.Retryable = v.call.Key != "" // a call with an idempotency key can be repeated safely
	return &unknown
}
