package server

import (
	"context"
	"net/http"
	"strconv"
	"sync"
)

// openRequests ends the calls of clients that have disconnected. For protocols
// before 2026-07-28 the MCP library does not pass the context of a request on to
// its calls, but it passes the header on. A number in the header leads back to
// the request.
type openRequests struct {
	mu   sync.Mutex
	last uint64
	open map[string]context.Context
}

// requestNumber is the header with the number of a request. The server
// overwrites the header if a client sends it.
const requestNumber = "Techo-Request-Number"

// Number numbers each request until it has been answered.
func (o *openRequests) Number(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := o.add(r.Context())
		defer o.remove(number)
		r.Header.Set(requestNumber, number)
		next.ServeHTTP(w, r)
	})
}

func (o *openRequests) add(request context.Context) (number string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		o.open = map[string]context.Context{}
	}
	o.last++
	number = strconv.FormatUint(o.last, 10)
	o.open[number] = request
	return number
}

func (o *openRequests) remove(number string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, number)
}

// Bind returns a context that ends with ctx, or when the client of the request
// with this header disconnects.
func (o *openRequests) Bind(ctx context.Context, header http.Header) (context.Context, context.CancelFunc) {
	o.mu.Lock()
	request := o.open[header.Get(requestNumber)]
	o.mu.Unlock()
	bound, cancel := context.WithCancelCause(ctx)
	if request == nil {
		return bound, func() { cancel(nil) }
	}
	stop := context.AfterFunc(request, func() { cancel(context.Cause(request)) })
	return bound, func() { stop(); cancel(nil) }
}
