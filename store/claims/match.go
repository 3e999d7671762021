package claims

import (
	"slices"
	"strings"

	"techo/internal/meaning"
)

// matching is how the units of two sentences match.
type matching struct {
	a, b   *sentenceClaim
	inB    []bool // the units of a that b has
	inA    []bool
	flips  int // opposite words
	likely float32
}

// match finds the units that two sentences share.
func match(a, b *sentenceClaim) matching {
	m := matching{a: a, b: b, inB: make([]bool, len(a.units)), inA: make([]bool, len(b.units))}
	for i := range a.units {
		for k := range b.units {
			if equal(&a.units[i], &b.units[k], a.latin == b.latin) {
				m.inB[i], m.inA[k] = true, true
			}
		}
	}
	for i := range a.units {
		for k := range b.units {
			if !m.inB[i] && !m.inA[k] && opposite(&a.units[i], &b.units[k]) {
				m.flips++
				m.inB[i], m.inA[k] = true, true
			}
		}
	}
	return m
}

// equal reports whether two units mean the same.
func equal(u, v *unit, oneLanguage bool) bool {
	if u.text == v.text {
		return u.kind == v.kind || u.kind <= name && v.kind <= name
	}
	if u.kind > name || v.kind > name || oneLanguage && u.kind == name && v.kind == name ||
		hasDigit(u.text) || hasDigit(v.text) || opposite(u, v) {
		return false
	}
	if u.subject && v.subject && oneLanguage {
		return contained(u.text, v.text) || meaning.Likeness(u.meaning(), v.meaning()) >= synonymSubjects
	}
	return contained(u.text, v.text) || meaning.Likeness(u.meaning(), v.meaning()) >= synonyms
}

// contained reports whether one Japanese word is a part of the other.
func contained(u, v string) bool {
	const two = len("二字")
	return len(u) >= two && len(v) >= two && meaning.Japanese([]rune(u)[0]) &&
		(strings.Contains(u, v) || strings.Contains(v, u))
}

// missing counts the units of a sentence that the other one lacks.
func missing(c *sentenceClaim, there []bool, keep func(*unit) bool) (n int) {
	for i := range c.units {
		if !there[i] && keep(&c.units[i]) {
			n++
		}
	}
	return n
}

func anyUnit(*unit) bool      { return true }
func inSubject(u *unit) bool  { return u.subject }
func isVerbUnit(u *unit) bool { return u.verb }
func isValue(u *unit) bool    { return u.kind > name }
func isEntity(u *unit) bool   { return u.entity }
func namesIt(u *unit) bool    { return u.kind == name }
func isWord(u *unit) bool     { return u.kind <= name && !u.subject && !u.verb }

// gaps returns how many units each sentence has that the other one lacks.
func (m *matching) gaps(keep func(*unit) bool) (a, b int) {
	return missing(m.a, m.inB, keep), missing(m.b, m.inA, keep)
}

// covered returns the smaller and the larger share of its units that a sentence shares.
func (m *matching) covered() (least, most float32) {
	a, b := m.gaps(anyUnit)
	x, y := 1-float32(a)/float32(len(m.a.units)), 1-float32(b)/float32(len(m.b.units))
	return min(x, y), max(x, y)
}

// sharesValue reports whether the sentences share a number, a day or a month.
func (m *matching) sharesValue() bool {
	for i := range m.a.units {
		if m.inB[i] && isValue(&m.a.units[i]) {
			return true
		}
	}
	return false
}

// sharesCode reports whether the sentences share a code or a long number.
func (m *matching) sharesCode() bool {
	for i := range m.a.units {
		if m.inB[i] && m.a.units[i].isCode() {
			return true
		}
	}
	return false
}

// sameSubject reports whether the sentences are about one matter.
func (m *matching) sameSubject() bool {
	if m.a.latin != m.b.latin {
		return m.likely >= .6
	}
	x, y := m.gaps(inSubject)
	if x > 0 && y > 0 {
		return false
	}
	if x, y = m.gaps(anyUnit); x == len(m.a.units) || y == len(m.b.units) {
		return false
	}
	if m.a.since && m.older(m.b) || m.b.since && m.older(m.a) {
		return false
	}
	headless := func(c *sentenceClaim, there []bool) bool {
		return c.head >= 0 && !there[c.head] && c.units[c.head].kind == word
	}
	return !headless(m.a, m.inB) && !headless(m.b, m.inA)
}

