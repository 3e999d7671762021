package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"techo/commands"
	"techo/commands/system"
)

// documents are the pages for users: README.md in both languages and docs/*.md.
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 12 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	return append([]string{"README.md", "README.ja.md"}, pages...)
}

func readPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkGenerated compares a generated file with the committed one; -update
// writes it.
func checkGenerated(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err == nil && string(got) == want {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date: go test -run '^%s$' . -update", path, t.Name())
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shell runs a line like a new user: in an empty home, at a fixed time.
func shell(t *testing.T, home, line string) string {
	t.Helper()
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = home
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C", "TZ=Asia/Tokyo",
		"TECHO_NOW=2026-01-05T09:00:00+09:00", "USER=tanaka",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("$ %s\n%v\n%s", line, err, out)
	}
	return string(out)
}

var transcript = regexp.MustCompile("(?s)```console\n(.*?)```")

// TestTranscripts runs every console block of a page, line after line in one
// empty home, and compares the output with the page. Lines that begin with
// "> " continue a command. With -update it writes the output into the page.
func TestTranscripts(t *testing.T) {
	for _, page := range documents(t) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			home := t.TempDir()
			checkGenerated(t, page, transcript.ReplaceAllStringFunc(readPage(t, page), func(block string) string {
				body := strings.TrimSuffix(strings.TrimPrefix(block, "```console\n"), "```")
				return "```console\n" + rerun(t, home, body) + "```"
			}))
		})
	}
}

func rerun(t *testing.T, home, block string) string {
	t.Helper()
	var b strings.Builder
	for _, step := range strings.Split("\n"+block, "\n$ ")[1:] {
		lines := strings.Split(step, "\n")
		command := lines[0]
		b.WriteString("$ " + command + "\n")
		for _, l := range lines[1:] {
			more, ok := strings.CutPrefix(l, "> ")
			if !ok {
				break
			}
			command += "\n" + more
			b.WriteString("> " + more + "\n")
		}
		b.WriteString(strings.ReplaceAll(shell(t, home, command), home, "/home/tanaka"))
	}
	return b.String()
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noWord  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks checks that every relative link leads to a file and, with a
// fragment, to one of its headings.
func TestLinks(t *testing.T) {
	for _, page := range append(documents(t), "DESIGN.md", "CONTRIBUTING.md", "examples/README.md") {
		for _, m := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			path, fragment, _ := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if fragment != "" && !slices.Contains(fragments(readPage(t, target)), fragment) {
				t.Errorf("%s: %s has no heading #%s", page, target, fragment)
			}
		}
	}
}

