package dates

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"techo/internal/lazyregexp"
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
	if m := onwards.Get().FindStringIndex(behind); m != nil {
		f.Side, f.End = Since, f.End+m[1]
		n.swallow(f)
		return true
	}
	if m := leadFrom.Get().FindStringIndex(front); m != nil && strings.HasPrefix(strings.ToLower(behind)+" ", " on ") {
		f.Side, f.Start, f.End = Since, m[0], f.End+len(" on")
		return true
	}
	if m := orEarlier.Get().FindStringIndex(behind); m != nil {
		f.Side, f.End = Until, f.End+m[1]
		return true
	}
	return n.sidedBehind(f)
}

// sidedBehind reads the Japanese words for a side.
func (n *naming) sidedBehind(f *Found) bool {
	behind := n.text[f.End:]
	for _, w := range [...]struct {
		form *lazyregexp.Regexp
		side Side
	}{{untilBehind, Until}, {sinceBehind, Since}, {beforeBehind, Before}, {afterBehind, After}} {
		m := w.form.Get().FindStringIndex(behind)
		if m == nil {
			continue
		}
		next, _ := utf8.DecodeRuneInString(behind[m[1]:])
		if (w.side == Before || w.side == After) && strings.ContainsRune("半後日週月年回者期述夜", next) {
			continue // 前半, 後日
		}
		f.Side, f.End = w.side, f.End+m[1]
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
	onwards   = lazyregexp.New(`(?i)^,? (?:onwards?|and later|or later|and after|forward)\b`)
	orEarlier = lazyregexp.New(`(?i)^ (?:or earlier|and earlier|or before|and before|at the latest)\b`)
	leadFrom  = lazyregexp.New(`(?i)\b(?:` + rangeWords + `) (?:the )?$`)

	untilBehind  = lazyregexp.New(`^(?:以前|まで(?:に|の|は|で)?|迄)`)
	sinceBehind  = lazyregexp.New(`^(?:以降|以後|以来|から|よりこっち)(?:に|の|は)?`)
	beforeBehind = lazyregexp.New(`^(?:よりも?|の|になる)?前(?:に|の|は|から|まで)?`)
	afterBehind  = lazyregexp.New(`^(?:(?:よりも?|の)?(?:後|あと)[にのはで]?|を?過ぎ(?:て|に|から)?)`)

	joins = lazyregexp.New(`(?i)^(?: ?[-–—〜～~] ?|から|より|` +
		` (?:to|until|till|through|thru|and|up to) (?:the )?)`)
	rangeEnd = lazyregexp.New(`^(?:まで(?:の間)?|の間|間)(?:に|の|は)?`)
	isRange  = lazyregexp.New(`(?i)^` + monthDay + ` ?(?:-|–|to|and|through) ?` + monthDay + ` |` +
		`月\d{1,2}日?[〜～~–-]\d`)
	lastName = lazyregexp.New(`(?i)^(?:` + monthNames + `(?:,? ` + yearNumber + `)?|` + weekdays + `|` + yearNumber +
		`\b|now\b|` + japaneseWeekday + `|今|[0-3]?\d日|` + japaneseNumber + `月)`)
	lastNumber  = lazyregexp.New(`^([0-3]?\d)(?:st|nd|rd|th)?\b`)
	bareWeekday = lazyregexp.New(`(?i)^(?:` + weekdays + `|` + japaneseWeekday + `)$`)
	bareMonth   = lazyregexp.New(`(?i)^(?:` + monthEdge + `)?` + monthNames + `$`)
	pastTense   = lazyregexp.New(`(?i)\b(?:did|was|were|had|[a-z]{2,}ed|made|got|went|said|told|met|sent)\b|` +
		`[しっいんきちれえけめみびり][ただ](?:[。、？?！!\s]|こと|の|$)`)
)

// swallow adds the word in front of a range to it.
func (n *naming) swallow(f *Found) {
	if m := leadFrom.Get().FindStringIndex(n.text[:f.Start]); m != nil {
		f.Start = m[0]
	}
}

// farAhead is the number of days by which a range of the past may end in the future.
const farAhead = 40

// ends reads the end of a range. It reports whether the name is a range.
func (n *naming) ends(f *Found) bool {
	if isRange.Get().MatchString(n.text[f.Start:f.End]) {
		n.swallow(f)
		return true
	}
	word := joins.Get().FindString(n.text[f.End:])
	if word == "" {
		return false
	}
	led := leadFrom.Get().FindString(n.text[:f.Start])
	if strings.EqualFold(strings.TrimSpace(word), "and") && !strings.HasPrefix(strings.ToLower(led), "between") {
		return false
	}
	at := f.End + len(word)
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
	f.End += len(rangeEnd.Get().FindString(n.text[f.End:]))
	return true
}

// endAt reads the end of a range that begins with some days. It is the first such day from
// them on.
func (n *naming) endAt(at int, first Moment) (last time.Time, end int, ok bool) {
	rest := n.text[at:]
	all := names(rest)
	if found := lastName.Get().FindString(rest); found != "" {
		all = append(all, name{0, len(found), true, false})
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
	if g := lastNumber.Get().FindStringSubmatch(rest); g != nil && !first.Period && first.Wall.Equal(first.Last) {
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
	weekday, month := bareWeekday.Get().MatchString(text), bareMonth.Get().MatchString(text)
	if Told(n.text) || f.Side != Before && f.Side != Until || !at.dated && !weekday && !month {
		return
	}
	next, ok := n.parse(at, Future)
	today := dayOf(n.now)
	if ok && next.Wall.After(today) && (weekday || 3*next.Wall.Sub(today) < today.Sub(f.Last)) {
		f.Moment = next
	}
}
