package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"techo/internal/testenv"
)

// nextWords lists the words that follow a prefix in the names of all commands,
// without the hidden "complete".
func nextWords(prefix string) string {
	var words []string
	for _, c := range allCommands() {
		rest, ok := strings.CutPrefix(c.Tool.Command, prefix)
		word, _, _ := strings.Cut(rest, " ")
		if ok && word != "complete" && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// TestCandidates completes the last words of command lines.
func TestCandidates(t *testing.T) {
	w := newWorld(t)
	for _, c := range [][2]string{
		{"", nextWords("")},
		{"me", "memo memory"},
		{"memo a", "add"},
		{"memo ", nextWords("memo ")},
		{"memo x", ""},
		{"nope ", ""},
		{"nope --", ""},
		{"-o text me", "memo memory"},
		{"--lang=ja memo li", "list"},
		{"store ", nextWords("store ")},
		{"complet", "completion"},
		{"add_m", ""}, // hidden, as in the help

		{"memo add --p", "--priority"},
		{"memo add --t", "--tag --tz --timeout"},
		{"add_memo --p", "--priority"},
		{"memo --p", ""},
		{"memo list --off", "--offset"},
		{"memo add x --cont", "--content --context-dates"},
		{"--vers", ""},
		{"memo --he", "--help"},
		{"memo add --detail --p", ""}, // a value, whatever its form
		{"memo add --", "--name --content --priority --tag --detail --memo --space --store --lang --output " +
			"--errors-to-stderr --tz --user --root --enable-memory --memory-tool --memory-context " +
			"--context-dates --memory-service-url --embed-url --embed-model --timeout --max-bytes " +
			"--history-days --history-bytes --sync --fields --compact --idempotency-key --secrets --help"},

		{"tools --format o", "openai openai-chat"},
		{"tools --format ", "mcp openai openai-chat anthropic gemini names"},
		{"tools --format=o", "--format=openai --format=openai-chat"},
		{"memo context --for ", "response judgment"},
		{"memo context --for=j", "--for=judgment"},
		{"-o ", "json text auto"},
		{"-o=", "-o=json -o=text -o=auto"},
		{"memo list --output t", "text"},
		{"memo list --lang=", "--lang=en --lang=ja"},
		{"memo add --tag ", ""},
		{"--store ", ""},
		{"--nope=", ""},
		{"--nope ", nextWords("")},

		{"call add", "add_memo add_memory add_todo"},
		{"call add_memo ", ""},
		{"tools get_memo list_", "list_memo list_memo_tags list_memory list_events list_calendars list_todos " +
			"list_files list_history list_spaces list_space_members list_questions"},
		{"tools --name rem", "remove_memo remove_memory remove_todo remove_file remove_space"},
		{"completion ", "bash zsh fish powershell"},
		{"completion f", "fish"},
		{"help me", "memo memory"},
		{"help memo a", "add"},
		{"help memo add ", ""},
		{"help nope a", ""},

		{"-- me", "memo memory"},
		{"completion -- b", "bash"},
		{"call -- add", "add_memo add_memory add_todo"},
		{"memo add -- --p", ""},
		{"memo add -- -", ""},
		{"memo add --detail -- --p", "--priority"}, // -- is a value here
	} {
		line, want := c[0], c[1]
		if got := strings.Join(w.candidates(strings.Split(line, " ")...), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	if got := w.candidates(); len(got) == 0 || got[0] != "memo" {
		t.Errorf("no words: %v", got)
	}
}

// TestComplete checks the format for the scripts: a word, a tab, a description.
func TestComplete(t *testing.T) {
	w := newWorld(t)
	for _, line := range []string{"", "memo ", "memo add --", "memo context --", "tools ", "tools --format ", "--lang=",
		"nope "} {
		for _, lang := range []string{"en", "ja"} {
			w.env["TECHO_LANG"] = lang
			a := w.run(append([]string{"complete", "--"}, strings.Split(line, " ")...)...)
			if a.code != 0 {
				t.Errorf("%q: exit code %d: %s", line, a.code, a.out)
			}
			for row := range strings.Lines(a.out) {
				word, about, ok := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
				if !ok || word == "" || strings.ContainsFunc(word+about, unicode.IsControl) ||
					strings.Contains(word, " ") {
					t.Errorf("%q: %q", line, row)
				}
			}
		}
	}
	w.noStore()
	w.run("complete", "--", "\xff").fails("invalid_input", "/words/0")
}

// press is a typed line, then the key Tab.
type press struct {
	line       string
	becomes    string   // the line afterwards
	candidates []string // the displayed candidates, if there are several
}

// tabs returns the number of presses: the second one shows the candidates.
func (p press) tabs() string {
	if len(p.candidates) > 0 {
		return "\t\t\t"
	}
	return "\t"
}

// presses returns lines that every shell must complete.
func presses() []press {
	return []press{
		{"techo ver", "techo version ", nil},
		{"techo memo a", "techo memo add ", nil},
		{"techo memo add --p", "techo memo add --priority ", nil},
		{"techo tools --format o", "techo tools --format openai", []string{"openai", "openai-chat"}},
		{"techo tools --format=g", "techo tools --format=gemini ", nil},
		{"techo -o ", "techo -o ", []string{"auto", "json", "text"}},
		{"techo memo get a:b=c --lang=j", "techo memo get a:b=c --lang=ja ", nil},
		{`techo memo add "$(touch made1)" --p`, `techo memo add "$(touch made1)" --priority `, nil},
		{`techo memo add '$(touch made2)' "made; touch made3" --p`,
			`techo memo add '$(touch made2)' "made; touch made3" --priority `, nil},
		{"techo --store here-is-a-f", "techo --store here-is-a-file ", nil},
		{"techo memo get te", "techo memo get tea", []string{"tea", "tearoom"}},
		{"techo memo get ra", "techo memo get ramen ", nil},
		{"techo memo get Ky", `techo memo get Kyoto\ trip `, nil},
		{`techo memo get Kyoto\ t`, `techo memo get Kyoto\ trip `, nil},
		{"techo memo get x", `techo memo get x\$\(touch\ made17\) `, nil},
	}
}

// hostile returns lines whose completion must run nothing.
func hostile() []string {
	return []string{
		"techo memo add `touch made4` --p", "techo memo add \"`touch made5`\" --p", "techo memo add $(touch made6) --p",
		"techo memo add $(touch made7)/x", "techo memo add \"$(touch made8)/x", "techo memo add `touch made9`/x",
		"techo memo add --detail=$(touch made10)/x",
		`techo memo add ~\;touch\ made11\;/x`, "techo $(touch made12)", "techo memo add ${x:-$(touch made13)}/x",
	}
}

// newShell returns a world with the built program on its path and a file.
func newShell(t *testing.T, bin string) *world {
	t.Helper()
	w := newWorld(t)
	w.env["PATH"] = filepath.Dir(bin) + string(os.PathListSeparator) + os.Getenv("PATH")
	w.env["TERM"] = "dumb"
	w.env["INPUTRC"] = os.DevNull
	w.env["XDG_CONFIG_HOME"] = filepath.Join(w.dir, "config")
	w.env["TECHO_OUTPUT"] = "json"
	for name, text := range map[string]string{"here-is-a-file": "", "driver.zsh": zshDriver} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ramen", "Kyoto trip", "x$(touch made17)", "tea", "tearoom"} {
		// zsh puts names with the same text on one line.
		w.run("memo", "add", name, "About "+name, "--priority", "3").ok()
	}
	return w
}

// script runs a shell with a text on stdin, and returns its output.
func (w *world) script(stdin, shell string, args ...string) string {
	w.t.Helper()
	c := exec.Command(shell, args...)
	c.Dir, c.Stdin = w.dir, strings.NewReader(stdin)
	for name, value := range w.env {
		c.Env = append(c.Env, name+"="+value)
	}
	out, err := c.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

// made lists the files that a typed command created.
func (w *world) made() []string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.dir, "made*"))
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

func (w *world) linesAfter() []string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, "lines"))
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// checkPresses compares the lines after the presses.
func (w *world) checkPresses(screen string) {
	w.t.Helper()
	after := w.linesAfter()
	if want := len(presses()) + len(hostile()); len(after) != want {
		w.t.Fatalf("%d lines came back of %d:\n%s\n%s", len(after), want, strings.Join(after, "\n"), screen)
	}
	for i, p := range presses() {
		if after[i] != p.becomes {
			w.t.Errorf("%q becomes %q, want %q", p.line, after[i], p.becomes)
		}
		if len(p.candidates) > 0 && !regexp.MustCompile(
			strings.Join(p.candidates, `(?:\s+(?:#|--) .*)?\s+`)).MatchString(screen) {
			w.t.Errorf("%q does not show %q:\n%s", p.line, p.candidates, screen)
		}
	}
	if files := w.made(); len(files) > 0 {
		w.t.Errorf("completing ran what was typed: %q", files)
	}
}

