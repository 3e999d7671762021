package entry

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/charset"
	"techo/internal/dates"
	"techo/internal/lazyregexp"
)

// # Words that look like times
//
// A piece of a word is never a time: 2時間ドラマ, 8月分, 年末調整, The 5th Wave. Such words, and all that
// stands in quotes, are hidden before a line is read.

// hidden are the words that were hidden in a line, in their order.
type hidden []string

// firstHidden stands for the first hidden word. It is no letter of any text.
const firstHidden = '\U000F0000'

// hideWords replaces quotes and words that only look like times by one character each.
func hideWords(text string) (string, hidden) {
	var words hidden
	hide := func(part string) string {
		words = append(words, part)
		return string(firstHidden + rune(len(words)-1))
	}
	for _, form := range wordForms() {
		text = form.hide(text, hide)
	}
	return text, words
}

// show puts the hidden words back.
func (h hidden) show(text string) string {
	for i := len(h) - 1; i >= 0; i-- {
		text = strings.ReplaceAll(text, string(firstHidden+rune(i)), h[i])
	}
	return text
}

// wordForm matches words that look like times. Only its group is hidden, if it has one.
type wordForm struct {
	*regexp.Regexp
	word func(line, part, after string) bool // decides; nil for always
}

func (f wordForm) hide(text string, hide func(string) string) string {
	var b strings.Builder
	at := 0
	for _, m := range f.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[0], m[1]
		if len(m) > 2 && m[2] >= 0 {
			from, to = m[2], m[3]
		}
		if from < at || f.word != nil && !f.word(text[:from], text[from:to], text[to:]) {
			continue
		}
		b.WriteString(text[at:from] + hide(text[from:to]))
		at = to
	}
	return b.String() + text[at:]
}

const (
	digits     = `[0-9０-９〇一二三四五六七八九十百]{1,4}`
	feastNames = `christmas(?: eve| day)?|xmas(?: eve| day)?|easter(?: monday| sunday)?|halloween|thanksgiving|black friday|` +
		`cyber monday|new year'?s?(?: eve| day)?|valentine'?s?(?: day)?|mother'?s day|father'?s day`
	dayTitles        = `Freaky|Ruby|Bloody|Manic|Taco|Casual|Giving|Super|Fat|Blue|Stormy` // of films, songs and feasts
	weekdayNamesForm = `(?:mon|tues|wednes|thurs|fri|satur|sun)day`
)

