package commands

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"techo/commands/line"
	"techo/commands/system"
)

// TestLineRefused runs lines that are wrong: all faults are told at once, and
// nothing is done.
func TestLineRefused(t *testing.T) {
	tests := []struct {
		name  string
		args  []string
		paths []string // of the faults
		hint  string   // is part of the hint
	}{
		{"no command", nil, nil, "memo"},
		{"unknown command", []string{"nope"}, nil, "techo --help"},
		{"misspelt command", []string{"mmeo"}, nil, "'memo'"},
		{"misspelt subcommand", []string{"memo", "ad"}, nil, "'add'"},
		{"misspelt tool", []string{"add_mem"}, nil, "'add_memo'"},
		{"help of an unknown command", []string{"memo", "ad", "--help"}, nil, "'add'"},
		{"version of an unknown command", []string{"nope", "-v"}, nil, "techo --help"},
		{"flags of an unknown command", []string{"nope", "--zz", "x", "--name=y"}, nil, "techo --help"},
		{"group alone", []string{"memo"}, nil, "add, edit, remove"},
		{"flag of a group", []string{"memo", "--bogus"}, []string{"/bogus"}, "add, edit"},
		{"flag without a command", []string{"--stroe=x"}, []string{"/stroe"}, "memo"},
		{"an empty flag value and no command", []string{"--x="}, []string{"/x"}, "memo"},
		{"word after --", []string{"--", "memo"}, nil, ""},
		{"setting without a value", []string{"memo", "list", "--lang"}, []string{"/lang"}, ""},
		{"setting without a value and no command", []string{"--lang"}, []string{"/lang"}, ""},
		{"unknown flag", []string{"memo", "list", "--nn=1"}, []string{"/nn"}, "tag, offset, limit"},
		{"unknown flag and its value", []string{"memo", "list", "--nn", "1"}, []string{"/nn"}, "tag, offset, limit"},
		{"misspelt flag", []string{"memo", "list", "--limti=1"}, []string{"/limti"}, "'limit'"},
		{"misspelt setting", []string{"memo", "list", "--outptu=text"}, []string{"/outptu"}, "'output'"},
		{"capitals", []string{"memo", "list", "--Limit=1"}, []string{"/Limit"}, "'limit'"},
		{"short flags in one", []string{"memo", "list", "-otext"}, []string{"/otext"}, ""},
		{"the cli library's flag", []string{"memo", "list", "--generate-shell-completion"},
			[]string{"/generate_shell_completion"}, ""},
		{"number", []string{"memo", "list", "--limit", "abc"}, []string{"/limit"}, ""},
		{"empty number", []string{"memo", "list", "--limit="}, []string{"/limit"}, ""},
		{"number out of range", []string{"memo", "add", "a", "b", "--priority", "6"}, []string{"/priority"}, ""},
		{"missing value", []string{"memo", "add", "a", "b", "--priority"}, []string{"/priority", "/priority"}, ""},
		{"missing fields", []string{"memo", "add", "help"}, []string{"/content", "/priority"}, ""},
		{"extra words", []string{"memo", "add", "a", "b", "c", "d", "--priority=3"}, []string{"", ""}, ""},
		{"extra word of a command without any", []string{"memo", "list", "help"}, []string{""}, ""},
		{"word and flag", []string{"memo", "get", "a", "--memo-name", "b"}, []string{"/memo_name"}, ""},
		{"flag twice", []string{"memo", "list", "--limit=1", "--limit=2"}, []string{"/limit"}, ""},
		{"switch as a word", []string{"completion", "bash", "false"}, []string{""}, ""},
		{"switch without a value", []string{"tools", "--all="}, []string{"/all"}, ""},
		{"switch with another value", []string{"tools", "--all=yes"}, []string{"/all"}, ""},
		{"switch twice", []string{"tools", "--all", "--no-all"}, []string{"/all"}, ""},
		{"no- of what is no switch", []string{"memo", "list", "--no-limit"}, []string{"/no_limit"}, ""},
		{"value of an enum", []string{"tools", "--format", "opnai"}, []string{"/format"}, "'openai'"},
		{"stdin for two fields", []string{"memo", "add", "-", "-", "--priority=3"}, []string{""}, ""},
		{
			"all at once",
			[]string{"memo", "add", "", "b", "--prioritty=3", "--nn", "--priority=9", "--tag=", "--tag=x", "-o", "xml",
				"--tz=Nowhere", "--timeout=soon"},
			[]string{"/output", "/tz", "/timeout", "/prioritty", "/nn", "/priority", "/tags/0", "/name"},
			"",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			e := w.feed("x", test.args...).fails("invalid_input", test.paths...)
			if !strings.Contains(e.Hint, test.hint) {
				t.Errorf("hint %q, want %q in it", e.Hint, test.hint)
			}
			if e.Hint == "" || e.Retryable {
				t.Errorf("no hint, or retryable: %+v", e)
			}
			w.noStore()
		})
	}
}

