package tables

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"techo/internal/postgres"
)

// teamClients is the number of clients that call at once.
const teamClients = 32

// team measures an import into a database, and the calls of clients of one, two and four
// servers that share it. Clients, servers and database are on this machine.
func team(b *bench) (err error) {
	database, err := postgres.New()
	if errors.Is(err, postgres.ErrMissing) {
		fmt.Println("\nPostgreSQL is not installed: left out")
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Stop()) }()
	store := database.Address("bench")
	if _, err := once([]string{b.techo, "store", "migrate", "--store", store}, nil); err != nil {
		return err
	}
	if _, err := once(b.add(store, "memo"), nil); err != nil {
		return err
	}
	n := memoriesCount(100_000)
	jsonl, _, z, err := b.generate(n)
	if err != nil {
		return err
	}
	rows := [][]string{{fmt.Sprintf("import of %d memories", n), "wall", "ratio", "at most"}}
	var local time.Duration
	for i, to := range []string{b.store("team"), store} {
		s, err := once([]string{b.techo, "import", "memories", jsonl, "--store", to, "--user", "u0"}, nil)
		if err != nil {
			return err
		}
		if i == 0 {
			local = s.wall
			rows = append(rows, []string{"into a folder", ms(s.wall), "1", ""})
		} else {
			rows = append(rows, []string{"into PostgreSQL", ms(s.wall), ratio(s.wall, local), "5 ×"})
		}
	}
	table("Import, on the loopback", rows...)
	return b.teamServers(store, z)
}

// teamServers measures calls of servers that share a store.
func (b *bench) teamServers(store string, z *zipf) error {
	rows := [][]string{{"servers", "calls", "a second", "p50", "p99", "errors"}}
	for _, servers := range []int{1, 2, 4} {
		g := &teamRun{z: z, lasts: time.Duration(sized(10_000)) * time.Millisecond}
		for range servers {
			if err := g.start(b.techo, store); err != nil {
				return errors.Join(err, g.stop())
			}
		}
		for _, w := range []teamCalls{
			{"`memory add`, 8 users", "add_memory", `{"full_text":%q}`, false},
			{"the same with idempotency keys", "add_memory", `{"full_text":%q}`, true},
			{"`memo add`", "add_memo", `{"name":%q,"content":"x","priority":3}`, false},
			{"`memory search`", "search_memory", `{"query":%q}`, false},
			{"`memo get`", "get_memo", `{"memo_name":"memo"}`, false},
		} {
			took, failed := g.measure(w, teamClients)
			rows = append(rows, []string{fmt.Sprint(servers), w.name,
				fmt.Sprintf("%.0f", float64(len(took))/g.lasts.Seconds()), ms(at(took, 0.5)), ms(at(took, 0.99)),
				fmt.Sprint(failed)})
		}
		if err := g.stop(); err != nil {
			return err
		}
	}
	table(fmt.Sprintf("%d clients of servers that share a PostgreSQL database, all on this machine", teamClients),
		rows...)
	return nil
}

// at returns a quantile of sorted times, 0 of none.
func at(took []time.Duration, q float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	return took[min(int(q*float64(len(took))), len(took)-1)]
}

// teamCalls are calls of one tool.
type teamCalls struct {
	name, tool, input string
	keyed             bool // each call has an idempotency key, as the command line sends
}

// teamRun is a number of servers with their clients.
type teamRun struct {
	servers []*exec.Cmd
	bases   []string // http://HOST:PORT
	lasts   time.Duration
	calls   atomic.Int64

	mu sync.Mutex
	z  *zipf
}

var teamListens = regexp.MustCompile(`msg=listening address=(\S+)`)

// start starts one more server.
func (g *teamRun) start(program, store string) error {
	c := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--no-token", "--quiet", "--store", store)
	log, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return err
	}
	g.servers = append(g.servers, c)
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if m := teamListens.FindStringSubmatch(lines.Text()); m != nil {
			g.bases = append(g.bases, m[1])
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return nil
		}
	}
	return errors.New("the server does not listen")
}

// stop ends the servers.
func (g *teamRun) stop() (err error) {
	for _, c := range g.servers {
		err = errors.Join(err, c.Process.Kill())
		_ = c.Wait() // killed
	}
	return err
}

// text returns new words.
func (g *teamRun) text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.z.text(3)
}

// measure lets clients make the same kind of call for a while, and returns the sorted times of
// the successful ones.
func (g *teamRun) measure(w teamCalls, clients int) (took []time.Duration, failed int) {
	ctx, stop := context.WithTimeout(context.Background(), g.lasts)
	defer stop()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for ctx.Err() == nil {
				began := time.Now()
				ok := g.call(ctx, client, i, w)
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				if ok {
					took = append(took, time.Since(began))
				} else {
					failed++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	return took, failed
}

// call makes one call of a client. Searches are those of the user with the imported
// memories.
func (g *teamRun) call(ctx context.Context, client *http.Client, i int, w teamCalls) bool {
	n, input := g.calls.Add(1), w.input
	switch {
	case w.tool == "search_memory":
		input = fmt.Sprintf(input, g.text())
	case strings.Contains(input, "%q"):
		input = fmt.Sprintf(input, fmt.Sprintf("%d %s", n, g.bases[0][len("http://127.0.0.1:"):]))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.bases[i%len(g.bases)]+"/tools/"+w.tool,
		strings.NewReader(input))
	if err != nil {
		return false
	}
	r.Header.Set("Techo-User", fmt.Sprint("u", 1+i%8))
	if w.tool == "search_memory" {
		r.Header.Set("Techo-User", "u0")
	}
	if w.keyed {
		r.Header.Set("Idempotency-Key", rand.Text())
	}
	answer, err := client.Do(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err == nil && answer.StatusCode == http.StatusOK
}