var wordForms = sync.OnceValue(func() []wordForm {
	re := regexp.MustCompile
	return []wordForm{
		{re(`"[^"]+"|“[^”]+”|「[^」]+」|『[^』]+』|«[^»]+»|‘[^’]+’`), nil},
		// an amount of time as a part of a word: 2時間ドラマ, 8月分, 2日目
		{re(`(` + digits + `(?:時間半?|日間|週間|分間))[^後前以ごおでか ,、に毎]`), notAfterClock},
		{re(digits + `(?:年|[かヶケカヵ]月|月|週間?|日|時間|時|分|回)` +
			`(?:分の?|分[をが]|目|号|版|付け?|生まれ|生|度[のを]|期|代|以上|未満|程度|ぶり|がかり|坊主|酔い|がわり|連続|連休)`), nil},
		{re(`(?:[四八]日市|[一二三四五六七八九]日町|十日町|三日月|五月[雨病晴]|五月人形|[一二三四五六七八九十]{1,2}月(?:さん|ちゃん|くん|君|様|氏|先生)|十五夜|七五三|一日乗車券|一日署長|今日子|今日的|` +
			`明日[香葉海菜]|[1１]日乗車券|土木|水曜どうでしょう|木曜島|毎日[新放]|朝日新聞|日曜大工|日曜劇場|日曜日和|土曜ドラマ|金曜ロードショー|火曜サスペンス|月曜から夜ふかし|` +
			`半日村|元日本|二日市|廿日市|六日町|三日天下|正月料理|今年度|来年度|昨年度|今年中|夜中|一昨年度|明日は我が身|今週号|今月号|来月号|` +
			`年末年始|毎月勤労|週末婚|週刊)\p{Han}*`), nil},
		{re(`(?:年末|年始|お?正月|大晦日|元旦|元日|節分|ひな祭り|七夕|お盆|クリスマス|ハロウィー?ン|バレンタイン(?:デー)?|` +
			`ホワイトデー|こどもの日|母の日|父の日|敬老の日|ゴールデンウィーク|週末)[\p{Han}\p{Katakana}ー]+`), isFeastWordJapanese},
		// a fraction of an amount: 1/2カップ
		{re(`\d{1,3}/\d{1,3}(?:カップ|リットル|スプーン|サイズ|インチ|パック|ダース|カット|スケール|[杯枚個本袋束片玉量倍])`), nil},
		// a name: 水木しげる
		{re(`[月火水木金土日]{2}\p{Hiragana}`), isSurname},
		// a word with a number behind it: friday1312
		{re(`(?i)\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\d+\w*`), nil},
		// the number of a room or a telephone: Room 1430, 555 0312
		{re(`(?i)\b(?:room|rm|flat|apt|apartment|suite|gate|flight|bus|train|bay|box|locker|pin|code|ext|extension|` +
			`channel|route|order|ticket|invoice|page|no|number)[.:]? #?\d{3,4}\b`), nil},
		{re(`\b\d{3,4} \d{4}\b`), nil},
		// an address: 1830 Harbour Rd
		{re(`\b\d{1,5} (?:\p{Lu}[\p{L}'.]* ){1,3}(?:St|Street|Rd|Road|Ave|Avenue|Ln|Lane|Dr|Drive|Blvd|Boulevard|Way|Ct|Court|Pl|Place|` +
			`Sq|Square|Terrace|Hwy|Highway)\b`), isAddress},
		// things with an hour's name: AM4 board, PM10 sensor
		{re(`(?i)\b[ap]m\d{1,2}\b`), isModel},
		// how many: pizza for 5ish people
		{re(`(?i)\b\d{1,2}-?ish (?:people|[a-z]+s)\b`), isRoughNumber},
		// how often a day: 1日3回, 一日一善
		{re(`[1１一]日に?` + digits + `[^時:：日月/年\-–〜~0-9０-９〇一二三四五六七八九十百]`), nil},
		{re(`(?i)\bnight (?:shift|school|out|bus|train|flight|market|owl|nurse|light)s?\b`), nil},
		{re(`(?i)\b[a-z]+'s? (?:morning|afternoon|evening|night)\b`), isPossessive},
		// names of times as parts of names in English
		{re(`(?i)\b(?:the |a )?(\d{1,2}(?:st|nd|rd|th)) [a-z]`), isOrdinal},
		{re(`(?i)\b\d{1,3}/\d{1,3}(?: ?(?:"|inch(?:es)?|in\.|cups?|tsp|tbsp|teaspoons?|tablespoons?|miles?|lbs?|oz|mm|cm|of|full|` +
			`scale|support|off|hours?|service|emergency|store|shop)\b)`), nil},
		{re(`\b(?:24/7|50/50|9/11|9-to-5|9 to 5 job|20/20|4/4|3/4|2/3|1/2|1/4|1/3)\b`), isFraction},
		{re(`(?i)\b(?:` + feastNames + `)(?:'s)? [a-z]+`), isFeastWord},
		{re(`(?i)\b(?:hourly|daily|weekly|fortnightly|biweekly|monthly|quarterly|yearly|annually|nightly|weekend|weekday) [a-z]+`),
			isAdjective},
		{re(`\b(?:The|A|Last|First|Good|` + dayTitles + `) ` +
			`(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?:s)? (?:\p{Lu}|[a-z]+ \p{Lu})[\p{L}']*`), nil},
		{re(`(?i)\b` + weekdayNamesForm + `'s\b`), nil},
		{re(`\b(?:` + dayTitles + `) (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b`),
			nil},
		{re(`(?i)\b(?:one|1|\d{1,3})[- ](?:day|week|month|year|hour|minute|min)[- ](?:old|pass|trip|tour|walk|run|course|plan|notice|` +
			`warranty|trial|break|video|talk|call|read|recipe|deal|rule|timer|ticket|delivery|shipping)\b`), nil},
	}
})

