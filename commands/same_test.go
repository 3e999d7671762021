package commands

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"techo/internal/mcptest"
	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/jsontree"
)

// The tests of this file check that the same input gives the same bytes as flags,
// as words and as JSON.

// sameFaces are the interfaces, each with its own world and store.
type sameFaces struct {
	t                         *testing.T
	flags, words, word, stdin *world
	batch                     *world
	do                        func(w *world, stdin string, args ...string) answer

	lines   strings.Builder // collected for the batch
	inputs  []sameInput
	answers []string
}

func newSameFaces(t *testing.T, r *rand.Rand) *sameFaces {
	t.Helper()
	f := &sameFaces{t: t, do: (*world).feed}
	f.flags, f.words, f.word, f.stdin, f.batch = newWorld(t), newWorld(t), newWorld(t), newWorld(t), newWorld(t)
	lang, now := []string{"en", "ja"}[r.IntN(2)], time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC().Format(time.RFC3339Nano)
	for _, w := range []*world{f.flags, f.words, f.word, f.stdin, f.batch} {
		w.env["TECHO_LANG"], w.env["TECHO_NOW"] = lang, now
	}
	return f
}

// share creates a shared space in all stores.
func (f *sameFaces) share() {
	f.t.Helper()
	for _, w := range []*world{f.flags, f.words, f.word, f.stdin, f.batch} {
		f.do(w, "", "space", "create", "team")
	}
}

// call sends one input to all interfaces but the batch, for which it is
// collected.
func (f *sameFaces) call(in sameInput) {
	f.t.Helper()
	text, flags, words := in.json(), in.flags(), in.words()
	want := f.do(f.flags, "", flags.args...)
	if err := checkDocument(want.out, want.code); err != nil {
		f.t.Errorf("%.300q: %v\n%.1000s", flags.args, err, want.out)
	}
	f.same(want, f.do(f.words, words.stdin, words.args...))
	f.same(want, f.do(f.stdin, text, "call", in.tool.Name))
	if in.each(utf8.ValidString) {
		f.same(want, f.do(f.word, "", "call", in.tool.Name, text))
	} else {
		for _, a := range []answer{want, f.do(f.word, "", "call", in.tool.Name, text)} {
			if a.code != 2 || !strings.HasPrefix(a.out, `{"error":{"code":"invalid_input"`) {
				f.t.Errorf("%.300q is not UTF-8, but gives %d %.300s", a.args, a.code, a.out)
			}
		}
	}
	id := len(f.answers)
	fmt.Fprintf(&f.lines, "{\"tool\":%q,\"input\":%s,\"id\":%d}\n", in.tool.Name, text, id)
	f.inputs = append(f.inputs, in)
	f.answers = append(f.answers, strings.TrimSuffix(want.out, "}\n")+fmt.Sprintf(",\"id\":%d}\n", id))
}

func (f *sameFaces) same(want, got answer) {
	f.t.Helper()
	if want.out != got.out || want.code != got.code {
		f.t.Errorf("%.500q\ngives %d %.1000s\n%.500q\ngives %d %.1000s", want.args, want.code, want.out, got.args,
			got.code, got.out)
	}
}

// together sends the collected inputs as a batch.
func (f *sameFaces) together() {
	f.t.Helper()
	a := f.do(f.batch, f.lines.String(), "call", "--batch")
	got := slices.Collect(strings.Lines(a.out))
	if a.code != 0 || len(got) != len(f.answers) {
		f.t.Fatalf("batch: exit code %d, %d answers to %d calls", a.code, len(got), len(f.answers))
	}
	for i, want := range f.answers {
		if !f.inputs[i].each(utf8.ValidString) {
			want = got[i]
			if !strings.HasPrefix(want, `{"error":{"code":"invalid_input"`) {
				f.t.Errorf("%.300q is not UTF-8, but gives %.300s", f.inputs[i].flags().args, want)
			}
		}
		if got[i] != want {
			f.t.Errorf("%.500q\ngives %.1000s\nin a batch %.1000s", f.inputs[i].flags().args, want, got[i])
		}
	}
}

