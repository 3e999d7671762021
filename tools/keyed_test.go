package tools

import (
	"context"
	"fmt"
	"path/filepath"
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

// TestRepeated: a repeated call has the text of the first one's result, also if the function ran
// again.
func TestRepeated(t *testing.T) {
	runs := 0
	type nothing struct{}
	tool := Define(Tool{Name: "add_thing", Command: "thing add", Effect: Adds, InStore: true},
		func(context.Context, *Env, nothing) (counted, error) {
			runs++
			return counted{runs, fmt.Sprint("run ", runs)}, nil
		})
	options := store.Options{Write: true, Now: time.Now}
	st, err := store.Open(testenv.MigratedDatabase(t, func(ctx context.Context, address string) error {
		_, _, err := store.Migrate(ctx, address, options)
		return err
	}), options)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	env := &Env{Zone: time.UTC, Open: func(context.Context, bool) (*store.Store, error) { return st, nil }}
	for range 2 {
		r, e := tool.Invoke(t.Context(), env, Call{Key: "k"})
		if e != nil || r.Text != "run 1" || string(r.JSON) != `{"run":1,"message":"run 1"}` {
			t.Errorf("%+v, %v", r, e)
		}
	}
	if runs != 2 {
		t.Errorf("ran %d times, want 2", runs)
	}
}

type counted struct {
	Run     int    `json:"run"`
	Message string `json:"message"`
}

func (c counted) Text(*Env) string { return c.Message }
