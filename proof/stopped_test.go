//go:build unix

package proof

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"techo/internal/testenv"
)

// deadline is how long a call waits for a locked store; late is the tolerance for a
// busy machine.
const (
	deadline = 10 * time.Second
	late     = 7 * time.Second
)

// stopped is a store that a stopped process has locked.
type stopped struct {
	store string
	*holder
	command string // that an error should name
	asked   int    // number of adds sent to the holder
}

// stopWriter stops a process while it writes a group. That moment cannot be seen from
// outside, so the process is stopped repeatedly until a probe has to wait.
func stopWriter(t *testing.T) *stopped {
	t.Helper()
	s := &stopped{store: filepath.Join(t.TempDir(), "store"), command: "techo call"}
	mustTecho(t, s.store, "memo", "add", "before", "content", "--priority", "5")
	s.holder = startHolder(t, s.store)
	// Its first call leaves the note that names it, even if it is stopped while it draws a number.
	s.asked++
	if err := s.send(adding(s.asked, "first", "content")); err != nil {
		t.Fatal(err)
	}
	if doc, err := s.next(); err != nil || doc["error"] != nil {
		t.Fatalf("%v %v", doc, err)
	}
	for range 200 {
		var group []line
		for range 512 {
			s.asked++
			group = append(group, adding(s.asked, fmt.Sprint("memo-", s.asked), strings.Repeat("content ", 200)))
		}
		go func() { _ = s.send(group...) }() // a stopped process reads no pipe
		if s.stop(t, "memo", "edit", "before", "--content", "content") {
			return s
		}
		for range group {
			if doc, err := s.next(); err != nil || doc["error"] != nil {
				t.Fatalf("%v %v", doc, err)
			}
		}
	}
	t.Fatal("the holder could not be stopped while it had the store")
	return nil
}

// stop stops the holder at a moment when a probe cannot write to the store. It gives up
// after about two seconds in which the holder ran.
func (s *stopped) stop(t *testing.T, probe ...string) bool {
	t.Helper()
	for range 200 {
		time.Sleep(3 * time.Millisecond)
		s.signal(t, syscall.SIGSTOP)
		held := true
		for _, timeout := range []string{"200ms", "3s"} { // the second one in case the machine is busy
			held = held && techo(t, s.store, append([]string{"--timeout", timeout}, probe...)...).Code != 0
		}
		if held {
			return true
		}
		s.signal(t, syscall.SIGCONT)
	}
	return false
}

