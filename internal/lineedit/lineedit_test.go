package lineedit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// session is a person who types at a terminal.
type session struct {
	decoder Decoder
	line    Line
	screen  Screen
	at      *terminal
}

const label = "選択 (番号): "

func newSession(size Size, ambiguous int) *session {
	s := &session{at: newTerminal(size, ambiguous)}
	s.line.Step = func(typed, _ string, by int) string { return fmt.Sprint(len(typed) + by + 50) }
	s.draw()
	return s
}

func (s *session) draw() {
	below := []string{Fit("Enter: "+s.line.Text, s.at.RowColumns()), "Ctrl-D"}
	s.at.write(s.screen.Draw(Frame{label, s.line.Text, s.line.Cursor, below}, s.at.Size))
}

// types sends a burst of input and returns the key that ended the line.
func (s *session) types(burst string) Kind {
	ended := s.line.Apply(Join(s.decoder.Decode([]byte(burst))))
	s.draw()
	return ended
}

// edits are bursts of input, the text that they make, and the key that ends it.
var edits = map[string]struct {
	typed []string
	want  string
	ended Kind
}{
	"wide backspace":          {[]string{"東京都", "\x7f", "\x7f", "大阪\r"}, "東大阪", Enter},
	"half a character":        {[]string{"東\xe4", "\xba", "\xac\r"}, "東京", Enter},
	"combining":               {[]string{"e\u0301x\x7f\x7fo\r"}, "o", Enter},
	"voiced kana":             {[]string{"か", "\u3099", "き\x7f\r"}, "か\u3099", Enter},
	"a family":                {[]string{"👨\u200d👩\u200d👧", "\x7fok\r"}, "ok", Enter},
	"arrows are no text":      {[]string{"ab", "\x1b[D", "X\r"}, "aXb", Enter},
	"split arrows":            {[]string{"\x1b", "[", "D", "ok\r"}, "ok", Enter},
	"choices":                 {[]string{"\x1b[B", "\x1b[B"}, "51", Ignored},
	"home and end":            {[]string{"b\x1b[Ha\x1b[F\x1bOHc\x05d\r"}, "cabd", Enter},
	"delete":                  {[]string{"abc\x1b[D\x1b[D\x1b[3~\x04\r"}, "a", Enter},
	"words":                   {[]string{"one 二 \x17\x17three\r"}, "three", Enter},
	"all before":              {[]string{"いいえ\x15はい\n"}, "はい", Enter},
	"after the cursor":        {[]string{"abc\x01\x06\x0b\r"}, "a", Enter},
	"Ctrl-D behind words":     {[]string{"はい", "\x04", "\x04"}, "はい", Ignored},
	"Ctrl-D":                  {[]string{"\x04"}, "", Close},
	"control characters":      {[]string{"a\x16\x00b\tc\r\n"}, "ab\tc", Enter},
	"a line feed":             {[]string{"a\n"}, "a", Enter},
	"a broken byte":           {[]string{"a\xffb\r"}, "a\ufffdb", Enter},
	"an unmarked paste":       {[]string{"one\ntwo\n"}, "one two", Ignored},
	"windows line ends":       {[]string{"one\r\ntwo\r\n"}, "one two", Ignored},
	"a marked paste":          {[]string{"\x1b[200~one\rtwo\r\x1b[201~"}, "one two", Ignored},
	"a paste in parts":        {[]string{"\x1b[200~one\r", "two\r", "\x1b[20", "1~", "\r"}, "one two", Enter},
	"sequences in a paste":    {[]string{"\x1b[200~a\x1b[B\x1b]0;t\x07b\x1b[201~\r"}, "ab", Enter},
	"controls in a paste":     {[]string{"\x1b[200~a\x03\x1a\x04\x7fb\x1b[201~\r"}, "ab", Enter},
	"Ctrl-C":                  {[]string{"ab\x03"}, "ab", Interrupt},
	"Ctrl-Z":                  {[]string{"ab\x1ac"}, "ab", Suspend},
	"an arrow and a paste":    {[]string{"\x1b[B\x1b[200~x\x1b[201~\r"}, "51x", Enter},
	"focus":                   {[]string{"\x1b[I\x1b[O", "ok\r", "\x1b[O"}, "ok", Enter},
	"Enter, then a report":    {[]string{"ok\r\x1b[O"}, "ok", Enter},
	"the mouse, old form":     {[]string{"\x1b[M !!", "\x1b[M", "a\xc2\xa1b", "ok\r"}, "ok", Enter},
	"the mouse, new form":     {[]string{"\x1b[<0;3;4M\x1b[<0;3;4m", "\x1b[32;3;4M", "ok\r"}, "ok", Enter},
	"a position report":       {[]string{"\x1b[12;5R", "ok\r"}, "ok", Enter},
	"a colour report":         {[]string{"\x1b]11;rgb:00/00/00\x1b\\", "\x1b]11;rgb:0/0/0\x07ok\r"}, "ok", Enter},
	"a device report":         {[]string{"\x1bP1$r0m\x1b", "\\", "ok\r"}, "ok", Enter},
	"controls of eight bits":  {[]string{"\x9bI\u009bO\u009d0;x\u009c\x1b\\", "ok\r"}, "ok", Enter},
	"a function key":          {[]string{"\x1b[[A", "\x1bOP", "\x1b[15~", "ok\r"}, "ok", Enter},
	"Alt":                     {[]string{"\x1by", "\x1b\r", "\x1bあ", "ok\r"}, "ok", Enter},
	"a character set":         {[]string{"\x1b(B", "ok\r"}, "ok", Enter},
	"invisible characters":    {[]string{"ok\u202e\u200b\u2066\U000e0041\ufeff\u00ad\r"}, "ok", Enter},
	"a sequence without end":  {[]string{"\x1b[" + strings.Repeat("1;", 5000), "B\x1b\\ok\r"}, "ok", Enter},
	"Enter within a sequence": {[]string{"ok\x1b[1\r"}, "ok", Ignored},
}

