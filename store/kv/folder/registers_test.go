package folder

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"math/rand/v2"

	"github.com/anishathalye/porcupine"

	"techo/internal/testenv"
	"techo/store/kv"
)

// serveRegisters writes and reads pairs of keys as lines from stdin say, and answers each by
// a line:
//
//	write KEYS NUMBER   a transaction, or a group of two
//	read KEYS           "NUMBER NUMBER"
//	merge, compact      of the store
//	reopen              as another process would
func serveRegisters(dir string) error {
	var l *Engine
	var err error
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if words := strings.Fields(lines.Text()); l == nil || words[0] == "reopen" {
			if l, err = Open(dir, Options{Write: true}); err != nil {
				return err
			}
		}
		answer, err := l.serve(strings.Fields(lines.Text()))
		if err != nil {
			return err
		}
		fmt.Println(answer)
	}
	return nil
}

func (l *Engine) serve(words []string) (answer string, err error) {
	ctx := context.Background()
	set := func(ctx context.Context, names ...string) error {
		return l.Update(ctx, func(tx kv.Tx) error {
			for _, name := range names {
				if err := tx.Put([]byte(words[1]+name), []byte(words[2])); err != nil {
					return err
				}
			}
			return nil
		})
	}
	switch words[0] {
	case "write":
		if strings.HasSuffix(words[2], "7") {
			return "done", l.Group(ctx, func(ctx context.Context) error {
				if err := set(ctx, "a"); err != nil {
					return err
				}
				return set(ctx, "b")
			})
		}
		return "done", set(ctx, "a", "b")
	case "read":
		err = l.View(ctx, func(tx kv.Tx) error {
			values, err := kv.GetMany(tx, [][]byte{[]byte(words[1] + "a"), []byte(words[1] + "b")})
			if err != nil {
				return err
			}
			answer = fmt.Sprintf("%s %s", values[0], values[1])
			return nil
		})
		return answer, err
	case "merge":
		return "done", l.forceMerge()
	case "compact":
		return "done", l.Compact(ctx)
	}
	return "done", nil
}

// registerModel is a pair of registers that are written and read together. A write without an
// answer has happened or not.
var registerModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{" "} },
	Step: func(state, input, output any) []any {
		switch in := input.(string); {
		case in != "" && output == "":
			return []any{state, in + " " + in}
		case in != "":
			return []any{in + " " + in}
		case output == "" || output == state:
			return []any{state}
		}
		return nil
	},
}

// registers records what processes write to a pair of registers, and read.
type registers struct {
	dir, keys string
	began     time.Time
	mu        sync.Mutex
	ops       []porcupine.Operation
}

// client is a process for one client of many histories.
type client struct {
	*child
	mu sync.Mutex // held while the process is exchanged or gets a signal
}

// operate makes some calls by a process, which may be killed meanwhile.
func (g *registers) operate(t *testing.T, c *client, id int, r *rand.Rand) {
	for n := range 6 {
		request, in := "read "+g.keys, ""
		switch r.IntN(8) {
		case 0:
			request = []string{"merge", "compact", "reopen"}[r.IntN(3)]
		case 1, 2, 3:
			in = fmt.Sprint(id*10 + n + 10)
			request = "write " + g.keys + " " + in
		}
		called := time.Since(g.began).Nanoseconds()
		fmt.Fprintln(c.in, request)
		out := ""
		if c.out.Scan() {
			out = c.out.Text()
		} else {
			c.Wait()
			if c.ProcessState.Success() || c.stderr.Len() > 0 {
				t.Errorf("%s: %v %s", request, c.ProcessState, c.stderr)
			}
		}
		returned := time.Since(g.began).Nanoseconds()
		if in != "" || strings.HasPrefix(request, "read") {
			g.mu.Lock()
			g.ops = append(g.ops,
				porcupine.Operation{ClientId: id, Input: in, Output: out, Call: called, Return: returned})
			g.mu.Unlock()
		}
		if out == "" {
			c.mu.Lock()
			c.child = startChild(t, "serve", g.dir)
			c.mu.Unlock()
		}
	}
}

// TestRegisters checks that the transactions of processes are linearizable, while some are
// killed, stopped and continued, and while they merge and compact.
func TestRegisters(t *testing.T) {
	t.Parallel()
	const clients = 4
	histories := testenv.Pick(24, 60)
	if testenv.Long() {
		histories = 10_000
	}
	seed := testenv.Random(t)
	killed := 0
	dir := filepath.Join(t.TempDir(), "store")
	var all [clients]*client
	for id := range all {
		all[id] = &client{child: startChild(t, "serve", dir)}
	}
	for number := range histories {
		g := &registers{dir: dir, keys: fmt.Sprint("h", number), began: time.Now()}
		var working, disturbing sync.WaitGroup
		for id, c := range all {
			r := rand.New(rand.NewPCG(seed.Uint64(), 0))
			working.Go(func() { g.operate(t, c, id, r) })
		}
		victim, wait, how := all[seed.IntN(clients)], time.Duration(seed.IntN(8000))*time.Microsecond, seed.IntN(4)
		disturbing.Go(func() {
			time.Sleep(wait)
			victim.disturb(how)
		})
		working.Wait()
		disturbing.Wait()
		for _, op := range g.ops {
			if op.Output == "" {
				killed++
			}
		}
		if got := porcupine.CheckOperationsTimeout(registerModel.ToModel(), g.ops, time.Minute); got != porcupine.Ok {
			t.Fatalf("history %d: %v: %+v", number, got, g.ops)
		}
	}
	t.Logf("%d histories, %d calls killed", histories, killed)
}
