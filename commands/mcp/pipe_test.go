package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"techo/commands/readahead"
	"techo/internal/mcptest"
	"techo/internal/testenv"
)

// TestInvalidLines answers invalid lines with errors and continues after them.
func TestInvalidLines(t *testing.T) {
	got := converse(t, newHost(t), mcptest.Hello+strings.Join([]string{
		`nonsense`,
		`{"jsonrpc":"1.0","id":5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`[]`,
		`[{"jsonrpc":"2.0","id":6,"method":"ping"},` +
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_memo"}},3]`,
		`"text"`,
		`{"jsonrpc":"2.0","id":8,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"list_memo","arguments":[]}}`,
		`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"list_memo","arguments":null}}`,
	}, "\n"))
	for id, part := range map[string]string{
		"null": `-32700`, "5": `-32600`, "{}": `-32600`, "6": `"result":{}`, "7": `"total":0`,
		"8": `-32601`, "9": `must be an object`, "10": `"total":0`,
	} {
		if !strings.Contains(got[id], part) {
			t.Errorf("%s: %q, want %s", id, got[id], part)
		}
	}
	if n := strings.Count(got["null"], "-32600"); n != 3 {
		t.Errorf("lines that are not messages: %d answers\n%s", n, got["null"])
	}
}

// TestGrace checks that calls that run for too long after the end of the input are
// cancelled and answered.
func TestGrace(t *testing.T) {
	for hello, want := range map[string][2]string{
		mcptest.Hello:    {`"isError":true`, `stays open (id: q1)`},
		canElicitHello(): {`"isError":true`, `"status\":\"pending\"`},
	} {
		h := newHost(t, waiting(func(ctx context.Context) { <-ctx.Done() }))
		work, end := context.WithCancel(t.Context())
		defer end()
		h.Work = work
		var out testenv.Buffer
		in := strings.NewReader(hello +
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{}}}` + "\n" +
			`{"jsonrpc":"2.0","id":3,"method":"tools/call",` +
			`"params":{"name":"ask_user","arguments":{"question":"Which colour?"}}}` + "\n")
		transport := &pipeTransport{in: in, out: &out, grace: 300 * time.Millisecond, end: end}
		err := newServer(h, nil, true).Run(t.Context(), transport)
		if err != nil && err != io.EOF {
			t.Error(err)
		}
		got := mcptest.Answers(t, out.String())
		for i, part := range want {
			if !strings.Contains(got[fmt.Sprint(i+2)], part) {
				t.Errorf("%s\nwant %s in\n%q", hello, part, got)
			}
		}
	}
}

// FuzzPipe checks that every line becomes a message or is answered, and that each
// answer is one JSON document on one line.
func FuzzPipe(f *testing.F) {
	for _, line := range []string{mcptest.Hello, `{}`, `[]`, `[1]`, `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, "\x00", `null`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var out strings.Builder
		p := newPipe(&out)
		if err := p.take(readahead.Read{Text: line, Free: func() {}}); err != nil {
			t.Fatal(err)
		}
		if out.Len() == 0 && len(p.queue) == 0 {
			t.Errorf("%q is ignored", line)
		}
		for answer := range strings.Lines(out.String()) {
			if !json.Valid([]byte(answer)) || !strings.HasSuffix(answer, "\n") {
				t.Errorf("%q is answered %q", line, answer)
			}
		}
	})
}