// signal sends a signal. It waits for a process to stop, which might otherwise get the store first.
func (s *stopped) signal(t *testing.T, which syscall.Signal) {
	t.Helper()
	err := s.Process.Signal(which)
	if err == nil && which == syscall.SIGSTOP {
		_, err = syscall.Wait4(s.Process.Pid, new(syscall.WaitStatus), syscall.WUNTRACED, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wantBusy checks that a call was refused in time and names the holder.
func (s *stopped) wantBusy(t *testing.T, a answer, hint string) {
	t.Helper()
	e, _ := a.Doc["error"].(map[string]any)
	who := ""
	if details, _ := e["details"].([]any); len(details) == 1 {
		who = fmt.Sprint(details[0].(map[string]any)["message"])
	}
	if a.errorCode() != "busy" || a.Code != 6 || e["retryable"] != true {
		t.Errorf("want busy: %v", a)
	}
	if a.Took > deadline+late {
		t.Errorf("waited too long: %v", a)
	}
	if who != fmt.Sprintf("pid %d: %s", s.Process.Pid, s.command) || !strings.Contains(fmt.Sprint(e["hint"]), hint) {
		t.Errorf("want pid %d and its command: %v", s.Process.Pid, a)
	}
}

func (s *stopped) wantAtOnce(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{{"memo", "add", "after", "content", "--priority", "5"}, {"memo", "get", "after"},
		{"store", "verify"}} {
		if a := mustTecho(t, s.store, args...); a.Took > atOnce {
			t.Errorf("took too long: %v", a)
		}
	}
}

// together runs calls concurrently and waits for them.
func together(calls ...func()) {
	var all sync.WaitGroup
	for _, call := range calls {
		all.Go(call)
	}
	all.Wait()
}

// TestStopped checks that a process stopped while it writes blocks other writers no longer
// than the deadline, and readers not at all, and does no harm when it continues.
func TestStopped(t *testing.T) {
	testenv.All(t, "waits for ten seconds")
	t.Parallel()
	s := stopWriter(t)
	reads := [][]string{{"memo", "get", "before"}, {"memo", "tags"}, {"memo", "list"}, {"store", "verify"}}
	for _, args := range reads {
		if a := mustTecho(t, s.store, args...); a.Took > atOnce {
			t.Errorf("took too long: %v", a)
		}
	}
	add := func(name string) []string { return []string{"memo", "add", name, "content", "--priority", "5"} }
	var waiters []func()
	for n := range 6 {
		waiters = append(waiters, func() {
			s.wantBusy(t, techo(t, s.store, add(fmt.Sprint("waiter", n))...), "end it")
		})
	}
	waiters = append(waiters,
		func() {
			a := techo(t, s.store, append([]string{"--lang", "ja"}, add("waiter")...)...)
			s.wantBusy(t, a, "終了させてください")
		},
		func() {
			a := techo(t, s.store, append([]string{"--timeout", "2s"}, add("waiter")...)...)
			if a.errorCode() != "timeout" && a.errorCode() != "busy" || a.Took > 2*time.Second+late {
				t.Errorf("want an answer within 2 s: %v", a)
			}
		})
	waiters = append(waiters, func() {
		if a, ok := techoUnseen(t, s.store, add("waiter")...); ok { // the note in the store names the holder
			s.wantBusy(t, a, "end it")
		}
	})
	together(waiters...)
	s.signal(t, syscall.SIGCONT)
	s.wantAtOnce(t)
	s.in.Close()
	answered := 0
	for doc, err := s.next(); err == nil && doc["error"] == nil; doc, err = s.next() {
		answered++
	}
	if err := s.Wait(); err != nil || answered == 0 {
		t.Errorf("the holder went on to %d answers and %v", answered, err)
	}
	// One memo before and one after; the refused adds must not occur.
	if got := len(contentsOf(t, s.store)); got != s.asked+2 {
		t.Errorf("%d memos, want %d", got, s.asked+2)
	}
}

// TestStoppedKilled checks that killing the stopped process frees the store at once.
func TestStoppedKilled(t *testing.T) {
	t.Parallel()
	s := stopWriter(t)
	a := techo(t, s.store, "--timeout", "1s", "memo", "edit", "before", "--content", "content")
	if a.Code == 0 {
		t.Errorf("it did not have the store: %v", a)
	}
	s.kill()
	s.wantAtOnce(t)
}

// TestStoppedWaiting checks that a process stopped while it waits blocks no other.
func TestStoppedWaiting(t *testing.T) {
	t.Parallel()
	s := stopWriter(t)
	waiter := command(t.Context(), s.store, "memo", "add", "waiter", "content", "--priority", "5")
	if err := waiter.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := &stopped{store: s.store, holder: &holder{Cmd: waiter}}
	t.Cleanup(stopped.kill)
	time.Sleep(200 * time.Millisecond) // it may wait by then, which the test does not need
	stopped.signal(t, syscall.SIGSTOP)
	s.kill()
	s.wantAtOnce(t)
}

// techoUnseen is techo without access to /proc.
func techoUnseen(t *testing.T, store string, args ...string) (a answer, ok bool) {
	t.Helper()
	script := `mount -t tmpfs none /proc && exec "$0" "$@"`
	if err := exec.Command("unshare", "-m", "sh", "-c", script, "true").Run(); err != nil {
		t.Logf("not tried without /proc, which only root can take away: %v", err)
		return a, false
	}
	c := exec.Command("unshare", append([]string{"-m", "sh", "-c", script, program, "--store", store}, args...)...)
	c.Env = environment()
	return collect(c), true
}
