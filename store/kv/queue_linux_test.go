package kv

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"techo/store/kv/disk"
	"techo/store/kv/fault"
	"techo/store/kv/lock"
)

// TestBusyNamesDrawing names a process that was stopped while it drew a number.
func TestBusyNamesDrawing(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, disk.QueueName))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lock.LockByte(f, unix.F_OFD_SETLK, unix.F_WRLCK, 0); err != nil {
		t.Fatal(err)
	}
	lock.WriteNote(f, 1, os.Getpid(), "techo drawing")
	var who *fault.BusyError
	if err := lock.Busy(lock.ErrHeld, dir, lock.Limit); !errors.As(err, &who) ||
		who.PID != os.Getpid() || who.Command != "techo drawing" {
		t.Errorf("%v, want pid %d: techo drawing", err, os.Getpid())
	}
}

// TestBusyNamesStopped names a process that was stopped while it waited for the number of
// another one, which died: the system gave it the lock on that number, too.
func TestBusyNamesStopped(t *testing.T) {
	path := filepath.Join(t.TempDir(), disk.QueueName)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	waiter := &lock.Ticket{File: f}
	waiter.Draw("dead")
	lock.WriteNote(f, 1, dead.Process.Pid, "techo dead")
	waiter.Draw("waiter")
	if pid, command := lock.FirstInQueue(path); pid != os.Getpid() || command != "waiter" {
		t.Errorf("pid %d: %s, want waiter with pid %d", pid, command, os.Getpid())
	}
}

// TestQueueKeepsOrder lets the owner of a number die. The next waiter still waits for
// the numbers before that one.
func TestQueueKeepsOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), disk.QueueName)
	ctx, p, stop := lock.NewWaits().Watch(t.Context(), filepath.Dir(path))
	defer stop()
	enter := func() *lock.Ticket {
		place, err := lock.Enqueue(ctx, path, false, "", p)
		if err != nil {
			t.Error(err)
		}
		return place
	}
	first := enter()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	dying := &lock.Ticket{File: f}
	if n := dying.Draw(""); n != 2 {
		t.Fatalf("drew %d", n)
	}
	third := make(chan *lock.Ticket)
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
		first.Release()
		(<-third).Release()
	}
}
