package claims

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"techo/internal/stem"
)

// englishReader reads the pieces of an English sentence.
type englishReader struct {
	*sentenceClaim
	pieces   []piece
	verbAt   int // index of the piece that ends the subject, or -1
	role     string
	headDone bool
	owner    bool // what follows in the subject owns what stands before
	ended    bool // what follows held before, up to the end of the clause
	denied   bool // by a negation
}

func (c *sentenceClaim) readEnglish(speaker, line string) {
	line = phrases().Replace(beginnings().ReplaceAllString(subjectFirst(line), "now") + " ")
	r := englishReader{sentenceClaim: c, pieces: piecesOf(line), verbAt: -1}
	r.verbAt = r.findVerb()
	if strings.TrimSpace(speaker) != "" {
		r.speaker(speaker)
	}
	c.state = r.verbAt >= 0
	for i := 0; i < len(r.pieces) && !c.long; i++ {
		if r.verbAt >= 0 && i > r.verbAt && r.at(i) == "because" {
			break // the reason is another fact
		}
		r.read(i)
	}
	c.event = r.verbAt > 0 && len(c.changes) == 0 && happened(r.at(r.verbAt))
}

// happened reports whether a verb tells something that happened once.
func happened(verb string) bool {
	return strings.HasSuffix(verb, "ed") && verb != "need" || listed(pasts, verb)
}

// speaker adds the speaker of a sentence that is about them.
func (r *englishReader) speaker(text string) {
	for _, p := range r.pieces {
		if listed(" i my me mine i'm i've ", strings.ToLower(p.text)) {
			for _, n := range piecesOf(strings.TrimRight(text, ":： ")) {
				r.add(unit{text: strings.ToLower(n.text), kind: name, subject: true})
			}
			r.head = len(r.units) - 1
			return
		}
	}
}

// findVerb returns the index of the piece that ends the subject: 0 of an imperative,
// and -1 of a sentence without a known verb.
func (r *englishReader) findVerb() int {
	for i, p := range r.pieces {
		low := strings.ToLower(p.text)
		switch {
		case i == 0 && (listed(imperatives, low) || verbs()[low] && !strings.HasSuffix(low, "s") &&
			!r.auxiliary(1) && !hasDigit(r.at(1))):
			return 0
		case i > 0 && (listed(auxiliaries, low) || low == "not"):
			return i
		case strings.Contains(p.after, ":") && i < 4:
			return i + 1
		case i > 0 && verbs()[r.pieces[i].stem()] && !strings.HasSuffix(low, "ing") && !r.noun(i):
			return i
		}
	}
	return -1
}

// auxiliary reports whether a piece is a form of be, have or do, or a modal verb.
func (r *englishReader) auxiliary(i int) bool {
	return i < len(r.pieces) && listed(auxiliaries, strings.ToLower(r.pieces[i].text))
}

// noun reports whether a word that is a verb as well stands where a noun does.
func (r *englishReader) noun(i int) bool {
	if i == 0 {
		return false
	}
	if r.auxiliary(i+1) || r.at(i+1) == "of" {
		return true
	}
	before := strings.ToLower(r.pieces[i-1].text)
	return strings.HasSuffix(before, "'s") ||
		listed(" a an the my our your his her their of in on at for to with ", before)
}

// read reads one piece.
func (r *englishReader) read(i int) {
	p := r.pieces[i]
	low := strings.ToLower(p.text)
	if low == "but" || !r.denied && listed(" and for with since ", low) ||
		i > 0 && strings.ContainsAny(r.pieces[i-1].after, ",;") {
		r.ended, r.denied = false, false
	}
	bare := strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "'")
	base := r.pieces[i].stem()
	if bare != low {
		base = stem.Of(bare)
	}
	switch {
	case low == "not" && i > 0 && strings.Contains(r.pieces[i-1].after, ","):
		r.role = "instead-of" // tabs, not spaces
	case low == "not" && butLater(r, i):
		r.ended, r.denied = true, true
	case low == "not" || low == "never" || low == "without" || low == "no" || low == "nobody" || low == "none":
		r.negative = !r.negative
		r.denied = low == "not" && notAnymore(r, i)
		r.ended = r.denied
	case listed(" anymore now nowadays again instead instead-of lately recently new finally back ", low):
		r.since = true
		if low == "instead-of" {
			r.role = low
		}
	case low == "since" && (i == 0 || r.verbAt >= 0 && i > r.verbAt):
		r.since = true
		r.role = "since"
	case low == "was" || low == "were":
		r.past = true
	case low == "half" && r.at(i+1) == "past" && numberWords()[r.at(i+2)] != "":
		r.pieces[i+1].text, r.pieces[i+2].text = "at", numberWords()[r.at(i+2)]+":30"
	case low == "also" || low == "too" || low == "another" || low == "second" && i > r.verbAt:
		r.also = low != "second"
		if low == "second" {
			r.value(i, unit{text: "2", kind: number})
		}
	case listed(prepositions, low):
		r.role = low
		r.owner = r.owner || listed(" of for to about in behind ", low) && r.subjectAt(i) && len(r.units) > 0
		if !r.headDone && len(r.units) > 0 && r.subjectAt(i) {
			r.headDone = true
		}
	default:
		if r.readValue(i, bare) {
			return
		}
		r.readWord(i, low, bare, base)
	}
}

