package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"techo/internal/membudget"
	"techo/tools"
)

type none struct{}

// hanging returns a tool that ignores its context until free is closed.
func hanging(name string, free <-chan struct{}) *tools.Tool {
	return tools.Define(tools.Tool{Name: name}, func(context.Context, *tools.Env, none) (none, error) {
		<-free
		return none{}, nil
	})
}

func quick(name string) *tools.Tool {
	return tools.Define(tools.Tool{Name: name}, func(context.Context, *tools.Env, none) (none, error) {
		return none{}, nil
	})
}

func newTestHost() *Host {
	return &Host{pool: newPool(), waiting: make(chan struct{}, maxWaiting), room: membudget.New(documentRoom)}
}

// TestLongCalls checks that calls of connected clients that hang do not keep the
// slots of the other calls.
func TestLongCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, free := newTestHost(), make(chan struct{})
		call := func(tool *tools.Tool) *tools.Error {
			_, e := h.Call(context.Background(), &tools.Env{}, tool, tools.Call{})
			return e
		}
		for range maxCalls {
			go call(hanging("hang", free))
		}
		synctest.Wait()
		began := time.Now()
		if e := call(quick("quick")); e != nil || time.Since(began) > longTime {
			t.Errorf("after %v: %v", time.Since(began), e)
		}
		for range 2 * maxLong { // more than the server runs at once
			go call(hanging("hang", free))
		}
		time.Sleep(time.Minute)
		if e := call(quick("quick")); e == nil || e.Code != tools.Busy || !e.Retryable {
			t.Errorf("with all slots taken: %v", e)
		}
		close(free)
		synctest.Wait()
		if e := call(quick("quick")); e != nil || len(h.pool.short)+len(h.pool.long) != 0 {
			t.Errorf("%v, %d and %d slots are taken", e, len(h.pool.short), len(h.pool.long))
		}
	})
}

// TestHangingTool checks that a tool whose abandoned calls hang answers busy
// before their number grows without end, and that other tools are unaffected.
func TestHangingTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, free := newTestHost(), make(chan struct{})
		for i := range maxStuck {
			call := tools.Call{Timeout: time.Second}
			if _, e := h.Call(context.Background(), &tools.Env{}, hanging("hang", free), call); e == nil ||
				e.Code != tools.Timeout {
				t.Errorf("call %d: %v", i, e)
			}
		}
		if _, e := h.Call(context.Background(), &tools.Env{}, quick("hang"), tools.Call{}); e == nil ||
			e.Code != tools.Busy {
			t.Errorf("a further call: %v", e)
		}
		if _, e := h.Call(context.Background(), &tools.Env{}, quick("quick"), tools.Call{}); e != nil {
			t.Errorf("another tool: %v", e)
		}
		close(free)
		synctest.Wait()
		if _, e := h.Call(context.Background(), &tools.Env{}, quick("hang"), tools.Call{}); e != nil {
			t.Errorf("after the calls ended: %v", e)
		}
	})
}

// TestWaitingQuestions checks that waiting questions take no slots of other calls
// and that their number is limited.
func TestWaitingQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHost()
		ctx, leave := context.WithCancel(context.Background())
		question := tools.Define(tools.Tool{Name: "ask", Effect: tools.Asks},
			func(ctx context.Context, _ *tools.Env, _ none) (none, error) {
				<-ctx.Done()
				return none{}, context.Cause(ctx)
			})
		for range maxWaiting {
			go h.Call(ctx, &tools.Env{}, question, tools.Call{})
		}
		synctest.Wait()
		if _, e := h.Call(ctx, &tools.Env{}, quick("quick"), tools.Call{}); e != nil {
			t.Errorf("another call: %v", e)
		}
		if _, e := h.Call(ctx, &tools.Env{}, question, tools.Call{}); e == nil || e.Code != tools.RateLimited {
			t.Errorf("one more question: %v", e)
		}
		leave()
		synctest.Wait()
		if len(h.waiting) != 0 {
			t.Errorf("%d questions still wait", len(h.waiting))
		}
	})
}
