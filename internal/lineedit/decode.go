// Package lineedit edits one line on a terminal. It has three pure parts: a Decoder
// of what the terminal sends, a Line that keys change, and a Screen that draws the
// line. No control sequence becomes text, and the text is always what is drawn.
//
// The libraries huh, bubbletea, liner, readline, promptui and x/term took control sequences, mouse
// reports or typed-ahead lines for answers, or left the terminal in raw mode after SIGTERM.
package lineedit

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a key.
type Kind int

// The keys that have an effect. Ignored is every other key and every report of the
// terminal, such as a mouse movement.
const (
	Ignored Kind = iota
	Text         // of one or more typed characters
	Paste        // a pasted text, on one line
	Enter
	Up
	Down
	PageUp
	PageDown
	Left
	Right
	Home
	End
	Backspace
	Delete
	DeleteWord
	DeleteBefore // the text before the cursor
	DeleteAfter  // the text after the cursor
	Close        // Ctrl-D
	Interrupt    // Ctrl-C
	Suspend      // Ctrl-Z
	Redraw
)

// Key is a key that the person pressed.
type Key struct {
	Kind Kind
	Text string // of Text and Paste
}

// MaxText is the longest text in bytes.
const MaxText = 100_000

// Decoder decodes the bytes that a terminal sends.
type Decoder struct {
	rest     []byte // an incomplete sequence or character
	inString bool   // within a control string, which ends with BEL or ESC
	afterCR  bool   // a line feed belongs to the carriage return before
	pasting  bool
	pasted   strings.Builder
	hidden   bool // keep characters that are not shown
}

// Strip returns a line without the control sequences and control characters in it,
// except tabs.
func Strip(line string) string {
	d := Decoder{hidden: true}
	var b strings.Builder
	for _, k := range d.Decode([]byte(line)) {
		b.WriteString(k.Text)
	}
	return b.String()
}

// Decode returns the keys in the given bytes and in the incomplete sequence before
// them.
func (d *Decoder) Decode(b []byte) (keys []Key) {
	d.rest = append(d.rest, b...)
	for len(d.rest) > 0 {
		key, n := d.next(d.rest)
		if n == 0 {
			break // incomplete
		}
		d.rest = d.rest[n:]
		switch {
		case key.Kind == Ignored:
		case d.pasting:
			d.paste(key)
		case key.Kind == Text && len(keys) > 0 && keys[len(keys)-1].Kind == Text:
			keys[len(keys)-1].Text += key.Text
		default:
			keys = append(keys, key)
		}
	}
	if len(d.rest) == 0 {
		d.rest = nil
	}
	return keys
}

// Silence forgets an incomplete control sequence: nothing followed for some time,
// so that the Esc key was pressed, or the rest was lost.
func (d *Decoder) Silence() {
	if len(d.rest) > 0 && isIntroducer(d.rest) {
		d.rest = nil
	}
	d.inString = false
}

// paste adds a key to the pasted text. Line ends become blanks.
func (d *Decoder) paste(key Key) {
	text := key.Text
	switch key.Kind {
	case Text:
	case Enter:
		text = " "
	default:
		return
	}
	if d.pasted.Len() <= MaxText { // one text more makes it too long
		d.pasted.WriteString(text)
	}
}

