package memory

import (
	"regexp"
	"slices"
	"sync"
	"time"

	"techo/internal/dates"
	"techo/internal/lazyregexp"
	"techo/internal/sorting"
	"techo/internal/zone"
	"techo/store/memory"
	"techo/store/search"
	"techo/tools"
	"techo/tools/when"
)

// # Times in questions
//
// "What did we decide last week?" is about the memories of last week, "before June 3" about
// those before it. The words that name such a time are not what is looked for, so they are
// not searched: another memory with "last week" in it is of another week. A date such as
// June 3 is searched as well, since a memory of another day may be about it.

// favouredDays is the length of a range whose memories match without a word of the question.
const favouredDays = 62

// timed is a text with the time that it names.
type timed struct {
	asked string // the text
	rest  string // what is searched: "" if the text has no word beside the time

	names bool // it names a time
	plans bool // it is in the present, about days that are not over: older memories answer it as well
	time  dates.Found
	zone  *time.Location
}

// timedOf reads the time that a text names.
func timedOf(env *tools.Env, text string) timed {
	t := timed{asked: text, rest: text, zone: env.Zone}
	if t.time, t.names = dates.Find(text, env.Now().In(env.Zone)); !t.names || t.time.Dated {
		return t
	}
	t.rest = t.without()
	t.plans = !dates.Told(text) && t.time.Side == dates.In && current.Get().MatchString(t.name())
	if len(search.Terms(anything.Get().ReplaceAllString(t.rest, " "))) == 0 {
		t.rest = ""
	}
	if t.rest != "" && newest().MatchString(t.name()) { // recently: the newest of a matter, however old
		return timed{asked: text, rest: text, zone: env.Zone}
	}
	return t
}

// current matches the names of days that are not over.
var current = lazyregexp.New(`(?i)^(?:today|this (?:week|month|quarter|year|[mtwfs]\w+day)|今[日週月年]|本日)`)

// asks reports whether a text asks for the memories of a time, whatever they say. "See you this
// week" does not.
func (t timed) asks() bool { return t.names && asking.Get().MatchString(t.asked) }

// asking matches words by which a text asks for something.
var asking = lazyregexp.New(`(?i)\b(?:wh(?:at|o|om|ere|ich)(?:'s)?|anything|something|everything|news|events?|` +
	`summar\w+|recap|remind|list|show|tell)\b|` +
	`何|誰|だれ|どこ|どんな|なに|まとめ|できごと|出来事|教えて|一覧|予定`)

// courtesy matches what people say out of courtesy, which no memory is about.
var courtesy = sync.OnceValue(func() *regexp.Regexp {
	const when = `(?: (?:again|today|tonight|tomorrow|later|soon|then|there|doing|going|(?:this|next) week|` +
		`morning|evening|on (?:mon|tues|wednes|thurs|fri|satur|sun)day))*`
	return regexp.MustCompile(`(?i)\bgood (?:morning|afternoon|evening|night|day)\b|\b(?:hello|hi|hey)(?: there)?\b|` +
		`\bhow (?:are|is|was|were) (?:you|things|everything|it(?: going)?|(?:your|the) (?:day|week|weekend|morning|` +
		`evening|night))\b` + when + `|` +
		`\bhave an? (?:nice|good|great|lovely|safe|wonderful|pleasant|fantastic) (?:\w+)` + when + `|` +
		`\b(?:see|talk to) you(?: all)?\b` + when + `|\bthank(?:s| you)(?: (?:so|very) much| a lot| again)?\b|` +
		`\b(?:take care|sleep well|nice to (?:meet|see) you|good ?bye|bye(?: bye)?|good luck)\b` + when + `|` +
		`おはよう(?:ございま(?:す|した))?|こんにち[はわ]|` +
		`こんばん[はわ]|おやすみ(?:なさい)?|` +
		`(?:どうも)?(?:ありがとう|有難う)(?:ございま(?:す|した))?|` +
		`お(?:疲|つか)れ(?:様|さま)?(?:です|でした)?|はじめまして|` +
		`よろしく(?:お願い(?:し|いたし|致し)ます)?|(?:お久|ひさ|久)しぶり(?:です)?|` +
		`お?元気(?:ですか|でしたか|かな|にして(?:る|た|ます|いますか))?[？?]|` +
		`(?:[今本]日は)?(?:とても)?[良い]いお?天気(?:です)?(?:ね|だね)|` +
		`また(?:明日|来週|今度|あとで|後で|ね)(?:ね|！)?`)
})

// plain returns a message without what it says out of courtesy.
func plain(message string) string { return courtesy().ReplaceAllString(message, " ") }

// anything matches words that ask for whatever there is.
var anything = lazyregexp.New(`(?i)\b(?:happen(?:ed|s|ing)?|(?:go|went|going) on|t(?:ake|ook) place|new|news|events?|` +
	`anything|something|everything)\b|何があった|何が起きた|何を?して?い?た|起きた|あった|` +
	`できごと|出来事|こと|何か?`)

