package page

import (
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isProse reports whether a block reads like sentences.
func isProse(b *block) bool {
	return b.words >= 12 && b.link/b.words < 0.35 &&
		(b.words >= 40 || endsSentence(b.text) || hasStop(b.text))
}

// hasStop reports whether a text has the end of a sentence.
func hasStop(text string) bool {
	for _, stop := range [...]string{".", "!", "?", "。", "！", "？"} {
		if strings.Contains(text, stop) {
			return true
		}
	}
	return false
}

func endsSentence(text string) bool {
	for text != "" {
		r, size := utf8.DecodeLastRuneInString(text)
		switch r {
		case '"', '\'', '”', '’', '）', ')', '」', '』', '»', ']', ' ', '\n':
			text = text[:len(text)-size]
		case '.', '!', '?', '。', '！', '？', '…', ':', '：':
			return true
		default:
			return false
		}
	}
	return false
}

// countWords counts words. In scripts without blanks, two characters count as a
// word.
func countWords(text string) float64 {
	n, inWord := 0.0, false
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			isWord := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
			if isWord && !inWord {
				n++
			}
			inWord = isWord || inWord && c == '\''
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case isIdeographic(r):
			n += 0.5
			inWord = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !inWord {
				n++
			}
			inWord = true
		default:
			inWord = inWord && unicode.IsMark(r)
		}
	}
	return n
}

// isContent reports whether a noscript element has real text, not just a notice.
func isContent(n *html.Node) bool {
	letters, linked := 0, 0
	var walk func(n *html.Node, in bool)
	walk = func(n *html.Node, in bool) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.TextNode {
				size := len(strings.TrimSpace(c.Data))
				letters += size
				if in {
					linked += size
				}
			}
			walk(c, in || c.DataAtom == atom.A)
		}
	}
	walk(n, false)
	return letters >= 400 && linked*2 < letters
}

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Button, atom.Caption, atom.Center,
		atom.Dd, atom.Details,
		atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer,
		atom.Form, atom.Frameset,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Legend,
		atom.Li, atom.Main,
		atom.Menu, atom.Nav, atom.Noscript, atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Pre, atom.Section,
		atom.Summary, atom.Table,
		atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return false
}

// logOf compresses the range of a count.
func logOf(n float64) float32 {
	if at := int(n); at >= 0 && at < len(logs{}) && float64(at) == n {
		return logTable()[at]
	}
	return float32(math.Log1p(n))
}

// logs are the results of logOf for small integers.
type logs [512]float32

var logTable = sync.OnceValue(func() *logs {
	t := new(logs)
	for n := range t {
		t[n] = float32(math.Log1p(float64(n)))
	}
	return t
})