// TestLineNearest wants the nearest right name with each misspelt one.
func TestLineNearest(t *testing.T) {
	e := newWorld(t).run("memo", "add", "--nmae=a", "--contnet=b", "--prioritty=3", "--tga=x", "--zzz").
		fails("invalid_input", "/nmae", "/contnet", "/prioritty", "/tga", "/zzz", "/name", "/content", "/priority")
	for i, want := range []string{"'name'", "'content'", "'priority'", "'tag'",
		"It takes: name, content, priority, tag, detail"} {
		if d := e.Details[i]; !strings.Contains(d.Hint, want) {
			t.Errorf("%s: hint %q, want %q in it", d.Path, d.Hint, want)
		}
	}
	if e.Tool != "add_memo" {
		t.Errorf("tool %q", e.Tool)
	}
}

// TestLineData runs lines whose words look like something else, and wants
// every byte of them kept.
func TestLineData(t *testing.T) {
	tests := []struct {
		name          string
		args          []string
		title, detail string
		tags          []string
	}{
		{"help is data", []string{"help", "x"}, "help", "", nil},
		{"h is data", []string{"h", "x"}, "h", "", nil},
		{"a command's name is data", []string{"add", "x"}, "add", "", nil},
		{"dash and blank", []string{"- item", "x"}, "- item", "", nil},
		{"negative number", []string{"-5", "x"}, "-5", "", nil},
		{"dash and digit in a flag", []string{"--name", "-5", "--content=x"}, "-5", "", nil},
		{"front matter", []string{"--- a: b", "x"}, "--- a: b", "", nil},
		{"lines of front matter", []string{"x", "x", "--detail", "---\na: b"}, "x", "---\na: b", nil},
		{"blank in front of a flag", []string{" --priority", "x"}, " --priority", "", nil},
		{"blanks around", []string{"  x ", "x", "--detail", "  x\t\n"}, "  x ", "  x\t\n", nil},
		{"only dashes", []string{"---", "x"}, "---", "", nil},
		{"a flag with a blank in its name", []string{"--a b", "x"}, "--a b", "", nil},
		{"no name before =", []string{"--=x", "x"}, "--=x", "", nil},
		{"flags after --", []string{"--", "--priority", "-o"}, "--priority", "", nil},
		{"-- after --", []string{"--", "--", "x"}, "--", "", nil},
		{"dash after --", []string{"--", "-", "x"}, "-", "", nil},
		{"the cli library's flag after --", []string{"--", "x", "--generate-shell-completion"}, "x", "", nil},
		{"dash as a flag's value", []string{"--name", "-", "--content=-"}, "-", "", nil},
		{"a flag's value that looks like a flag", []string{"x", "x", "--detail", "--priority"}, "x", "--priority", nil},
		{"a flag's value that is --", []string{"x", "x", "--detail", "--"}, "x", "--", nil},
		{"= in a value", []string{"x", "x", "--detail=a=b"}, "x", "a=b", nil},
		{"empty value", []string{"x", "x", "--detail="}, "x", "", nil},
		{"a list with a comma", []string{"x", "x", "--tag", "a,b"}, "x", "", []string{"a,b"}},
		{"a list by its plural", []string{"x", "x", "--tags", "a", "--tag=b"}, "x", "", []string{"a", "b"}},
		{"an empty list", []string{"x", "x", "--tags", ""}, "x", "", nil},
		{"a list that looks like JSON", []string{"x", "x", "--tag", `["a"]`}, "x", "", []string{`["a"]`}},
		{"flags after and between words", []string{"--tag=a", "x", "--detail", "d", "x", "--tag=b"}, "x", "d",
			[]string{"a", "b"}},
		{"underscores in a flag", []string{"x", "x", "--idempotency-key", "k"}, "x", "", nil},
		{"texts that are values in JSON", []string{"null", "true", "--detail=12e3"}, "null", "12e3", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, command := range [][]string{{"memo", "add"}, {"add_memo"}} {
				w := newWorld(t)
				w.run(slices.Concat(command, []string{"--priority=3"}, test.args)...).ok()
				memo := w.run("get_memo", "--memo-name", test.title).ok()["memo"].(map[string]any)
				tags := fmt.Sprint(memo["tags"])
				if memo["name"] != test.title || memo["detail"] != test.detail || tags != fmt.Sprint(test.tags) {
					t.Errorf("name %q, detail %q, tags %s", memo["name"], memo["detail"], tags)
				}
			}
		})
	}
}

