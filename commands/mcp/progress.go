package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/tools"
)

// progressPeriod is the time between progress notifications, which keep clients
// from giving up on a call.
const progressPeriod = time.Second

// reportProgress sends the progress of a call to a client that asked for it, until
// stop is called. For a tool without progress of its own it counts seconds.
func reportProgress(ctx context.Context, r *mcp.CallToolRequest, env *tools.Env) (stop func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	var latest atomic.Pointer[steps]
	env.Progress = func(done, total int64) { latest.Store(&steps{done, total}) }
	ctx, cancel := context.WithCancel(ctx)
	var sender sync.WaitGroup
	sender.Go(func() {
		sent := int64(0)
		for seconds := int64(1); ; seconds++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(progressPeriod):
			}
			now := steps{done: seconds}
			if s := latest.Load(); s != nil {
				now = *s
			}
			if now.done <= sent {
				continue // the protocol requires increasing values
			}
			sent = now.done
			err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Message: r.Params.Name,
				Progress: float64(now.done), Total: float64(now.total),
			})
			if err != nil {
				return // the client has gone
			}
		}
	})
	return func() { cancel(); sender.Wait() }
}

// steps is the progress of a call. total is 0 if it is unknown.
type steps struct{ done, total int64 }
