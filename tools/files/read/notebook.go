package read

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"techo/internal/lazyregexp"
	"techo/tools"
)

// maxOutput is the longest output of a cell that is shown, in characters.
const maxOutput = 2000

// cell is a cell of a Jupyter notebook, format 4.
type cell struct {
	Kind    string       `json:"cell_type"`
	Source  lines        `json:"source"`
	Count   *int         `json:"execution_count"`
	Outputs []cellOutput `json:"outputs"`
}

type cellOutput struct {
	Kind      string           `json:"output_type"`
	Text      lines            `json:"text"`
	Data      map[string]lines `json:"data"`
	Name      string           `json:"ename"`
	Value     string           `json:"evalue"`
	Traceback lines            `json:"traceback"`
}

// lines is a text that a notebook has as one string or as a list of strings. Other
// values are their JSON.
type lines string

// UnmarshalJSON implements json.Unmarshaler.
func (l *lines) UnmarshalJSON(b []byte) error {
	var one string
	var all []string
	switch {
	case json.Unmarshal(b, &one) == nil:
		*l = lines(one)
	case json.Unmarshal(b, &all) == nil:
		*l = lines(strings.Join(all, ""))
	default:
		*l = lines(b)
	}
	return nil
}

// notebook converts cells to text. It returns false for any other file.
func (d *rendered) notebook(env *tools.Env, in In, body []byte) bool {
	var n struct {
		Cells  []cell `json:"cells"`
		Format int    `json:"nbformat"`
	}
	if json.Unmarshal(body, &n) != nil || n.Cells == nil || n.Format < 4 {
		return false
	}
	first, last, _ := in.Pages.bounds()
	if d.total = len(n.Cells); last == 0 || last > d.total {
		last = d.total
	}
	d.first, d.last = first, last
	var b strings.Builder
	for i := first; i <= last; i++ {
		n.Cells[i-1].write(&b, env, i)
	}
	d.text = b.String()
	return true
}

func (c cell) write(b *strings.Builder, env *tools.Env, number int) {
	fmt.Fprintf(b, "--- cell %d (%s", number, c.Kind)
	if c.Count != nil {
		fmt.Fprintf(b, " [%d]", *c.Count)
	}
	b.WriteString(") ---\n")
	block(b, string(c.Source))
	for _, o := range c.Outputs {
		text := o.text()
		if n := utf8.RuneCountInString(text); n > maxOutput {
			text = string([]rune(text)[:maxOutput]) + "\n" +
				env.Localize("... (%s)", env.Count(n-maxOutput, "%d more character", "%d more characters"))
		}
		fmt.Fprintf(b, "--- output of cell %d (%s) ---\n", number, o.Kind)
		block(b, text)
	}
}

// block writes a text that ends in a line end, unless it is empty.
func block(b *strings.Builder, text string) {
	if text = strings.ToValidUTF8(text, "\uFFFD"); text == "" {
		return
	}
	b.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}

// escapeCode matches the terminal colors in a traceback.
var escapeCode = lazyregexp.New("\x1b\\[[0-9;]*[A-Za-z]")

// text returns the plain text of an output. Data in other types is described.
func (o cellOutput) text() string {
	switch {
	case o.Kind == "error":
		text := string(o.Traceback)
		if text == "" {
			text = o.Name + ": " + o.Value
		}
		return escapeCode.Get().ReplaceAllString(text, "")
	case o.Data == nil:
		return escapeCode.Get().ReplaceAllString(string(o.Text), "")
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(o.Data)) {
		switch {
		case kind == "text/plain":
			parts = append([]string{string(o.Data[kind])}, parts...)
		case kind != "text/html" || o.Data["text/plain"] == "":
			n := utf8.RuneCountInString(string(o.Data[kind]))
			parts = append(parts, fmt.Sprintf("(%s, %d characters)", kind, n))
		}
	}
	return strings.Join(parts, "\n")
}
