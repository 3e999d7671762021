package commands

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/commands/run/runtest"
	"techo/commands/system"
	"techo/internal/columns"
	"techo/internal/testenv"
	"techo/tools"
)

// screen is a person's terminal at all three streams.
type screen struct {
	columns, rows int
	agent         bool     // the shell is an agent's
	paged         []string // texts that the pager showed
}

func (s *screen) show(w *system.System) {
	w.StdinTerminal, w.StdoutTerminal, w.StderrTerminal = true, true, true
	w.Columns, w.Rows = func() int { return s.columns }, func() int { return s.rows }
	w.Page = func(text string) bool { s.paged = append(s.paged, text); return true }
	if getenv := w.Getenv; s.agent {
		w.Getenv = func(name string) string { return map[string]string{"CLAUDECODE": "1"}[name] + getenv(name) }
	}
}

// see runs the program at a screen, and returns what it printed there.
func (w *world) see(args ...string) (out, errs string) {
	w.t.Helper()
	var stdout, stderr strings.Builder
	if code := Main(w.World(unreadable{}, &stdout, &stderr, args...)); code != 0 {
		w.t.Errorf("%q: exit %d\n%s", args, code, stdout.String())
	}
	return stdout.String(), stderr.String()
}

// TestAuto checks that a person's terminal shows text by default, also of errors, that pipes and the shells of
// agents get JSON, and that fields and answers to call are JSON everywhere.
func TestAuto(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "ramen", "Tanaka likes ramen", "--priority", "4").ok()
	const text, document, indented = "Memos (1-1 of 1)\n- [ramen]", `{"memos":[`, "{\n  \"memos\": ["
	want := func(terminal bool, begins, line string) {
		t.Helper()
		w.terminal = terminal
		if a := w.run(strings.Split(line, " ")...); !strings.HasPrefix(a.out, begins) {
			t.Errorf("%s, terminal %v, %v: %s", line, terminal, w.env, a.out)
		}
	}
	for _, setting := range []string{"", "auto"} {
		w.env["TECHO_OUTPUT"] = setting
		want(false, document, "memo list")
		want(true, text, "memo list")
		want(true, "Error: ", "memo get nothing")
		want(true, "Error: ", "memo list --limitt 3")
		want(true, "{\n  \"total\": 1", "memo list --fields total")
		want(true, indented, "memo list -o json")
		want(true, indented, "call list_memo {}")
		want(true, text, "call list_memo {} -o text")
		want(true, "Error: fields selects fields of JSON", "memo list --fields total -o text")
	}
	for _, v := range []string{"CLAUDECODE=1", "CODEX_CI=1", "CODEX_THREAD_ID=t", "CODEX_SANDBOX=seatbelt", "GEMINI_CLI=1",
		"OPENCODE=1", "AGENT=amp", "CURSOR_AGENT=1", "COPILOT_CLI=1", "COPILOT_AGENT=1", "GOOSE_TERMINAL=1",
		"CLINE_ACTIVE=true", "AI_AGENT=x"} {
		name, value, _ := strings.Cut(v, "=")
		w.env["TECHO_OUTPUT"], w.env[name] = "", value
		want(true, indented, "memo list")
		want(true, text, "memo list -o text")
		w.env["TECHO_OUTPUT"] = "text"
		want(true, text, "memo list")
		w.env["TECHO_OUTPUT"], w.env[name] = "", ""
		want(true, text, "memo list")
	}
	for _, name := range []string{"CODEX_HOME", "GEMINI_CLI_HOME", "CLAUDE_CONFIG_DIR", "TERM_PROGRAM", "CI"} {
		w.env[name] = "1"
		want(true, text, "memo list")
	}
	w.env["TECHO_OUTPUT"] = "json"
	want(true, indented, "memo list")
	want(true, text, "memo list -o auto")
	w.env["TECHO_OUTPUT"] = "text" // which programs do not read
	want(false, document, "call list_memo {}")
	want(false, text, "call list_memo {} -o text")
	want(false, "{", "tools list_memo")
}

