package commands

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"techo/internal/mcptest"
	"techo/internal/testenv"
)

// TestMCPKilled runs two servers and commands on one store and kills one of the servers
// repeatedly in the middle of many calls. The others must be unaffected, and no write
// that was answered may be lost.
func TestMCPKilled(t *testing.T) {
	random := testenv.Random(t)
	w, bin := newWorld(t), testenv.Program(t)
	kept := &names{}
	done := make(chan bool)
	var others sync.WaitGroup
	others.Go(func() { // the other server
		p := startMCP(t, w, bin)
		for i := 0; !isClosed(done); i++ {
			kept.add(p.add(t, fmt.Sprint("other-", i)))
		}
		p.end(t)
	})
	others.Go(func() { // the commands
		for i := 0; !isClosed(done); i++ {
			name := fmt.Sprint("command-", i)
			w.exec(bin, "", "memo", "add", name, "x", "--priority", "1").ok()
			kept.add(name)
		}
	})
	for round := range 8 {
		p := startMCP(t, w, bin)
		go func() { // more calls than it can answer before its end
			for i := range 3000 {
				if p.send(fmt.Sprint("victim-", round, "-", i)) != nil {
					return
				}
			}
		}()
		for range 1 + random.IntN(60) {
			kept.add(p.answered(t))
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for name := p.next(); name != ""; name = p.next() { // answers that it sent before
			kept.add(name)
		}
		_ = p.cmd.Wait() // an error, because it was killed
	}
	close(done)
	others.Wait()
	for _, name := range kept.all() {
		if w.run("memo", "get", name).code != 0 {
			t.Errorf("answered but lost: %s", name)
		}
	}
	t.Logf("%d calls were answered", len(kept.all()))
	w.run("store", "verify").ok()
}

// names are collected by several goroutines.
type names struct {
	mu   sync.Mutex
	list []string
}

func (n *names) add(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, name)
}

func (n *names) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.list
}

func isClosed(c chan bool) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// mcpProcess is a process of `techo mcp`.
type mcpProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startMCP starts `techo mcp` with pipes.
func startMCP(t *testing.T, w *world, bin string) *mcpProcess {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, "mcp")
	cmd.Dir = w.dir
	for name, value := range w.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, to, err := os.Pipe() // unlike StdoutPipe, Wait does not close it
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = to
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	to.Close()
	t.Cleanup(func() { out.Close() })
	return &mcpProcess{cmd: cmd, in: in, out: bufio.NewReader(out)}
}

// send sends a call that adds a memo.
func (p *mcpProcess) send(name string) error {
	_, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"add_memo",`+
		`"arguments":{"name":%q,"content":"x","priority":1},%s}}`+"\n", name, name, mcptest.Meta)
	return err
}

// next reads the next answer and returns the name of the added memo, or "" at the end.
func (p *mcpProcess) next() string {
	line, err := p.out.ReadString('\n')
	var m struct{ ID string }
	if err != nil || json.Unmarshal([]byte(line), &m) != nil ||
		!strings.Contains(line, `"text":"{\"memo\":`) {
		return ""
	}
	return m.ID
}

// answered reads an answer, which must exist.
func (p *mcpProcess) answered(t *testing.T) string {
	t.Helper()
	name := p.next()
	if name == "" {
		t.Error("a call was not answered")
	}
	return name
}

// add adds a memo and waits for the answer.
func (p *mcpProcess) add(t *testing.T, name string) string {
	t.Helper()
	if err := p.send(name); err != nil {
		t.Error(err)
	}
	return p.answered(t)
}

// end closes stdin and checks that the process succeeds.
func (p *mcpProcess) end(t *testing.T) {
	t.Helper()
	if err := errors.Join(p.in.Close(), p.cmd.Wait()); err != nil {
		t.Error(err)
	}
}