// butLater reports whether a negation only denies what stands before "but": not tea, but coffee.
func butLater(r *englishReader, i int) bool {
	for k := i + 1; k < min(i+9, len(r.pieces)); k++ {
		if r.at(k) == "but" {
			return !r.auxiliary(k+1) && !r.auxiliary(k+2)
		}
	}
	return false
}

// notAnymore reports whether a negation says that what follows held before: it is with "anymore".
func notAnymore(r *englishReader, i int) bool {
	for k := i + 1; k < len(r.pieces) && (k == i+1 || !strings.ContainsAny(r.pieces[k-1].after, ",;")); k++ {
		if r.at(k) == "anymore" {
			return true
		}
	}
	return false
}

// at returns a piece in small letters, "" beyond the last one.
func (r *englishReader) at(i int) string {
	if i >= len(r.pieces) {
		return ""
	}
	return strings.ToLower(r.pieces[i].text)
}

func (r *englishReader) subjectAt(i int) bool { return i < r.verbAt }

// readWord reads a word other than a value.
func (r *englishReader) readWord(i int, low, bare, base string) {
	verb := !r.subjectAt(i) && verbs()[base] && (i <= r.verbAt+3 || predicate(r, i)) && !r.noun(i)
	if verb && !listed(" is are was were be been am has have had do does did ", low) {
		if r.verbAt < 0 || i >= r.verbAt {
			r.state = false
		}
		r.single = r.single || single()[base]
		r.several = r.several || several()[base]
	} else if listed(" has have had ", low) && (i+1 >= len(r.pieces) || !participle(r.pieces[i+1].text)) {
		r.several, r.state = true, false
	}
	if ordered := i == 0 && r.verbAt <= 0; !r.subjectAt(i) && !ordered && !strings.Contains(bare, "tion") {
		switch {
		case changing()[base]:
			r.changes = append(r.changes, base)
			r.role, r.ended = "", listed(" replac swap trade ", base)
			return
		case ending()[base] && (base != "leav" || bare == "left") && (base != "end" || bare == "ended") &&
			!regular(r, i):
			r.changes = append(r.changes, base)
			r.negative = !r.negative
			r.role, r.ended = "", true
			return
		}
	}
	if low == "i" || bare == "user" {
		r.value(i, unit{text: "user", kind: name})
		return
	}
	if listed(articles, low) && r.role != "since" {
		return
	}
	if listed(skippedWords(), low) || listed(skippedWords(), bare) || r.role == "since" {
		r.role = ""
		return
	}
	u := unit{text: base, kind: word, verb: verb, role: r.role, written: bare, owns: bare != low}
	if isName(r.pieces[i].text, i) || i == 0 && r.opensWithName() {
		u.text, u.kind = bare, name
	}
	r.role = ""
	r.value(i, u)
}

// predicate reports whether a verb begins another predicate: gave up tea and drinks water.
func predicate(r *englishReader, i int) bool {
	return i > 1 && listed(" and but now is are ", r.at(i-1))
}

// regular reports whether a participle describes a state or a habit: is divorced, is deleted after 7 days.
func regular(r *englishReader, i int) bool {
	return i > 0 && listed(" is are ", r.at(i-1)) &&
		(listed(" after every each when once ", r.at(i+1)) || r.pieces[i].stem() == "divorc")
}

// opensWithName reports whether the first word is a name: it has a capital, and a verb
// or what it owns follows.
func (r *englishReader) opensWithName() bool {
	first, _ := utf8.DecodeRuneInString(r.pieces[0].text)
	if owns := strings.HasSuffix(r.pieces[0].text, "'s"); !unicode.IsUpper(first) || owns || r.verbAt != 1 {
		return unicode.IsUpper(first) && owns
	}
	plural := strings.HasSuffix(r.pieces[0].text, "s")
	return !plural || strings.HasSuffix(r.pieces[1].text, "s") // Iris lives, but: logs are
}

