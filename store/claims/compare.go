package claims

import (
	"math/bits"
	"slices"

	"techo/internal/meaning"
)

// # Repetition and replacement
//
//

// Relation relates a newer statement to an older one.
type Relation int

const (
	Other    Relation = iota // it says something else
	Same                     // it says the same
	Replaces                 // it replaces or denies it
)

// Compare returns the relation of a newer statement to an older one.
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
	akin            = .40 // likeness of words of which one may stand for the other
	category        = .30 // likeness of words of one kind, such as doctor and teacher
	alike           = .50 // likeness of sentences that may have no word in common
	unrelated       = .12 // likeness of sentences below which nothing is compared
)

// compare compares two sentences.
func compare(a, b *sentenceClaim) Relation {
	if a.long || b.long {
		return repeated(a, b)
	}
	likely := likeness(a, b)
	if likely < unrelated || likely < alike && (a.mask&b.mask == 0 || plain(a, b)) {
		return Other
	}
	return related(a, b, likely)
}

// related is compare for sentences whose units have to be looked at.
func related(a, b *sentenceClaim, likely float32) Relation {
	m := match(a, b)
	m.likely = likely
	switch {
	case otherEntity(&m):
		return Other
	case !otherRelation(&m) && (m.denies() || m.tellsChange() || m.otherValue()):
		return Replaces
	case m.same() && (!otherRelation(&m) || m.sharesPredicate()):
		return Same
	}
	return Other
}

// repeated compares sentences of which one is too long to be read as a claim: only its repetition
// in nearly the same words is noticed.
func repeated(a, b *sentenceClaim) Relation {
	shared := bits.OnesCount64(a.mask & b.mask)
	fewest := min(bits.OnesCount64(a.mask), bits.OnesCount64(b.mask))
	if float32(shared) >= .7*float32(fewest) && likeness(a, b) >= .85 {
		return Same
	}
	return Other
}

// plain reports whether an older and a newer sentence have no change, negation, opposites or common
// code. Only these relate sentences that are not alike. Most pairs are plain, and need no look at
// their units.
func plain(a, b *sentenceClaim) bool {
	return len(b.changes) == 0 && !b.since && !b.former && a.negative == b.negative &&
		!(a.opposes && b.opposes) && !(a.coded && b.coded)
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
	if m.formerIs() && (m.likely >= .3 || sharesEntity(m)) || oneRelation(m) || wentBack(m) {
		return true
	}
	if formerElse(m) {
		return false
	}
	kindred, mixed := kinds(m)
	if kindred && m.likely >= .4 && (m.newChange() || m.b.since && !m.a.since) && sharesEntity(m) {
		return true
	}
	if !m.sameSubject() {
		return m.newChange() && m.likely >= .4 && m.sharesName()
	}
	if m.newChange() {
		return m.clash() || !mixed && (m.likely >= .4 && m.sharesPredicate() || m.likely >= .62) ||
			m.likely >= .3 && (kindred || m.changesRelation())
	}
	if !m.b.since || m.a.since {
		return false
	}
	a, b := m.gaps(anyUnit)
	least, _ := m.covered()
	return a > 0 && b > 0 && !mixed && (m.likely >= .6 || m.likely >= .45 && least >= .5 || kindred && m.likely >= .3)
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
	moves = " move reloc transfer migrat switch leav resign retir " +
		"移 引っ越 引越 異動 転職 転勤 移転 移行 転校 辞め 退職 離れ "
	values = " move postpon delai extend reschedul rais reduc increas decreas lower chang shift cancel adjust " +
		"bring push slip cut " +
		"延期 延び 延ば 変わ 変更 変え なっ 上が 下が 増え 減 前倒 中止 繰り 値上 値下 "
)

// formerIs reports whether the newer sentence says of something in the older one that it
// held before.
func (m *matching) formerIs() bool {
	for k := range m.b.units {
		v := &m.b.units[k]
		if !v.former || v.entity || v.verb {
			continue
		}
		for i := range m.a.units {
			u := &m.a.units[i]
			if !u.former && (!u.verb || !m.a.latin) && equal(u, v, true) &&
				(isValue(u) || !u.entity || !u.subject || m.sharesPredicate()) {
				return true
			}
		}
	}
	return false
}

// wentBack reports whether the newer sentence tells a change to what the older one says held before.
func wentBack(m *matching) bool {
	if !m.a.former || len(m.b.changes) == 0 && !m.b.since || !sharesEntity(m) {
		return false
	}
	for i := range m.a.units {
		for k := range m.b.units {
			u, v := &m.a.units[i], &m.b.units[k]
			if u.former && !v.former && !u.verb && !v.subject && u.kind != month && equal(u, v, true) {
				return true
			}
		}
	}
	return false
}

// formerElse reports whether what held before, as the newer sentence says, is not in the older one.
func formerElse(m *matching) bool {
	found := false
	for k := range m.b.units {
		u := &m.b.units[k]
		if !u.former || u.verb || u.kind == month { // 7月から is no former value
			continue
		}
		found = true
		for i := range m.a.units {
			if v := &m.a.units[i]; !v.subject && (isValue(v) && ofOneKind(v, u) ||
				v.kind == word && meaning.Likeness(u.meaning(), v.meaning()) >= akin) {
				return false
			}
		}
	}
	return found && !m.formerIs()
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
	if !m.sameSubject() || m.negated() || m.a.also || m.b.also || m.a.event && m.b.event || m.likely < .5 {
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
				if m.a.latin && (!m.a.single && !m.a.state || !m.b.single && !m.b.state) ||
					!m.a.latin && (i < len(m.a.units)-1 || k < len(m.b.units)-1) {
					continue
				}
			case "を", "が", "へ", "と", "の":
				continue
			case "to", "of", "for":
				if !m.a.single {
					continue
				}
			}
			if bare && u.role == "" && m.a.units[0].kind == name &&
				meaning.Likeness(u.meaning(), v.meaning()) < category {
				continue
			}
			return true
		}
	}
	return false
}

// ofRelative reports whether one sentence is about a relative of somebody, whom the other one lacks.
func ofRelative(m *matching) bool {
	relative := func(u *unit) bool { return u.subject && listed(relatives, u.text) }
	a, b := m.gaps(relative)
	return a+b > 0
}

const relatives = " cousin sister brother mother father son daughter wife husband aunt uncl niec nephew friend " +
	"neighbour neighbor boss colleagu roommat " +
	"妹 弟 姉 兄 母 父 息子 娘 妻 夫 叔母 伯母 叔父 伯父 従兄 従弟 従姉 従妹 " +
	"友人 隣人 上司 同僚 "

// same reports whether the sentences say the same.
func (m *matching) same() bool {
	if m.negated() {
		return m.likely >= .85 && m.deniesElse()
	}
	if ofRelative(m) {
		return false
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
