package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"techo/tools"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressPeriod is how often a client that asked for it hears that a call is
// being worked on, so that it goes on waiting.
const progressPeriod = time.Second

// progress tells the client how far a call has come, until the function that
// it returns is called. A tool that does not say how far it is counts seconds.
func progress(ctx context.Context, r *mcp.CallToolRequest, env *tools.Env) (quiet func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	var reached atomic.Pointer[steps]
	env.Progress = func(done, total int64) { reached.Store(&steps{done, total}) }
	ctx, stop := context.WithCancel(ctx)
	var told sync.WaitGroup
	told.Go(func() {
		said := steps{}
		for seconds := int64(1); ; seconds++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(progressPeriod):
			}
			now := steps{done: seconds}
			if s := reached.Load(); s != nil {
				now = *s
			}
			if now.done <= said.done {
				continue // it only ever grows
			}
			said = now
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Message: r.Params.Name,
				Progress: float64(now.done), Total: float64(now.total),
			})
			if err != nil {
				return // nobody listens
			}
		}
	})
	return func() { stop(); told.Wait() }
}

// steps is how far a call has come: so many, of so many, 0 when that is not known.
type steps struct{ done, total int64 }