// next decodes the first key. n is the number of its bytes, 0 if it is incomplete.
func (d *Decoder) next(b []byte) (key Key, n int) {
	if d.inString {
		if n = d.skipString(b); n > 0 || d.inString {
			return Key{}, n
		}
	}
	afterCR := d.afterCR
	d.afterCR = b[0] == '\r'
	switch {
	case b[0] == '\n' && afterCR:
		return Key{}, 1
	case b[0] == 0x1b:
		return d.escape(b)
	case b[0] < ' ' || b[0] == 0x7f:
		return control(b[0]), 1
	case !utf8.FullRune(b):
		return Key{}, 0
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 && b[0] >= 0x80 && b[0] <= 0x9f {
		r = rune(b[0]) // a control character of eight bits
	}
	switch {
	case r >= 0x80 && r <= 0x9f:
		return d.sequence(byte(r)-0x40, b, n)
	case !shown(r) && !d.hidden:
		return Key{}, n
	}
	return Key{Text, string(r)}, n
}

// isIntroducer reports whether bytes begin a control sequence.
func isIntroducer(b []byte) bool { return b[0] == 0x1b || b[0] == 0xc2 || b[0] >= 0x80 && b[0] <= 0x9f }

// shown reports whether a character is visible or changes a visible one. Others,
// such as marks that reorder text, would be in the answer but not on the screen.
func shown(r rune) bool {
	joins := r == 0x200c || r == 0x200d
	return joins || unicode.IsGraphic(r) && !isBlankLetter(r)
}

// isBlankLetter reports whether a character is a letter or mark that takes no
// place: Hangul fillers and the grapheme joiner.
func isBlankLetter(r rune) bool {
	return r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x034f
}

func control(c byte) Key {
	switch c {
	case '\r', '\n':
		return Key{Kind: Enter}
	case '\t':
		return Key{Text, "\t"}
	case 0x7f, '\b':
		return Key{Kind: Backspace}
	}
	return Key{Kind: map[byte]Kind{
		ctrl('A'): Home, ctrl('B'): Left, ctrl('C'): Interrupt, ctrl('D'): Close, ctrl('E'): End, ctrl('F'): Right,
		ctrl('K'): DeleteAfter, ctrl('L'): Redraw, ctrl('N'): Down, ctrl('P'): Up, ctrl('U'): DeleteBefore,
		ctrl('W'): DeleteWord, ctrl('Z'): Suspend,
	}[c]}
}

func ctrl(letter byte) byte { return letter & 0x1f }

// escape decodes a sequence that begins with ESC. A character after ESC is a key
// pressed with Alt, which has no effect.
func (d *Decoder) escape(b []byte) (Key, int) {
	switch {
	case len(b) == 1:
		return Key{}, 0
	case b[1] == 0x1b: // the first one was the Esc key
		return Key{}, 1
	case b[1] < 0x80:
		return d.sequence(b[1], b, 2)
	case !utf8.FullRune(b[1:]):
		return Key{}, 0
	}
	_, n := utf8.DecodeRune(b[1:])
	return Key{}, 1 + n
}

// sequence decodes a control sequence after its introducer of n bytes, which is
// named by its letter after ESC.
func (d *Decoder) sequence(introducer byte, b []byte, n int) (Key, int) {
	switch introducer {
	case '[':
		return d.csi(b, n)
	case ']', 'P', '_', '^', 'X':
		d.inString = true
		return Key{}, n
	case 'O', 'N': // a key, with numbers in old terminals
		return d.until(b, n, func(c byte) bool { return c >= '0' && c <= '9' || c == ';' })
	}
	if introducer >= ' ' && introducer < '0' { // the choice of a character set: ESC ( B
		_, n = d.until(b, n, func(c byte) bool { return c >= ' ' && c < '0' })
	}
	return Key{}, n
}

// until decodes a sequence that ends with the first byte that is not a parameter.
func (d *Decoder) until(b []byte, n int, isParam func(byte) bool) (Key, int) {
	for i := n; i < len(b); i++ {
		switch c := b[i]; {
		case c == 0x1b || c >= 0x7f: // another sequence or text begins
			return Key{}, i
		case !isParam(c):
			return final(c, nil), i + 1
		}
	}
	return d.incomplete(b)
}

const maxSequence = 1024

// incomplete waits for the rest of a sequence. It skips one that is too long.
func (d *Decoder) incomplete(b []byte) (Key, int) {
	if len(b) < maxSequence {
		return Key{}, 0
	}
	d.inString = true
	return Key{}, len(b)
}

// csi decodes a control sequence whose parameters begin at n.
func (d *Decoder) csi(b []byte, n int) (Key, int) {
	for i := n; i < len(b); i++ {
		switch c := b[i]; {
		case c == '[' && i == n: // a function key of the Linux console: one more byte
			if len(b) == i+1 {
				return Key{}, 0
			}
			return Key{}, i + 2
		case c == 'M' && i == n:
			return Key{}, mouse(b, i+1)
		case c == 0x1b || c >= 0x7f: // another sequence or text begins
			return Key{}, i
		case c < ' ': // it interrupts the sequence; a line end must not answer
			return Key{}, i + 1
		case c >= '@':
			return d.csiKey(c, b[n:i]), i + 1
		}
	}
	return d.incomplete(b)
}

// mouse returns the end of a mouse report in the old form: three characters, which
// look like text.
func mouse(b []byte, i int) int {
	for range 3 {
		if i >= len(b) || !utf8.FullRune(b[i:]) {
			return 0
		}
		_, n := utf8.DecodeRune(b[i:])
		i += n
	}
	return i
}

// csiKey returns the key of a complete control sequence, and follows the begin and
// end of a pasted text.
func (d *Decoder) csiKey(last byte, params []byte) Key {
	switch {
	case last == '~' && string(params) == "200":
		d.pasting = true
		return Key{}
	case last == '~' && string(params) == "201" && d.pasting:
		text := strings.TrimRight(d.pasted.String(), " ")
		d.pasting = false
		d.pasted.Reset()
		return Key{Paste, text}
	}
	return final(last, params)
}

// final returns the key of a control sequence by its last byte and its parameters.
// Shift and similar keys, the second parameter, make no difference.
func final(last byte, params []byte) Key {
	number, _, _ := bytes.Cut(params, []byte(";"))
	switch {
	case last == '~':
		return Key{Kind: map[string]Kind{"1": Home, "7": Home, "4": End, "8": End, "3": Delete, "5": PageUp,
			"6": PageDown}[string(number)]}
	case len(number) > 0 && string(number) != "1":
		return Key{}
	}
	return Key{Kind: map[byte]Kind{'A': Up, 'B': Down, 'C': Right, 'D': Left, 'H': Home, 'F': End, 'M': Ignored}[last]}
}

// skipString returns the number of bytes of a control string up to its end, or all.
func (d *Decoder) skipString(b []byte) int {
	for i, c := range b {
		switch {
		case c == 0x07:
			d.inString = false
			return i + 1
		case c == 0x1b && i+1 == len(b):
			return i // and wait for the next byte
		case c == 0x1b:
			d.inString = false
			return i // ST or another sequence
		}
	}
	return len(b)
}

// Join joins the lines of a text that was pasted into a terminal that does not mark
// pasted texts: a line end with text after it, within the same burst of input, is
// not the Enter key. Then no line end of the burst is.
func Join(keys []Key) []Key {
	pasted, after := false, false
	for _, k := range keys {
		switch k.Kind {
		case Enter:
			pasted = pasted || after
			after = true
		case Text, Paste:
			pasted = pasted || after
		}
	}
	if !pasted {
		return keys
	}
	var joined strings.Builder
	for _, k := range keys {
		switch k.Kind {
		case Text, Paste:
			joined.WriteString(k.Text)
		case Enter:
			joined.WriteString(" ")
		}
	}
	return []Key{{Paste, strings.TrimRight(joined.String(), " ")}}
}
