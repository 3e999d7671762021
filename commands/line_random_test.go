package commands

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/commands/line"
	"techo/internal/testenv"
)

// TestLineRandom runs random combinations of words and flags.
func TestLineRandom(t *testing.T) {
	t.Parallel()
	r := testenv.Random(t)
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
	for i := range testenv.Pick(600, 2000) {
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

// FuzzLine runs any line with anything on stdin, and checks the rules of every
// answer. Words are separated by NUL, which no argument can contain.
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
		err = fmt.Errorf("a problem of techo")
	}
	if err != nil {
		return fmt.Errorf("exit code %d, %w:\n%s", a.code, err, a.out)
	}
	return nil
}

func asksBatch(l line.Line) bool {
	for _, f := range l.Flags {
		if f.Field == "batch" && f.Value == "true" {
			return true
		}
	}
	return false
}

func countLines(text string) (n int) {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) != "" {
			n++
		}
	}
	return n
}