// notAfterClock reports whether no time stands in front of a length: 15時から2時間 is a time.
func notAfterClock(line, _, _ string) bool {
	line = strings.TrimRight(line, " ")
	for _, end := range []string{"から", "より", "時", "分", "半"} {
		if strings.HasSuffix(line, end) || strings.HasSuffix(line, end+"で") {
			return false
		}
	}
	last, _ := utf8.DecodeLastRuneInString(line)
	return !unicode.IsDigit(last)
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
	return strings.Trim(word, ",.;:()")
}

// isFunction reports whether a word is not the noun that a name of a time belongs to.
func isFunction(word string) bool {
	if word == "" || word[0] >= '0' && word[0] <= '9' {
		return true
	}
	return strings.Contains(" at on in by before after until till from to for with and or of about around noon midnight "+
		"morning afternoon evening night tonight every each this next last except starting between @ am pm mon tue wed thu fri "+
		"sat sun monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays "+
		"saturdays sundays january february march april may june july august september october november december jan feb mar "+
		"apr jun jul aug sep sept oct nov dec ", " "+word+" ")
}

// isOrdinal reports whether a number such as 2nd counts something other than days: 2nd dose, The 5th Wave.
func isOrdinal(line, _, after string) bool {
	next := firstWord(after)
	if isFunction(next) || next == "day" || next == "working" || next == "business" || next == "weekday" {
		return false
	}
	low := strings.ToLower(strings.TrimSpace(line))
	for _, lead := range []string{"on the", "by the", "until the", "before the", "on", "by", "every", "due"} {
		if low == lead || strings.HasSuffix(low, " "+lead) {
			return false
		}
	}
	month := strings.ToLower(low[strings.LastIndexByte(low, ' ')+1:])
	return !isFunction(month) || month == "the" || month == "" || month == "with" || month == "for" || month == "of"
}

// isAddress reports whether a number before a street hides no weekday: Sat is one where it stands before a number.
func isAddress(line, part, _ string) bool {
	number, _, _ := strings.Cut(part, " ")
	lead := strings.ToLower(strings.TrimSpace(line))
	switch lead[strings.LastIndexByte(lead, ' ')+1:] {
	case "sun", "sat", "wed", "mon":
		return len(number) > 2
	}
	return true
}

// isModel reports whether PM10 is no hour: in an English line with nothing of a time behind it.
func isModel(line, _, after string) bool {
	return charset.IsASCII(line+after) && (after == "" || after[0] == ' ' || after[0] == ',')
}

// isRoughNumber reports whether 5ish counts what is behind it: no word before it leads to a time.
func isRoughNumber(line, _, _ string) bool {
	lead := strings.ToLower(strings.TrimSpace(line))
	lead = lead[strings.LastIndexByte(lead, ' ')+1:]
	return lead == "for" || lead == "of" || lead == "with" || lead == "about" || lead != "" && !isFunction(lead)
}

// isFraction reports whether a fraction is no day: nothing beside it makes it one.
func isFraction(line, part, after string) bool {
	if part == "24/7" || part == "50/50" || part == "20/20" || strings.HasPrefix(part, "9-") {
		return true
	}
	low := strings.ToLower(strings.TrimSpace(line))
	lead := low[strings.LastIndexByte(low, ' ')+1:]
	next := firstWord(after)
	clock := next != "" && (next[0] >= '0' && next[0] <= '9' || next == "at" || next == "from")
	return low != "" && !clock && next != "" && lead != "on" && lead != "by" && lead != "until" && lead != "before" &&
		lead != "from" && !isFunction(next) && charset.IsASCII(next)
}

// hasDigit reports whether a text may have a time of day.
func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

