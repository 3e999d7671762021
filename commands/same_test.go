package commands

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"techo/commands/line"
	"techo/internal/testenv"
	"techo/tools"
)

// The same input gives the same bytes, whether it comes as flags, as words or
// as JSON, and whichever way the JSON comes.

// sameInput is an input of a tool before a face has written it down.
type sameInput struct {
	tool   *tools.Tool
	fields []sameField
	seed   uint64 // of the choices that make no difference
}

// sameField is a field, by the texts that a command line has for it.
type sameField struct {
	tools.Property
	flag  string
	texts []string
}

// sameLine is a line and what comes on stdin.
type sameLine struct {
	args  []string
	stdin string
}

// dice makes the choices that must make no difference.
func (in sameInput) dice() *rand.Rand { return rand.New(rand.NewPCG(in.seed, 1)) }

func (in sameInput) command(r *rand.Rand) []string {
	if r.IntN(3) == 0 {
		return []string{in.tool.Name}
	}
	return strings.Fields(in.tool.Command)
}

// flags gives every field by its name.
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
	if r.IntN(2) == 0 {
		name = "--" + f.Name
	}
	texts := f.texts
	if f.Kind == tools.Array && len(texts) == 0 {
		texts = []string{""}
	}
	for _, text := range texts {
		if r.IntN(2) == 0 {
			args = append(args, name+"="+text)
		} else {
			args = append(args, name, text)
		}
	}
	return args
}

// notData is what a word means something else by, unless it stands after --.
var notData = regexp.MustCompile(`^(--?|--?[A-Za-z][A-Za-z0-9_-]*(=(?s:.*))?)$`)

// words gives as words what may be given so. One of them may come on stdin.
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
	plain := slices.IndexFunc(words, notData.MatchString) // so many need no --
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

// json writes the input as JSON, in one of the ways that mean the same.
func (in sameInput) json() string {
	w := sameWriter{r: in.dice()}
	w.list('{', len(in.fields), func(i int) {
		f := in.fields[i]
		w.text(f.Name)
		w.blank()
		w.WriteString(":")
		w.blank()
		if f.Kind == tools.Array {
			w.list('[', len(f.texts), func(i int) { w.value(f.Items.Kind, f.texts[i]) })
		} else {
			w.value(f.Kind, f.texts[0])
		}
	})
	return w.String()
}

// sameWriter writes JSON with blanks and escapes where they may be.
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
	w.WriteByte(open + 2) // ] and } are two behind [ and {
}

// value writes a number as one; what is no number comes as a text.
func (w *sameWriter) value(k tools.Kind, text string) {
	if k == tools.Integer && json.Valid([]byte(text)) && strings.Trim(text[:1], "-0123456789") == "" {
		w.WriteString(text)
	} else {
		w.text(text)
	}
}

