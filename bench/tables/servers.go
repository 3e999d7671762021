package tables

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// meta is the metadata that protocol 2026-07-28 requires in each request.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// servers measures calls that one process of `techo mcp` answers.
func servers(b *bench) error {
	calls := sized(2000)
	store := b.store("servers")
	if _, err := once(b.add(store, "ramen"), nil); err != nil {
		return err
	}
	rows := [][]string{{"call", "at once", "calls", "errors", "p50", "p99", "CPU a call", "at most (p50)"}}
	for _, c := range []struct {
		tool, input string
		atOnce      int
		most        string
	}{
		{"get_memo", `{"memo_name":"ramen"}`, 1, "2 ms"},
		{"call_tool", `{"name":"get_memo","input":{"memo_name":"ramen"}}`, 1, "as get_memo"},
		{"get_memo", `{"memo_name":"ramen"}`, 8, "2 ms"},
		{"list_memo", `{}`, 8, "2 ms"},
		{"add_memo", `{"name":"n%d","content":"Tanaka likes ramen","priority":3}`, 8, ""},
	} {
		took, failed, cpu, err := converse(exec.Command(b.techo, "mcp", "--store", store), c.tool, c.input, c.atOnce,
			calls)
		if err != nil {
			return err
		}
		slices.Sort(took)
		rows = append(rows, []string{c.tool, fmt.Sprint(c.atOnce), fmt.Sprint(calls), fmt.Sprint(failed),
			ms(took[len(took)/2]), ms(took[len(took)*99/100]), ms(cpu / time.Duration(calls)), c.most})
	}
	var first []time.Duration
	for range sized(50) {
		took, _, _, err := converse(exec.Command(b.techo, "mcp", "--store", store), "get_memo", `{"memo_name":"ramen"}`, 1, 1)
		if err != nil {
			return err
		}
		first = append(first, took...)
	}
	slices.Sort(first)
	rows = append(rows, []string{"get_memo, from the start of the process", "1", fmt.Sprint(len(first)), "0",
		ms(first[len(first)/2]), ms(first[len(first)*99/100]), "", "40 ms"})
	table("`techo mcp`: calls of one process", rows...)
	return nil
}

// converse starts a server, calls a tool a number of times, with atOnce calls in
// flight, and returns the time that each call took. A %d in the input stands for the
// number of the call.
func converse(c *exec.Cmd, tool, input string, atOnce, calls int) (took []time.Duration, failed int, cpu time.Duration,
	err error) {
	in, err := c.StdinPipe()
	if err != nil {
		return nil, 0, 0, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, 0, 0, err
	}
	if err := c.Start(); err != nil {
		return nil, 0, 0, err
	}
	sent := map[int]time.Time{}
	send := func() error {
		id := len(sent) + 1
		sent[id] = time.Now()
		_, err := fmt.Fprintf(in,
			`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`+"\n",
			id, tool, strings.Replace(input, "%d", fmt.Sprint(id), 1), meta)
		return err
	}
	lines := bufio.NewReader(out)
	for len(took) < calls {
		for len(sent) < min(calls, len(took)+atOnce) {
			if err := send(); err != nil {
				return nil, 0, 0, err
			}
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, 0, 0, err
		}
		var answer struct {
			ID     int
			Result struct{ IsError bool }
			Error  any
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, 0, 0, err
		}
		took = append(took, time.Since(sent[answer.ID]))
		if answer.Result.IsError || answer.Error != nil {
			failed++
		}
	}
	if err := in.Close(); err != nil {
		return nil, 0, 0, err
	}
	if _, err := io.Copy(io.Discard, lines); err != nil {
		return nil, 0, 0, err
	}
	err = c.Wait()
	return took, failed, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), err
}

// modules measures calls through the modules for Python and JavaScript beside a plain
// process that the same program starts, and the import of the Python module.
func modules(b *bench) error {
	rounds, store, python := sized(300), b.store("modules"), filepath.Join(b.dir, "python")
	if _, err := once(b.add(store, "ramen"), nil); err != nil {
		return err
	}
	// A copy, whose compiled files do not lie in the repository.
	if err := os.CopyFS(python, os.DirFS("packaging/python")); err != nil {
		return err
	}
	if err := os.Setenv("PYTHONPATH", python); err != nil {
		return err
	}
	module, err := filepath.Abs("packaging/npm/index.js")
	if err != nil {
		return err
	}
	rows := [][]string{{"`get_memo` from", "plain process", "module", "ratio", "at most", "one process for all",
		"ratio", "at most"}}
	for _, line := range [][]string{{"python3", "bench/tables/testdata/modules.py"},
		{"node", "bench/tables/testdata/modules.mjs", module}} {
		out, err := output(append(line, b.techo, store, fmt.Sprint(rounds))...)
		var took map[string][]time.Duration
		if err == nil {
			err = json.Unmarshal(out, &took)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
		middle := func(way string) time.Duration {
			slices.Sort(took[way])
			return took[way][len(took[way])/2]
		}
		plain, module, batch := middle("plain"), middle("module"), middle("batch")
		rows = append(rows, []string{strings.Replace(release(line[0]), "v", "Node.js ", 1), ms(plain), ms(module),
			ratio(module, plain), "1.50 ×", ms(batch), ratio(batch, plain), "0.30 ×"})
	}
	table(fmt.Sprintf("Calls through the modules, medians of %d", rounds), rows...)
	got, err := race(rounds/3, contender{"pass", always("python3", "-c", "pass")},
		contender{"techo", always("python3", "-c", "import techo")})
	if err != nil {
		return err
	}
	fmt.Printf("\n`import techo` takes %s, %s of CPU (at most 50 ms).\n", ms(median(got["techo"], wall)-
		median(got["pass"], wall)), ms(median(got["techo"], cpu)-median(got["pass"], cpu)))
	return nil
}

// hooks measures the hooks of clients with 10,000 memories, as a client starts them.
func hooks(b *bench) error {
	rounds, store := sized(200), b.store("hooks")
	n := memoriesCount(10_000)
	jsonl, _, z, err := b.generate(n)
	if err == nil {
		_, err = once([]string{b.techo, "import", "memories", jsonl, "--store", store}, nil)
	}
	if err != nil {
		return err
	}
	file := filepath.Join(b.dir, "given.json")
	of := func(hook string) func(int) []string {
		return func(i int) []string {
			given := fmt.Sprintf(`{"session_id":"s%d","prompt":%q}`, i, z.text(20))
			if err := os.WriteFile(file, []byte(given), 0o600); err != nil {
				panic(err)
			}
			return []string{"sh", "-c", `exec "$0" "$@" <"` + file + `"`, b.techo, "hook", hook, "--client", "claude",
				"--store", store}
		}
	}
	got, err := race(rounds, contender{"prompt", of("prompt")}, contender{"session-start", of("session-start")})
	if err != nil {
		return err
	}
	rows := [][]string{{"hook", "wall p50", "p95", "p99", "CPU p50", "at most"}}
	for _, name := range []string{"prompt", "session-start"} {
		s := got[name]
		rows = append(rows, []string{name, ms(median(s, wall)), ms(quantile(s, wall, 0.95)),
			ms(quantile(s, wall, 0.99)), ms(median(s, cpu)), map[string]string{"prompt": "50 ms"}[name]})
	}
	table(fmt.Sprintf("Hooks with %d memories, a process each, medians of %d", n, rounds), rows...)
	return nil
}
