package claims

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/meaning"
	"techo/internal/stem"
	"techo/store/search/speech"
)

// kind is what a unit is. Units of a kind other than word match only their equals.
type kind uint8

const (
	word kind = iota
	name
	number
	weekday
	month
)

// unit is a word, a name or a value of a sentence.
type unit struct {
	text    string // the stem
	kind    kind
	subject bool   // before the verb or the topic marker
	former  bool   // it held before
	owns    bool   // what is said is about something of it
	entity  bool   // the sentence is about it
	verb    bool   // the relation of the sentence
	role    string // what ties it to its verb: a preposition, or a particle after it
	counter string // of a number: what it counts
	side    side
	written string   // as in the sentence, of a word or a name
	vec     *lazyVec // of written
}

// sentenceClaim is a sentence as its units and what it says about them.
type sentenceClaim struct {
	units    []unit
	latin    bool
	negative bool     // denies an odd number of times
	changes  []string // words by which it tells a change
	since    bool     // it says that something holds now
	past     bool     // of the past
	event    bool     // of something that happened once
	also     bool     // it adds to something
	ofUser   bool     // it is about the user, who is no unit
	head     int      // index of the unit that names the subject, or -1
	several  bool     // its verb may have several objects
	single   bool     // its verb has one value at a time
	state    bool     // it has no verb but a form of be
	former   bool     // a unit held before
	opposes  bool     // a unit has opposites
	coded    bool     // a unit is a code or a long number
	long     bool     // it has more units than are read
	mask     uint64   // of the hashes of its units

	relations uint64   // one bit for each relation that it tells
	line      string   // as it was read
	vec       *lazyVec // of line
}

// Statement is what a text claims. The zero Statement claims nothing. Several may compare it at once.
type Statement []sentenceClaim

const (
	maxSentences = 32   // of a text
	maxRead      = 6000 // bytes of a text
	maxWords     = 48   // of a sentence that is read as a claim
	maxPieces    = 160  // likewise
	maxUnits     = 24   // likewise
)

