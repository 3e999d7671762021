package tables

import (
	"cmp"
	_ "embed" // for yearText
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// # An invented year
//
// testdata/year.txt has subjects and relations, in English and Japanese, with several wordings of each
// relation. The facts of the year are chosen from it by chance, always in the same way.

//go:embed testdata/year.txt
var yearText string

// relation is what can be said about the subjects of a kind.
type relation struct {
	kind                           string
	values, say, change, end, asks []string
}

// readYear reads the subjects by kind and the relations.
func readYear(text string) (subjects map[string][]string, all []relation) {
	subjects = map[string][]string{}
	head, kind := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || word == "#":
		case head == "subjects":
			subjects[kind], head = strings.Split(line, "|"), ""
		case head == "about":
			all, head = append(all, relation{kind: kind, values: strings.Split(line, "|")}), ""
		case word == "subjects" || word == "about":
			head, kind = word, rest
		default:
			r := &all[len(all)-1]
			texts := map[string]*[]string{"say": &r.say, "new": &r.change, "end": &r.end, "ask": &r.asks}[word]
			*texts = append(*texts, rest)
		}
	}
	return subjects, all
}

// yearFact is a fact of the year with all that is said about it, the first statement first.
type yearFact struct {
	relation *relation
	subject  string
	value    string // the present one, "" for none
	said     []*yearStatement
	wordings []string // that are left to say it
	file     string   // that has it, "" for none
}

// yearStatement is one memory of the year.
type yearStatement struct {
	fact     *yearFact
	text     string
	at       time.Time
	outdated bool // another value came later
	repeats  bool // it says again what was said
	changes  bool // it has another value than the ones before
}

// year is an invented year.
type year struct {
	facts []*yearFact
	said  []*yearStatement // in order of time
	asked []yearQuestion
}

// yearQuestion is a question with a known present answer.
type yearQuestion struct {
	text string
	fact *yearFact
}

// Sizes of a year.
const (
	yearFacts   = 2000
	yearChanges = 400
	yearRepeats = 300
	yearFiles   = 100
	yearAsked   = 300
)

// inventYear makes the year of a seed.
func inventYear(seed uint64) *year {
	random := rand.New(rand.NewPCG(seed, seed))
	subjects, relations := readYear(yearText)
	y := &year{}
	for i := range relations {
		for _, s := range subjects[relations[i].kind] {
			y.facts = append(y.facts, &yearFact{relation: &relations[i], subject: s})
		}
	}
	random.Shuffle(len(y.facts), func(i, k int) { y.facts[i], y.facts[k] = y.facts[k], y.facts[i] })
	y.facts = y.facts[:sized(yearFacts)]
	for _, f := range y.facts {
		f.value, f.wordings = pickOf(random, f.relation.values), slices.Clone(f.relation.say)
		random.Shuffle(len(f.wordings), func(i, k int) {
			f.wordings[i], f.wordings[k] = f.wordings[k], f.wordings[i]
		})
		f.say(random, &yearStatement{}, random.IntN(250))
	}
	// One fact in ten that changes does so twice, and likewise with repetitions.
	changed, repeated := sized(yearChanges)*10/11, sized(yearRepeats)*10/11
	for i := range sized(yearChanges) {
		y.facts[i%changed].change(random, i+changed >= sized(yearChanges))
	}
	for i := range sized(yearRepeats) {
		y.facts[changed+i%repeated].say(random, &yearStatement{repeats: true}, 0)
	}
	for i := range sized(yearFiles) {
		y.facts[changed+repeated+i].file = fmt.Sprintf("notes/%03d.md", i)
	}
	for _, f := range y.facts {
		y.said = append(y.said, f.said...)
	}
	slices.SortFunc(y.said, func(a, b *yearStatement) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.text, b.text))
	})
	y.ask(random, changed, repeated)
	return y
}

// ask asks about facts that changed (half of the questions), that were repeated (a quarter), that
// are in files (a tenth) and about others.
func (y *year) ask(random *rand.Rand, changed, repeated int) {
	n := sized(yearAsked)
	for _, part := range []struct{ from, n int }{
		{0, n / 2}, {changed, n / 4}, {changed + repeated, n / 10},
		{changed + repeated + sized(yearFiles), n - n/2 - n/4 - n/10},
	} {
		for _, f := range y.facts[part.from:][:part.n] {
			y.asked = append(y.asked, yearQuestion{f.fill(pickOf(random, f.relation.asks), ""), f})
		}
	}
}

func pickOf(random *rand.Rand, all []string) string { return all[random.IntN(len(all))] }

// say states the present value in a new wording: on a day, or some time after the last statement.
func (f *yearFact) say(random *rand.Rand, s *yearStatement, day int) {
	wording := pickOf(random, f.relation.say)
	if len(f.wordings) > 0 {
		wording, f.wordings = f.wordings[0], f.wordings[1:]
	}
	f.add(random, s, f.fill(wording, ""), day)
}

// change gives the fact another value, or none.
func (f *yearFact) change(random *rand.Rand, last bool) {
	for _, s := range f.said {
		s.outdated = true
	}
	former := f.value
	if last && len(f.relation.end) > 0 && random.IntN(6) == 0 {
		f.value = ""
		f.add(random, &yearStatement{changes: true}, f.fill(pickOf(random, f.relation.end), former), 0)
		return
	}
	for f.value == former {
		f.value = pickOf(random, f.relation.values)
	}
	f.add(random, &yearStatement{changes: true}, f.fill(pickOf(random, f.relation.change), former), 0)
}

// add adds a statement, one to eight weeks after the last one.
func (f *yearFact) add(random *rand.Rand, s *yearStatement, text string, day int) {
	if n := len(f.said); n > 0 {
		day = f.said[n-1].at.YearDay() + 6 + random.IntN(50)
	}
	s.fact, s.text = f, text
	s.at = time.Date(2025, 1, 1, 7, 0, random.IntN(15*3600), 0, time.UTC).AddDate(0, 0, day)
	f.said = append(f.said, s)
}

// fill puts the subject and the values into a wording.
func (f *yearFact) fill(wording, former string) string {
	first, size := utf8.DecodeRuneInString(f.subject)
	text := strings.NewReplacer("{S}", string(unicode.ToUpper(first))+f.subject[size:], "{s}", f.subject,
		"{v}", f.value, "{o}", former).Replace(wording)
	first, size = utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// english reports whether the fact is told in English.
func (f *yearFact) english() bool { return strings.IndexFunc(f.relation.asks[0], isJapanese) < 0 }

func isJapanese(r rune) bool { return r >= 0x3000 }
