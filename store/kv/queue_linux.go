package kv

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// # The queue
//
// flock lets in whoever wakes first, so that in a crowd some wait for very
// long. So those who wait draw numbers: each holds the byte of its own, and
// waits for that of the number before it to be free. A number whose owner died
// is free; then two may come at once, and the lock itself sorts them out.
//
//	0     the last number drawn, 8 bytes; locked while one is drawn
//	8     keptMark, once the store has kept anything (journal.go)
//	4096  notes of who drew which number, 64 bytes each, in a ring: "number pid command\n"
//
// The locks are on bytes far behind the end, one a number. They belong to the
// opening of the file (OFD), so that goroutines exclude each other as
// processes do.
const (
	ticketsAt = 1 << 40
	notesAt   = 4096
	noteSize  = 64
	notes     = 256
)

// ticket is a place in the queue.
type ticket struct {
	file  *os.File
	after func() // runs when it was released before its turn came
}

// release leaves the queue.
func (t *ticket) release() {
	if t != nil && t.file != nil {
		t.file.Close() // frees the bytes
		t.file = nil
		if t.after != nil {
			t.after()
		}
	}
}

// enqueue waits until all that came before have had their turn. A reader that
// may not write there does not wait. failed runs when its turn did not come and
// nobody waits for it any more.
func enqueue(ctx context.Context, path string, reader bool, holder string, failed func()) (*ticket, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil && reader && !errors.Is(err, unix.EISDIR) {
		if _, e := os.Stat(path); e == nil || !errors.Is(err, os.ErrNotExist) {
			return &ticket{}, nil
		}
	}
	if err != nil {
		failed()
		return nil, notFile(path, err)
	}
	t := &ticket{file: f, after: failed}
	if err = t.wait(ctx, 0); err == nil {
		n := t.draw(holder)
		_ = lockByte(f, unix.F_OFD_SETLK, unix.F_UNLCK, 0)
		if n > 0 {
			if err = t.wait(ctx, ticketsAt+n-1); err == nil {
				_ = lockByte(f, unix.F_OFD_SETLK, unix.F_UNLCK, ticketsAt+n-1)
			}
		}
	}
	if err == nil {
		t.after = nil
	}
	return t, err
}

// wait locks a byte. When that fails, the ticket is released, or will be.
func (t *ticket) wait(ctx context.Context, at int64) error {
	try := func() error {
		err := lockByte(t.file, unix.F_OFD_SETLK, unix.F_WRLCK, at)
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
			return errWouldBlock
		}
		return err
	}
	return await(ctx, t, t.file.Name(), try, func() error { return lockByte(t.file, unix.F_OFD_SETLKW, unix.F_WRLCK, at) })
}

// draw draws a number; 0 where numbers cannot be kept, as on a full disk: there
// whoever comes first is first.
func (t *ticket) draw(holder string) (n int64) {
	var b [8]byte
	_, _ = t.file.ReadAt(b[:], 0) // a new file has none
	n = int64(binary.BigEndian.Uint64(b[:])&(1<<39-1)) + 1
	binary.BigEndian.PutUint64(b[:], uint64(n))
	if _, err := t.file.WriteAt(b[:], 0); err != nil {
		return 0
	}
	if lockByte(t.file, unix.F_OFD_SETLK, unix.F_WRLCK, ticketsAt+n) != nil {
		return 0
	}
	note := strconv.Itoa(int(n)) + " " + strconv.Itoa(os.Getpid()) + " " + holder
	note = note[:min(len(note), noteSize-1)] + strings.Repeat("\n", max(1, noteSize-len(note)))
	_, _ = t.file.WriteAt([]byte(note), notesAt+n%notes*noteSize) // nothing depends on it
	return n
}

func lockByte(f *os.File, command int, kind int16, at int64) error {
	for {
		err := unix.FcntlFlock(f.Fd(), command, &unix.Flock_t{Type: kind, Start: at, Len: 1})
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// firstInQueue tells who has had its turn for longest and is not done. pid is
// 0 when nobody is found.
func firstInQueue(path string) (pid int, command string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	var b [8]byte
	if _, err := f.ReadAt(b[:], 0); err != nil {
		return 0, ""
	}
	last := int64(binary.BigEndian.Uint64(b[:]) & (1<<39 - 1))
	for n := max(1, last-notes+1); n <= last; n++ {
		l := unix.Flock_t{Type: unix.F_WRLCK, Start: ticketsAt + n, Len: 1}
		if unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &l) != nil || l.Type == unix.F_UNLCK {
			continue
		}
		if number, pid, command := readNote(f, n); number == n {
			return pid, command
		}
	}
	return 0, ""
}

// readNote reads the note in the place of a number.
func readNote(f *os.File, n int64) (number int64, pid int, command string) {
	note := make([]byte, noteSize)
	if _, err := f.ReadAt(note, notesAt+n%notes*noteSize); err != nil {
		return 0, 0, ""
	}
	part := strings.SplitN(strings.TrimRight(string(note), "\n"), " ", 3)
	if len(part) < 3 {
		return 0, 0, ""
	}
	number, _ = strconv.ParseInt(part[0], 10, 64)
	pid, _ = strconv.Atoi(part[1])
	return number, pid, part[2]
}

// commandInQueue tells what a process called itself when it drew its last number.
func commandInQueue(path string, pid int) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	newest, found := int64(0), ""
	for n := range int64(notes) {
		if number, who, command := readNote(f, n); who == pid && number > newest {
			newest, found = number, command
		}
	}
	return found
}