// TestEdit types texts with edits; the screen shows the answer.
func TestEdit(t *testing.T) {
	for name, c := range edits {
		for _, size := range []Size{{80, 24}, {20, 5}, {8, 3}} {
			s := newSession(size, 1)
			ended := Ignored
			for _, burst := range c.typed {
				if k := s.types(burst); k != Ignored {
					ended = k
				}
			}
			if s.line.Text != c.want || ended != c.ended {
				t.Errorf("%s: %q ended by %v, want %q by %v", name, s.line.Text, ended, c.want, c.ended)
			}
			s.check(t, name)
		}
	}
}

// TestLeave checks that letters after an arrow key continue the text that was typed, and
// digits the number of the choice.
func TestLeave(t *testing.T) {
	down, left := Key{Kind: Down}, Key{Kind: Left}
	text := func(text string) Key { return Key{Kind: Text, Text: text} }
	for _, c := range []struct {
		keys []Key
		want string
	}{
		{[]Key{down, text("ye")}, "ye"},
		{[]Key{text("te"), down, text("a")}, "tea"},
		{[]Key{text("te"), down, text("は")}, "teは"},
		{[]Key{down, text("2")}, "12"},
		{[]Key{down, text(", "), text("no")}, "1, no"},
		{[]Key{down, left, text("a")}, "a1"},
		{[]Key{down, {Kind: Backspace}, text("a")}, "a"},
	} {
		l := Line{Step: func(_, _ string, _ int) string { return "1" }}
		if l.Apply(c.keys); l.Text != c.want || l.Cursor > len(l.Text) {
			t.Errorf("%v: %q, want %q", c.keys, l.Text, c.want)
		}
	}
}

// check compares the screen with the line.
func (s *session) check(t *testing.T, name string) {
	t.Helper()
	squeeze := strings.NewReplacer(" ", "", "\t", "", "\u3000", "").Replace
	want := squeeze(label + s.line.Text[:s.line.Cursor])
	got := squeeze(s.at.before())
	// Of a long line, the screen shows the end.
	if !strings.HasSuffix(got, want) && (!strings.HasSuffix(want, got) || len(s.at.lines()) < s.at.Rows-1) {
		t.Fatalf("%s: %dx%d shows %q before the cursor, the line is %q\n%s", name, s.at.Columns, s.at.Rows, got, want,
			strings.Join(s.at.lines(), "\n"))
	}
	if len(s.at.unknown) > 0 {
		t.Fatalf("%s: sends %q", name, s.at.unknown)
	}
	if s.at.Rows > 4 {
		lines := s.at.lines()
		if lines[len(lines)-1] != "Ctrl-D" {
			t.Fatalf("%s: the last row is %q", name, lines)
		}
	}
}

// TestSilence forgets a lone Esc, so that the next key counts.
func TestSilence(t *testing.T) {
	s := newSession(Size{80, 24}, 1)
	for _, burst := range []string{"\x1b", "", "\x1b[", "", "\x1b]0;", ""} {
		s.types(burst)
		if burst == "" {
			s.decoder.Silence()
		}
	}
	if s.types("yes\r") != Enter || s.line.Text != "yes" {
		t.Errorf("%q", s.line.Text)
	}
}

