package dates

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// # Sides and ranges
//
// Words around a name put a time on one side of it: before June 3, 先週以降. Two names
// with a word between them are a range: from March to May, 月曜から水曜まで.

const (
	beforeWords = `before|prior to|earlier than|ahead of`
	untilWords  = `up until|up to|until|till|` + laterWords
	sinceWords  = `since|starting from|starting on|starting|beginning|not before|no earlier than`
	afterWords  = `after|later than`
	rangeWords  = `from|between`

	laterWords = `by|no later than|not later than|not after`

	// leadWords are the words in front of a weekday, a month or a year that make it a time.
	leadWords = `\b(?:` + beforeWords + `|up until|up to|until|till|` + sinceWords + `|` + afterWords + `|` +
		rangeWords + `) `

	vaguely  = `(?:about |around |roughly )?`
	yearTail = `(?:,? ` + yearNumber + `)?`
)

// sided reads the words for a side beside a name. It reports whether there are any.
func (n *naming) sided(f *Found) bool {
	front, behind := n.text[:f.Start], n.text[f.End:]
	for _, w := range sideWords() {
		if m := w.front.FindStringIndex(front); m != nil {
			f.Side, f.Start = w.side, m[0]
			return true
		}
	}
	if _, end, ok := onwards.span(behind); ok {
		f.Side, f.End = Since, f.End+end
		n.swallow(f)
		return true
	}
	if start, _, ok := leadFrom.span(front); ok && strings.HasPrefix(strings.ToLower(behind)+" ", " on ") {
		f.Side, f.Start, f.End = Since, start, f.End+len(" on")
		return true
	}
	if _, end, ok := orEarlier.span(behind); ok {
		f.Side, f.End = Until, f.End+end
		return true
	}
	return n.sidedBehind(f)
}

// sidedBehind reads the Japanese words for a side.
func (n *naming) sidedBehind(f *Found) bool {
	behind := n.text[f.End:]
	for _, w := range [...]struct {
		form *lateForm
		side Side
	}{{&untilBehind, Until}, {&sinceBehind, Since}, {&beforeBehind, Before}, {&afterBehind, After}} {
		_, end, ok := w.form.span(behind)
		if !ok {
			continue
		}
		next, _ := utf8.DecodeRuneInString(behind[end:])
		if (w.side == Before || w.side == After) && strings.ContainsRune("半後日週月年回者期述夜", next) {
			continue // 前半, 後日
		}
		f.Side, f.End = w.side, f.End+end
		return true
	}
	return false
}

type sideWord struct {
	front *regexp.Regexp
	side  Side
}

var sideWords = sync.OnceValue(func() (all []sideWord) {
	for _, w := range []struct {
		words string
		side  Side
	}{{untilWords, Until}, {`not before|no earlier than`, Since}, {beforeWords, Before}, {afterWords, After},
		{`ever since|` + sinceWords, Since}} {
		all = append(all, sideWord{regexp.MustCompile(`(?i)\b(?:` + w.words + `) ` + vaguely + `(?:the )?$`), w.side})
	}
	return all
})

var (
	onwards   = lateForm{text: `(?i)^,? (?:onwards?|and later|or later|and after|forward)\b`}
	orEarlier = lateForm{text: `(?i)^ (?:or earlier|and earlier|or before|and before|at the latest)\b`}
	leadFrom  = lateForm{text: `(?i)\b(?:` + rangeWords + `) (?:the )?$`}

	untilBehind  = lateForm{text: `^(?:以前|まで(?:に|の|は|で)?|迄)`}
	sinceBehind  = lateForm{text: `^(?:以降|以後|以来|から|よりこっち)(?:に|の|は)?`}
	beforeBehind = lateForm{text: `^(?:よりも?|の|になる)?前(?:に|の|は|から|まで)?`}
	afterBehind  = lateForm{text: `^(?:(?:よりも?|の)?(?:後|あと)[にのはで]?|を?過ぎ(?:て|に|から)?)`}

	joins = lateForm{text: `(?i)^(?: ?[-–—〜～~] ?|から|より|` +
		` (?:to|until|till|through|thru|and|up to) (?:the )?)`}
	rangeEnd = lateForm{text: `^(?:まで(?:の間)?|の間|間)(?:に|の|は)?`}
	isRange  = lateForm{text: `(?i)^` + monthDay + ` ?(?:-|–|to|and|through) ?` + monthDay + ` |` +
		`月\d{1,2}日?[〜～~–-]\d`}
	lastName = lateForm{text: `(?i)^(?:` + monthNames + `(?:,? ` + yearNumber + `)?|` + weekdays + `|` + yearNumber +
		`\b|now\b|` + japaneseWeekday + `|今|[0-3]?\d日|` + japaneseNumber + `月)`}
	lastNumber  = lateForm{text: `^([0-3]?\d)(?:st|nd|rd|th)?\b`}
	bareWeekday = lateForm{text: `(?i)^(?:` + weekdays + `|` + japaneseWeekday + `)$`}
	bareMonth   = lateForm{text: `(?i)^(?:` + monthEdge + `)?` + monthNames + `$`}
	pastTense   = lateForm{text: `(?i)\b(?:did|was|were|had|[a-z]{2,}ed|made|got|went|said|told|met|sent)\b|` +
		`[しっいんきちれえけめみびり][ただ](?:[。、？?！!\s]|こと|の|$)`}
)

