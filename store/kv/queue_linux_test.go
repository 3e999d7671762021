package kv

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// fileOf is the file that a place in the queue is locked in.
func fileOf(t *ticket) *os.File { return t.file }

// TestQueueKeepsOrder lets the owner of a number die. The next waiter still waits for
// the numbers before that one.
func TestQueueKeepsOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), queueName)
	ctx, p, stop := newWaits().withPatience(t.Context(), filepath.Dir(path))
	defer stop()
	enter := func() *ticket {
		turn, err := enqueue(ctx, path, false, "", p)
		if err != nil {
			t.Error(err)
		}
		return turn
	}
	first := enter()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	dying := &ticket{file: f}
	if n := dying.draw(""); n != 2 {
		t.Fatalf("drew %d", n)
	}
	third := make(chan *ticket)
	go func() { third <- enter() }()
	for drawn := byte(0); drawn != 3; time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		drawn = b[7]
	}
	f.Close()
	select {
	case <-third:
		t.Error("the third was admitted while the first held the lock")
	case <-time.After(100 * time.Millisecond):
		first.release()
		(<-third).release()
	}
}
