package server

import (
	"context"
	"math"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"techo/store/token"
	"techo/tools"
)

// Limits of a server. The limits on memory add up to less than memoryLimit.
const (
	MaxBody    = 32 << 20 // bytes of one request: the largest value of the store fits, escaped as JSON
	maxWaiting = 256      // questions that wait for the person at once

	documentRoom = 144 << 20 // bytes of web pages and PDFs in work; further ones wait
	memoryLimit  = 420 << 20 // bytes above which the garbage collector runs without pause
)

// EndTime is how long a call has to answer after its context has ended.
const EndTime = 2 * time.Second

// BoundMemory makes the process return memory as a server should. The heap of an idle server is
// small, so it may grow to a few times of what is in use before a collection. Short commands let
// it grow further.
func BoundMemory() {
	debug.SetGCPercent(300)
	debug.SetMemoryLimit(memoryLimit)
}

var moreThreads sync.Once

// shareProcessors makes Go run calls on one thread more than there are processors. Go looks for requests
// that have arrived only where no goroutine waits for its turn, so beside long calls on all threads, such as searches,
// short ones would wait for all of them. The kernel divides the time between threads.
func shareProcessors() {
	moreThreads.Do(func() { runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1) })
}

// RetryLater returns the error of a request that exceeds a limit of the server
// now, and may succeed later.
func RetryLater(env *tools.Env, message tools.Text, args ...any) *tools.Error {
	return retryIn(env, time.Second, message, args...)
}

// tokenLimits bounds the calls of each token with limits of its own. Every server
// counts for itself.
type tokenLimits struct {
	mu   sync.Mutex
	used map[string]*tokenUse // by id of the token
}

type tokenUse struct {
	rate    *rate.Limiter // nil: unlimited
	running int
}

func newTokenLimits() *tokenLimits { return &tokenLimits{used: map[string]*tokenUse{}} }

// enter begins a call of a token. The caller calls leave when the call has ended.
func (l *tokenLimits) enter(env *tools.Env, t *token.Token, now time.Time) (leave func(), e *tools.Error) {
	if t == nil || t.PerMinute == 0 && t.AtOnce == 0 {
		return func() {}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.used[t.ID]
	if u == nil {
		u = &tokenUse{}
		if t.PerMinute > 0 {
			u.rate = rate.NewLimiter(rate.Every(time.Minute/time.Duration(t.PerMinute)), t.PerMinute)
		}
		l.used[t.ID] = u
	}
	if t.AtOnce > 0 && u.running >= t.AtOnce {
		return nil, RetryLater(env, "Too many calls at once with this token: at most %d", t.AtOnce)
	}
	if u.rate != nil {
		slot := u.rate.ReserveN(now, 1)
		if wait := slot.DelayFrom(now); wait > 0 {
			slot.CancelAt(now)
			return nil, retryIn(env, wait, "Too many calls a minute with this token: at most %d", t.PerMinute)
		}
	}
	u.running++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		u.running--
	}, nil
}

// retryIn returns the error of a call that may succeed after a time.
func retryIn(env *tools.Env, wait time.Duration, message tools.Text, args ...any) *tools.Error {
	e := env.Fail(tools.RateLimited, message, args...)
	seconds := int(math.Ceil(wait.Seconds()))
	e.RetryAfter = time.Duration(seconds) * time.Second
	in := env.Count(seconds, "%d second", "%d seconds")
	e.Details = []tools.Detail{{Message: env.Localize("Try again in %s", in)}}
	return e.WithHint(env.Hint("Try again in %s", in)) // a text has no details
}

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
