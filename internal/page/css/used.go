package css

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"techo/internal/page/runes"
)

// used are the classes and ids of a page, with others that share their hash. Most rules
// of a usual style sheet name a class that the page does not have; reading them as well takes a
// sixth of the time of a page.
type used struct {
	bits [1024]uint64
	all  bool // any name may be used
}

// maxUsed is the length of an attribute in bytes above which it may have any name.
const maxUsed = 10_000

// maxGap is the length in bytes of a name and the blanks after it above which any name may
// be used.
const maxGap = 100

// usedNames finds what looks like the value of a class or an id anywhere in the source,
// so that it misses none, however the tags are read.
func usedNames(source string) *used {
	u := &used{}
	for at := 0; !u.all; {
		n := strings.IndexByte(source[at:], '=')
		if n < 0 {
			break
		}
		at += n + 1
		if n > 0 && !mayEndName(source[at-2]) {
			continue // the usual case
		}
		from := max(0, at-maxGap)
		head := strings.TrimRightFunc(source[from:at-1], runes.IsSpace)
		switch {
		case from > 0 && len(head) <= len(" class"):
			u.all = true
		case endsWithName(head, "id"):
			u.collect(source[at:], false)
		case endsWithName(head, "class"):
			u.collect(source[at:], true)
		}
	}
	return u
}

// mayEndName reports whether a byte may be the last one of "class" or "id", or of a blank.
func mayEndName(c byte) bool {
	return c|0x20 == 's' || c|0x20 == 'd' || c <= ' ' || c >= utf8.RuneSelf
}

// endsWithName reports whether a text can end with the name of an attribute.
func endsWithName(text, name string) bool {
	at := len(text) - len(name)
	if at < 0 || !strings.EqualFold(text[at:], name) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return at == 0 || runes.IsSpace(before) || before == '"' || before == '\'' || before == '/'
}

// collect adds the names in the value that a text begins with.
func (u *used) collect(text string, words bool) {
	text = strings.TrimLeftFunc(text[:min(len(text), maxUsed)], runes.IsSpace)
	value, end, quotes := text, 0, 0
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		value = text[1:]
		end, quotes = strings.IndexByte(value, text[0]), 2
	} else {
		for end < len(text) && !runes.IsGap(text[end]) && text[end] != '>' {
			end++
		}
	}
	if end < 0 || end >= maxUsed/2 || text == "" || text[0] == '=' {
		u.all = true
		return
	}
	value = value[:end]
	if !strings.Contains(value, "&") {
		u.add(value, words)
		return
	}
	z := html.NewTokenizer(strings.NewReader("<p a=" + text[:end+quotes] + ">"))
	z.Next()
	z.TagName()
	_, parsed, _ := z.TagAttr()
	u.add(string(parsed), words)
	u.add(html.UnescapeString(value), words) // as in a soup
}

func (u *used) add(value string, words bool) {
	from, hash := 0, newNameHash
	for i := range len(value) {
		switch c := value[i]; {
		case c >= 0x80 || c < ' ' && !runes.IsGap(c):
			u.all = true
			return
		case words && c <= ' ':
			u.set(hash)
			from, hash = i+1, newNameHash
		default:
			hash = hash.with(c)
		}
	}
	if from < len(value) {
		u.set(hash)
	}
}

type nameHash uint32

const newNameHash nameHash = 2166136261

func (h nameHash) with(c byte) nameHash { return (h ^ nameHash(c)) * 16777619 }

func (u *used) set(h nameHash) { u.bits[h>>6&1023] |= 1 << (h & 63) }

func (u *used) has(h nameHash) bool { return u.bits[h>>6&1023]&(1<<(h&63)) != 0 }

// mayMatch reports whether the page may have all classes and ids in a selector. It does
// not look into what is in brackets.
func (u *used) mayMatch(selector string) bool {
	for i := 0; i < len(selector); i++ {
		switch selector[i] {
		case '\\', '(', '[', '"', '\'':
			return true
		case '.', '#':
			hash := newNameHash
			for i++; i < len(selector) && isNameByte(selector[i]); i++ {
				hash = hash.with(selector[i])
			}
			if i < len(selector) && selector[i] == '\\' {
				return true
			}
			if !u.has(hash) {
				return u.all
			}
			i--
		}
	}
	return true
}
