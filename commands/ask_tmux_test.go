//go:build linux || darwin

package commands

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// pane is a terminal of tmux with a person at it: what they see is what a terminal
// shows, not what the program sends.
type pane struct {
	t        *testing.T
	dir      string
	socket   string
	lastSeen string
}

// openPane starts a shell command in a terminal of the given size. The document of
// techo is in the file out, and modes has the settings of the terminal afterwards.
func openPane(t *testing.T, size, command string) *pane {
	t.Helper()
	testenv.Tool(t, "tmux")
	p := &pane{t: t, dir: t.TempDir()}
	p.socket = filepath.Join(p.dir, "tmux")
	columns, rows, _ := strings.Cut(size, "x")
	script := "export TECHO_LANG=ja PS1=ready: USER=tanaka TECHO_STORE=" + filepath.Join(p.dir, "store") + " PATH=" +
		filepath.Dir(buildTwo(t)) + ":$PATH; cd " + p.dir + "; " + command + "; stty -a >modes; touch ended; sleep 60"
	p.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows, "sh", "-c", script)
	t.Cleanup(func() { p.tmux("kill-server") })
	return p
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-u", "-S", p.socket}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *pane) see(text string) {
	p.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if p.lastSeen = p.tmux("capture-pane", "-p"); strings.Contains(p.lastSeen, text) {
			return
		}
	}
	p.t.Fatalf("%q is not on the screen:\n%s", text, p.lastSeen)
}

// press presses keys by their names in tmux, such as Down.
func (p *pane) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.tmux("send-keys", k)
	}
}

func (p *pane) typeIn(text string) {
	p.t.Helper()
	p.tmux("send-keys", "-l", text)
}

// paste pastes a text, with marks if the program asked for them.
func (p *pane) paste(text string, flags ...string) {
	p.t.Helper()
	p.tmux("set-buffer", text)
	p.tmux(append([]string{"paste-buffer"}, flags...)...)
}

// ends waits for the end and returns the document. The terminal must be as before.
func (p *pane) ends() (document map[string]any) {
	p.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(p.dir, "ended")); err == nil {
			break
		}
	}
	out, err := os.ReadFile(filepath.Join(p.dir, "out"))
	if err == nil {
		err = json.Unmarshal(out, &document)
	}
	if err != nil {
		p.t.Fatalf("%v\n%s\n%s", err, out, p.tmux("capture-pane", "-p"))
	}
	p.normal("modes")
	return document
}

// normal checks settings of the terminal in a file.
func (p *pane) normal(file string) {
	p.t.Helper()
	modes, err := os.ReadFile(filepath.Join(p.dir, file))
	if err != nil || strings.Contains(string(modes), "-icanon") || strings.Contains(string(modes), "-echo ") ||
		strings.Contains(string(modes), "-isig") {
		p.t.Errorf("the settings of the terminal: %v\n%s", err, modes)
	}
}

// TestAskScreen answers in a terminal; the answer is what the screen shows.
func TestAskScreen(t *testing.T) {
	yesNo := "techo ask 消しますか？ --option はい --option いいえ >out"
	free := "techo ask どこ？ >out"
	for name, c := range map[string]struct {
		command string
		answer  func(p *pane)
		want    map[string]any
	}{
		"arrows": {yesNo, func(p *pane) {
			p.press("Down", "Down")
			p.see("選択 (番号): 2\nEnter で回答: 2. いいえ")
		}, map[string]any{"answer": "いいえ", "index": 2.0}},
		"wide backspace": {free, func(p *pane) {
			p.typeIn("東京都")
			p.press("BSpace", "BSpace")
			p.typeIn("大阪")
			p.see("回答: 東大阪\n")
		}, map[string]any{"answer": "東大阪"}},
		"within the line": {free, func(p *pane) {
			p.typeIn("東京が\u3099都")
			p.press("Left", "BSpace", "Home")
			p.typeIn("…")
			p.see("回答: …東京都\n")
		}, map[string]any{"answer": "…東京都"}},
		"paste": {free, func(p *pane) {
			p.paste("one\ntwo\n", "-p")
			p.see("回答: one two\n")
		}, map[string]any{"answer": "one two"}},
		"paste without marks": {yesNo, func(p *pane) {
			p.paste("1\n2\n")
			p.see("選択 (番号): 1 2\n")
		}, map[string]any{"answer": "1 2", "source": "free"}},
		"several": {"techo ask Which --option a --option b --option c --multiple >out", func(p *pane) {
			p.typeIn("1 ")
			p.press("Down", "Down")
			p.see("選択 (番号): 1 3\nEnter で回答: 1. a, 3. c\n")
		}, map[string]any{"answer": "a, c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPane(t, "70x20", c.command)
			p.see("Ctrl-D")
			c.answer(p)
			p.press("Enter")
			wantFields(t, p.ends(), c.want)
		})
	}
}