// fragments returns the fragments of a page's headings, as GitHub forms them.
func fragments(page string) (all []string) {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		all = append(all, strings.ReplaceAll(noWord.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return all
}

// TestErrorCodes checks that docs/troubleshooting.md explains every error code
// with its exit code.
func TestErrorCodes(t *testing.T) {
	page := readPage(t, "docs/troubleshooting.md")
	codes := regexp.MustCompile(`Code = "(\w+)"`).FindAllStringSubmatch(readPage(t, "tools/failure/failure.go"), -1)
	if len(codes) < 15 {
		t.Fatalf("%d codes found", len(codes))
	}
	for _, m := range codes {
		if !regexp.MustCompile("(?m)^\\| `" + m[1] + "` \\| \\d+ \\| .+ \\|$").MatchString(page) {
			t.Errorf("docs/troubleshooting.md does not explain %s", m[1])
		}
	}
}

// TestCommandReference compares docs/commands.md with the help of all commands,
// which is generated from their definitions.
func TestCommandReference(t *testing.T) {
	env := map[string]string{"HOME": t.TempDir(), "LANG": "C"}
	help := func(args ...string) string {
		out := new(strings.Builder)
		sys := system.OS()
		sys.Getenv, sys.Args, sys.Stdout = func(name string) string { return env[name] }, args, out
		if code := commands.Main(sys); code != 0 {
			t.Fatalf("%q: exit code %d", args, code)
		}
		return out.String()
	}
	root := help("--help")
	row := regexp.MustCompile(`^  ([a-z][a-z -]*?)  +\S`)
	var index, body strings.Builder
	count := 0
	for _, line := range strings.Split(root, "\n") {
		if title, ok := strings.CutSuffix(line, ":"); ok && line[0] != ' ' {
			index.WriteString("\n")
			if !strings.Contains(title, "flags") && !strings.Contains(title, "codes") {
				fmt.Fprintf(&index, "**%s**\n\n", title)
			}
		}
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		count++
		name := m[1]
		fmt.Fprintf(&index, "- [%s](#%s)\n", name, strings.ReplaceAll(name, " ", "-"))
		text, _, _ := strings.Cut(help(append([]string{"help"}, strings.Fields(name)...)...), "\nGlobal flags:")
		fmt.Fprintf(&body, "## %s\n\n```text\n%s```\n\n", name, text)
	}
	if count < 60 {
		t.Fatalf("only %d commands found", count)
	}
	flags := root[strings.Index(root, "Global flags"):]
	checkGenerated(t, "docs/commands.md", "# All commands\n\nGenerated from the definitions. "+
		"`techo help COMMAND` prints the same.\n"+squeeze(index.String())+
		"\n## Global flags and exit codes\n\n```text\n"+flags+"```\n\n"+strings.TrimSuffix(body.String(), "\n"))
}

// squeeze replaces several empty lines by one.
func squeeze(text string) string {
	return regexp.MustCompile(`\n{3,}`).ReplaceAllString(text, "\n\n")
}

// scene is the session of the picture in README.md.
const scene = `techo memo add ramen "Tanaka likes ramen" --priority 4 --tag food -o text
techo memory add "Tanaka has a golden retriever named Max. He got him in 2023." -o text
techo memory add 犬のマックスは雷が苦手。 -o text
techo memory search "Who has a retriever?" -o text
techo cal create Review "tomorrow 14:00" --end 15:30 -o text
techo cal suggest tomorrow tomorrow 60 --limit 2 -o text
techo memo get noodles
`

// TestPicture runs a session and draws docs/terminal.svg from its output.
func TestPicture(t *testing.T) {
	home := t.TempDir()
	var lines []string
	for _, command := range strings.Split(strings.TrimSpace(scene), "\n") {
		lines = append(lines, "$ "+command)
		out := shell(t, home, command+" || true")
		for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
			lines = append(lines, fold(line, 96)...)
		}
	}
	checkGenerated(t, "docs/terminal.svg", drawTerminal(lines))
}

// fold splits a line into pieces of at most width characters.
func fold(line string, width int) (pieces []string) {
	for runes := []rune(line); ; {
		if len(runes) <= width {
			return append(pieces, string(runes))
		}
		pieces, runes = append(pieces, string(runes[:width])), runes[width:]
	}
}

// drawTerminal draws lines as an SVG. Lines that begin with "$ " are commands.
func drawTerminal(lines []string) string {
	const margin, top, leading = 18, 52, 20
	height := top + len(lines)*leading + 4
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="860" height="%d" viewBox="0 0 860 %[1]d" role="img">
<title>A terminal session with techo</title>
<rect width="860" height="%[1]d" rx="8" fill="#1b1f27"/>
<g fill="#4a5160"><circle cx="20" cy="18" r="6"/><circle cx="40" cy="18" r="6"/><circle cx="60" cy="18" r="6"/></g>
<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.5" fill="#c8ced9">
`, height)
	for i, line := range lines {
		text := html.EscapeString(line)
		if command, ok := strings.CutPrefix(text, "$ "); ok {
			text = `<tspan fill="#7fd18b">$ </tspan><tspan fill="#ffffff">` + command + `</tspan>`
		}
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", margin, top+i*leading, text)
	}
	return b.String() + "</g>\n</svg>\n"
}