// TestCompletionInShells presses Tab in each shell.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	bin := testenv.Program(t)
	t.Run("bash", func(t *testing.T) { testBash(t, newShell(t, bin)) })
	t.Run("zsh", func(t *testing.T) { testZsh(t, newShell(t, bin)) })
	t.Run("fish", func(t *testing.T) { testFish(t, newShell(t, bin)) })
	t.Run("errors", func(t *testing.T) { testErrors(t, bin) })
}

// bashKeys binds a key that appends the line to a file and clears it.
const bashKeys = `bind -x '"\C-t": printf "%s\n" "$READLINE_LINE" >>lines; READLINE_LINE='
bind 'set completion-query-items 0'
bind 'set page-completions off'
`

func testBash(t *testing.T, w *world) {
	bash := testenv.Tool(t, "bash")
	if v := w.script("", bash, "-c", "echo ${BASH_VERSINFO[0]}"); len(v) == 2 && v < "4" {
		testenv.Missing(t, "bash 4 or later, for bind -x with $READLINE_LINE; found bash "+v)
	}
	typed := func(load string) string {
		text := bashKeys + load + "\n"
		for _, p := range presses() {
			text += p.line + p.tabs() + "\x14\n"
		}
		for _, line := range hostile() {
			text += line + "\t\x14\n"
		}
		return text + "exit\n"
	}
	screen := w.script(typed("source <(techo completion bash)"), bash, "--norc", "--noprofile", "-i")
	w.checkPresses(screen)
	if !strings.Contains(screen, "tea  # About tea") {
		t.Errorf("a list of names has no titles:\n%s", screen)
	}

	// The same lines do run commands in a script that evaluates them.
	w.script(typed(`_techo() { eval "words=(${COMP_LINE})"; }; complete -F _techo techo`), bash, "--norc",
		"--noprofile", "-i")
	if files := w.made(); len(files) == 0 {
		t.Error("the test does not notice a script that evaluates what is typed")
	}
}