// swallow adds the word in front of a range to it.
func (n *naming) swallow(f *Found) {
	if start, _, ok := leadFrom.span(n.text[:f.Start]); ok {
		f.Start = start
	}
}

// farAhead is the number of days by which a range of the past may end in the future.
const farAhead = 40

// ends reads the end of a range. It reports whether the name is a range.
func (n *naming) ends(f *Found) bool {
	if _, _, ok := isRange.span(n.text[f.Start:f.End]); ok {
		n.swallow(f)
		return true
	}
	_, size, ok := joins.span(n.text[f.End:])
	if !ok {
		return false
	}
	between, _, led := leadFrom.span(n.text[:f.Start])
	if word := n.text[f.End:][:size]; strings.EqualFold(strings.TrimSpace(word), "and") &&
		(!led || !strings.HasPrefix(strings.ToLower(n.text[between:]), "between")) {
		return false
	}
	at := f.End + size
	last, end, ok := n.endAt(at, f.Moment)
	if !ok {
		return false
	}
	if last.After(dayOf(n.now).AddDate(0, 0, farAhead)) { // from November to January, in November
		earlier := naming{n.text, n.now.AddDate(-1, 0, 0)}
		first, ok := Parse(n.text[f.Start:f.End], earlier.now, Past)
		past, _, ends := earlier.endAt(at, first)
		if ok && ends && !first.Timed && past.Before(last) {
			f.Wall, last = first.Wall, past
		}
	}
	f.Last, f.End, f.Period, f.Words = last, end, true, true
	n.swallow(f)
	if _, size, ok := rangeEnd.span(n.text[f.End:]); ok {
		f.End += size
	}
	return true
}

// endAt reads the end of a range that begins with some days. It is the first such day from
// them on.
func (n *naming) endAt(at int, first Moment) (last time.Time, end int, ok bool) {
	rest := n.text[at:]
	all := names(rest)
	if _, size, ok := lastName.span(rest); ok {
		all = append(all, name{0, size, true, false})
	}
	for _, m := range all {
		text := rest[:m.end]
		var day Moment
		switch {
		case m.start != 0:
			continue
		case strings.EqualFold(text, "now"), text == "今":
			return dayOf(n.now), at + m.end, true
		case m.dated:
			day, ok = ParseEnd(text, first.Wall, n.now)
		default:
			day, ok = (&naming{rest, n.now}).parse(m, Past)
		}
		if ok && !day.Timed && !day.Last.Before(first.Wall) {
			return day.Last, at + m.end, true
		}
	}
	if g := lastNumber.match(rest); g != nil && !first.Period && first.Wall.Equal(first.Last) {
		if day, _ := strconv.Atoi(g[1]); day > first.Wall.Day() && day <= lastDay(first.Wall) {
			return first.Wall.AddDate(0, 0, day-first.Wall.Day()), at + len(g[0]), true
		}
	}
	return last, 0, false
}

// turn reads the days of a bound that was not yet in the future, unless the text is in the
// past tense: by June 30 on June 10 does not mean last year.
func (n *naming) turn(f *Found, at name) {
	text := n.text[at.start:at.end]
	_, _, weekday := bareWeekday.span(text)
	_, _, month := bareMonth.span(text)
	if Told(n.text) || f.Side != Before && f.Side != Until || !at.dated && !weekday && !month {
		return
	}
	next, ok := n.parse(at, Future)
	today := dayOf(n.now)
	if ok && next.Wall.After(today) && (weekday || 3*next.Wall.Sub(today) < today.Sub(f.Last)) {
		f.Moment = next
	}
}
