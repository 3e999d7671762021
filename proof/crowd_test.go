package proof

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/internal/testenv/winetest"
)

// holder is a process that keeps a store open until its input ends: `call --batch`,
// fed line by line.
type holder struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

type line struct {
	Tool  string         `json:"tool"`
	Input map[string]any `json:"input"`
	ID    int            `json:"id"`
	Key   string         `json:"idempotency_key,omitempty"`
}

func startHolder(t *testing.T, store string) *holder {
	t.Helper()
	h := &holder{Cmd: command(t.Context(), store, "call", "--batch")}
	h.Stderr = &h.stderr
	var err error
	if h.in, err = h.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.out = bufio.NewReaderSize(out, 64<<10)
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.kill)
	return h
}

// send writes several calls at once. Calls that arrive together form a group.
func (h *holder) send(lines ...line) error {
	var all bytes.Buffer
	enc := json.NewEncoder(&all)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	_, err := h.in.Write(all.Bytes())
	return err
}

func (h *holder) next() (doc map[string]any, err error) {
	text, err := h.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &doc)
	return doc, err
}

// call sends one call and returns its answer, which must not be an error.
func (h *holder) call(t *testing.T, l line) map[string]any {
	t.Helper()
	err := h.send(l)
	doc := map[string]any{}
	if err == nil {
		doc, err = h.next()
	}
	if err != nil || doc["error"] != nil {
		t.Fatalf("holder: %v %v %s", doc, err, &h.stderr)
	}
	return doc
}

// kill sends SIGKILL and waits for the end of the process.
func (h *holder) kill() {
	if h.ProcessState == nil {
		_ = h.Process.Kill()
		_ = h.Wait()
	}
}

// finish closes the input and waits for the process to exit.
func (h *holder) finish(t *testing.T) {
	t.Helper()
	h.in.Close()
	if rest, err := io.ReadAll(h.out); err != nil || len(rest) > 0 {
		t.Errorf("holder: %q %v left over", rest, err)
	}
	if err := h.Wait(); err != nil && !errors.Is(err, exec.ErrWaitDelay) || h.stderr.Len() > 0 {
		t.Errorf("holder: %v %s", err, &h.stderr)
	}
}

func adding(id int, name, content string) line {
	return line{Tool: "add_memo", ID: id, Input: map[string]any{"name": name, "content": content, "priority": 3}}
}

// crowd runs many processes on one store and records the acknowledged writes.
type crowd struct {
	store string

	mu   sync.Mutex
	want map[string]string // contents of acknowledged memos by name
	took []time.Duration
	live map[*os.Process]bool // processes that may be killed
}

func newCrowd(t *testing.T) *crowd {
	return &crowd{store: filepath.Join(t.TempDir(), "store"), want: map[string]string{}, live: map[*os.Process]bool{}}
}

func (c *crowd) size() (lanes, calls int) {
	if testenv.Long() && winetest.On() {
		return 64, 50
	} else if testenv.Long() {
		return 64, 100
	}
	return testenv.Pick(8, 16), testenv.Pick(8, 20)
}

func (c *crowd) acknowledged(name, content string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.want[name] = content
	c.took = append(c.took, took)
}

func (c *crowd) some() (name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name = range c.want {
		break
	}
	return name
}

// write makes the n-th call of a lane: it adds a memo or edits the previous one.
func (c *crowd) write(t *testing.T, lane, n int) {
	name, content := fmt.Sprintf("memo-%d-%d", lane, n/2), fmt.Sprintf("content %d", n)
	args := []string{"memo", "add", name, content, "--priority", "3", "--tag", fmt.Sprint("tag", lane%8)}
	if n%2 == 1 {
		args = []string{"memo", "edit", name, "--content", content}
	}
	a := collectProcess(command(t.Context(), c.store, args...))
	if a.wantClean(t); a.Code != 0 {
		t.Errorf("%v", a)
		return
	}
	c.acknowledged(name, content, a.Took)
}

// read makes reading calls in turn until stop is closed. Every memo acknowledged
// before a call must be in its answer.
func (c *crowd) read(t *testing.T, stop chan struct{}) (reads int) {
	for ; ; reads++ {
		select {
		case <-stop:
			return reads
		default:
		}
		args := [][]string{
			{"memo", "list", "--limit", "5"}, {"memo", "tags"}, {"memo", "context"},
			{"memo", "get", c.some()},
		}[reads%4]
		if args[len(args)-1] == "" {
			continue
		}
		if a := collectProcess(command(t.Context(), c.store, args...)); a.Code != 0 {
			t.Errorf("%v", a)
		}
	}
}