// TestSame checks that random and hostile inputs give the same bytes on all
// interfaces, for results and errors.
func TestSame(t *testing.T) {
	t.Parallel()
	seed := testenv.Random(t).Uint64()
	const calls = 42
	rounds := testenv.Pick(10, 20)
	results := 0
	for round := range rounds {
		m := &sameMaker{Rand: rand.New(rand.NewPCG(seed, uint64(round)))}
		f := newSameFaces(t, m.Rand)
		f.share()
		for range calls {
			f.call(m.input())
		}
		for _, text := range f.answers {
			if !strings.HasPrefix(text, `{"error"`) {
				results++
			}
		}
		if f.together(); t.Failed() {
			t.Fatalf("seed %d, round %d", seed, round)
		}
	}
	if t.Logf("%d results", results); results < rounds*calls/5 || results > rounds*calls*4/5 {
		t.Errorf("of %d calls %d had a result: too few or too many to tell anything", rounds*calls, results)
	}
}

// TestSameOrder changes the order of the fields: the problems keep their order, and
// an idempotency key recognizes the call.
func TestSameOrder(t *testing.T) {
	t.Parallel()
	m := &sameMaker{Rand: testenv.Random(t)}
	for range 10 {
		f := newSameFaces(t, m.Rand)
		f.share()
		for i := range 30 {
			in := m.input()
			if !in.each(utf8.ValidString) {
				continue // the first of these hides the other problems
			}
			var key []string
			if in.tool.Effect == tools.Adds {
				key = []string{"--idempotency-key", strconv.Itoa(i)}
			}
			want := f.do(f.flags, "", append(in.flags().args, key...)...)
			again := sameInput{in.tool, slices.Clone(in.fields), m.Uint64()}
			m.Shuffle(len(again.fields),
				func(i, j int) { again.fields[i], again.fields[j] = again.fields[j], again.fields[i] })
			f.same(want, f.do(f.stdin, again.json(), append([]string{"call", in.tool.Name}, key...)...))
			if want.code == 0 && key != nil {
				f.same(want, f.do(f.flags, again.json(), append([]string{"call", in.tool.Name}, key...)...))
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}

// TestSameProcess does the same with the built program, for inputs that fit into
// arguments.
func TestSameProcess(t *testing.T) {
	t.Parallel()
	bin := testenv.Program(t)
	m := &sameMaker{Rand: testenv.Random(t)}
	f := newSameFaces(t, m.Rand)
	f.share()
	f.do = func(w *world, stdin string, args ...string) answer {
		if w == f.flags {
			return w.feed(stdin, args...) // the reference
		}
		return w.exec(bin, stdin, args...)
	}
	carried := func(s string) bool { return len(s) < 20_000 && !strings.Contains(s, "\x00") }
	for n := 0; n < testenv.Pick(8, 20); {
		in := m.input()
		if !in.each(carried) {
			continue
		}
		n++
		f.call(in)
	}
	f.together()

	// A megabyte is too long for an argument, but not for stdin.
	long := strings.Repeat("- メモ\n\u2028\x00\\\"", 1<<20/16)
	input, err := jsontree.Marshal(map[string]any{"name": "long", "content": long, "priority": 5})
	if err != nil {
		t.Fatal(err)
	}
	want := f.do(f.words, long, "memo", "add", "long", "-", "--priority=5")
	if got := want.ok()["memo"].(map[string]any)["content"]; got != long {
		t.Errorf("%d bytes became %d", len(long), len(got.(string)))
	}
	f.same(want, f.do(f.stdin, string(input), "call", "add_memo"))
	f.same(want, f.do(f.flags, string(input), "call", "add_memo", "-"))
	f.same(want, f.do(f.word, string(input), "call", "--", "add_memo"))
}

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
