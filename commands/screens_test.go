package commands

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"techo/internal/columns"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

// fillScreens fills a store with records of every kind, in both languages.
func fillScreens(w *world) {
	for _, line := range []string{
		"memo add|ramen|Tanaka likes ramen, above all the one with miso that the shop at the station has in winter|" +
			"--priority|4|--tag|food",
		"memo add|出張|大阪出張の準備として切符と宿と" +
			"会議資料を揃える。新幹線は混むので" +
			"早めに予約すること|--priority|5|--detail|窓側",
		"memory add|The wifi password of the office is on the fridge, and the guest network needs none.",
		"memory add|田中さんは味噌ラーメンが好きで、" +
			"駅前の店には冬になると毎週通っている。",
		"todo add|File the taxes|--due|2025-12-20|--priority|1",
		"todo add|Water the plants in the office and the ones on the balcony of the third floor|--due|every monday|" +
			"--alarm|10m",
		"todo add|報告書を提出する|--due|tomorrow 17:00",
		"todo add|Call the bank|--calendar|home",
		"cal create|Standup|every weekday 9:00",
		"cal create|Quarterly planning with everyone who has a budget|today 13:00|" +
			"--location|The large room|--alarm|10m",
		"cal create|忘年会の打ち合わせ|today 19:00|--status|tentative",
		"cal create|Holiday|2026-01-02",
		"cal hold|Interview|--slot|2026-01-02T16:00/60m|--slot|2026-01-03T16:00/60m|--expires|48h",
	} {
		command, rest, _ := strings.Cut(line, "|")
		w.run(append(strings.Split(command, " "), strings.Split(rest, "|")...)...).ok()
	}
	w.run("ask", "Which train to Vienna do I book?", "--option", "the early one", "--option", "夜行列車",
		"--via", "queue", "--wait", "0")
	w.run("space", "create", "team").ok()
	w.run("token", "add", "--user", "alice", "--read-only", "--only", "memo,memory").ok()
}

var tokenID = regexp.MustCompile("tok_[0-9a-f]{12}")

// TestScreens compares what a person sees with golden screens, at three widths in both languages.
// No line is wider than the terminal, unless it is one word, such as the address of a database.
func TestScreens(t *testing.T) {
	w := newWorld(t)
	fillScreens(w)
	for _, wide := range []int{60, 80, 120} {
		for _, lang := range []string{"en", "ja"} {
			var b strings.Builder
			w.screen = &screen{wide, 1000, false, nil}
			for _, line := range []string{"todo list --calendar all", "cal list", "cal list --view week", "memo list",
				"memory list", "history", "cal calendars", "memo tags", "todo list --status done",
				"memory search where does Tanaka eat ramen", "ask list", "ask history", "space list", "token list",
				"config list", "cal due --within 72h", "cal check day today", "cal suggest --date-from tomorrow " +
					"--date-to +3d --duration-minutes 60 --limit 3", "tools --only memo --format names"} {
				out, _ := w.see(append(strings.Split(line, " "), "-o", "auto", "--lang", lang)...)
				if line != "config list" { // it has paths
					fmt.Fprintf(&b, "$ techo %s\n%s\n", line, tokenID.ReplaceAllString(out, "tok_000000000000"))
				}
				for row := range strings.Lines(out) {
					if n := columns.Width(strings.TrimSuffix(row, "\n")); n > wide &&
						len(strings.Fields(row)) > 1 {
						t.Errorf("%s at %d columns in %s: %d in %q", line, wide, lang, n, row)
					}
				}
			}
			golden := filepath.Join("testdata", "screens", fmt.Sprintf("%d-%s.txt", wide, lang))
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || string(want) != b.String() {
				t.Errorf("%s (%v), got\n%s", golden, err, b.String())
			}
		}
	}
}

// TestScreenColor checks that a table has colours only on a terminal that shows them, and that its
// texts cannot make any.
func TestScreenColor(t *testing.T) {
	w := newWorld(t)
	w.run("todo", "add", "Taxes \x1b[31m\u202e\nnow", "--due", "2025-12-20").ok()
	for _, c := range []struct {
		term, no string
		want     bool
	}{{"xterm", "", true}, {"xterm", "1", false}, {"dumb", "", false}, {"", "", false}} {
		w.screen = &screen{80, 24, false, nil}
		w.env["TERM"], w.env["NO_COLOR"] = c.term, c.no
		out, _ := w.see("todo", "list", "-o", "auto")
		if colored := strings.Contains(out, "\x1b[1m"); colored != c.want || strings.ContainsAny(out, "\u202e\a") ||
			strings.Contains(out, " \x1b[31m\n") || !strings.Contains(out, "[overdue]") ||
			!c.want && strings.Contains(out, "\x1b") {
			t.Errorf("TERM=%s NO_COLOR=%s: %q", c.term, c.no, out)
		}
	}
	w.screen = nil
	out := w.run("todo", "list", "-o", "text").out
	if strings.Contains(out, "\x1b") || !strings.Contains(out, "(id: ") {
		t.Errorf("in a pipe: %q", out)
	}
}

// TestNewStore checks that a person learns that the store of a line is not there, and an agent or a
// program never does.
func TestNewStore(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.dir, "misspelt")
	for _, c := range []struct {
		line  string
		agent bool
		want  string
	}{
		{"memo list", false, "There is no store at " + dir + "\n"}, {"memo add a b --priority 3", true, ""},
		{"memo add c d --priority 3", false, ""},
		{"memo add a b --priority 3", false, "There was no store at " + dir + "; this makes one\n"},
		{"memo list", false, ""},
	} {
		if c.want != "" && strings.HasPrefix(c.line, "memo add") {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		w.screen = &screen{80, 24, c.agent, nil}
		if _, errs := w.see(append(strings.Split(c.line, " "), "-o", "text", "--store", dir)...); errs != c.want {
			t.Errorf("%s: %q, want %q", c.line, errs, c.want)
		}
	}
}
