package main

import (
	"fmt"
	"html"
	"strings"
	"testing"
)

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