// isFeastWord reports whether a holiday is a part of a name: Christmas presents.
func isFeastWord(line, part, after string) bool {
	low := strings.ToLower(strings.TrimSpace(line))
	lead := low[strings.LastIndexByte(low, ' ')+1:]
	last := part[strings.LastIndexByte(part, ' ')+1:]
	switch lead {
	case "on", "at", "by", "before", "until", "till", "after", "this", "next", "every", "from", "due":
		return false
	}
	return !isFunction(strings.ToLower(last)) && strings.ToLower(last) != "eve" && strings.ToLower(last) != "day" &&
		!strings.Contains(strings.ToLower(part), " eve ") &&
		!(low == "" && hasDigit(after))
}

// isFeastWordJapanese reports whether a holiday is a part of a word: クリスマスケーキ, but not クリスマスイブ.
func isFeastWordJapanese(_, part, after string) bool {
	threeDays := strings.HasSuffix(part, "三") && strings.HasPrefix(after, "が日")
	return !strings.HasSuffix(part, "イブ") && !strings.HasSuffix(part, "イヴ") && !threeDays
}

// isSurname reports whether weekdays are a name: no particle follows them.
func isSurname(_, part, _ string) bool {
	last, _ := utf8.DecodeLastRuneInString(part)
	return !strings.ContainsRune("にはのでともがをへや", last)
}

// isPossessive reports whether a part of a day is somebody's: parents' evening.
func isPossessive(_, part, _ string) bool {
	owner, _, _ := strings.Cut(strings.ToLower(part), "'")
	return !isFunction(owner) && owner != "today" && owner != "tomorrow" && owner != "year"
}

// isAdjective reports whether a word for a repetition describes a noun: Weekly Shonen. With a time in
// the line it repeats.
func isAdjective(line, part, after string) bool {
	_, noun, _ := strings.Cut(part, " ")
	if ofMonth.Get().MatchString(after) { // Quarterly call on the second Wednesday of July
		return true
	}
	if every.Get().MatchString(after) { // Weekly review every Friday, weekly report by Friday
		return true
	}
	return !isFunction(strings.ToLower(noun)) && !hasDigit(line+after) && !anyWeekday.Get().MatchString(line+after)
}

var anyWeekday = lazyregexp.New(`(?i)\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b|[月火水木金土日]曜`)

var shortWeekday = sync.OnceValue(func() *regexp.Regexp {
	const name = `(Mo|Tu|We|Th|Fr|Sa|Su)`
	const clock = `\d{1,2}(?::\d{2}|\.\d{2}| ?[ap]m\b|-\d)`
	return regexp.MustCompile(`\b[Oo]n ` + name + `\b|\b` + name + ` (?:at )?` + clock + `|` + clock + ` ` + name + `\b`)
})

// ofMonth matches the month of one day.
var ofMonth = lazyregexp.New(`(?i) (?:of|in) (?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)(?:[a-z]{3,7})?\b`)

var every = lazyregexp.New(`(?i)\b(?:every|each|by|due) `)

// heading is a weekday with a colon: Tuesday: parents' evening.
var heading = lazyregexp.New(`(?i)(\b(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?|[月火水木金土日]曜日?)[:：](?: |$)`)

// edgeWeekday matches a weekday of two letters at either end of a line. At the beginning We is a word.
var edgeWeekday = lazyregexp.New(`^(Mo|Tu|Th|Fr|Sa|Su) | (Mo|Tu|We|Th|Fr|Sa|Su)$`)

// kanjiWeekday matches a weekday of one character before a time: 土 17-22, but not 水 2-3本.
var kanjiWeekday = lazyregexp.New(`(^| )([月火水木金土日]) (\d{1,2}(?::\d\d|時|[-~〜]\d{1,2}(?:[:時 ]|$)))`)

// numbered matches a weekday and a number with nothing behind them that it counts: lunch fri 8, dinner thurs 23.
var numbered = lazyregexp.New(`(?i)\b([a-z]{3,7}day|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun) (\d{1,2})` +
	`($|,| (?:with|w/|at|in) | - \D| \d{1,2}(?::\d\d)? ?[ap]m)`)

