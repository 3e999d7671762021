package commands

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// flagMaker makes random command lines for both programs.
type flagMaker struct {
	*rand.Rand
	techo, rg []string
}

func (m *flagMaker) of(all ...string) string { return all[m.IntN(len(all))] }

func (m *flagMaker) add(flags ...string) {
	m.techo, m.rg = append(m.techo, flags...), append(m.rg, flags...)
}

// line makes a command line. kind is the kind of result that it asks for.
func (m *flagMaker) line() (kind string) {
	m.techo, m.rg = nil, nil
	letters := ""
	for _, l := range []string{m.of("i", "S"), "n", "F", "w", "x"} {
		if m.IntN(4) == 0 {
			letters += l
		}
	}
	kind = m.of("", "", "", "l", "L", "c", "o", "v", "context")
	if kind == "o" { // ripgrep 13 cuts the first word of a line with -w
		letters = strings.ReplaceAll(letters, "w", "")
	}
	if kind == "L" { // ripgrep's -L follows links
		m.techo, m.rg = append(m.techo, "-L"), append(m.rg, "--files-without-match")
	} else if len(kind) == 1 {
		letters += kind
	}
	if letters != "" && m.IntN(2) == 0 {
		m.add("-" + letters)
	} else {
		for _, l := range letters {
			m.add("-" + string(l))
		}
	}
	if m.IntN(4) == 0 {
		m.techo = append(m.techo, m.of("-r", "-R", "-E", "-s")) // described by the defaults
	}
	if n := fmt.Sprint(1 + m.IntN(3)); kind != "c" && kind != "L" && kind != "context" && m.IntN(4) == 0 {
		m.add(m.of("-m"+n, "--max-count="+n))
	}
	if kind == "context" {
		m.add(m.of("-A", "-B", "-C") + fmt.Sprint(1+m.IntN(3)))
	}
	path := m.of(".", ".", "sub", "a.go")
	switch m.IntN(6) {
	case 3:
		if path == "." { // ripgrep's globs are relative to the working folder
			m.add("-g", m.of("sub/**", "!sub", "sub/*.go", "!sub/*.txt"))
		}
	case 0:
		m.add("-g", m.of("*.go", "*.txt", "a*"))
	case 1:
		m.add("-g", "*."+m.of("go", "txt"), "-g!"+m.of("*.go", "b*"))
	case 2:
		m.add("-t" + m.of("go", "txt"))
	}
	pattern := func() string {
		return m.of("foo", "Foo", "bar", "o+", "^foo", "bar$", "fo.", `\w+`, `\d+`, "日本", `\bfoo\b`, "é", "x|y",
			"a b", "(")
	}
	switch m.IntN(3) {
	case 0:
		m.add("-e", pattern(), "-e"+pattern())
	default:
		m.add("-e", pattern())
	}
	m.add(path)
	return kind
}

// TestGrepFlagH takes -h for the help only if it is alone.
func TestGrepFlagH(t *testing.T) {
	w := newWorld(t)
	w.put("a.txt", "foo\n")
	if help := w.run("grep", "-h").out; !strings.Contains(help, "--[no-]files-with-matches") {
		t.Errorf("%s", help)
	}
	for _, flags := range []string{"-hn", "-rhn", "-hi", "--no-filename"} {
		if out := w.run("grep", flags, "foo").ok(); out["count"] != 1.0 {
			t.Errorf("%s: %v", flags, out)
		}
	}
}

// TestGrepFlagsAgainstRipgrep runs random combinations of flags with both programs.
func TestGrepFlagsAgainstRipgrep(t *testing.T) {
	program := testenv.Tool(t, "rg")
	r := testenv.Random(t)
	m := &flagMaker{Rand: r}
	compared := 0
	for range testenv.Pick(20, 60) {
		w := newWorld(t)
		for _, name := range []string{"a.go", "b.txt", "sub/c.go", "sub/d.txt", "ab.md"} {
			var b strings.Builder
			for range r.IntN(8) {
				for range r.IntN(5) {
					b.WriteString(m.of("foo", "Foo", "bar", "foobar", "日本語", "é", "12", "１", "x", "y", "a",
						"b", "(", "."))
					b.WriteString(m.of("", " ", "-"))
				}
				b.WriteString(m.of("z", "foo", "") + "\n")
			}
			w.put(name, strings.ReplaceAll(b.String(), " \n", "\n"))
		}
		for range 40 {
			kind := m.line()
			if line := strings.Join(m.rg, " "); kind == "o" &&
				(strings.Contains(line, "^") || strings.Contains(line, `\b`)) {
				continue // ripgrep 13 takes the end of a match for the beginning of the line
			}
			cmd := exec.Command(program,
				append([]string{"--no-config", "--sort", "path", "--no-heading", "-nH"}, m.rg...)...)
			cmd.Dir, cmd.Env = w.dir, append(os.Environ(), "HOME="+w.dir, "XDG_CONFIG_HOME=")
			out, err := cmd.Output()
			if err != nil && cmd.ProcessState.ExitCode() == 2 {
				continue // an invalid pattern
			}
			compared++
			got := shownByTecho(w, kind, m.techo)
			if want := shownByRipgrep(string(out)); !slices.Equal(got, want) {
				t.Fatalf("rg %q\n got %q\nwant %q", m.rg, got, want)
			}
		}
	}
	t.Logf("%d lines compared", compared)
}

func shownByRipgrep(out string) (lines []string) {
	for line := range strings.Lines(out) {
		if line != "--\n" {
			lines = append(lines, strings.TrimPrefix(strings.TrimRight(line, "\n "), "./"))
		}
	}
	return lines
}

// place is the place of a line as techo shows it, with a blank after it.
var place = regexp.MustCompile(`^([a-z/]+\.(?:go|txt|md)[:-]\d+[:-]) `)

func shownByTecho(w *world, kind string, flags []string) (lines []string) {
	args := append([]string{"grep", "--output", "text", "--max-results", "1000"}, flags...)
	out := w.run(args...).out
	if strings.HasPrefix(out, "No matches found") {
		return nil
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "... (truncated") || line == "--\n" {
			continue
		}
		line = strings.TrimRight(line, "\n ")
		if kind != "l" && kind != "L" && kind != "c" {
			line = place.ReplaceAllString(line, "$1")
		}
		lines = append(lines, line)
	}
	return lines
}

func (w *world) put(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}
