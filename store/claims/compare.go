package claims

import (
	"slices"
	"strings"

	"techo/internal/meaning"
)

// # Repetition and replacement
//
// The rules are in docs/ranking.md, with their figures.

// Relation is how a newer statement relates to an older one.
type Relation int

const (
	Other    Relation = iota // it says something else
	Same                     // it says the same
	Replaces                 // it replaces or denies it
)

// Compare returns how a newer statement relates to an older one.
func Compare(older, newer Statement) Relation {
	same := make([]bool, len(older))
	again := make([]bool, len(newer))
	for i := range older {
		for k := range newer {
			switch compare(&older[i], &newer[k]) {
			case Replaces:
				return Replaces
			case Same:
				same[i], again[k] = true, true
			}
		}
	}
	if covers(same, again) || covers(again, same) {
		return Same
	}
	return Other
}

// covers reports whether all sentences of a statement were said in another one, which is
// not much longer.
func covers(said, other []bool) bool {
	const longer = 3
	return len(said) > 0 && !slices.Contains(said, false) && len(other) <= longer*len(said)
}

const (
	synonyms        = .66 // likeness of words that mean the same
	synonymSubjects = .75 // likewise, of what sentences are about
	narrower        = .60 // likeness of a word and one with a narrower meaning
	category        = .30 // likeness of words of one kind, such as doctor and teacher
	alike           = .50 // likeness of sentences that may have no word in common
	unrelated       = .12 // likeness of sentences below which nothing is compared
)

// matching is how the units of two sentences match.
type matching struct {
	a, b   *sentenceClaim
	inB    []bool // the units of a that b has
	inA    []bool
	flips  int // opposite words
	likely float32
}

