package kv

import (
	"bytes"
	"errors"
	"runtime"
	"sync"
)

// ErrNested is returned for a write transaction that begins inside another one of the same
// engine, for which it would wait forever.
var ErrNested = errors.New("store: a write transaction inside another one")

// Writers notes the goroutines that run write transactions of an engine. A context cannot tell
// nested calls from concurrent ones: both may have the same one.
type Writers struct{ goroutines sync.Map }

// Enter fails if this goroutine runs a write transaction already. leave ends the transaction.
func (w *Writers) Enter() (leave func(), err error) {
	id := goroutine()
	if _, nested := w.goroutines.LoadOrStore(id, nil); nested {
		return nil, ErrNested
	}
	return func() { w.goroutines.Delete(id) }, nil
}

// goroutine returns the number of this goroutine, which its stack trace begins with:
// "goroutine 7 [running]:".
func goroutine() string {
	var trace [40]byte
	head := trace[:runtime.Stack(trace[:], false)]
	id, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("goroutine ")), []byte(" "))
	return string(id)
}
