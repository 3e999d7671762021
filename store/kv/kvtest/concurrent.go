package kvtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"techo/internal/testenv"
	"techo/store/kv"
)

// increment adds one to the number under a key.
func increment(tx kv.Tx, key string) error {
	v, err := get(tx, key)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(v) // "" is 0
	return tx.Put([]byte(key), []byte(strconv.Itoa(n+1)))
}

// testCounter increments one counter from several goroutines and handles.
func testCounter(t *testing.T, s Store) {
	const handles, clients, each = 3, 4, 10
	var all sync.WaitGroup
	for range handles {
		e := s.open(t)
		for range clients {
			all.Go(func() {
				for range each {
					if err := e.Update(t.Context(), func(tx kv.Tx) error { return increment(tx, "n") }); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	wantContents(t, s.open(t), model{"n": strconv.Itoa(handles * clients * each)})
}

// race runs two functions at once, each with a handle of its own.
func race(t *testing.T, handles [2]kv.Engine, round int, fn func(tx kv.Tx, round, i int) error) {
	t.Helper()
	var both sync.WaitGroup
	for i, e := range handles {
		both.Go(func() {
			if err := e.Update(t.Context(), func(tx kv.Tx) error { return fn(tx, round, i) }); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
}

// testWriteSkew runs two transactions; each reads what the other one writes.
// One has to see the other.
func testWriteSkew(t *testing.T, s Store) {
	handles := [2]kv.Engine{s.open(t), s.open(t)}
	for round := range 20 {
		race(t, handles, round, func(tx kv.Tx, round, i int) error {
			other, err := get(tx, fmt.Sprintf("%d %d", round, 1-i))
			if err != nil || other != "" {
				return err
			}
			return tx.Put(fmt.Appendf(nil, "%d %d", round, i), []byte("alone"))
		})
		got, err := contents(t.Context(), handles[0])
		if err != nil || len(got) != round+1 {
			t.Fatalf("round %d: %v, %v", round, got, err)
		}
	}
}

// testPhantoms is like testWriteSkew for keys that a scan does not find.
func testPhantoms(t *testing.T, s Store) {
	handles := [2]kv.Engine{s.open(t), s.open(t)}
	for round := range 20 {
		race(t, handles, round, func(tx kv.Tx, round, i int) error {
			for _, err := range tx.Scan(kv.Range{Prefix: fmt.Appendf(nil, "%d ", round)}) {
				return err
			}
			return tx.Put(fmt.Appendf(nil, "%d %d", round, i), nil)
		})
		got, err := contents(t.Context(), handles[0])
		if err != nil || len(got) != round+1 {
			t.Fatalf("round %d: %v, %v", round, got, err)
		}
	}
}

// pairs is the state of two registers, and the input or output of an operation.
type registers struct {
	write bool
	a, b  int
}

// registerModel is a pair of registers that are read and written together. An
// operation with an unknown outcome ends after all others.
var registerModel = porcupine.Model{
	Init: func() any { return registers{} },
	Step: func(state, input, output any) (bool, any) {
		in, now := input.(registers), state.(registers)
		if in.write {
			return true, registers{a: in.a, b: in.b}
		}
		out := output.(registers)
		return out.a == now.a && out.b == now.b, state
	},
}

// history records operations on the registers.
type history struct {
	mu    sync.Mutex
	start time.Time
	ops   []porcupine.Operation
}

func (h *history) now() int64 { return int64(time.Since(h.start)) }

func (h *history) add(op porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, op)
}

// testLinearizable reads and writes two registers from several handles at once,
// while the store is disturbed, and looks for an order of all operations that
// explains what was read.
func testLinearizable(t *testing.T, s Store) {
	const clients, each = 6, 25
	h := &history{start: time.Now()}
	seed := testenv.Random(t)
	done := make(chan struct{})
	var all, disturbing sync.WaitGroup
	for client := range clients {
		e, r := s.open(t), rand.New(rand.NewPCG(seed.Uint64(), 0))
		all.Go(func() {
			for i := range each {
				h.operate(t, e, client, client*each+i+1, r.IntN(2) == 0)
			}
		})
	}
	disturber, r := s.open(t), rand.New(rand.NewPCG(seed.Uint64(), 1))
	disturbing.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(30 * time.Millisecond):
				s.Disturb(t, r, disturber)
			}
		}
	})
	all.Wait()
	close(done)
	disturbing.Wait()
	if got := porcupine.CheckOperationsTimeout(registerModel, h.ops, time.Minute); got != porcupine.Ok {
		t.Errorf("%v: %+v", got, h.ops)
	}
}

// operate reads or writes both registers, by two updates of a group or in one.
func (h *history) operate(t *testing.T, e kv.Engine, client, n int, write bool) {
	op := porcupine.Operation{ClientId: client, Input: registers{write, n, -n}, Call: h.now()}
	var out registers
	var err error
	switch {
	case !write:
		err = e.View(context.Background(), func(tx kv.Tx) error { return out.read(tx) })
	case n%3 == 0:
		err = e.Group(context.Background(), func(ctx context.Context) error {
			return errors.Join(put(ctx, e, "a", strconv.Itoa(n)), put(ctx, e, "b", strconv.Itoa(-n)))
		})
	default:
		err = put(context.Background(), e, "a", strconv.Itoa(n), "b", strconv.Itoa(-n))
	}
	op.Output, op.Return = out, h.now()
	switch unknown := new(kv.UnknownOutcomeError); {
	case errors.As(err, &unknown):
		op.Return = int64(time.Hour)
	case err != nil:
		t.Error(err)
		return
	}
	h.add(op)
}

func (r *registers) read(tx kv.Tx) error {
	for key, to := range map[string]*int{"a": &r.a, "b": &r.b} {
		v, err := get(tx, key)
		if err != nil {
			return err
		}
		*to, _ = strconv.Atoi(v) // "" is 0
	}
	return nil
}