// without returns the text without the name of the time.
func (t timed) without() string { return t.asked[:t.time.Start] + " " + t.asked[t.time.End:] }

// subject returns the text without the name of any time.
func (t timed) subject() string {
	if !t.names {
		return t.asked
	}
	return t.without()
}

// name returns the words for the time.
func (t timed) name() string { return t.asked[t.time.Start:t.time.End] }

// limit adds the time to a filter.
func (t timed) limit(f *memory.Filter) {
	if !t.names {
		return
	}
	p := t.period()
	first, last := t.time.Days()
	open := first.IsZero() || last.IsZero()
	long := t.time.Range && last.Sub(first) > favouredDays*24*time.Hour
	if t.rest == "" || !open && !long && !t.plans {
		f.Named = p
		if t.time.Dated {
			f.TimeName = t.name()
		}
	}
	if open || t.time.Range {
		f.Within = p
	}
}

// period returns the time as instants; zero where it is open.
func (t timed) period() (p memory.Period) {
	first, last := t.time.Days()
	if !first.IsZero() {
		p.Since = zone.Instant(first, t.zone)
	}
	if !last.IsZero() {
		p.Until = zone.Instant(last.AddDate(0, 0, 1), t.zone)
	}
	return p
}

// has reports whether a memory that has words of the text is of the time.
func (t timed) has(h memory.Hit) bool {
	return t.names && (h.InTime || h.Matches && t.time.Side != dates.In && t.period().Has(h.CreatedAt))
}

// addTo adds the meaning of the time. Beside that of a bound of the search it is a note.
func (t timed) addTo(env *tools.Env, meanings *when.Meanings) {
	if !t.names {
		return
	}
	var alone when.Meanings
	alone.AddPeriod(env, t.time)
	if meanings.Meaning() == (when.Meaning{}) {
		*meanings = alone
		return
	}
	meanings.AddNote(env.Localize("%q was read as %s", t.name(), alone.Meaning().Interpreted))
}

// matched adds the words for the time to the words that a memory has.
func (t timed) matched(words []string, h memory.Hit) []string {
	if !t.has(h) || slices.Contains(words, t.name()) {
		return words
	}
	return append(words, t.name())
}

// # The newest of a matter
//
// "What did I say last about the garden?" and 庭について最後に何と言った？ ask for the newest of the
// memories that have nearly all words of the matter. Saying and telling are no words of it.

var newest = sync.OnceValue(func() *regexp.Regexp {
	const say = `(?:say|said|tell|told|mention(?:ed)?|talk(?:ed)?|discuss(?:ed)?|write|wrote|decided?|heard?)`
	return regexp.MustCompile(`(?i)\b(?:latest|newest|(?:most )?recent(?:ly)?|lately|last (?:thing|time|about|` + say + `)|` +
		say + ` (?:\w+ )?last|(?:i|we|you|he|she|they|did \w+) last)\b|` +
		`最後に|最近|近頃|このごろ|最新|直近|この前|前回|(?:一番|いちばん)新しい`)
})

var saying = lazyregexp.New(`(?i)\b(?:say|said|tell|told|mention(?:ed)?|talk(?:ed)?|discuss(?:ed)?|write|wrote|` +
	`decided?|heard?|last|thing|time|notes?|news|memos?|memor(?:y|ies))\b|` +
	`(?:言|話|決め?|聞)[いうっしすたてる]*|(?:一番|いちばん)?新しい|情報|記憶|メモ|話`)

// asksPast reports whether a text asks about the past rather than what holds now: it names a time, or says
// that it is about what was before.
func (t timed) asksPast() bool { return t.names || formerly.Get().MatchString(t.asked) }

// formerly matches words for what was before.
var formerly = lazyregexp.New(`(?i)\b(?:used to|before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|earlier|once|` +
	`back then|at first|in the past|no longer|(?:did|was|were) .*\b(?:change|replace|instead)\w*)\b|` +
	`以前|前は|前の|昔|かつて|もともと|元々|最初|当初|当時|過去|旧`)

// newestAmong is how many hits are compared by their age.
const newestAmong = 40

// asksNewest reports whether a text asks for the newest memory of a matter.
func (t timed) asksNewest() bool { return newest().MatchString(t.subject()) }

// newestFirst puts the hits with nearly all words of the matter first, the newest before others.
func (t timed) newestFirst(hits []memory.Hit) []memory.Hit {
	matter := subjectOf(saying.Get().ReplaceAllString(newest().ReplaceAllString(t.subject(), " "), " "))
	weights, most := make([]float64, len(hits)), 0.0
	for i, h := range hits {
		weights[i] = weightIn(h, matter)
		most = max(most, weights[i])
	}
	var first, others []memory.Hit
	for i, h := range hits {
		if weights[i] > 0 && weights[i] >= nearlyAll*most {
			first = append(first, h)
		} else {
			others = append(others, h)
		}
	}
	sorting.By(first, func(a, b memory.Hit) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return append(first, others...)
}