// TestTooLong refuses a text that is too long as a whole.
func TestTooLong(t *testing.T) {
	s := newSession(Size{80, 24}, 1)
	s.types("a")
	s.types("\x1b[200~" + strings.Repeat("x", MaxText+5) + "\x1b[201~")
	if s.line.Text != "a" || !s.line.TooLong {
		t.Errorf("%d bytes", len(s.line.Text))
	}
	if s.types("b"); s.line.Text != "ab" || s.line.TooLong {
		t.Errorf("%d bytes", len(s.line.Text))
	}
}

// TestRandom types random keys and resizes the terminal. Whatever arrives, the
// screen shows the line, and no control sequence is part of it.
func TestRandom(t *testing.T) {
	pieces := []string{"a", "い", "東京", "…", "①", "e\u0301", "か\u3099",
		"👨\u200d👩\u200d👧", "❤\ufe0f", " ", "\t", "12",
		"日本語の長い文を入力する", "\u202e", "\xff",
		"\x7f", "\x7f", "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B", "\x1b[H", "\x1b[F", "\x1b[3~",
		"\x01", "\x05", "\x0b", "\x15", "\x17", "\x0c",
		"\x1b", "\x1b[I", "\x1b[M !!", "\x1b]0;t\x07", "\x1b[200~p q\rr\x1b[201~", "x\ry\r"}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		sizes := []Size{{80, 24}, {20, 5}, {31, 8}, {0, 0}}
		s := newSession(sizes[r.IntN(3)], 1+r.IntN(2))
		typed := ""
		for range 60 {
			piece := pieces[r.IntN(len(pieces))]
			typed += piece
			s.types(piece)
			if strings.ContainsAny(s.line.Text, "\x1b[\x7f~;!") {
				t.Fatalf("%d: %q became %q", seed, typed, s.line.Text)
			}
			s.check(t, fmt.Sprintf("%d: %q", seed, typed))
		}
	}
}

// FuzzDecode checks that no input becomes a control character or is lost for ever,
// and that its division into reads makes no difference.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x1b[B\x1b[200~a\rb\x1b[201~\x1b[M !!\x1b]0;x\x07い\xff"), uint8(3))
	f.Add([]byte("\x9b1;2\xe3\x81\x1bO"), uint8(1))
	f.Fuzz(func(t *testing.T, input []byte, part uint8) {
		var whole, parts Decoder
		want := fmt.Sprint(merge(whole.Decode(input)))
		var keys []Key
		for rest := input; len(rest) > 0; {
			n := min(len(rest), int(part%7)+1)
			keys = append(keys, parts.Decode(rest[:n])...)
			rest = rest[n:]
		}
		if got := fmt.Sprint(merge(keys)); got != want && len(input) < maxSequence {
			t.Fatalf("%q in parts: %s, want %s", input, got, want)
		}
		for _, k := range append(keys, Join(keys)...) {
			if strings.ContainsFunc(k.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
				t.Fatalf("%q became %q", input, k.Text)
			}
		}
		whole.Silence()
		whole.Decode([]byte("\x1b\\\x1b[201~"))
		if got := fmt.Sprint(whole.Decode([]byte("y\r"))); got != fmt.Sprint([]Key{{Text, "y"}, {Kind: Enter}}) {
			t.Fatalf("after %q: %s", input, got)
		}
	})
}

// merge joins neighbouring texts.
func merge(keys []Key) (merged []Key) {
	for _, k := range keys {
		if n := len(merged); n > 0 && k.Kind == Text && merged[n-1].Kind == Text {
			merged[n-1].Text += k.Text
			continue
		}
		merged = append(merged, k)
	}
	return merged
}

// TestWrap breaks texts between words; no row is too wide on any terminal.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    []string
	}{
		{"", 10, nil},
		{"one two three", 8, []string{"one two", "three"}},
		{"Enter で回答、Ctrl-U で行を消します。", 19,
			[]string{"Enter で回答、", "Ctrl-U で行を消しま", "す。"}},
		{"extraordinary", 5, []string{"extra", "ordin", "ary"}},
		{"a\nb\tc", 10, []string{"a b c"}},
		{"……………", 5, []string{"……", "……", "…"}},
	} {
		if got := Wrap(c.text, c.columns); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d: %q, want %q", c.text, c.columns, got, c.want)
		}
	}
	for text, want := range map[string]string{"abc": "abc", "abcdef": "a...", "東京": "東京", "a\nb": "a b"} {
		if got := Fit(text, 4); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