// Read returns what a text claims: what its first sentences say. Questions, greetings
// and what is beyond the first 6000 bytes claim nothing.
func Read(text string) (all Statement) {
	if name, body := speech.CutSpeaker(text); name != "" {
		text = name + ": " + strings.TrimSpace(body) // without a date in brackets
	}
	for _, s := range sentencesIn(text, maxRead) {
		if len(all) == maxSentences {
			break
		}
		if strings.HasSuffix(s.text, "?") || strings.HasSuffix(s.text, "？") || !s.states() {
			continue
		}
		if c := readSentence(s); len(c.units) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// Turn reports whether a text is a turn of a conversation: it begins with its speaker, as in
// "Anna: Hello!", and it is of a session or has its time in brackets behind the name.
func Turn(text string, session bool) bool {
	name, _ := speech.CutSpeaker(text)
	if name == "" {
		return false
	}
	_, rest, _ := strings.Cut(text, name)
	rest = strings.TrimSpace(rest)
	return session || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "（")
}

// readSentence reads a sentence.
func readSentence(s sentence) sentenceClaim {
	if isLabel(s.speaker) {
		s.speaker, s.text = "", s.speaker+s.text
	}
	corrects := listed(corrections, strings.ToLower(strings.TrimRight(s.speaker, ":： ")))
	line := norm.NFKC.String(strings.ReplaceAll(s.text, "’", "'"))
	c := sentenceClaim{head: -1, latin: isLatin(line), line: line, vec: &lazyVec{}}
	if c.latin && strings.Count(line, " ") >= maxWords {
		skim(&c, line)
	} else if c.latin {
		c.readEnglish(s.speaker, line)
	} else {
		c.readJapanese(line)
	}
	if corrects {
		c.changes = append(c.changes, s.speaker)
	}
	findEntity(&c)
	c.relations = relationsOf(&c)
	for i := range c.units {
		u := &c.units[i]
		c.former = c.former || u.former
		c.opposes = c.opposes || u.side != side{}
		c.coded = c.coded || u.isCode()
	}
	return c
}

// corrections stand before a colon where a speaker may.
const corrections = " correction update edit erratum 訂正 修正 更新 変更 "

// skim reads the first words of a sentence that is too long for a claim: enough to find its repetition.
func skim(c *sentenceClaim, line string) {
	for word := range strings.FieldsSeq(strings.ToLower(line)) {
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if len(c.units) == maxUnits {
			break
		}
		if word != "" && !listed(skippedWords(), word) {
			c.add(unit{text: stem.Of(word)})
		}
	}
	c.long = true
}

// isLabel reports whether what stands before a colon names a matter, as in "Anna's shoe size: 38",
// and no person.
func isLabel(speaker string) bool {
	for word := range strings.FieldsSeq(speaker) {
		if first, _ := utf8.DecodeRuneInString(word); unicode.IsLower(first) {
			return true
		}
	}
	return false
}

// findEntity marks what the sentence is about: in its subject the owner, as in "Mara's car" and
// "the owner of the shop", or else all of it. Without a subject it is the first name or word.
func findEntity(c *sentenceClaim) {
	subject, owner := false, false
	for i := range c.units {
		u := &c.units[i]
		if !c.latin && u.subject && u.role == "の" {
			for k := range c.units[:i+1] {
				c.units[k].owns = true // all words of a compound
			}
		}
		subject = subject || u.subject
		owner = owner || u.owns && u.subject
	}
	for i := range c.units {
		u := &c.units[i]
		u.entity = u.subject && (u.owns || !owner)
		if !subject && !u.verb && !u.former && (u.kind == name || c.latin && u.kind == word && u.role == "") {
			u.entity = true
			return
		}
	}
}

// add adds a unit, if there is room.
func (c *sentenceClaim) add(u unit) {
	if c.long = len(c.units) == maxUnits; c.long {
		return
	}
	if u.written == "" {
		u.written = u.text
	}
	u.side, u.vec = opposites()[u.text], &lazyVec{}
	c.units = append(c.units, u)
	h := uint32(2166136261)
	for i := range len(u.text) {
		h = (h ^ uint32(u.text[i])) * 16777619
	}
	c.mask |= 1 << (h >> 26)
}

// lazyVec is the meaning of a text, computed when it is first asked for, also by several at once.
type lazyVec struct{ atomic.Pointer[meaning.Vec] }

func (l *lazyVec) of(text string) *meaning.Vec {
	if v := l.Load(); v != nil {
		return v
	}
	v := meaning.Vector(text)
	l.Store(&v)
	return &v
}

// likeness returns how alike the meanings of two sentences are.
func likeness(a, b *sentenceClaim) float32 {
	return meaning.Likeness(a.vec.of(a.line), b.vec.of(b.line))
}

// isCode reports whether a unit is a code or a long number.
func (u *unit) isCode() bool {
	return hasDigit(u.text) && (u.kind == name || u.kind == number && len(u.text) > 4)
}

// meaning returns the meaning of a word or a name.
func (u *unit) meaning() *meaning.Vec { return u.vec.of(u.written) }

// piece is a part of a line: a word or number in Latin letters, or a segment of a
// Japanese run.
type piece struct {
	text     string
	japanese bool
	after    string // punctuation that follows
	base     string // the stem of text, once it was asked for
}

// stem returns the stem of a piece in small letters.
func (p *piece) stem() string {
	if p.base == "" {
		p.base = stem.Of(strings.ToLower(p.text))
	}
	return p.base
}

// piecesOf cuts a line into pieces.
func piecesOf(line string) (all []piece) {
	for len(line) > 0 && len(all) < maxPieces {
		r, size := utf8.DecodeRuneInString(line)
		switch {
		case meaning.Japanese(r):
			end := strings.IndexFunc(line, func(r rune) bool { return !meaning.Japanese(r) })
			if end < 0 {
				end = len(line)
			}
			for _, s := range meaning.Segments(line[:end]) {
				all = append(all, piece{text: s, japanese: true})
			}
			line = line[end:]
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			end := latinEnd(line)
			all = append(all, piece{text: line[:end]})
			line = line[end:]
		default:
			if len(all) > 0 && r != ' ' {
				all[len(all)-1].after += line[:size]
			}
			line = line[size:]
		}
	}
	return all
}

// latinEnd returns the end of the word or number at the beginning of a line.
func latinEnd(line string) int {
	for i, r := range line {
		switch {
		case meaning.Japanese(r):
			return i
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
		case strings.ContainsRune(".,:'-/@+#", r):
			next, _ := utf8.DecodeRuneInString(line[i+1:])
			if !unicode.IsLetter(next) && !unicode.IsDigit(next) || meaning.Japanese(next) {
				return i
			}
		default:
			return i
		}
	}
	return len(line)
}

// listed reports whether a list of words between blanks has a word.
func listed(list, word string) bool { return strings.Contains(list, " "+word+" ") }

func hasDigit(text string) bool { return strings.ContainsFunc(text, unicode.IsDigit) }