// repeated, counted and titled match what leads to a weekday: every other friday 4 is no day of a month, second friday 4
// and Freaky Friday 2 are no hours either. weekdayDigit and atHour match what else has a number: tue 1, wed 2.
var (
	repeated = lazyregexp.New(`(?i)\b(?:every|each|other|all|weekly|biweekly|fortnightly) $`)
	counted  = lazyregexp.New(`(?i)\b(?:first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th)) $`)
	titled   = lazyregexp.New(`\b(?:` + dayTitles + `) $`)

	weekdayDigit = lazyregexp.New(`(?i)\b(?:mon|tues?|wed(?:nes|s)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)? \d`)
	atHour       = lazyregexp.New(`(?i)\bat \d`)
)

// numberedWeekday reads the number behind a weekday: as its day of the month if it is, else as an hour. Either is a guess.
func (r *reader) numberedWeekday(text string) (all string, guess bool) {
	g := numbered.Get().FindStringSubmatchIndex(text)
	if g == nil {
		return text, false
	}
	name, rest := text[g[2]:g[3]], text[g[5]:]
	n, _ := strconv.Atoi(text[g[4]:g[5]])
	lead := text[:g[2]]
	if _, ok := dates.Weekday(name); !ok || counted.Get().MatchString(lead) || titled.Get().MatchString(lead) ||
		weekdayDigit.Get().MatchString(lead+rest) {
		return text, false // birthday 50
	}
	day, ok := r.parse(name)
	ok = ok && !repeated.Get().MatchString(lead)
	for range 5 {
		if ok && day.Wall.Day() == n {
			return lead + day.Wall.Format("2 January") + rest, true
		}
		day.Wall = day.Wall.AddDate(0, 0, 7)
		ok = ok && n > 12 // fri 8 is an hour unless it is the next one
	}
	if n > 12 || clockForm.Get().MatchString(text) || atHour.Get().MatchString(text) {
		return text, true
	}
	return text[:g[3]] + " at " + text[g[4]:], true
}

// severalZones matches a time before a name that several zones have.
var severalZones = lazyregexp.New(`(?:\d:\d\d|\d ?[ap]m|\d時(?:\d{1,2}分|半)?) ?[(（\[]?(BST|IST|CST|AST|ADT|GST)\b`)

// weekdayNames writes weekdays of two letters with three, where they stand with a time or behind on, and takes
// the colon off a weekday. One at an end of a line with a time is a guess: Sa dinner 19:00.
func weekdayNames(text string) (all string, guess bool) {
	text = heading.Get().ReplaceAllString(text, "$1 ")
	text = kanjiWeekday.Get().ReplaceAllString(text, "${1}${2}曜 $3")
	text = longWeekdays(text, shortWeekday())
	if !clockForm.Get().MatchString(text) || anyWeekday.Get().MatchString(text) {
		return text, false
	}
	all = longWeekdays(text, edgeWeekday.Get())
	return all, all != text
}

// longWeekdays writes the weekdays of two letters that a form finds with three.
func longWeekdays(text string, form *regexp.Regexp) string {
	full := map[string]string{"Mo": "Mon", "Tu": "Tue", "We": "Wed", "Th": "Thu", "Fr": "Fri", "Sa": "Sat", "Su": "Sun"}
	var b strings.Builder
	at := 0
	for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 && text[m[g]:m[g+1]] != "We" || m[g] >= 0 && m[g] > 0 {
				b.WriteString(text[at:m[g]] + full[text[m[g]:m[g+1]]])
				at = m[g+1]
			}
		}
	}
	return b.String() + text[at:]
}

// isWeekday reports whether a short name that is also a word, such as Sat, stands alone as a weekday:
// behind on, at the end, or beside a time.
func isWeekday(text string, from, to int, timed bool) bool {
	part, low := text[from:to], strings.ToLower(text[from:to])
	core := strings.TrimPrefix(low, "on ")
	switch core {
	case "sun", "sat", "wed", "mon":
	default:
		return false
	}
	if core != low {
		return true
	}
	next := firstWord(text[to:])
	clock := next != "" && (hasDigit(next[:1]) || next == "at" || next == "noon" || timed && next == "before")
	before := strings.TrimRight(text[:from], " ")
	capital := part[0] >= 'A' && part[0] <= 'Z'
	return clock || capital && (next == "" || before == "" && timed) ||
		capital && before != "" && (hasDigit(before[len(before)-1:]) || strings.HasSuffix(before, "m"))
}