// otherEntity reports whether each sentence is about a thing without a name in the other one.
func otherEntity(m *matching) bool {
	if m.a.latin != m.b.latin {
		return false
	}
	if m.a.ofUser != m.b.ofUser {
		x, y := m.gaps(func(u *unit) bool { return u.entity && u.kind == name })
		return x > 0 && m.b.ofUser || y > 0 && m.a.ofUser
	}
	x, y := m.gaps(isEntity)
	return x > 0 && y > 0
}

// sharesEntity reports whether the sentences are about the same thing, whatever they say of it.
func sharesEntity(m *matching) bool {
	for i := range m.a.units {
		if m.inB[i] && m.a.units[i].entity {
			return true
		}
	}
	return m.a.ofUser && m.b.ofUser
}

// kinds compares the words and values that differ: whether two of them are of one kind, or else
// whether a number, a day or a month stands against something else.
func kinds(m *matching) (kindred, mixed bool) {
	for i := range m.a.units {
		for k := range m.b.units {
			u, v := &m.a.units[i], &m.b.units[k]
			if m.inB[i] || m.inA[k] || u.subject || v.subject || u.verb || v.verb || v.former {
				continue
			}
			mixed = mixed || isValue(u) || isValue(v)
			kindred = kindred || ofOneKind(u, v)
		}
	}
	return kindred, mixed && !kindred
}

// ofOneKind reports whether two units may be values of one thing.
func ofOneKind(u, v *unit) bool {
	switch {
	case u.kind == number && v.kind == number:
		return u.counter == v.counter && max(len(u.text), len(v.text)) <= 2+min(len(u.text), len(v.text)) &&
			strings.Contains(u.text, ".") == strings.Contains(v.text, ".") &&
			strings.Contains(u.text, ":") == strings.Contains(v.text, ":")
	case isValue(u) || isValue(v):
		return u.kind == v.kind
	case u.kind == name && v.kind == name:
		return u.role == v.role
	}
	return meaning.Likeness(u.meaning(), v.meaning()) >= category
}

// older reports whether the subject of a sentence is the old one of two.
func (m *matching) older(c *sentenceClaim) bool {
	return slices.ContainsFunc(c.units, func(u unit) bool {
		return u.subject && listed(" old previou former 古る 旧 ", u.text)
	})
}

// sibling counts the pairs of words that stand in one place of their sentences and are
// less alike than given.
func (m *matching) sibling(likely float32) (n int) {
	for i := range m.a.units {
		for k := range m.b.units {
			u, v := &m.a.units[i], &m.b.units[k]
			if !m.inB[i] && !m.inA[k] && u.kind <= name && v.kind <= name && u.role == v.role &&
				u.verb == v.verb && u.subject == v.subject && meaning.Likeness(u.meaning(), v.meaning()) < likely {
				n++
			}
		}
	}
	return n
}

// negated reports whether one sentence denies what the other says, counting opposites.
func (m *matching) negated() bool {
	return (m.flips%2 == 1) != (m.a.negative != m.b.negative)
}

// newChange reports whether the newer sentence tells a change and the older one none.
func (m *matching) newChange() bool {
	return len(m.b.changes) > 0 && len(m.a.changes) == 0 && !m.a.past
}

// clash reports whether both sentences have a value of one kind that the other lacks.
func (m *matching) clash() bool {
	for i := range m.a.units {
		for k := range m.b.units {
			u, v := &m.a.units[i], &m.b.units[k]
			if !m.inB[i] && !m.inA[k] && u.kind == v.kind && u.kind > name && !u.subject && !v.subject &&
				(u.counter == v.counter || u.counter == "" || v.counter == "") {
				return true
			}
		}
	}
	return false
}
