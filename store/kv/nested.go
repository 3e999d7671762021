package kv

import (
	"errors"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
)

// ErrNested is returned for a write transaction that begins inside another one, for which it
// would wait forever.
var ErrNested = errors.New("store: a write transaction inside another one")

// Writers runs the write transactions of an engine, and fails for one inside another one. A context
// cannot tell nested calls from concurrent ones, since both may have the same one. The stack can: it
// is read only while another transaction runs.
type Writers struct{ running atomic.Int64 }

// Run runs a write transaction, or a group of them that become durable together.
//
//go:noinline
func (w *Writers) Run(fn func() error) error { return w.run(fn, (*Writers).Run, (*Writers).Grouped) }

// Grouped runs a write transaction of a group.
//
//go:noinline
func (w *Writers) Grouped(fn func() error) error { return w.run(fn, (*Writers).Grouped) }

func (w *Writers) run(fn func() error, never ...func(*Writers, func() error) error) error {
	defer w.running.Add(-1)
	if w.running.Add(1) > 1 && called(never) {
		return ErrNested
	}
	return fn()
}

// called reports whether this goroutine is within calls of some functions, except for the
// transaction that begins.
func called(functions []func(*Writers, func() error) error) bool {
	var entries []uintptr
	for _, f := range functions {
		entries = append(entries, reflect.ValueOf(f).Pointer())
	}
	const own = 4 // Callers, called, run, and the method that called it
	var callers [64]uintptr
	for skip := own; ; skip += len(callers) {
		n := runtime.Callers(skip, callers[:])
		if slices.ContainsFunc(callers[:n], func(pc uintptr) bool {
			f := runtime.FuncForPC(pc - 1)
			return f != nil && slices.Contains(entries, f.Entry())
		}) {
			return true
		}
		if n < len(callers) {
			return false
		}
	}
}