// TestLineStdin wants the word - to be all of stdin, to the letter.
func TestLineStdin(t *testing.T) {
	w := newWorld(t)
	text := " --priority\r\n- x\n\n"
	memo := w.feed(text, "memo", "add", "x", "-", "--priority", "3").ok()["memo"].(map[string]any)
	if memo["content"] != text {
		t.Errorf("content %q, want %q", memo["content"], text)
	}
	w.feed("x", "memo", "get", "-").ok()
	w.feed("", "memo", "get", "-").fails("invalid_input", "/memo_name")
	w.feed("x\xff", "memo", "get", "-").fails("invalid_input", "/memo_name")
	w.run("memo", "list", "-").fails("invalid_input", "") // no field is left for it: stdin is not read
}

// TestLineSwitch gives a switch all its values.
func TestLineSwitch(t *testing.T) {
	w := newWorld(t)
	for _, flag := range []string{"--all", "--all=true", "--all=false", "--no-all", "--no-all=true", "--no-all=false"} {
		w.run("tools", flag, "--format=names").ok()
	}
	// The word behind a switch is a word.
	e := w.run("tools", "--all", "false").fails("invalid_input")
	if !strings.Contains(e.Message, "false") {
		t.Errorf("message %q", e.Message)
	}
	line := `{"tool":"list_memo"}`
	w.feed(line, "call", "--batch", "--no-batch=false").fails("invalid_input", "/batch")
	w.feed("{}", "call", "list_memo", "--no-batch").ok()
	w.feed("{}", "call", "list_memo", "--no-batch=true").ok()
	w.feed("{}", "call", "list_memo", "--batch=false").ok()
	w.feed(line, "call", "--no-batch=false").ok()
}

