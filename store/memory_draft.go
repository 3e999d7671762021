package store

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/store/search"
)

// Draft is a memory prepared for adding.
type Draft struct {
	Memory
	digest []byte
	bag    search.Bag
}

// Drafter prepares drafts, which takes most of the time of adding and needs no
// store. It must not be used concurrently.
type Drafter struct{ analyzer *search.Analyzer }

// NewDrafter returns a Drafter.
func NewDrafter() *Drafter { return &Drafter{search.NewAnalyzer()} }

// Draft prepares a memory. It derives a missing caption from the text.
func (d *Drafter) Draft(m Memory) Draft {
	m.User, m.Session = norm.NFC.String(m.User), norm.NFC.String(m.Session)
	first := captionOf(m.FullText)
	if strings.TrimSpace(m.Caption) == "" {
		m.Caption = first
	}
	draft := Draft{Memory: m, digest: textDigest(m.User, m.FullText)}
	// A caption that repeats the beginning of the text adds no words to index.
	if m.Caption == first {
		draft.bag = d.analyzer.Bag(m.FullText)
	} else {
		draft.bag = d.analyzer.Bag(m.FullText, m.Caption)
	}
	return draft
}

// captionOf returns the first sentence of a text on one line, shortened to
// MaxCaption.
func captionOf(text string) string {
	line := make([]rune, 0, MaxCaption+1)
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !utf8.ValidString(text[i:min(len(text), i+3)]):
			continue
		case r == '\n' && len(line) > 0:
			return shortened(line)
		case r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\u3000':
			if len(line) == 0 || line[len(line)-1] == ' ' {
				continue
			}
			r = ' '
		}
		line = append(line, r)
		if len(line) > MaxCaption || endsSentence(r, text[i+utf8.RuneLen(r):]) {
			break
		}
	}
	return shortened(line)
}

// endsSentence reports whether a character before rest ends a sentence.
func endsSentence(r rune, rest string) bool {
	switch r {
	case '。', '！', '？':
		return true
	case '.', '!', '?':
		return rest == "" || rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\r'
	}
	return false
}

func shortened(line []rune) string {
	if len(line) > MaxCaption {
		line = append(line[:MaxCaption-1], '…')
	}
	return strings.TrimSpace(string(line))
}