// zshDriver types lines into zsh on its own terminal. After each line it waits
// for a text on the screen, then presses a key that appends the line to a file
// and clears it.
// The quotes in LOA""DED keep what is typed apart from what is printed.
const zshDriver = `zmodload zsh/zpty || exit 3
zpty z "zsh -f -i"
all=
await() {
	local got n=0
	while [[ $all != *"$1"* ]] && (( n++ < 500 )); do
		if zpty -rt z got; then all+=$got; else sleep 0.02; fi
	done
	print -r -- "$all"
	if [[ $all != *"$1"* ]]; then
		print -r -- "the screen does not show $1"
		exit 4
	fi
	all=
}
zpty -w z 'PS1= ; autoload -Uz compinit; compinit -u -d dump; source <(techo --output=json completion zsh)'
zpty -w z '_show() { print -r -- "$BUFFER" >>lines; zle kill-whole-line; print -r -- SHO""WN; }; zle -N _show'
zpty -w z 'bindkey "^T" _show; bindkey "^I" complete-word; unsetopt automenu; print LOA""DED'
await LOADED
while IFS= read -r line; do
	IFS= read -r wait
	zpty -n -w z "$line"
	[[ -n $wait ]] && await "$wait"
	zpty -n -w z $'\x14'
	await SHOWN
done
zpty -d z
`

func testZsh(t *testing.T, w *world) {
	zsh := testenv.Tool(t, "zsh")
	var stdin strings.Builder
	for _, p := range presses() {
		wait := strings.TrimSpace(p.becomes)
		if len(p.candidates) > 0 {
			wait = p.candidates[len(p.candidates)-1]
		}
		stdin.WriteString(p.line + p.tabs() + "\n" + wait + "\n")
	}
	for _, line := range hostile() {
		stdin.WriteString(line + "\t\n\n")
	}
	w.checkPresses(w.script(stdin.String(), zsh, "-f", "driver.zsh"))
}

