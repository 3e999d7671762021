package commands

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"techo/commands/line"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/schema"
)

// sameInput is an input, independent of its form.
type sameInput struct {
	tool   *tools.Tool
	fields []sameField
	seed   uint64 // for choices that must make no difference
}

type sameField struct {
	schema.Property
	flag  string
	texts []string
}

type sameLine struct {
	args  []string
	stdin string
}

// dice makes random choices that must make no difference.
func (in sameInput) dice() *rand.Rand { return rand.New(rand.NewPCG(in.seed, 1)) }

func (in sameInput) command(r *rand.Rand) []string {
	if r.IntN(3) == 0 {
		return []string{in.tool.Name}
	}
	return strings.Fields(in.tool.Command)
}

// flags writes every field as a flag.
func (in sameInput) flags() sameLine {
	r := in.dice()
	args := in.command(r)
	for _, f := range in.fields {
		args = append(args, f.flags(r)...)
	}
	return sameLine{args: args}
}

func (f sameField) flags(r *rand.Rand) (args []string) {
	name := "--" + f.flag
	// The name of a list takes a JSON array, and a list of names is split at commas.
	array := f.Kind == schema.Array && slices.ContainsFunc(f.texts, func(s string) bool {
		_, ok := jsontree.Texts(s)
		return ok
	})
	commas := f.Kind == schema.Array && f.Items.Format == "name" &&
		slices.ContainsFunc(f.texts, func(s string) bool { return strings.Contains(s, ",") })
	if r.IntN(2) == 0 && !commas && !array {
		name = "--" + f.Name
	}
	texts := f.texts
	if f.Kind == schema.Array && len(texts) == 0 {
		texts = []string{""}
	}
	for _, text := range texts {
		if f.Kind == schema.Boolean || r.IntN(2) == 0 { // a switch takes no further word
			args = append(args, name+"="+text)
		} else {
			args = append(args, name, text)
		}
	}
	return args
}

// notData matches words that are data only after --.
var notData = regexp.MustCompile(`^(--?|--?[A-Za-z][A-Za-z0-9_-]*(=(?s:.*))?)$`)

// words writes fields as words where possible. One of them may come from stdin.
func (in sameInput) words() sameLine {
	r := in.dice()
	line := sameLine{args: in.command(r)}
	var words []string
	for _, f := range in.fields {
		if !slices.Contains(in.tool.Words, f.Name) {
			line.args = append(line.args, f.flags(r)...)
		} else {
			words = append(words, f.texts...)
		}
	}
	plain := slices.IndexFunc(words, notData.MatchString) // these need no
	if plain >= 0 {
		plain = r.IntN(plain + 1)
		words = slices.Insert(words, plain, "--")
	} else {
		plain = len(words)
	}
	if plain > 0 && r.IntN(3) == 0 {
		i := r.IntN(plain)
		line.stdin, words[i] = words[i], "-"
	}
	line.args = append(line.args, words...)
	return line
}

// json writes the input as JSON, in one of several equivalent forms.
func (in sameInput) json() string {
	w := sameWriter{r: in.dice()}
	w.list('{', len(in.fields), func(i int) {
		f := in.fields[i]
		w.text(f.Name)
		w.blank()
		w.WriteString(":")
		w.blank()
		if f.Kind == schema.Array {
			w.list('[', len(f.texts), func(i int) { w.value(f.Items.Kind, f.texts[i]) })
		} else {
			w.value(f.Kind, f.texts[0])
		}
	})
	return w.String()
}

// sameWriter writes JSON with random blanks and escapes.
type sameWriter struct {
	strings.Builder
	r *rand.Rand
}

func (w *sameWriter) blank() {
	if w.r.IntN(8) == 0 {
		w.WriteString([]string{" ", "\t", "\r", "  "}[w.r.IntN(4)])
	}
}

func (w *sameWriter) list(open byte, n int, element func(int)) {
	w.WriteByte(open)
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		w.blank()
		element(i)
		w.blank()
	}
	w.WriteByte(open + 2) // ] and } follow [ and { by two
}

// value writes a valid number as a number, other text as a string.
func (w *sameWriter) value(k schema.Kind, text string) {
	if k == schema.Integer && json.Valid([]byte(text)) && strings.Trim(text[:1], "-0123456789") == "" {
		w.WriteString(text)
	} else {
		w.text(text)
	}
}

// text writes a string. Invalid UTF-8 stays as it is.
func (w *sameWriter) text(s string) {
	often := 2 + w.r.IntN(30) // one of that many characters is escaped needlessly
	w.WriteByte('"')
	for len(s) > 0 {
		c, n := utf8.DecodeRuneInString(s)
		switch {
		case c == utf8.RuneError && n == 1:
			w.WriteByte(s[0])
		case c < ' ' || c == '"' || c == '\\', w.r.IntN(often) == 0:
			for _, unit := range utf16.Encode([]rune{c}) {
				fmt.Fprintf(w, `\u%04x`, unit)
			}
		default:
			w.WriteRune(c)
		}
		s = s[n:]
	}
	w.WriteByte('"')
}

// each reports whether a predicate holds for all texts.
func (in sameInput) each(so func(string) bool) bool {
	return !slices.ContainsFunc(in.fields, func(f sameField) bool {
		return slices.ContainsFunc(f.texts, func(s string) bool { return !so(s) })
	})
}

