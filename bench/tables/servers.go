package tables

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
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