func testFish(t *testing.T, w *world) {
	fish := testenv.Tool(t, "fish")
	complete := func(line string) (found []string) {
		const ask = "techo completion fish | source; complete -C $argv[1]"
		for row := range strings.Lines(w.script("", fish, "--no-config", "-c", ask, "--", line)) {
			word, _, _ := strings.Cut(strings.TrimSpace(row), "\t")
			found = append(found, word)
		}
		return found
	}
	for _, p := range presses() {
		want := p.candidates
		if len(want) == 0 {
			last := regexp.MustCompile(`(\\.|[^ \\])+ $`).FindString(p.becomes)
			want = []string{strings.ReplaceAll(strings.TrimSuffix(last, " "), `\`, "")}
		}
		if got := complete(p.line); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%q: %q, want %q", p.line, got, want)
		}
	}
	for _, line := range append(hostile(), "techo memo add (touch made14) --p", "techo memo add (touch made15)/x",
		`techo memo add "$(touch made16)`) {
		complete(line)
	}
	if files := w.made(); len(files) > 0 {
		t.Errorf("completing ran what was typed: %q", files)
	}
}

// testErrors checks that the document of an error, which is also on stdout, does
// not become a candidate.
func testErrors(t *testing.T, bin string) {
	for shell, args := range map[string][]string{
		"bash": {"-c", `source <(techo --output=json completion bash); COMP_WORDS=(techo "") COMP_CWORD=1 ` +
			`COMP_LINE="techo "; _techo; echo "${COMPREPLY[@]}" >lines`},
		"zsh":  {"-f", "driver.zsh"},
		"fish": {"--no-config", "-c", `techo --output=json completion fish | source; complete -C "techo " >lines`},
	} {
		t.Run(shell, func(t *testing.T) {
			w := newShell(t, bin)
			w.env["TECHO_OUTPUT"] = "xml"
			screen := w.script("techo \t\n\n", testenv.Tool(t, shell), args...)
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the screen: %s", screen)
				}
			})
			for _, l := range w.linesAfter() {
				if strings.Contains(l, "error") || strings.Contains(l, "memo") {
					t.Errorf("%q", l)
				}
			}
		})
	}
}

// TestExisting completes names and ids in the store.
func TestExisting(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "ramen", "likes\n\x1b[31mramen", "--priority", "3", "--tag", "food").ok()
	w.run("memo", "add", "Kyoto trip", strings.Repeat("長い", 100), "--priority", "4").ok()
	id := w.run("memory", "add", "The shop is closed. On Mondays.").ok()["memory"].(map[string]any)["id"].(string)
	w.run("ask", "Which one?", "--via", "queue", "--wait", "0s")
	w.run("cal", "create", "Lunch", "tomorrow 12:00", "--calendar", "work").ok()
	event := w.run("cal", "create", "Dinner", "tomorrow 19:00").ok()["event"].(map[string]any)["event_id"].(string)
	w.run("todo", "add", "Buy milk").ok()
	w.run("space", "create", "team").ok()
	for line, want := range map[string]string{
		"memo get ":                   "Kyoto trip|ramen",
		"memo get r":                  "ramen",
		"memo edit K":                 "Kyoto trip",
		"memo remove -- r":            "ramen",
		"memo list --tag f":           "food",
		"memo rename-tag ":            "food",
		"get_memo r":                  "ramen",
		"memory get ":                 id,
		"memory remove mem_x ":        id,
		"memory investigate mem":      id,
		"ask answer ":                 "q1",
		"cal list --calendar=w":       "--calendar=work",
		"cal get ":                    event,
		"cal update ":                 event,
		"cal delete " + event[:2]:     event,
		"cal confirm ":                event,
		"cal move x --to-calendar w":  "work",
		"cal move x --to-space t":     "team",
		"todo list --space t":         "team",
		"space remove ":               "team",
		"undo h1":                     "h1",
		"history show h1":             "h1",
		"config get tz":               "tz",
		"config set output ":          "json|text|auto",
		"memory timeline --id ":       id,
		"memo add x y --tag ":         "food",
		"memo get r --store /nowhere": "",
		"--store /nowhere memo get r": "",
		"--store nope:// memo get ":   "",
	} {
		if got := strings.Join(w.candidates(strings.Split(line, " ")...), "|"); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	for line, about := range map[string]string{"memo get r": "likes [31mramen", "todo done ": "Buy milk",
		"cal delete ": "Dinner", "undo h2": "Kyoto trip",
		"memo get K": strings.Repeat("長い", 29) + "長…"} {
		if out := w.run(append([]string{"complete", "--"}, strings.Split(line, " ")...)...).out; !strings.HasSuffix(
			out, "\t"+about+"\n") {
			t.Errorf("%q: %q", line, out)
		}
	}
}

// candidates returns the completions of the last word of a line.
func (w *world) candidates(words ...string) (found []string) {
	w.t.Helper()
	for row := range strings.Lines(w.run(append([]string{"complete", "--"}, words...)...).out) {
		word, _, _ := strings.Cut(row, "\t")
		found = append(found, word)
	}
	return found
}
