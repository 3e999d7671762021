package commands

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/system"
)

var invalidLines = []struct {
	name  string
	args  []string
	paths []string // of the problems
	hint  string   // a part of the hint
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
	{"number out of range", []string{"memo", "add", "a", "b", "--priority", "6"}, []string{"/priority"}, ""},
	{"missing value", []string{"memo", "add", "a", "b", "--priority"}, []string{"/priority"}, ""},
	{"missing fields", []string{"memo", "add", "help"}, []string{"/content"}, ""},
	{"extra words", []string{"memo", "get", "a", "b", "c"}, []string{"", ""}, ""},
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

// TestLineRefused runs invalid lines: all problems are reported at once, and
// nothing is done.
func TestLineRefused(t *testing.T) {
	for _, test := range invalidLines {
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

// TestLineData checks that words that look like something else stay unchanged.
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
		{"an element that looks like JSON", []string{"x", "x", "--tag", `["a"]`}, "x", "", []string{`["a"]`}},
		{"a list in JSON", []string{"x", "x", "--tags", `["a", "b,c"]`}, "x", "", []string{"a", "b,c"}},
		{"an empty list in JSON", []string{"x", "x", "--tags=[]"}, "x", "", nil},
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

// TestLineStdin checks that the word - is the exact content of stdin.
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
	w.run("memo", "list", "-").fails("invalid_input", "") // no field takes it: stdin is not read
}

// TestLineSwitch gives a switch all possible values.
func TestLineSwitch(t *testing.T) {
	w := newWorld(t)
	for _, flag := range []string{"--all", "--all=true", "--all=false", "--no-all", "--no-all=true", "--no-all=false"} {
		w.run("tools", flag, "--format=names").ok()
	}
	// The word after a
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

// TestPossibleCommands checks that a line with the words of a command gets that
// command, although not all commands are built for it.
func TestPossibleCommands(t *testing.T) {
	a := programOf(run.New(system.System{}, families()))
	for _, c := range a.Commands() {
		for _, place := range append(c.Tool.Spellings(), c.Tool.Command) {
			line := strings.Fields(place)
			built := shellCommands(a, func(words ...string) bool {
				return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(line, w) })
			})
			if !slices.Contains(namesOf(built), c.Tool.Command) && !slices.Contains(a.Run.Offered, c.Tool) {
				t.Errorf("%q is not built for the line %q", c.Tool.Command, place)
			}
		}
	}
	if built := shellCommands(a, func(...string) bool { return false }); len(built) > 0 {
		t.Errorf("%q are built for every line", namesOf(built))
	}
}

func namesOf(all []*line.Command) (found []string) {
	for _, c := range all {
		found = append(found, c.Tool.Command)
	}
	return found
}

// TestVerbs checks each word for an action in each family: it runs a command of
// the family or is answered with a suggestion.
func TestVerbs(t *testing.T) {
	words := []string{"add", "create", "get", "show", "list", "edit", "update", "remove", "delete"}
	for family, commands := range map[string]map[string]string{
		"memo": {"add": "memo add", "get": "memo get", "list": "memo list", "edit": "memo edit",
			"remove": "memo remove"},
		"memory": {"add": "memory add", "get": "memory get", "list": "memory list", "edit": "memory edit",
			"remove": "memory remove"},
		"cal": {"add": "cal create", "get": "cal get", "list": "cal list", "edit": "cal update",
			"remove": "cal delete"},
		"ask":   {"get": "ask show", "list": "ask list", "remove": "ask cancel"},
		"token": {"add": "token add", "list": "token list", "remove": "token remove"},
		"fs":    {"list": "fs list", "edit": "fs edit", "remove": "fs remove"},
		"web":   {}, "store": {},
	} {
		for _, word := range words {
			usual := map[string]string{"create": "add", "show": "get", "update": "edit", "delete": "remove"}[word]
			if usual == "" {
				usual = word
			}
			want := commands[usual]
			if family == "cal" && word == "remove" {
				continue // it removes a calendar
			}
			if want == "" {
				if family != "ask" { // its other words are questions
					wantSuggestion(t, family, word)
				}
				continue
			}
			text := newWorld(t).run(family, word, "--help").text()
			if !strings.HasPrefix(text, "techo "+want) {
				t.Errorf("%s %s is not %s: %.80s", family, word, want, text)
			}
		}
	}
	for _, c := range []struct{ family, word, want string }{
		{"fs", "get", "'read'"}, {"fs", "create", "'write'"}, {"fs", "add", "'write'"},
		{"memory", "find", "'search'"}, {"memo", "cancel", "'remove'"}, {"cal", "cancel", "'delete', 'remove'"},
		{"store", "show", "'info'"}, {"memo", "write", "'add', 'edit'"}, {"memo", "search", "'list'"},
		{"cal", "find", "'list'"}, {"fs", "search", "'glob'"}, {"web", "get", "'fetch'"},
		{"memory", "rm", "'remove'"},
		{"cal", "ls", "'list'"}, {"memories", "list", "'memory'"}, {"calendar", "add", "'cal'"},
		{"events", "list", "'cal'"}, {"files", "read", "'fs'"}, {"token", "get", "'list'"},
	} {
		e := newWorld(t).run(c.family, c.word).fails("invalid_input")
		if e.Hint != "Did you mean "+c.want+"?" {
			t.Errorf("%s %s: hint %q, want %s", c.family, c.word, e.Hint, c.want)
		}
	}
}

func wantSuggestion(t *testing.T, family, word string) {
	t.Helper()
	e := newWorld(t).run(family, word).fails("invalid_input")
	if !strings.HasPrefix(e.Hint, "Did you mean ") && !strings.HasPrefix(e.Hint, "One of: ") {
		t.Errorf("%s %s: hint %q", family, word, e.Hint)
	}
}

// TestSpellings checks that no two commands share a name.
func TestSpellings(t *testing.T) {
	owner := map[string]string{}
	for _, c := range allCommands() {
		for _, name := range append(c.Tool.Spellings(), c.Tool.Command) {
			if other := owner[name]; other != "" {
				t.Errorf("%q is %q and %q", name, other, c.Tool.Command)
			}
			owner[name] = c.Tool.Command
		}
	}
	for alias, want := range map[string]string{
		"import calendar": "cal import", "memory import": "import memories", "memory export": "export memories",
		"memo export": "export memos", "memo import": "import memos",
	} {
		if owner[alias] != want {
			t.Errorf("%q is %q, want %q", alias, owner[alias], want)
		}
	}
}
