package tools

import (
	"context"
	"errors"
	"testing"
)

func TestRoom(t *testing.T) {
	r := NewRoom(100)
	if !r.Take(60) || r.Take(50) {
		t.Fatal("60 and 50 bytes of 100")
	}
	ctx, stop := context.WithCancelCause(t.Context())
	reason := errors.New("reason")
	stop(reason)
	if _, err := r.Wait(ctx, 50); !errors.Is(err, reason) {
		t.Errorf("a wait that was given up: %v", err)
	}
	got := make(chan func())
	go func() {
		release, err := r.Wait(t.Context(), 1000) // all of it
		if err != nil {
			t.Error(err)
		}
		got <- release
	}()
	for waiting := 0; waiting == 0; {
		r.mu.Lock()
		waiting = len(r.waiting)
		r.mu.Unlock()
	}
	if r.Take(10) {
		t.Error("10 bytes were taken out of turn")
	}
	r.Return(60)
	release := <-got
	if r.Take(1) {
		t.Error("more than all of it")
	}
	release()
	release()
	if !r.Take(100) || r.used != 100 {
		t.Errorf("%d bytes are used", r.used)
	}
	var none *Room
	if release, err := none.Wait(t.Context(), 1<<60); err != nil || !none.Take(1<<60) {
		t.Error("no room has a bound")
	} else {
		release()
	}
}
