package membudget

import (
	"context"
	"errors"
	"testing"
)

func TestBudget(t *testing.T) {
	r := New(100)
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
	for r.Take(10) { // until the other one waits
		r.Return(10)
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
	if !r.Take(100) || r.Take(1) {
		t.Error("not all bytes came back, or more")
	}
	var none *Budget
	if release, err := none.Wait(t.Context(), 1<<60); err != nil || !none.Take(1<<60) {
		t.Error("no budget has a bound")
	} else {
		release()
	}
}