// participle reports whether a word may be a participle after has.
func participle(text string) bool {
	low := strings.ToLower(text)
	return strings.HasSuffix(low, "ed") || strings.HasSuffix(low, "en") ||
		listed(" been not quit left sold come ", low) || stem.Of(low) != low && verbs()[stem.Of(low)]
}

// value adds a unit at a piece.
func (r *englishReader) value(i int, u unit) {
	u.subject = r.subjectAt(i)
	u.owns = u.owns || r.owner
	if u.role == "" {
		u.role, r.role = r.role, ""
	}
	u.former = r.ended || u.role == "instead-of" || u.role == "from" && len(r.changes) > 0
	n := len(r.units)
	r.add(u)
	if u.subject && !r.headDone && len(r.units) > n {
		r.head = n
	}
}

// isName reports whether a word is written as a name.
func isName(text string, i int) bool {
	first := true
	for _, c := range text {
		if unicode.IsUpper(c) && (i > 0 || !first) || unicode.IsDigit(c) || c == '_' || c == '@' {
			return text != "I"
		}
		first = false
	}
	return false
}

// readValue reads a number, a time, a weekday or a month.
func (r *englishReader) readValue(i int, low string) bool {
	p := r.pieces[i]
	plain := strings.TrimSuffix(low, "s")
	switch {
	case listed(weekdayNames, low), listed(weekdayNames, plain) && len(plain) > 5:
		r.value(i, unit{text: plain[:3], kind: weekday})
		return true
	case listed(monthNames, low) && (i > 0 || r.verbAt != 1) && unicode.IsUpper([]rune(p.text)[0]):
		r.value(i, unit{text: low[:3], kind: month})
		return true
	case numberWords()[low] != "":
		if low == "one" && r.subjectAt(i) {
			return true
		}
		r.numeral(i, numberWords()[low])
		return true
	case listed(" am pm ", low):
		return i > 0 && hasDigit(r.pieces[i-1].text)
	}
	digits, rest := cutNumber(low)
	switch {
	case digits == "":
		return false
	case rest == "" || listed(" st nd rd th ", rest):
		r.numeral(i, digits)
	case listed(" am pm ", rest):
		r.numeral(i, clock(digits, listed(" pm ", rest)))
	case len(rest) <= 3 && !strings.ContainsFunc(rest, func(c rune) bool { return !unicode.IsLetter(c) }):
		r.value(i, unit{text: digits, kind: number, counter: rest})
	default:
		return false
	}
	return true
}

// numeral adds a number that may be a time of the afternoon.
func (r *englishReader) numeral(i int, digits string) {
	u := unit{text: digits, kind: number}
	for _, next := range r.pieces[i+1 : min(i+5, len(r.pieces))] {
		low := strings.ToLower(next.text)
		if listed(" pm evening afternoon ", low) {
			u.text = clock(digits, true)
		}
		if !listed(" in the pm evening afternoon ", low) {
			break
		}
	}
	if i+1 < len(r.pieces) {
		next := strings.ToLower(r.pieces[i+1].text)
		if !listed(prepositions, next) && !listed(skippedWords(), next) && !hasDigit(next) &&
			!listed(monthNames, next) && strings.TrimLeft(r.pieces[i].after, "-") == "" {
			u.counter = stem.Of(next)
		}
	}
	r.value(i, u)
}

// clock returns the hour of a time of twelve hours in one of twenty-four.
func clock(digits string, afternoon bool) string {
	hour, rest, _ := strings.Cut(digits, ":")
	if rest != "" {
		rest = ":" + rest
	}
	if n := number24()[hour]; afternoon && n != "" {
		return n + rest
	}
	return digits
}

var number24 = sync.OnceValue(func() map[string]string {
	return map[string]string{"1": "13", "2": "14", "3": "15", "4": "16", "5": "17", "6": "18", "7": "19",
		"8": "20", "9": "21", "10": "22", "11": "23"}
})

// cutNumber cuts the number, without commas and full hours, off a word that begins with one.
func cutNumber(text string) (digits, rest string) {
	end := strings.IndexFunc(text, func(c rune) bool { return !unicode.IsDigit(c) && !strings.ContainsRune(".,:", c) })
	if end < 0 {
		end = len(text)
	}
	digits, rest = strings.ReplaceAll(text[:end], ",", ""), text[end:]
	digits = strings.TrimRight(digits, ".:")
	if hour, ok := strings.CutSuffix(digits, ":00"); ok {
		digits = hour
	}
	if len(digits) > 1 && digits[0] == '0' && strings.Contains(digits, ":") {
		digits = digits[1:]
	}
	return digits, rest
}
