package lineedit

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Line is a line of text with a cursor. The cursor stands between two characters as
// the person sees them, never within one.
type Line struct {
	Text    string
	Cursor  int  // byte offset in Text
	TooLong bool // the last text did not fit and was not inserted

	// Step returns the text that an arrow key makes of the text that was typed and
	// the present one. by is 1 for the next choice and -1 for the previous one. It may
	// be nil.
	Step func(typed, text string, by int) string

	// AtEnd keeps the cursor at the end, for terminals that cannot show it elsewhere.
	AtEnd bool

	typed   string // before the arrow keys
	stepped bool   // the last key was an arrow key that chose
}

// page is how many choices PageUp and PageDown skip.
const page = 10

// Typed returns the text that was typed, before arrow keys replaced it.
func (l *Line) Typed() string { return l.typed }

// Apply applies keys up to one that ends the line: Enter, Interrupt, Suspend, or Close
// on an empty line. It returns that key, or Ignored.
func (l *Line) Apply(keys []Key) Kind {
	for _, k := range keys {
		switch {
		case k.Kind == Enter, k.Kind == Interrupt, k.Kind == Suspend, k.Kind == Close && l.Text == "":
			return k.Kind
		case k.Kind == Up || k.Kind == Down || k.Kind == PageUp || k.Kind == PageDown:
			l.step(k.Kind)
		default:
			l.leave(k)
			before := l.Text
			if l.edit(k); l.Text != before {
				l.typed = l.Text
			}
		}
	}
	return Ignored
}

func (l *Line) step(k Kind) {
	if l.Step == nil {
		return
	}
	l.Text = l.Step(l.typed, l.Text, map[Kind]int{Up: -1, Down: 1, PageUp: -page, PageDown: page}[k])
	l.Cursor, l.stepped = len(l.Text), true
}

// leave goes back to what was typed before the arrow keys if letters follow. They
// continue a text, not the number of a choice.
func (l *Line) leave(k Key) {
	first, _ := utf8.DecodeRuneInString(k.Text)
	if l.stepped && k.Kind == Text && unicode.IsLetter(first) {
		l.Text, l.Cursor = l.typed, len(l.typed)
	}
	l.stepped = false
}

// edit applies a key that changes the text or moves the cursor.
func (l *Line) edit(k Key) {
	switch k.Kind {
	case Text, Paste:
		l.insert(k.Text)
	case Backspace:
		l.remove(l.before(), l.Cursor)
	case Delete, Close:
		l.remove(l.Cursor, l.after())
	case DeleteWord:
		l.remove(l.wordStart(), l.Cursor)
	case DeleteBefore:
		l.remove(0, l.Cursor)
	case DeleteAfter:
		l.remove(l.Cursor, len(l.Text))
	}
	if l.AtEnd {
		return
	}
	switch k.Kind {
	case Left:
		l.Cursor = l.before()
	case Right:
		l.Cursor = l.after()
	case Home:
		l.Cursor = 0
	case End:
		l.Cursor = len(l.Text)
	}
}

func (l *Line) insert(text string) {
	if l.TooLong = len(l.Text)+len(text) > MaxText; l.TooLong {
		return
	}
	l.Text = l.Text[:l.Cursor] + text + l.Text[l.Cursor:]
	l.moveTo(l.Cursor + len(text))
}

// remove removes the text between two offsets.
func (l *Line) remove(from, to int) {
	l.TooLong = false
	l.Text = l.Text[:from] + l.Text[to:]
	l.moveTo(from)
}

// moveTo moves the cursor to the first boundary of characters from an offset on: a
// combining mark may have joined the character before.
func (l *Line) moveTo(offset int) {
	l.Cursor = 0
	for l.Cursor < offset {
		l.Cursor = l.after()
	}
}

// before returns the offset of the character before the cursor.
func (l *Line) before() int {
	start := 0
	for c := range characters(l.Text[:l.Cursor]) {
		start = l.Cursor - len(c)
	}
	return start
}

// after returns the offset behind the character after the cursor.
func (l *Line) after() int {
	c, _, _, _ := uniseg.FirstGraphemeClusterInString(l.Text[l.Cursor:], -1)
	return l.Cursor + len(c)
}

func (l *Line) wordStart() int {
	before := strings.TrimRightFunc(l.Text[:l.Cursor], unicode.IsSpace)
	return strings.LastIndexFunc(before, unicode.IsSpace) + 1
}

// characters yields the characters of a text as a person sees them: an emoji of
// several code points, or a letter with its marks, is one.
func characters(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		state := -1
		for text != "" {
			var c string
			c, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
			if !yield(c) {
				return
			}
		}
	}
}