// TestToday checks what techo alone shows at a terminal: the day, what is due and what is asked, and commands to
// try, in at most 23 rows, without making a store. A pipe and an agent get the error that lists the commands.
func TestToday(t *testing.T) {
	testenv.InFolder(t)
	w := newWorld(t)
	w.screen = &screen{80, 24, false, nil}
	show := func(lang string, want ...string) {
		t.Helper()
		out, _ := w.see("--lang", lang)
		rows := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		for _, row := range rows {
			if columns.Width(row) > 80 {
				t.Errorf("%s: a wide row: %q", lang, row)
			}
		}
		if len(rows) > 23 {
			t.Errorf("%s: %d rows", lang, len(rows))
		}
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("%s: no %q in\n%s", lang, text, out)
			}
		}
	}
	show("en", "Friday 2026-01-02", "Nothing is planned or due today", "  techo demo\n", "techo --help")
	show("ja", "金曜日 2026-01-02", "  techo demo\n")
	if _, err := os.Stat(filepath.Join(w.dir, "store")); err == nil {
		t.Error("looking made a store")
	}
	w.screen = nil
	for _, n := range strings.Fields("a b c d e f g") {
		w.run("cal", "create", "Planning with everyone who has a budget, and then some more of it "+n, "2026-01-02 10:00").ok()
		w.run("todo", "add", "Send the report "+n, "--due", "2026-01-01").ok()
		w.run("ask", "May I delete the branch "+n+"?", "--wait", "0", "--via", "queue")
	}
	w.screen = &screen{80, 24, false, nil}
	show("en", "Events: 7\n  10:00–11:00  Planning", "To-dos due: 7\n", "Send the report a (overdue)\n",
		"Questions waiting for you: 7", "May I delete the branch a?", "  techo ask watch\n", "  techo todo done ")
	show("ja", "ask watch")
	w.screen.agent = true
	var stdout strings.Builder
	if code := Main(w.World(unreadable{}, &stdout, io.Discard)); code != 2 || !strings.Contains(stdout.String(), `"hint": "One of: `) {
		t.Errorf("an agent: %d %s", code, stdout.String())
	}
}

// TestScreen checks that lines fit the terminal, break at words and hang under their item, and
// that an id stays whole.
func TestScreen(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "trip", "Book the night train to Vienna before the prices rise again in March",
		"--priority", "4").ok()
	w.run("memo", "add", "出張", "大阪出張の準備として切符と宿と会議資料を揃えること",
		"--priority", "5").ok()
	w.run("cal", "create", "Quarterly planning with everyone who has a budget", "2026-01-05 10:00").ok()
	w.screen = &screen{40, 100, false, nil}
	for _, line := range []string{"memo list", "cal list 2026-01-05"} {
		out, _ := w.see(append(strings.Split(line, " "), "-o", "auto")...)
		for row := range strings.Lines(out) {
			if row = strings.TrimSuffix(row, "\n"); columns.Width(row) > 40 || strings.HasSuffix(row, "(id:") {
				t.Errorf("%s: %d columns, or a broken id, in %q", line, columns.Width(row), row)
			}
		}
	}
	for _, line := range []string{"memo add --help", "help todo list", "memo list --limit many --lang ja", "memo get nothing-here"} {
		var out strings.Builder
		Main(w.World(unreadable{}, &out, io.Discard, strings.Split(line, " ")...))
		for row := range strings.Lines(out.String()) {
			if row = strings.TrimSuffix(row, "\n"); columns.Width(row) > 40 && strings.Contains(strings.TrimSpace(row), " ") {
				t.Errorf("%s: %d columns in %q", line, columns.Width(row), row)
			}
		}
	}
	const want = "- [trip] priority 4 [none] Book the\n  night train to Vienna before the\n" +
		"  prices rise again in March\n"
	if out, _ := w.see("memo", "list", "-o", "auto"); !strings.Contains(out, want) {
		t.Errorf("got\n%s", out)
	}
}

