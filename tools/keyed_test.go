package tools

import (
	"context"
	"fmt"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store"
)

// TestRepeated stops a call for so long that the database ends its transaction, and another
// machine makes the same call meanwhile. The first one has the other's result, and no text of
// its dropped attempt.
func TestRepeated(t *testing.T) {
	options := store.Options{Write: true, Now: time.Now}
	address := testenv.NewDatabase(t, store.Migrate, options)
	machine := func(settings string) *Env {
		st, err := store.Open(address+settings, options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return &Env{Zone: time.UTC, Open: func(context.Context, bool) (*store.Store, error) { return st, nil }}
	}
	first, second := machine("&statement_timeout=300"), machine("")
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