// text writes a string. Bytes that are not UTF-8 stay as they are.
func (w *sameWriter) text(s string) {
	often := 2 + w.r.IntN(30) // of so many characters, one is escaped needlessly
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

// each reports whether all texts are so.
func (in sameInput) each(so func(string) bool) bool {
	return !slices.ContainsFunc(in.fields, func(f sameField) bool {
		return slices.ContainsFunc(f.texts, func(s string) bool { return !so(s) })
	})
}

// sameMaker makes inputs that a tool may like or not.
type sameMaker struct {
	*rand.Rand
	names []string // that were given before
}

// input makes an input. Fields that may be words stand last, as on a line.
func (m *sameMaker) input() sameInput {
	choices := []string{"add_memo", "add_memo", "add_memo", "edit_memo", "edit_memo", "get_memo", "remove_memo",
		"list_memo", "memo_context", "list_memo_tags"}
	name := choices[m.IntN(len(choices))]
	offered := families()
	tool := offered[slices.IndexFunc(offered, func(t *tools.Tool) bool { return t.Name == name })]
	in := sameInput{tool: tool, seed: m.Uint64()}
	var words []sameField
	for _, p := range tool.Input().Properties {
		switch given := m.IntN(2) == 0 || p.Required && m.IntN(10) > 0; {
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

func (m *sameMaker) texts(p tools.Property) []string {
	switch {
	case p.Kind == tools.Integer:
		return []string{m.number()}
	case p.Kind == tools.Array:
		var texts []string
		for range m.IntN(4) + m.IntN(20)/19 {
			texts = append(texts, []string{"food", "plan", "a,b", "-t", m.text()}[m.IntN(5)])
		}
		if len(texts) == 1 && texts[0] == "" {
			return nil // which is what a line means by it
		}
		return texts
	case p.Items == nil && len(p.Enum) > 0 && m.IntN(3) > 0:
		return []string{p.Enum[m.IntN(len(p.Enum))]}
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

// text makes a text that something on its way might take for something else.
func (m *sameMaker) text() string {
	hostile := []string{
		"", "-", "--", "---", "-5", "-h", "-o", "--help", "--priority", "--name=x", "--priority=1", "--a b", "--=",
		" --priority", "- item", "---\na: b\n---",
		"help", "memo", "null", "true", "12", "{}", "[]", `{"a":1}`, `["a"]`, `"`, `'`, `\`, `\n`, `\u0000`, "`id`",
		"$(id)", "${HOME}", "%s%d%!(EXTRA)",
		"a,b", "a=b", "*", "~", "!", ";", "|", "&", "<b>&amp;</b>", " ", "  ", "\t", "\n", "\r\n", "\x00", "a\x00b",
		"\x01\x1f\x7f", "\u0085", "\u00a0",
		"\u2028", "\u2029", "\ufeff", "\ufffd", "\uffff", "\U0010ffff", "\u200b", "\u202e", "メモ", "ラーメン", "が",
		"か\u3099", "é", "e\u0301", "ﾊﾟ", "㍿",
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

// sameFaces are the faces, each with a world, and so a store, of its own.
type sameFaces struct {
	t                         *testing.T
	flags, words, word, stdin *world
	batch                     *world
	do                        func(w *world, stdin string, args ...string) answer

	lines   strings.Builder // for the batch
	inputs  []sameInput
	answers []string
}

func newSameFaces(t *testing.T, r *rand.Rand) *sameFaces {
	t.Helper()
	f := &sameFaces{t: t, do: (*world).feed}
	f.flags, f.words, f.word, f.stdin, f.batch = newWorld(t), newWorld(t), newWorld(t), newWorld(t), newWorld(t)
	lang, now := []string{"en", "ja"}[r.IntN(2)], time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC().Format(time.RFC3339Nano)
	for _, w := range []*world{f.flags, f.words, f.word, f.stdin, f.batch} {
		w.env["TECHO_LANG"], w.env["TECHO_NOW"] = lang, now
	}
	return f
}

// call gives one input to all faces but the batch, which gets them together.
func (f *sameFaces) call(in sameInput) {
	f.t.Helper()
	text, flags, words := in.json(), in.flags(), in.words()
	want := f.do(f.flags, "", flags.args...)
	if err := checkDocument(want.out, want.code); err != nil {
		f.t.Errorf("%.300q: %v\n%.1000s", flags.args, err, want.out)
	}
	f.same(want, f.do(f.words, words.stdin, words.args...))
	f.same(want, f.do(f.stdin, text, "call", in.tool.Name))
	if in.each(utf8.ValidString) {
		f.same(want, f.do(f.word, "", "call", in.tool.Name, text))
	} else {
		for _, a := range []answer{want, f.do(f.word, "", "call", in.tool.Name, text)} {
			if a.code != 2 || !strings.HasPrefix(a.out, `{"error":{"code":"invalid_input"`) {
				f.t.Errorf("%.300q is not UTF-8, but gives %d %.300s", a.args, a.code, a.out)
			}
		}
	}
	id := len(f.answers)
	fmt.Fprintf(&f.lines, "{\"tool\":%q,\"input\":%s,\"id\":%d}\n", in.tool.Name, text, id)
	f.inputs = append(f.inputs, in)
	f.answers = append(f.answers, strings.TrimSuffix(want.out, "}\n")+fmt.Sprintf(",\"id\":%d}\n", id))
}

// same compares two answers.
func (f *sameFaces) same(want, got answer) {
	f.t.Helper()
	if want.out != got.out || want.code != got.code {
		f.t.Errorf("%.500q\ngives %d %.1000s\n%.500q\ngives %d %.1000s", want.args, want.code, want.out, got.args,
			got.code, got.out)
	}
}

// together gives the batch what the others were given one by one.
func (f *sameFaces) together() {
	f.t.Helper()
	a := f.do(f.batch, f.lines.String(), "call", "--batch")
	got := slices.Collect(strings.Lines(a.out))
	if a.code != 0 || len(got) != len(f.answers) {
		f.t.Fatalf("batch: exit code %d, %d answers to %d calls", a.code, len(got), len(f.answers))
	}
	for i, want := range f.answers {
		if !f.inputs[i].each(utf8.ValidString) {
			want = got[i]
			if !strings.HasPrefix(want, `{"error":{"code":"invalid_input"`) {
				f.t.Errorf("%.300q is not UTF-8, but gives %.300s", f.inputs[i].flags().args, want)
			}
		}
		if got[i] != want {
			f.t.Errorf("%.500q\ngives %.1000s\nin a batch %.1000s", f.inputs[i].flags().args, want, got[i])
		}
	}
}

// TestSame gives random and hostile inputs to all faces and wants the same
// bytes from them, results and errors alike.
func TestSame(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const rounds, calls = 100, 42
	results := 0
	for round := range rounds {
		m := &sameMaker{Rand: rand.New(rand.NewPCG(seed, uint64(round)))}
		f := newSameFaces(t, m.Rand)
		for range calls {
			f.call(m.input())
		}
		for _, text := range f.answers {
			if !strings.HasPrefix(text, `{"error"`) {
				results++
			}
		}
		if f.together(); t.Failed() {
			t.Fatalf("seed %d, round %d", seed, round)
		}
	}
	if t.Logf("%d results", results); results < rounds*calls/5 || results > rounds*calls*4/5 {
		t.Errorf("of %d calls %d had a result: too few or too many to tell anything", rounds*calls, results)
	}
}

// TestSameOrder gives the fields of an input in another order: the faults come
// in the same order then, and an idempotency key knows the call again.
func TestSameOrder(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := &sameMaker{Rand: rand.New(rand.NewPCG(seed, 0))}
	for range 10 {
		f := newSameFaces(t, m.Rand)
		for i := range 30 {
			in := m.input()
			if !in.each(utf8.ValidString) {
				continue // the first of these hides the other faults
			}
			var key []string
			if in.tool.Effect == tools.Adds {
				key = []string{"--idempotency-key", strconv.Itoa(i)}
			}
			want := f.do(f.flags, "", append(in.flags().args, key...)...)
			again := sameInput{in.tool, slices.Clone(in.fields), m.Uint64()}
			m.Shuffle(len(again.fields),
				func(i, j int) { again.fields[i], again.fields[j] = again.fields[j], again.fields[i] })
			f.same(want, f.do(f.stdin, again.json(), append([]string{"call", in.tool.Name}, key...)...))
			if want.code == 0 && key != nil {
				f.same(want, f.do(f.flags, again.json(), append([]string{"call", in.tool.Name}, key...)...))
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}

// TestSameSurrogates sends halves of surrogate pairs, which only JSON can hold.
func TestSameSurrogates(t *testing.T) {
	f := newSameFaces(t, rand.New(rand.NewPCG(1, 2)))
	for _, text := range []string{`\ud800`, `\udc00`, `a\ud83d b`, `\ud83d\ud83d\ude00`, `\ude00\ud83d`, `\uD800\u0041`,
		`\udbff\\udfff`} {
		input := `{"name":"x","content":"` + text + `","priority":3}`
		want := f.do(f.stdin, input, "call", "add_memo")
		want.fails("invalid_input", "/content")
		f.same(want, f.do(f.word, "", "call", "add_memo", input))
		f.do(f.batch, `{"tool":"add_memo","input":`+input+`,"id":1}`, "call", "--batch")
		a := f.do(f.batch, `{"tool":"add_memo","input":`+input+`,"id":1}`, "call", "--batch")
		if !strings.HasPrefix(a.out, `{"error":{"code":"invalid_input"`) || !strings.HasSuffix(a.out, ",\"id\":1}\n") {
			t.Errorf("%s: %s", text, a.out)
		}
	}
	for _, w := range []*world{f.stdin, f.word, f.batch} {
		w.noStore()
	}
	// A whole pair is one character.
	want := f.do(f.flags, "", "memo", "add", "x", "😀", "--priority=3")
	f.same(want, f.do(f.stdin, `{"name":"x","content":"\ud83d\uDE00","priority":3}`, "call", "add_memo"))
}

// TestSameProcess does the same through the built program, for what an argument
// can carry.
func TestSameProcess(t *testing.T) {
	t.Parallel()
	bin := testenv.Program(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := &sameMaker{Rand: rand.New(rand.NewPCG(seed, 0))}
	f := newSameFaces(t, m.Rand)
	f.do = func(w *world, stdin string, args ...string) answer {
		if w == f.flags {
			return w.feed(stdin, args...) // what the others are compared with
		}
		return w.exec(bin, stdin, args...)
	}
	carried := func(s string) bool { return len(s) < 20_000 && !strings.Contains(s, "\x00") }
	for n := 0; n < 60; {
		in := m.input()
		if !in.each(carried) {
			continue
		}
		n++
		f.call(in)
	}
	f.together()

	// A megabyte is too long for an argument, but not for stdin.
	long := strings.Repeat("- メモ\n\u2028\x00\\\"", 1<<20/16)
	input, err := tools.Marshal(map[string]any{"name": "long", "content": long, "priority": 5})
	if err != nil {
		t.Fatal(err)
	}
	want := f.do(f.words, long, "memo", "add", "long", "-", "--priority=5")
	if got := want.ok()["memo"].(map[string]any)["content"]; got != long {
		t.Errorf("%d bytes became %d", len(long), len(got.(string)))
	}
	f.same(want, f.do(f.stdin, string(input), "call", "add_memo"))
	f.same(want, f.do(f.flags, string(input), "call", "add_memo", "-"))
	f.same(want, f.do(f.word, string(input), "call", "--", "add_memo"))
}
