package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store"
)

// TestAhead: what a tool reads ahead of an idempotency key reaches its function. A call without
// a key reads nothing ahead.
func TestAhead(t *testing.T) {
	type nothing struct{}
	type found struct {
		Found string `json:"found"`
	}
	type foundKey struct{}
	ran := 0
	tool := Define(Tool{
		Name: "add_thing", Command: "thing add", Effect: Adds, InStore: true,
		Ahead: func(ctx context.Context, _ *Env, input []byte) (context.Context, error) {
			ran++
			return context.WithValue(ctx, foundKey{}, string(input)), nil
		},
	}, func(ctx context.Context, _ *Env, _ nothing) (found, error) {
		text, _ := ctx.Value(foundKey{}).(string)
		return found{text}, nil
	})
	st, err := store.Open(filepath.Join(t.TempDir(), "store"), store.Options{Write: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	env := &Env{Zone: time.UTC, Open: func(context.Context, bool) (*store.Store, error) { return st, nil }}
	for _, step := range []struct {
		key, want string
		ran       int
	}{{"", `{"found":""}`, 0}, {"k", `{"found":"{}"}`, 1}} {
		r, e := tool.Invoke(t.Context(), env, Call{Key: step.key})
		if e != nil || string(r.JSON) != step.want || ran != step.ran {
			t.Errorf("key %q: %v, %v, read ahead %d times", step.key, r, e, ran)
		}
	}
}

// TestAheadPanics: a panic of Tool.Ahead is an error of the call.
func TestAheadPanics(t *testing.T) {
	type nothing struct{}
	tool := Define(Tool{
		Name: "add_thing", Command: "thing add", Effect: Adds,
		Ahead: func(context.Context, *Env, []byte) (context.Context, error) { panic("ahead") },
	}, func(context.Context, *Env, nothing) (nothing, error) { return nothing{}, nil })
	env := &Env{Zone: time.UTC, Open: func(context.Context, bool) (*store.Store, error) { return &store.Store{}, nil }}
	_, e := tool.Invoke(t.Context(), env, Call{Key: "k", InTransaction: true})
	if e == nil || e.Code != Internal || !strings.Contains(e.Message, "panic: ahead") {
		t.Errorf("%+v", e)
	}
}

// TestRepeated makes the same call on another machine before the commit of the first one. The
// first one has the other's result, and no text of its dropped attempt.
func TestRepeated(t *testing.T) {
	options := store.Options{Write: true, Now: time.Now}
	address := testenv.NewDatabase(t, store.Migrate, options)
	machine := func() *Env {
		st, err := store.Open(address, options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return &Env{Zone: time.UTC, Open: func(context.Context, bool) (*store.Store, error) { return st, nil }}
	}
	first, second := machine(), machine()
	var tool *Tool
	wantSecond := func(r *Result, e *Error) {
		if e != nil || r.Text != "run 2 as text" || string(r.JSON) != `{"run":2}` {
			t.Errorf("%+v, %v", r, e)
		}
	}
	runs := 0
	type nothing struct{}
	tool = Define(Tool{Name: "add_thing", Command: "thing add", Effect: Adds},
		func(context.Context, *Env, nothing) (counted, error) {
			runs++
			run := runs
			if run == 1 {
				wantSecond(tool.Invoke(t.Context(), second, Call{Key: "k"}))
			}
			return counted{run}, nil
		})
	r, e := tool.Invoke(t.Context(), first, Call{Key: "k"})
	if e != nil || r.Text != `{"run":2}` || string(r.JSON) != `{"run":2}` || runs != 2 {
		t.Errorf("%+v, %v after %d runs", r, e, runs)
	}
}

// counted is a result with a text of its own, which a repeated call does not have.
type counted struct {
	Run int `json:"run"`
}

func (c counted) Text(*Env) string { return fmt.Sprintf("run %d as text", c.Run) }