// TestAskResize resizes a terminal in which the line takes several rows. One copy of it is on
// the screen, below the question. Ctrl-L shows both again.
func TestAskResize(t *testing.T) {
	p := openPane(t, "60x16", "seq 9; techo ask どうしますか？ --option はい --option いいえ >out")
	p.see("Ctrl-D")
	p.typeIn("長い回答を入力してから端末の幅を変えます。abcdefghij")
	p.press("Left")
	for _, c := range []struct{ size, want string }{
		{"40", "長い回答を入力してから端末\nの幅を変えます。abcdefghij\n"},
		{"25", "長い回答を\n入力してから端末の幅を変\nえます。abcdefghij\n"},
		{"70", "長い回答を入力してから端末の幅を変えます。abcdefghij\n"},
		{"33", "長い回答を入力して\nから端末の幅を変えます。abcdefgh\nij\n"},
	} {
		p.tmux("resize-window", "-x", c.size, "-y", "16")
		p.see("  2. いいえ\n選択 (番号): " + c.want + "Enter で")
		if n := strings.Count(p.tmux("capture-pane", "-p", "-S", "-"), "選択 (番号)"); n != 1 {
			t.Errorf("%s columns: %d copies of the prompt\n%s", c.size, n, p.lastSeen)
		}
	}
	p.press("C-l")
	p.see("[ASK USER] どうしますか？\n  1. はい\n  2. いいえ\n選択 (番号): 長い回答")
	p.press("C-u", "C-k")
	p.typeIn("2")
	p.see("選択 (番号): 2\n")
	p.press("Enter")
	wantFields(t, p.ends(), map[string]any{"answer": "いいえ", "index": 2.0})
}

// TestAskLongList filters and scrolls a thousand options.
func TestAskLongList(t *testing.T) {
	p := openPane(t, "60x16", `techo ask Which $(seq -f "--option city-%g" 1000) >out`)
	p.see("  8. city-8\n")
	p.press("PageDown", "Down", "Down")
	p.see("> 3. city-3\n")
	p.press("PageDown")
	p.see("> 13. city-13\n")
	p.see("Enter で回答: 13. city-13")
	p.press("C-u")
	p.typeIn("CITY-77")
	p.see("> 77. city-77\n  770. city-770\n")
	p.see("該当 11件 / 選択肢 1000件")
	p.press("Down", "Down")
	p.see("> 771. city-771\n")
	p.press("Enter")
	wantFields(t, p.ends(), map[string]any{"answer": "city-771", "index": 771.0, "source": "option"})
	p.see("回答しました: city-771")
}

// TestAskStops suspends a question: the terminal is as before, and what was typed is no answer.
func TestAskStops(t *testing.T) {
	p := openPane(t, "70x20", "bash --norc --noprofile -i")
	p.see("ready:")
	p.typeIn("techo ask 'Which one?' >out\n")
	p.see("Ctrl-D")
	p.typeIn("はい")
	p.press("C-z")
	p.see("Stopped")
	p.typeIn("stty -a >stopped; fg\n")
	p.see("> out\n\n[ASK USER] Which one?\n") // the question again
	p.typeIn("いいえ")
	p.see("回答: いいえ\n")
	p.press("Enter")
	p.see("回答: いいえ\nready:")
	p.typeIn("exit\n")
	wantFields(t, p.ends(), map[string]any{"answer": "いいえ"})
	p.normal("stopped")
}
