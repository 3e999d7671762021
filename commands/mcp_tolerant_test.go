package commands

import (
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

// TestMCPAskTypes keeps what a person answered when a client of an older
// protocol sends it with another type than it was asked for.
func TestMCPAskTypes(t *testing.T) {
	for answer, want := range map[string]string{
		"2": `\"answer\":\"blue\",\"index\":2`, `[2]`: `\"answer\":\"blue\",\"index\":2`, `"1"`: `\"answer\":\"red\"`,
		"true": `\"answer\":\"true\"`,
	} {
		s := newWorld(t).session()
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
		fmt.Fprint(requests, strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
		fmt.Fprint(
			requests, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Which?","options":["red","blue"],"wait":"20s"}}}`+"\n")
		var asked struct{ ID json.RawMessage }
		eventually(t, func() bool {
			for line := range strings.Lines(out.String()) {
				if strings.Contains(line, `"elicitation/create"`) {
					return json.Unmarshal([]byte(line), &asked) == nil
				}
			}
			return false
		})
		fmt.Fprintf(requests, `{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"answer":%s}}}`+"\n",
			asked.ID, answer)
		eventually(t, func() bool { return strings.Contains(out.String(), `"id":2,"result"`) })
		requests.Close()
		<-done
		if got := out.String(); !strings.Contains(got, want) {
			t.Errorf("%s: want %s in %s", answer, want, got)
		}
	}
}

// TestAnswerText writes values of any type as a person would.
func TestAnswerText(t *testing.T) {
	for value, want := range map[string]string{`2`: "2", `[1,3]`: "1,3", `["a",["b"]]`: "a,b", `true`: "true",
		`null`: "", `1e3`: "1000", `{"a":1}`: `{"a":1}`} {
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			t.Fatal(err)
		}
		if got := mcpface.AnswerText(v); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