// sameMaker returns valid and invalid inputs.
type sameMaker struct {
	*rand.Rand
	names []string // from previous inputs
}

// input returns an input. Fields that may be words stand last, as on a line.
func (m *sameMaker) input() sameInput {
	choices := []string{"add_memo", "add_memo", "add_memo", "edit_memo", "edit_memo", "get_memo", "remove_memo",
		"list_memo", "memo_context", "list_memo_tags", "move_memo"}
	name := choices[m.IntN(len(choices))]
	offered := families()
	tool := offered[slices.IndexFunc(offered, func(t *tools.Tool) bool { return t.Name == name })]
	in := sameInput{tool: tool, seed: m.Uint64()}
	var words []sameField
	for _, p := range tool.Input().Properties {
		given := m.IntN(2) == 0 || p.Required && m.IntN(10) > 0
		if p.Kind == schema.Array && p.Items.Kind == schema.Object { // its texts are never right
			given = m.IntN(20) == 0
		}
		switch {
		case !given:
		case slices.Contains(tool.Words, p.Name):
			words = append(words, sameField{p, (&line.Command{Tool: tool}).FlagName(p), m.texts(p)})
		default:
			in.fields = append(in.fields, sameField{p, (&line.Command{Tool: tool}).FlagName(p), m.texts(p)})
		}
	}
	m.Shuffle(len(in.fields), func(i, j int) { in.fields[i], in.fields[j] = in.fields[j], in.fields[i] })
	if len(words) > 0 && words[0].Name != tool.Words[0] {
		words = nil // a word in the second place needs one in the first
	}
	in.fields = append(in.fields, words...)
	return in
}

func (m *sameMaker) texts(p schema.Property) []string {
	switch {
	case p.Kind == schema.Integer:
		return []string{m.number()}
	case p.Kind == schema.Array:
		var texts []string
		for range m.IntN(4) + m.IntN(20)/19 {
			texts = append(texts, []string{"food", "plan", "a,b", "-t", m.text()}[m.IntN(5)])
		}
		if len(texts) == 1 && texts[0] == "" {
			return nil // as on a line
		}
		return texts
	case p.Items == nil && len(p.Enum) > 0 && m.IntN(3) > 0:
		return []string{p.Enum[m.IntN(len(p.Enum))]}
	case strings.HasSuffix(p.Name, "space") && m.IntN(4) > 0:
		return []string{[]string{"team", "team", "own"}[m.IntN(3)]}
	case strings.HasSuffix(p.Name, "name"):
		return []string{m.name()}
	}
	return []string{m.text()}
}

func (m *sameMaker) number() string {
	if m.IntN(4) > 0 {
		return strconv.Itoa(1 + m.IntN(5))
	}
	odd := []string{
		"0", "-0", "-1", "6", "5.0", "1e0", "5.5", "1e400", "1e-3", "100000000000000000000", "9007199254740993",
		"9223372036854775808",
		"abc", "", "+5", "05", "0x5", ".5", "5.", "５", "1_0", "true", "null", "[5]", "5,5", "NaN",
	}
	return odd[m.IntN(len(odd))]
}

func (m *sameMaker) name() string {
	if len(m.names) > 0 && m.IntN(2) == 0 {
		return m.names[m.IntN(len(m.names))]
	}
	name := m.text()
	if len(name) < 100 {
		m.names = append(m.names, name)
	}
	return name
}

// text returns a text that some layer might misinterpret.
func (m *sameMaker) text() string {
	hostile := []string{
		"", "-", "--", "---", "-5", "-h", "-o", "--help", "--priority", "--name=x", "--priority=1", "--a b", "--=",
		" --priority", "- item", "---\na: b\n---",
		"help", "memo", "null", "true", "12", "{}", "[]", `{"a":1}`, `["a"]`, `"`, `'`, `\`, `\n`, `\u0000`, "`id`",
		"$(id)", "${HOME}", "%s%d%!(EXTRA)",
		"a,b", "a=b", "*", "~", "!", ";", "|", "&", "<b>&amp;</b>", " ", "  ", "\t", "\n", "\r\n", "\x00", "a\x00b",
		"\x01\x1f\x7f", "\u0085", "\u00a0",
		"\u2028", "\u2029", "\ufeff", "\ufffd", "\uffff", "\U0010ffff", "\u200b", "\u202e", "メモ", "ラーメン",
		"が", "か\u3099", "é", "e\u0301", "ﾊﾟ", "㍿",
		"👍🏽", "👩‍👩‍👧", "🇯🇵", "𠮷", "ẛ̣", "İ", "ß", "مرحبا", "x",
	}
	broken := []string{"\xff", "\xc3", "a\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "\xe3\x81"}
	var b strings.Builder
	for range 1 + m.IntN(3) {
		switch m.IntN(8) {
		case 0:
			for range m.IntN(12) {
				b.WriteRune(rune(m.IntN(0x3100)))
			}
		case 1:
			b.WriteString(strings.Repeat("x", m.IntN(40)))
		default:
			b.WriteString(hostile[m.IntN(len(hostile))])
		}
	}
	if m.IntN(40) == 0 {
		b.WriteString(broken[m.IntN(len(broken))])
	}
	if m.IntN(1000) == 0 {
		return strings.Repeat(b.String()+"x", 1<<20/(b.Len()+1))
	}
	return b.String()
}
