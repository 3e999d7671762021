package lock

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"techo/internal/private"
	"techo/store/kv/disk"
	"techo/store/kv/fault"
)

// # The queue
//
// flock admits waiters in no particular order, so with many waiters some wait
// very long. Therefore waiters draw numbers: each locks the byte of its number and waits
// for the byte of the number before it. That number is free, too, when its owner died or
// gave up; the waiter then waits for the others that are still ahead of both.
//
//	0     the last number drawn, 8 bytes; locked while one is drawn
//	8     createdMark, once the store has a record (journal_write.go)
//	4096  notes on the owners of numbers, a ring of 64-byte slots: "number pid command\n"
//
// The locked bytes lie far beyond the end of the file. The locks belong to the
// open file description (OFD), so that goroutines exclude each other as
// processes do.
const (
	ticketsAt = 1 << 40
	notesAt   = 4096
	noteSize  = 64
	notes     = 256
)

// Ticket is a place in the queue.
type Ticket struct{ File *os.File }

// Release leaves the queue. It unlocks explicitly: a forked child that has not yet
// called exec shares the open file and its locks.
func (t *Ticket) Release() {
	if t != nil && t.File != nil {
		_ = unix.FcntlFlock(t.File.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_UNLCK}) // all bytes
		t.File.Close()
		t.File = nil
	}
}