// compare compares two sentences.
func compare(a, b *sentenceClaim) Relation {
	likely := meaning.Likeness(&a.vec, &b.vec)
	if likely < unrelated || likely < alike && a.mask&b.mask == 0 {
		return Other
	}
	m := match(a, b)
	m.likely = likely
	switch {
	case m.denies(), m.tellsChange(), m.otherValue():
		return Replaces
	case m.same():
		return Same
	}
	return Other
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
			if !m.inB[i] && !m.inA[k] && opposite(a.units[i].text, b.units[k].text) {
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
		hasDigit(u.text) || hasDigit(v.text) || opposite(u.text, v.text) {
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
		if u := &m.a.units[i]; m.inB[i] && hasDigit(u.text) && (u.kind == name || u.kind == number && len(u.text) > 4) {
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

// denies reports whether one sentence is the negation of the other.
func (m *matching) denies() bool {
	if !m.negated() || !m.sameSubject() {
		return false
	}
	if m.flips == 0 && m.deniesElse() {
		return false
	}
	a, b := m.gaps(anyUnit)
	sure := m.flips > 0 || m.newChange()
	return (a == 0 || b == 0) && (sure || m.likely >= .4) ||
		min(a, b) == 1 && (m.newChange() || m.likely >= .7 && m.sibling(narrower) == 0)
}

// deniesElse reports whether the verb of the sentence with a negation is not in the other one.
func (m *matching) deniesElse() bool {
	if m.b.negative {
		return missing(m.b, m.inA, isVerbUnit) > 0
	}
	return missing(m.a, m.inB, isVerbUnit) > 0
}

// tellsChange reports whether the newer sentence tells that what the older one says has changed.
func (m *matching) tellsChange() bool {
	if m.b.also {
		return false
	}
	if m.formerIs() && m.likely >= .3 {
		return true
	}
	if !m.sameSubject() {
		return m.newChange() && m.likely >= .4 && m.sharesName()
	}
	if m.newChange() {
		return m.clash() || m.likely >= .4 && m.sharesPredicate() || m.likely >= .62 || m.likely >= .3 && m.changesRelation()
	}
	if !m.b.since || m.a.since {
		return false
	}
	a, b := m.gaps(anyUnit)
	least, _ := m.covered()
	return a > 0 && b > 0 && (m.likely >= .6 || m.likely >= .45 && least >= .5)
}

// sharesPredicate reports whether the sentences share a unit that is not of the subject.
func (m *matching) sharesPredicate() bool {
	for i := range m.a.units {
		if m.inB[i] && !m.a.units[i].subject {
			return true
		}
	}
	return false
}

// changesRelation reports whether a change of the newer sentence is one of what the older
// one tells: a move of a place, a delay or a rise of a value.
func (m *matching) changesRelation() bool {
	for i := range m.a.units {
		u := &m.a.units[i]
		for _, w := range m.b.changes {
			switch {
			case u.subject:
			case listed(moves, w) && u.kind <= name && listed(" in at on に で ", u.role),
				listed(values, w) && isValue(u):
				return true
			}
		}
	}
	return false
}

const (
	moves  = " move reloc transfer migrat switch leav resign retir 移 引っ越 引越 異動 転職 転勤 移転 移行 転校 辞め 退職 離れ "
	values = " move postpon delai extend reschedul rais reduc increas decreas lower chang shift cancel adjust bring push " +
		"延期 延び 延ば 変わ 変更 変え なっ 上が 下が 増え 減 前倒 中止 繰り 値上 値下 "
)

// formerIs reports whether the newer sentence says of something in the older one that it
// held before.
func (m *matching) formerIs() bool {
	for k := range m.b.units {
		for i := range m.a.units {
			if m.b.units[k].former && !m.a.units[i].former && equal(&m.a.units[i], &m.b.units[k], true) {
				return true
			}
		}
	}
	return false
}

// sharesName reports whether a name in the predicate of the older sentence is in the newer one.
func (m *matching) sharesName() bool {
	for i := range m.a.units {
		if u := &m.a.units[i]; m.inB[i] && u.kind == name && !u.subject {
			return true
		}
	}
	return false
}

// otherValue reports whether the sentences give one matter two values of which it has one.
func (m *matching) otherValue() bool {
	if !m.sameSubject() || m.negated() || m.a.also || m.b.also || m.likely < .5 {
		return false
	}
	if a, b := m.gaps(inSubject); (a > 0 || b > 0) && m.a.latin == m.b.latin {
		return false
	}
	if a, b := m.gaps(isVerbUnit); a > 0 || b > 0 {
		return false
	}
	a, b := m.gaps(isWord)
	if m.clash() {
		return min(a, b) == 0
	}
	if a == 0 || b == 0 || a > 2 || b > 2 || m.a.several || m.b.several || m.sharesValue() {
		return false
	}
	return m.oneRole()
}

// oneRole reports whether the words that differ stand in one place of their sentences,
// which has one value.
func (m *matching) oneRole() bool {
	bare := m.a.state && m.b.state && len(m.a.units) == 2
	for i := range m.a.units {
		for k := range m.b.units {
			u, v := &m.a.units[i], &m.b.units[k]
			if m.inB[i] || m.inA[k] || u.kind > name || v.kind > name || u.subject || v.subject || u.role != v.role {
				continue
			}
			switch u.role {
			case "":
				if m.a.latin && (!m.a.single && !m.a.state || !m.b.single && !m.b.state) || !m.a.latin && (i < len(m.a.units)-1 || k < len(m.b.units)-1) {
					continue
				}
			case "を", "が", "へ", "と", "の":
				continue
			case "to", "of", "for":
				if !m.a.single {
					continue
				}
			}
			if bare && u.role == "" && m.a.units[0].kind == name && meaning.Likeness(u.meaning(), v.meaning()) < category {
				continue
			}
			return true
		}
	}
	return false
}

// same reports whether the sentences say the same.
func (m *matching) same() bool {
	if m.negated() {
		return m.likely >= .85 && m.deniesElse()
	}
	if x, y := m.gaps(namesIt); x > 0 && y > 0 || m.clash() || m.newChange() && m.likely < .9 {
		return false
	}
	least, most := m.covered()
	x, y := m.gaps(isValue)
	if m.sharesCode() {
		return m.likely >= .35
	}
	if x+y > 0 {
		return m.likely >= .85 && most >= .7
	}
	if m.sharesValue() || m.sharesName() && most >= .65 {
		return m.likely >= .58
	}
	if x, y = m.gaps(inSubject); x > 0 && y > 0 {
		return m.likely >= .8
	}
	if m.likely < .85 && m.sibling(synonyms) > 0 && least >= .5 {
		return false
	}
	return m.likely >= .8 || m.likely >= .68 && least >= .5 || m.likely >= .6 && least >= .6 ||
		m.likely >= .5 && most == 1 && least >= .5
}

// opposite reports whether two stems have opposite meanings.
func opposite(a, b string) bool {
	for _, pair := range opposites() {
		if pair[0][a] && pair[1][b] || pair[1][a] && pair[0][b] {
			return true
		}
	}
	return false
}