// eitherHour matches two hours between which a word leaves the choice: 7 or 8.
var eitherHour = lazyregexp.New(`(?i)(\d{1,2}(?::\d{2})?) ?(?:[ap]m)? ((?:or|and|&) (\d{1,2}(?::\d{2})?(?: ?[ap]m)?))(?: |$)`)

// namedDay matches the name of one day.
var namedDay = lazyregexp.New(`(?i)\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b|\b(?:today|tomorrow|yesterday)\b|[月火水木金土日]曜|明日|今日|昨日|あした|あさって`)

// secondTime returns another time of day or another day beside the time of a line, or "".
func (r *reader) secondTime(text string, l Line) string {
	for _, g := range eitherHour.Get().FindAllStringSubmatch(text, -1) {
		if l.Timed && strings.Contains(l.When, g[1]) && strings.Contains(l.Title, g[2]) {
			return g[3]
		}
	}
	return r.secondInTitle(l)
}

// dayForm matches what has the form of a day or a time, which may not exist.
var dayForm = lazyregexp.New(`(?i)\b\d{4}-\d{1,2}-\d{1,2}\b|(?:^|[^\d月])\d{1,2}月\d{1,2}日|(?:^|[ (])(?:[1-9]|1[0-2])/(?:29|3[01])(?:/\d{2,4})?\b|` +
	`\b(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2}(?:st|nd|rd|th)?\b|` +
	`\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.? (?:29|3[01])\b|\b(?:29|3[01]) (?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|` +
	`\b\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:january|february|march|april|june|july|august|september|october|november|december)\b|` +
	`(?:^| )2[4-9]:[0-5]\d\b`)

// missing returns a day or a time in a text that does not exist, such as 2月30日 or 25:00, or "".
func (r *reader) missing(text string) string {
	for _, part := range dayForm.Get().FindAllString(norm.NFKC.String(text), -1) {
		part = strings.TrimLeftFunc(part, func(c rune) bool { return c >= utf8.RuneSelf || !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		if _, ok := r.parse(part); !ok {
			return part
		}
	}
	return ""
}

// secondInTitle returns another time of day or another day in the title of a line, or "". The longest phrase is
// looked at first, of equal ones the last, and then those that share no word with it.
func (r *reader) secondInTitle(l Line) string {
	all := slices.Collect(r.phrases(l.Title, clockForm.Get().MatchString(l.Title), false))
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Or(b.size-a.size, b.from-a.from) })
	seen := make([]bool, len(l.Title))
	for _, p := range all {
		if slices.Contains(seen[p.from:p.to], true) {
			continue
		}
		for i := range p.to - p.from {
			seen[p.from+i] = true
		}
		part := l.Title[p.from:p.to]
		if glued(part, l.Title[p.to:]) {
			continue
		}
		day := namedDay.Get().MatchString(part) || strings.ContainsAny(part, "/") || strings.HasSuffix(part, "日")
		clock := p.moment.Timed && clockForm.Get().MatchString(part)
		if clock && l.Moment.Timed || day && !p.moment.Period || clock && l.Repeats {
			return part
		}
	}
	return ""
}

// glued reports whether a day is the first part of a word: 月曜会議の資料を日曜に.
func glued(part, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(part)
	next, _ := utf8.DecodeRuneInString(after)
	return unicode.Is(unicode.Han, last) && unicode.In(next, unicode.Han, unicode.Katakana)
}

// isTitleCase reports whether all words of a line but the smallest begin with a capital: The Man Who Was
// Thursday.
func isTitleCase(text string) bool {
	words := strings.Fields(text)
	for _, w := range words {
		first, _ := utf8.DecodeRuneInString(w)
		if len(w) > 3 && !unicode.IsUpper(first) {
			return false
		}
	}
	return len(words) > 2
}

