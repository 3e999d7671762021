package dates

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Found is a day or a period that a text names.
type Found struct {
	Moment
	Start, End int // byte offsets of the name in the text
}

// Find returns the first day or period that a text names in passing: "notes from 20
// April", 先月の会議. It is of the past. A number alone is no year, and may and march
// alone are no months.
func Find(text string, now time.Time) (found Found, ok bool) {
	if !mayName(text) {
		return found, false
	}
	for _, shape := range shapes() {
		for _, m := range shape.FindAllStringSubmatchIndex(text, -1) {
			start, end := m[2], m[3]
			if ok && (start > found.Start || start == found.Start && end <= found.End) {
				continue
			}
			parsed, is := Parse(strings.TrimSuffix(text[start:end], "."), now, Past)
			if is && !parsed.Timed {
				found, ok = Found{parsed, start, end}, true
			}
		}
	}
	return found, ok
}

// mayName reports whether a text can match a shape. It saves compiling them.
func mayName(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c >= '0' && c <= '9' {
			return true
		}
	}
	isLetter := func(r rune) bool { return r >= 'a' && r <= 'z' }
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isLetter(r) })
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(shapeWords, " "+w+" ") })
}

// shapeWords has a word of each shape that needs neither a digit nor a character
// beyond ASCII.
const shapeWords = " january february march april may june july august september october november december " +
	"jan feb mar apr jun jul aug sept sep oct nov dec yesterday today this last ago "

// shapes match texts that Parse may understand.
var shapes = sync.OnceValue(func() (all []*regexp.Regexp) {
	const (
		months = `(?:january|february|march|april|may|june|july|august|september|october|november|december|` +
			`jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\b`
		year    = `(?:19|20)\d\d`
		day     = `[0-3]?\d(?:st|nd|rd|th)?`
		number  = `(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)`
		units   = `(?:days?|weeks?|months?|years?)`
		weekday = `(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)`

		kanji          = `[一二三四五六七八九十]+`
		japaneseNumber = `(?:\d{1,3}|` + kanji + `)`
		japaneseUnits  = `(?:日|週間|[かヶカケ箇]月|年)`
		japaneseDay    = `(?:1?\d|` + kanji + `)月(?:(?:\d{1,2}|` + kanji + `)日)?`
	)
	for _, shape := range []string{
		`\b(` + year + `[-/]\d\d?(?:[-/]\d\d?)?)\b`,
		`\b(` + day + ` (?:of )?` + months + `(?:,? ` + year + `)?)`,
		`\b(` + months + ` ` + day + `\b(?:,? ` + year + `)?)`,
		`\b(` + months + `,? ` + year + `)\b`,
		`\b(?:in|during|last|since|until|from) (` + months + `)`,
		`\b(?:in|during|since|until|from) (` + year + `)\b`,
		`\b((?:the )?day before yesterday|yesterday|today)\b`,
		`\b((?:this|last) (?:week(?:end)?|month|year|` + weekday + `))\b`,
		`\b(` + number + ` ` + units + ` ago)\b`,
		`((?:` + year + `年)?` + japaneseDay + `|` + year + `年)`,
		`(一昨日|おととい|昨日|きのう|今日|本日|一昨年|おととし|去年|昨年|今年)`,
		`((?:先々|先|今)[週月])`,
		`((?:先々週|先週|今週)の?[月火水木金土日]曜日?)`,
		`(` + japaneseNumber + japaneseUnits + `前)`,
	} {
		all = append(all, regexp.MustCompile(`(?i)`+shape))
	}
	return all
})