// TestLineSettings puts global flags everywhere.
func TestLineSettings(t *testing.T) {
	w := newWorld(t)
	empty := "メモがありません\n"
	for _, args := range [][]string{
		{"--lang", "ja", "-o", "text", "memo", "list"},
		{"--lang=ja", "memo", "-o=text", "list"},
		{"memo", "list", "--lang", "ja", "--output", "text"},
		{"memo", "--output=text", "list", "--limit=3", "--lang=ja"},
		{"call", "list_memo", "{}", "--lang=ja", "-o=text"},
		{"-o=text", "--lang=ja", "call", "list_memo", "{}"},
	} {
		if a := w.run(args...); a.text() != empty {
			t.Errorf("%q: %q", args, a.out)
		}
	}
	w.env["TECHO_LANG"], w.env["TECHO_OUTPUT"] = "ja", "text"
	if a := w.run("memo", "list"); a.text() != empty {
		t.Errorf("environment: %q", a.out)
	}
	if r := w.run("memo", "list", "-o", "json", "--lang", "en").ok(); r["message"] == strings.TrimSpace(empty) {
		t.Error("a flag does not beat the environment")
	}
	w.env["TECHO_OUTPUT"], w.env["TECHO_TZ"], w.env["TECHO_TIMEOUT"] = "", "Mars", "x"
	e := w.run("memo", "list").fails("invalid_input", "/tz", "/timeout")
	if !strings.Contains(e.Message, "TECHO_TZ") || !strings.Contains(e.Message, "TECHO_TIMEOUT") {
		t.Errorf("message %q does not name the variables", e.Message)
	}
	w.run("memo", "list", "--tz=Asia/Tokyo", "--timeout=30").ok()
}

// TestLineStore names the store by a flag, by a workspace and by nothing.
func TestLineStore(t *testing.T) {
	w := newWorld(t)
	delete(w.env, "TECHO_STORE")
	add := []string{"memo", "add", "x", "y", "--priority=3"}
	for _, where := range []struct {
		dir   string
		flags []string
	}{
		{"here", []string{"--store", "here"}},
		{".local/share/techo", nil},
	} {
		w.run(append(add, where.flags...)...).ok()
		if _, err := os.Stat(filepath.Join(w.dir, where.dir)); err != nil {
			t.Errorf("%q: %v", where.flags, err)
		}
	}
	w.run("init").ok()
	if n := w.run("memo", "list").ok()["total"]; n != 0.0 {
		t.Errorf("%v memos in a new workspace", n)
	}
	w.run("memo", "list", "--store", "postgres://host/db").fails("unavailable")
}

// TestHelp asks for help and versions in every way.
func TestHelp(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		args string
		want string
	}{
		{"--help", "Global flags"},
		{"-h", "--idempotency-key"},
		{"help", "Exit codes:"},
		{"memo --help", "memo add"},
		{"help memo", "memo add"},
		{"memo add --help", "--priority"},
		{"memo add -h", "--priority"},
		{"memo --help add", "--priority"},
		{"help memo add", "--priority"},
		{"add_memo --help", "techo memo add"},
		{"help add_memo", "techo memo add"},
		{"memo add a b c --bogus --priority=9 --help", "--priority"},
		{"memo list --lang=ja --help", "使い方"},
		{"-o json memo list --help", "techo memo list"},
		{"--version", "techo " + system.Version},
		{"-v", "techo " + system.Version},
		{"memo --version", "techo " + system.Version},
		{"completion bash", "complete -"},
	} {
		if text := w.run(strings.Fields(test.args)...).text(); !strings.Contains(text, test.want) {
			t.Errorf("%s: no %q in\n%s", test.args, test.want, text)
		}
	}
	w.run("version").ok()
	w.run("help", "memo", "nope").fails("invalid_input")
	w.run("help", "nope").fails("invalid_input")
	if e := w.run("help", "memo", "ad").fails("invalid_input"); !strings.Contains(e.Hint, "'add'") {
		t.Errorf("hint %q", e.Hint)
	}
	w.noStore()
}

// TestTerminal is for a person: documents are indented, a group's name alone
// asks for its help, and what is stored cannot command the terminal.
func TestTerminal(t *testing.T) {
	w := newWorld(t)
	w.terminal = true
	if a := w.run("memo"); a.code != 0 || !strings.Contains(a.out, "memo add") {
		t.Errorf("memo: %d %s", a.code, a.out)
	}
	if a := w.run(); a.code != 0 || !strings.Contains(a.out, "Global flags") {
		t.Errorf("nothing: %d %s", a.code, a.out)
	}
	if a := w.run("memo", "nope"); a.code != 2 || !strings.Contains(a.out, "\n  \"error\": {") {
		t.Errorf("memo nope: %d %s", a.code, a.out)
	}
	if a := w.run("memo", "add", "x", "\x1b]0;y\a\u202ez\u009b", "--priority=3"); a.code != 0 ||
		!strings.Contains(a.out, "\n  \"memo\": {") {
		t.Errorf("memo add: %d %s", a.code, a.out)
	}
	for _, args := range [][]string{{"memo", "list"}, {"memo", "get", "x"}, {"memo", "get", "\x1b[2J"},
		{"\x1b[2J"}} {
		a := w.run(append([]string{"-o=text"}, args...)...)
		if strings.ContainsAny(a.out, "\x1b\a\u202e\u009b") {
			t.Errorf("%q: %q", args, a.out)
		}
		if !strings.Contains(a.out, "␛") && !strings.Contains(a.out, `\x1b`) {
			t.Errorf("%q hides what is there: %q", args, a.out)
		}
	}
}