func (c *crowd) run(t *testing.T, lanes int, lane func(lane int)) {
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	reads := make([]int, max(2, lanes/8))
	for i := range reads {
		readers.Go(func() { reads[i] = c.read(t, stop) })
	}
	for i := range lanes {
		writers.Go(func() { lane(i) })
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	slices.Sort(c.took)
	at := func(part float64) time.Duration {
		return c.took[int(part*float64(len(c.took)-1))].Round(time.Millisecond)
	}
	total := 0
	for _, n := range reads {
		total += n
	}
	t.Logf("%d writes by %d at once, %d reads meanwhile: p50 %v, p99 %v, max %v", len(c.took), lanes, total, at(0.5),
		at(0.99), at(1))
}

// wantAll compares the store with the acknowledged writes: none is lost, none
// occurs twice.
func (c *crowd) wantAll(t *testing.T) {
	t.Helper()
	wantMemos(t, c.store, c.want)
	mustTecho(t, c.store, "store", "verify")
}

// contentsOf returns the content of each memo by its name. No name may occur twice.
func contentsOf(t *testing.T, store string) map[string]string {
	t.Helper()
	a := mustTecho(t, store, "memo", "list", "--limit", "1000000")
	got := map[string]string{}
	memos, _ := a.Doc["memos"].([]any)
	for _, m := range memos {
		m := m.(map[string]any)
		name := m["name"].(string)
		if _, twice := got[name]; twice {
			t.Errorf("%s is listed twice", name)
		}
		got[name] = m["content"].(string)
	}
	if total, _ := a.Doc["total"].(float64); int(total) != len(got) {
		t.Errorf("total %v, but %d memos", a.Doc["total"], len(got))
	}
	return got
}

func wantMemos(t *testing.T, store string, want map[string]string) {
	t.Helper()
	got := contentsOf(t, store)
	for name, content := range want {
		if have, ok := got[name]; !ok {
			t.Errorf("%s: lost", name)
		} else if have != content {
			t.Errorf("%s: %q, want %q", name, have, content)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: kept without an acknowledgement", name)
		}
	}
}

// TestCrowd writes from many processes at once, one process per call: there are no
// errors, and no write is lost or done twice.
func TestCrowd(t *testing.T) {
	c := newCrowd(t)
	lanes, calls := c.size()
	c.run(t, lanes, func(lane int) {
		for n := range calls {
			c.write(t, lane, n)
		}
	})
	if len(c.took) != lanes*calls {
		t.Errorf("%d of %d writes were acknowledged", len(c.took), lanes*calls)
	}
	c.wantAll(t)
}

// watch allows killSome to kill a process while do waits for it.
func (c *crowd) watch(p *os.Process, do func()) {
	c.mu.Lock()
	c.live[p] = true
	c.mu.Unlock()
	do()
	c.mu.Lock()
	delete(c.live, p)
	c.mu.Unlock()
}

// killSome kills one random process after another until stop is closed.
func (c *crowd) killSome(r *rand.Rand, stop chan struct{}) (kills int) {
	for {
		select {
		case <-stop:
			return kills
		case <-time.After(time.Duration(r.ExpFloat64() * float64(30*time.Millisecond))):
		}
		c.mu.Lock()
		for p := range c.live {
			if p.Kill() == nil {
				kills++
			}
			break
		}
		c.mu.Unlock()
	}
}

// addOnce repeats a call with the same key until it is answered.
func (c *crowd) addOnce(t *testing.T, name string) {
	started := time.Now()
	for {
		cmd := command(t.Context(), c.store, "memo", "add", name, "content of "+name, "--priority", "3",
			"--idempotency-key", name)
		var out, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &stderr
		if err := cmd.Start(); err != nil {
			t.Error(err)
			return
		}
		c.watch(cmd.Process, func() { _ = cmd.Wait() })
		code := cmd.ProcessState.ExitCode()
		if code == -1 && stderr.Len() == 0 {
			continue // killed
		}
		if code != 0 || !strings.HasPrefix(out.String(), `{"memo":{`) ||
			!strings.Contains(out.String(), fmt.Sprintf("%q", name)) {
			t.Errorf("add %s: exit %d %s%s", name, code, &out, &stderr)
		}
		c.acknowledged(name, "content of "+name, time.Since(started))
		return
	}
}

// addByHolder adds memos through a long-lived process, five at a time. When the
// process is killed, it starts another one and repeats the calls with the same keys.
func (c *crowd) addByHolder(t *testing.T, names []string) {
	var h *holder
	started := time.Now()
	for len(names) > 0 && t.Context().Err() == nil {
		if h == nil {
			h = startHolder(t, c.store)
		}
		done := 0
		c.watch(h.Process, func() { done = c.addGroup(t, h, names[:min(5, len(names))], started) })
		if names = names[done:]; done > 0 {
			started = time.Now()
			continue
		}
		if h.kill(); h.ProcessState.ExitCode() >= 0 {
			t.Errorf("holder: left of its own: %v %s", h.ProcessState, &h.stderr)
			return
		}
		h = nil
	}
	if h != nil {
		h.kill() // it may have been killed after its last answer
	}
}

func (c *crowd) addGroup(t *testing.T, h *holder, names []string, started time.Time) (done int) {
	var group []line
	for i, name := range names {
		l := adding(i, name, "content of "+name)
		l.Key = name
		group = append(group, l)
	}
	if h.send(group...) != nil {
		return 0
	}
	for _, name := range names {
		doc, err := h.next()
		if err != nil {
			return done
		}
		if memo, _ := doc["memo"].(map[string]any); memo["name"] != name {
			t.Errorf("add %s: %v", name, doc)
		}
		c.acknowledged(name, "content of "+name, time.Since(started))
		done++
	}
	return done
}

// TestCrowdKilled is TestCrowd while processes are killed, both those that make one
// call and long-lived ones. Killed calls are repeated with the same idempotency key.
func TestCrowdKilled(t *testing.T) {
	r := testenv.Random(t)
	c := newCrowd(t)
	lanes, calls := c.size()
	stop, kills := make(chan struct{}), make(chan int, 1)
	go func() { kills <- c.killSome(r, stop) }()
	c.run(t, lanes, func(lane int) {
		var names []string
		for n := range calls {
			names = append(names, fmt.Sprintf("memo-%d-%d", lane, n))
		}
		if lane%4 == 0 {
			c.addByHolder(t, names)
			return
		}
		for _, name := range names {
			c.addOnce(t, name)
		}
	})
	close(stop)
	n := <-kills
	t.Logf("%d kills", n)
	if n == 0 {
		t.Error("nothing was killed")
	}
	if len(c.want) != lanes*calls {
		t.Errorf("%d of %d writes were acknowledged", len(c.want), lanes*calls)
	}
	c.wantAll(t)
}
