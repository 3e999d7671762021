package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	mcpface "techo/commands/mcp"
	"techo/commands/offer"
	"techo/commands/server"
	"techo/tools"
	"testing"
	"time"
)

// TestMCPIDs answers each request under the id that it had, and refuses what is
// no id.
func TestMCPIDs(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":%s,"method":"ping"}` + "\n"
	for id, part := range map[string]string{
		"9007199254740993": `"result":{}`, "-9007199254740993": `"result":{}`,
		"123456789012345678901234567890": `"result":{}`,
		"0":                              `"result":{}`, "-1": `"result":{}`, `"a"`: `"result":{}`, `""`: `"result":{}`,
		`"\u00e9<"`: `"result":{}`,
		"2.0":       `"result":{}`,
		"1.5":       "-32600", "1e2": "-32600", "null": "-32600", "true": "-32600", "[1]": "-32600",
	} {
		got := byID(t, newWorld(t).feed(strings.Replace(hello, `"id":1`, `"id":"hello"`, 1)+fmt.Sprintf(ping, id),
			"mcp").out)
		if !strings.Contains(got[id], part) || strings.Count(got[id], "\n") != 1 || len(got) != 2 {
			t.Errorf("%s: %q", id, got)
		}
	}
	long := fmt.Sprintf(ping, `"`+strings.Repeat("x", mcpface.MaxID)+`"`)
	if got := newWorld(t).feed(hello+long, "mcp").out; !strings.Contains(got, "-32600") {
		t.Errorf("a long id: %s", got)
	}
}

// TestMCPInFlight refuses a second request under an id that is not answered,
// and does not answer one that was cancelled.
func TestMCPInFlight(t *testing.T) {
	for _, id := range []string{"5", `"a"`, "9007199254740993"} {
		s := newWorld(t).session()
		started, ended := make(chan bool, 1), make(chan bool, 1)
		s.Offered = append(s.Offered,
			waiting(func(ctx context.Context) { started <- true; <-ctx.Done(); ended <- true }))
		h, e := server.New(s, offer.Choice{Audience: tools.Agents})
		if e != nil {
			t.Fatal(e)
		}
		t.Cleanup(s.Close)
		in, requests := io.Pipe()
		out := &buffer{}
		done := make(chan error, 1)
		go func() {
			done <- mcpface.NewServer(h, nil).Run(t.Context(),
				&mcpface.PipeTransport{In: in, Out: out, Finish: time.Minute, End: func() {}})
		}()
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"wait","arguments":{}}}`+
			"\n", id)
		fmt.Fprint(requests, hello+call)
		select {
		case <-started:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: the call did not start: %s", id, out)
		}
		fmt.Fprint(requests, call)
		fmt.Fprintf(
			requests, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"no"}}`+
				"\n", id)
		<-ended
		fmt.Fprint(requests, `{"jsonrpc":"2.0","id":"last","method":"ping"}`+"\n")
		requests.Close()
		if err := <-done; err != nil && err != io.EOF {
			t.Error(err)
		}
		got := byID(t, out.String())
		if strings.Count(got[id], "\n") != 1 || !strings.Contains(got[id], "-32600") ||
			!strings.Contains(got[`"last"`], `"result":{}`) {
			t.Errorf("%s: %q", id, got)
		}
	}
}

// TestWithID leaves a message alone that is not as the library writes it.
func TestWithID(t *testing.T) {
	id, _ := mcpface.WireID(json.RawMessage("9007199254740993"))
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"\u00009007199254740993","result":{}}`: `{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`,
		`{"id":1}`: `{"id":1}`,
	} {
		if got := string(mcpface.WithID([]byte(message), id, json.RawMessage("9007199254740993"))); got != want {
			t.Errorf("%s: %s", message, got)
		}
	}
}