// TestTextErrors prints errors for a person, with the same exit codes.
func TestTextErrors(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		args string
		code int
	}{
		{"-o text memo nope", 2},
		{"memo ad -o text", 2},
		{"nope --lang ja -o text", 2},
		{"memo list --limit=x -o text", 2},
		{"memo list --tz=Nowhere -o text", 2},
		{"memo get nothing -o text", 3},
		{"memo list --store postgres://x -o text", 4},
	} {
		a := w.run(strings.Fields(test.args)...)
		lines := strings.Split(a.out, "\n")
		if a.code != test.code || len(lines) != 3 || !strings.HasPrefix(lines[0], "Error: ") ||
			!strings.HasPrefix(lines[1], "Hint: ") {
			t.Errorf("%s: exit code %d\n%s", test.args, a.code, a.out)
		}
	}
}

// TestLineRandom throws together what lines are made of.
func TestLineRandom(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	parts := []string{
		"memo", "add", "edit", "remove", "list", "get", "tags", "context", "call", "tools", "init", "store", "info",
		"verify",
		"completion", "complete", "help", "version", "add_memo", "list_memo", "memo_context", "bash", "nope", "ad", "",
		"-", "--", "---", "-5", " --priority", "--x=", "--nn", "--help", "-h", "-v", "--version",
		"--generate-shell-completion",
		"--name", "--content=c", "--priority=3", "--priority", "3", "0", "--tag", "a,b", "--tags=", "--detail",
		"--memo-name",
		"--new-name=n", "--limit=2", "--limit", "1e1", "5.5", "--offset", "--for", "response", "--for=judgment",
		"--max-chars=9",
		"--batch", "--no-batch", "--batch=false", "--all", "--no-all=", "--format", "--format=gemini", "names",
		"openai",
		"--lang", "--lang=ja", "ja", "-o", "-o=text", "text", "--output=xml", "--tz", "--tz=Asia/Tokyo", "Mars",
		"--user=u", "--user",
		"--timeout", "--timeout=5", "2m", "--fields", "--fields=message", "--fields=memo.name,memos.id",
		"--idempotency-key=k",
		"--idempotency-key", "--store=s2", "{}", "[]", `{"memo_name":"x"}`, `{"name":"x","content":"y","priority":3}`,
		"\xff", "メモ", "$(x)",
	}
	stdins := []string{"", "{}", "x\n",
		"{\"tool\":\"list_memo\"}\n\n{\"tool\":\"get_memo\",\"input\":{\"memo_name\":\"x\"},\"id\":[1]}", "\xff\n{",
		"\r\n"}
	w := newWorld(t)
	app := w.app()
	for i := range 3000 {
		if i%100 == 0 {
			w = newWorld(t)
		}
		var args []string
		for range r.IntN(9) {
			args = append(args, parts[r.IntN(len(parts))])
		}
		if r.IntN(2) == 0 {
			args = append([][]string{{"memo", "add", "x", "y"}, {"memo", "edit"}, {"memo", "list"}, {"memo", "context"},
				{"call"}, {"tools"}}[r.IntN(6)], args...)
		}
		stdin := stdins[r.IntN(len(stdins))]
		if err := checkAnswer(app.Parse(args), stdin, w.feed(stdin, args...)); err != nil {
			t.Fatalf("line %d: %q < %q: %v", i, args, stdin, err)
		}
	}
}