// TestPager checks that a person pages through what is longer than the terminal, and that an
// agent gets it at once.
func TestPager(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		w.run("memo", "add", name, "x", "--priority", "3").ok()
	}
	for _, c := range []struct {
		rows         int
		agent, paged bool
	}{{4, false, true}, {24, false, false}, {4, true, false}} {
		w.screen = &screen{80, c.rows, c.agent, nil}
		out, _ := w.see("memo", "list", "-o", "text")
		if paged := len(w.screen.paged) == 1; paged != c.paged || (out == "") != c.paged {
			t.Errorf("%d rows, agent %v: paged %q, printed %q", c.rows, c.agent, w.screen.paged, out)
		}
	}
}

// TestNotes checks that text ends with what was guessed, as its JSON says it.
func TestNotes(t *testing.T) {
	w := newWorld(t)
	w.run("memory", "add", "Tanaka likes ramen.", "--created-at", "2026-01-01").ok()
	for _, line := range []string{
		"cal create D|Mon 2026-12-01 10:00", "cal update ID|--start|tomorrow at 3", "cal list|--date|Mon 2026-12-01",
		"cal check|--check-type|day|--date|Mon 2026-12-01", "todo add D|--due|Mon 2026-12-01",
		"todo list|--due-by|Mon 2026-12-01", "memory list|--since|5/6", "memory search|ramen|--since|5/6",
		"memory timeline|--at|5/6", "history|--since|5/6",
	} {
		args := strings.Split(line, "|")
		args = append(strings.Split(args[0], " "), args[1:]...)
		if args[2] == "ID" {
			created := w.run("cal", "create", "E", "2026-01-05 10:00").ok()["event"].(map[string]any)
			args[2] = created["event_id"].(string)
		}
		note, _ := w.run(args...).ok()["note"].(string)
		text := w.run(append(args, "-o", "text")...).out
		if note == "" || !strings.HasSuffix(text, "\nNote: "+note+"\n") {
			t.Errorf("%s: note %q\n%s", line, note, text)
		}
	}
}

// TestAddAtTerminal checks that a person sees what a line becomes, and that it is kept only then.
func TestAddAtTerminal(t *testing.T) {
	w := newWorld(t)
	w.screen = &screen{80, 24, false, nil}
	for _, c := range []struct{ line, typed, shown, out string }{
		{"Lunch fri 12-13", "n", "Would create: Lunch, Friday 2026-01-02 12:00–13:00",
			"Not confirmed; nothing was changed"},
		{"Lunch next fri 9-11", "", `Note: "9-11" was read as 2026-01-09 09:00`, `"title": "Lunch"`},
		{"buy milk by sunday", "y", "Would add the to-do: buy milk, due Sunday 2026-01-04", `"title": "buy milk"`},
		{"the room is on floor three", "はい", `Would keep a memo named "the room is on floor"`,
			`"name": "the room is on floor"`},
	} {
		typist := &runtest.Typist{Lines: []string{c.typed}}
		var stdout, stderr strings.Builder
		sys := w.World(unreadable{}, &stdout, &stderr, "add", c.line, "-o", "json")
		sys.Terminal = func() (tools.Terminal, error) { return typist, nil }
		Main(sys)
		screen := typist.Screen.String()
		if !strings.Contains(screen, c.shown) || !strings.HasSuffix(screen, "Keep it? [Y/n] \n") ||
			!strings.Contains(stdout.String(), c.out) {
			t.Errorf("%s: shown %q, %s", c.line, screen, stdout.String())
		}
	}
	w.screen = nil
	if a := w.run("history", "--fields", "total"); !strings.Contains(a.out, `"total":3`) {
		t.Errorf("kept: %s", a.out)
	}
}
