package commands

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"testing"

	"techo/internal/mcptest"
	"techo/internal/testenv"
)

// TestSameServers sends random and hostile inputs over HTTP, over MCP and by the command
// line as a client of a server, and compares the answers with the output of `techo
// call`, apart from the hints. Servers bound their results by default; here
// they do not, as the command does not.
func TestSameServers(t *testing.T) {
	t.Parallel()
	m := &sameMaker{Rand: testenv.Random(t)}
	once, server, pipe, far, client := newWorld(t), newWorld(t), newWorld(t), newWorld(t), newWorld(t)
	web := server.serve(t, "serve", "--quiet", "--audience", "person", "--max-bytes", "0")
	speak := pipe.speak(t, "--audience", "person", "--max-bytes", "0", "--compact=false")
	client.useServer(far.serve(t, "serve", "--quiet", "--audience", "person").Base)
	for range testenv.Pick(100, 200) {
		in := m.input()
		text := in.json()
		if m.IntN(2) == 0 {
			text = in.sent()
		}
		want := once.feed(text, "call", in.tool.Name)
		if _, got := web.Ask("POST", "/tools/"+in.tool.Name, text); withoutHints(got) != withoutHints(want.out) {
			t.Fatalf("%s %.300q\nwant %.1000s\nover HTTP %.1000s", in.tool.Name, text, want.out, got)
		}
		got, isError := speak(in.tool.Name, text)
		if withoutHints(got+"\n") != withoutHints(want.out) || isError != (want.code != 0) {
			t.Fatalf("%s %.300q\nwant %.1000s\nover MCP %.1000s", in.tool.Name, text, want.out, got)
		}
		if got := client.feed(text, "call", in.tool.Name); got.out != want.out || got.code != want.code {
			t.Fatalf("%s %.300q\nwant %d %.1000s\nas a client %d %.1000s", in.tool.Name, text, want.code, want.out,
				got.code, got.out)
		}
	}
}

// withoutHints removes the hints from a document. They name tools over MCP and HTTP, and
// commands in a shell.
func withoutHints(document string) string {
	return hintFields.ReplaceAllString(document, "")
}

var hintFields = regexp.MustCompile(`,"hint":"(?:[^"\\]|\\.)*"`)

// speak starts `techo mcp` in this process and returns a function that calls a tool
// with a raw input and waits for the answer.
func (w *world) speak(t *testing.T, flags ...string) func(tool, input string) (text string, isError bool) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- Main(w.World(fromClient, toClient, io.Discard, append([]string{"mcp"}, flags...)...)) }()
	t.Cleanup(func() { toServer.Close(); <-ended })
	answers := bufio.NewReader(fromServer)
	return func(tool, input string) (string, bool) {
		fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`+
			"\n", tool, input, mcptest.Meta)
		line, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || len(m.Result.Content) != 1 {
			t.Fatalf("%v: %.1000s", err, line)
		}
		return m.Result.Content[0].Text, m.Result.IsError
	}
}