var clockForm = lazyregexp.New(`(?i)\d{1,2}:\d{2}|\d ?[ap]\.?m\b|\d時|noon|midnight|正午|o'clock`)

// isMonthName reports whether a month is a name or belongs to something else: nothing says that
// it is a time.
func isMonthName(lead, core string) bool {
	if !strings.Contains(monthNames, " "+core+" ") {
		return false
	}
	word := strings.TrimSpace(lead)
	word = word[strings.LastIndexByte(word, ' ')+1:]
	return !strings.Contains(" in by until till before during this next last early late mid end for since from every each ",
		" "+word+" ") || word == ""
}

const monthNames = " january february febuary feburary march april may june july august september october november december " +
	"jan feb mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter "

// guessed returns a time that touches a word which may belong to it, or "": 明日会議, Sunday Times.
func guessed(text, when string) string {
	i := strings.Index(text, when)
	if i < 0 {
		return ""
	}
	last, _ := utf8.DecodeLastRuneInString(when)
	next, _ := utf8.DecodeRuneInString(text[i+len(when):])
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	joint := strings.ContainsRune("にのはでからまで、", last)
	if !isWide(last) {
		rest := text[i+len(when):]
		if unicode.IsLetter(last) && unicode.In(next, unicode.Han, unicode.Katakana) { // GW帰省
			return when
		}
		word := firstWord(rest)
		lead := firstWord(text[:i][strings.LastIndexByte(strings.TrimRight(text[:i], " "), ' ')+1:])
		named := isTitleCase(text) && !clockForm.Get().MatchString(when)
		touches := strings.HasPrefix(rest, " ") && !isFunction(word) && lead != "on" && lead != "by" && lead != "at"
		joined := lead == "and" || lead == "or" || lead == "&" // Robinson and Friday
		if (touches || joined) && !clockForm.Get().MatchString(text) || named || insideName.Get().MatchString(text[:i]) {
			return when
		}
	}
	isWord := func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Katakana) || r == 'ー'
	}
	isKana := func(r rune) bool { return unicode.Is(unicode.Hiragana, r) }
	rest := text[i+len(when):]
	kana := isKana(next) && !strings.ContainsRune("にのはでまもとをがごぐ", next) && !strings.HasPrefix(rest, "から")
	ofNoun := last == 'の' && (isWord(next) || isKana(next)) && !(hasDigit(when) && clockForm.Get().MatchString(when) && unicode.Is(unicode.Han, next))
	particle := cutParticle(rest) != rest || joint && last != 'の' // 明日はなを買う
	afterParticle, _ := utf8.DecodeRuneInString(cutParticle(rest))
	switch {
	case isWide(last) && !joint && (isWord(next) || kana), ofNoun, isWord(before) && !unicode.IsDigit(rune(when[0])),
		particle && isKana(afterParticle) && !strings.HasPrefix(rest, "まで"),
		dayFraction.Get().MatchString(when) && isWord(next), earlyClock.Get().MatchString(when), manyDays.Get().MatchString(when), bareClock.Get().MatchString(when),
		strings.HasSuffix(when, "から") && !clockForm.Get().MatchString(when):
		return when
	}
	return ""
}

var (
	dayFraction = lazyregexp.New(`^\d{1,2}/\d{1,2}$`)     // 3/4拍子
	earlyClock  = lazyregexp.New(`^(?:at )?[1-5]:\d{2}$`) // John 3:16; or the afternoon
	insideName  = lazyregexp.New(` (?:The|A|An|My|Your|His|Her|Our|No|Not|Who|Was|Is|Are|Were|Like|Never|Of|In|On|And|For|With|Before|After|Until) $`)
	bareClock   = lazyregexp.New(`(?:^| )[012]\d{3}(?: |$)`) // moved to 1600; or a number
	manyDays    = lazyregexp.New(`^\d{3,}(?:日後に?| days?\b)`) // 100日後
)
