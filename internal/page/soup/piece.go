package soup

import (
	"strings"

	"techo/internal/page/runes"
)

// piece is the current piece of text. Most pieces are a part of the source.
type piece struct {
	one  string
	more []byte // used instead for several parts
}

func (p *piece) add(text string) {
	switch {
	case text == "":
	case len(p.more) > 0:
		p.more = append(p.more, text...)
	case p.one == "":
		p.one = text
	default:
		p.more = append(append(p.more, p.one...), text...)
	}
}

// text returns the piece as valid until the next call of reset.
func (p *piece) text() string {
	if len(p.more) > 0 {
		return string(p.more)
	}
	return p.one
}

func (p *piece) reset() { p.one, p.more = "", p.more[:0] }

func (p *piece) empty() bool { return p.one == "" && len(p.more) == 0 }

// flush ends the current piece of text.
func (s *textReader) flush() { s.flushKept(s.kept) }

func (s *textReader) flushKept(kept int) {
	if s.data.empty() {
		return
	}
	unseen := s.mute > 0 || s.open[len(s.open)-1].look.Silent
	if unseen && s.concealer == 0 {
		s.data.reset()
		return
	}
	text := s.data.text()
	s.data.reset()
	if s.concealer > 0 && unseen {
		s.concealed = s.concealed || strings.TrimFunc(text, runes.IsSpace) != ""
	}
	if unseen || kept > 0 {
		return
	}
	if text = strings.TrimFunc(s.clean(text), runes.IsSpace); text == "" {
		return
	}
	if s.lines.Len() > 0 {
		s.lines.WriteByte('\n')
	}
	s.lines.WriteString(text)
}