// FuzzLine runs any line, with anything on stdin, and wants the rules of every
// answer to hold. Words are separated by NUL, which no argument can hold.
func FuzzLine(f *testing.F) {
	for _, line := range []string{
		"", "nope", "memo", "memo\x00ad", "memo\x00add\x00help", "help\x00memo\x00add", "-v", "--x=",
		"memo\x00add\x00- item\x00-5\x00--priority\x003\x00--tag\x00a,b",
		"add_memo\x00---\na: b\x00 --priority\x00--priority=1e0\x00--detail=\xff",
		"memo\x00add\x00x\x00-\x00--priority\x003\x00--generate-shell-completion",
		"memo\x00edit\x00--content\x00--\x00--tags\x00\x00--\x00-",
		"--lang\x00ja\x00memo\x00context\x00-o\x00text\x00--max-chars=0\x00--for=judgement",
		"memo\x00list\x00--fields=memos.name,total\x00--timeout\x005\x00--tz=Asia/Tokyo\x00--user=",
		"call\x00add_memo\x00{\"name\":\"x\",\"content\":\"y\",\"priority\":3}\x00--idempotency-key=k",
		"call\x00list_memo", "call\x00--batch", "tools\x00--format\x00gemini\x00--no-all",
		"tools\x00get_memo\x00-o=text",
		"complete\x00--\x00memo\x00add\x00--p", "completion\x00zsh", "init", "store\x00verify",
		"store\x00info\x00--store\x00x://y", "store\x00compact",
	} {
		f.Add(line, `{"tool":"add_memo","input":{"name":"x","content":"y","priority":3},"id":1}`)
		f.Add(line, "{}")
	}
	app := newWorld(f).app()
	f.Fuzz(func(t *testing.T, joined, stdin string) {
		var args []string
		if joined != "" {
			args = strings.Split(joined, "\x00")
		}
		l := app.Parse(args)
		if where := l.Settings["store"]; filepath.IsAbs(where) || strings.Contains(where, "..") {
			return // outside of the test's folder
		}
		if err := checkAnswer(l, stdin, newWorld(t).feed(stdin, args...)); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	})
}

// checkAnswer checks an answer against what the line asks for.
func checkAnswer(l line.Line, stdin string, a answer) error {
	texts := []string{"help", "completion", "complete"}
	path := strings.Join(l.Path, " ")
	asText := l.Settings["output"] == "text"
	switch {
	case a.code == 0 && l.Unknown == "" && (l.Help || l.Version || slices.Contains(texts, path)):
		return nil
	case a.code == 0 && path == "call" && asksBatch(l):
		lines := strings.SplitAfter(a.out, "\n")
		for _, document := range lines[:len(lines)-1] {
			if err := oneDocument(document); err != nil {
				return fmt.Errorf("%w in\n%s", err, a.out)
			}
		}
		if want := countLines(stdin); len(lines)-1 != want || lines[want] != "" {
			return fmt.Errorf("%d answers to %d lines:\n%s", len(lines)-1, want, a.out)
		}
		return nil
	case asText && strings.HasPrefix(a.out, "Error: ") && a.code > 0, asText && strings.HasSuffix(a.out, "\n") &&
		a.code == 0:
		return nil
	}
	err := checkDocument(a.out, a.code)
	if err == nil && a.code == 1 {
		err = fmt.Errorf("a fault of techo")
	}
	if err != nil {
		return fmt.Errorf("exit code %d, %w:\n%s", a.code, err, a.out)
	}
	return nil
}

func asksBatch(l line.Line) bool {
	for _, f := range l.Flags {
		if f.Field == "batch" && f.Value == strconv.FormatBool(!f.Not) {
			return true
		}
	}
	return false
}

// countLines counts the lines that are not blank.
func countLines(text string) (n int) {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) != "" {
			n++
		}
	}
	return n
}