// Enqueue waits for all tickets drawn before. A reader without write permission
// does not wait.
func Enqueue(ctx context.Context, path string, reader bool, holder string, p *watchdog) (*Ticket, error) {
	f, err := disk.OpenEntry(filepath.Dir(path), disk.QueueName, os.O_RDWR|os.O_CREATE)
	if err != nil && reader && !errors.As(err, new(*fault.CorruptError)) && !errors.As(err, new(*private.Error)) {
		if _, e := os.Lstat(path); e == nil || !errors.Is(err, os.ErrNotExist) {
			return &Ticket{}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	t := &Ticket{File: f}
	if err := t.wait(ctx, p, 0); err != nil {
		return nil, err
	}
	n := t.Draw(holder)
	_ = LockByte(f, unix.F_OFD_SETLK, unix.F_UNLCK, 0)
	for ahead := n - 1; ahead > 0; ahead = t.ahead(n) {
		if err := t.wait(ctx, p, ticketsAt+ahead); err != nil {
			return nil, err
		}
		_ = LockByte(f, unix.F_OFD_SETLK, unix.F_UNLCK, ticketsAt+ahead)
	}
	return t, nil
}

// ahead returns a number below n that is still in the queue, or 0.
func (t *Ticket) ahead(n int64) int64 {
	l := unix.Flock_t{Type: unix.F_WRLCK, Start: ticketsAt + 1, Len: n - 1}
	if unix.FcntlFlock(t.File.Fd(), unix.F_OFD_GETLK, &l) != nil || l.Type == unix.F_UNLCK {
		return 0
	}
	return max(l.Start-ticketsAt, 1)
}

// wait locks a byte. When it fails, the ticket is released, at once or after an
// abandoned wait.
func (t *Ticket) wait(ctx context.Context, p *watchdog, at int64) error {
	try := func() error {
		err := LockByte(t.File, unix.F_OFD_SETLK, unix.F_WRLCK, at)
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
			return ErrHeld
		}
		return err
	}
	return p.await(ctx, t, t.File.Name(), try,
		func() error { return LockByte(t.File, unix.F_OFD_SETLKW, unix.F_WRLCK, at) })
}

// Draw draws a number. It returns 0 where the number cannot be stored, as on a
// full disk; the order is then undefined.
func (t *Ticket) Draw(holder string) (n int64) {
	var b [8]byte
	_, _ = t.File.ReadAt(b[:], 0) // a new file is empty
	n = int64(binary.BigEndian.Uint64(b[:])&(1<<39-1)) + 1
	// The note is for BusyError only. It comes first, so that it also names a process that is
	// stopped while it draws.
	WriteNote(t.File, n, os.Getpid(), holder)
	binary.BigEndian.PutUint64(b[:], uint64(n))
	if _, err := t.File.WriteAt(b[:], 0); err != nil {
		return 0
	}
	if LockByte(t.File, unix.F_OFD_SETLK, unix.F_WRLCK, ticketsAt+n) != nil {
		return 0
	}
	return n
}

func LockByte(f *os.File, command int, kind int16, at int64) error {
	for {
		err := unix.FcntlFlock(f.Fd(), command, &unix.Flock_t{Type: kind, Start: at, Len: 1})
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// FirstInQueue returns the process that holds the lowest number in the queue: its owner,
// or a process that waited for it and was stopped when the owner died. If no number is
// held, it returns the process that is drawing one, which blocks all others while it is
// stopped. pid is 0 if there is neither.
func FirstInQueue(path string) (pid int, command string) {
	f, err := disk.OpenEntry(filepath.Dir(path), disk.QueueName, os.O_RDWR)
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	var b [8]byte
	_, _ = f.ReadAt(b[:], 0) // a new file is empty
	last := int64(binary.BigEndian.Uint64(b[:]) & (1<<39 - 1))
	for n := max(1, last-notes+1); n <= last; n++ {
		l := unix.Flock_t{Type: unix.F_WRLCK, Start: ticketsAt + n, Len: 1}
		if unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &l) != nil || l.Type == unix.F_UNLCK {
			continue
		}
		if pid, command := byteOwner(f, ticketsAt+n); pid != 0 {
			return pid, cmp.Or(commandInQueue(path, pid), command)
		}
		if number, pid, command := readNote(f, n); number == n {
			return pid, command
		}
	}
	if pid, command = byteOwner(f, 0); pid == 0 {
		return 0, ""
	}
	return pid, cmp.Or(commandInQueue(path, pid), command)
}

// byteOwner returns another process that has locked a byte of f, or pid 0 if /proc does
// not show it. /proc/locks lists no process for the locks of open files, but the
// descriptors in /proc/PID/fdinfo do, with the first and the last byte:
//
//	lock:	1: OFDLCK ADVISORY  WRITE -1 fe:00:131 0 0
func byteOwner(f *os.File, at int64) (pid int, command string) {
	info, err := f.Stat()
	if err != nil {
		return 0, ""
	}
	descriptors, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, d := range descriptors {
		if other, err := os.Stat(d); err != nil || !os.SameFile(info, other) {
			continue
		}
		process, number := filepath.Dir(filepath.Dir(d)), filepath.Base(d)
		locks, _ := os.ReadFile(filepath.Join(process, "fdinfo", number))
		for line := range strings.Lines(string(locks)) {
			if locksByte(line, at) {
				pid, _ = strconv.Atoi(filepath.Base(process))
				return pid, commandOf(pid)
			}
		}
	}
	return 0, ""
}

// locksByte reports whether a line of /proc/PID/fdinfo is a lock of a byte.
func locksByte(line string, at int64) bool {
	parts := strings.Fields(line)
	if len(parts) != 9 || parts[0] != "lock:" || parts[2] != "OFDLCK" {
		return false
	}
	first, err := strconv.ParseInt(parts[7], 10, 64)
	last, err2 := strconv.ParseInt(parts[8], 10, 64)
	return err == nil && err2 == nil && first <= at && at <= last
}

// WriteNote writes the note of a number.
func WriteNote(f *os.File, n int64, pid int, command string) {
	note := strconv.FormatInt(n, 10) + " " + strconv.Itoa(pid) + " " + command
	note = note[:min(len(note), noteSize-1)] + strings.Repeat("\n", max(1, noteSize-len(note)))
	_, _ = f.WriteAt([]byte(note), notesAt+n%notes*noteSize)
}

// readNote reads the note of a number.
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

// commandInQueue returns the command in the newest note of a process.
func commandInQueue(path string, pid int) string {
	f, err := disk.OpenEntry(filepath.Dir(path), disk.QueueName, os.O_RDONLY)
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
