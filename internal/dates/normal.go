package dates

import (
	"cmp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"techo/internal/lazyregexp"

	"golang.org/x/text/unicode/norm"
)

// normalize returns a text in lower case, with narrow digits, plain dashes and
// single blanks.
func normalize(text string) string {
	s := plainSigns().Replace(strings.ToLower(norm.NFKC.String(text)))
	s = strings.ReplaceAll(s, "s' time", "s time") // in two weeks' time
	if g := dottedDay.Get().FindStringSubmatch(s); g != nil {
		if month, _ := strconv.Atoi(g[3]); month >= 1 && month <= 12 {
			s = g[1] + g[2] + " " + strings.ToLower(time.Month(month).String()) + g[4]
		}
	}
	s = strings.Join(strings.Fields(s), " ")
	s = otherWords().Replace(s)
	if g := within.Get().FindStringSubmatch(s); g != nil {
		s = g[1] + "in " + g[2]
	}
	if g := withinJapanese.Get().FindStringSubmatch(s); g != nil {
		s = g[1] + "後" + g[2]
	}
	if g := frenchRange.Get().FindStringSubmatch(s); g != nil {
		s = g[1] + g[2] + ":" + cmp.Or(g[3], "00") + "-" + g[4] + ":" + cmp.Or(g[5], "00") + g[6]
	}
	if g := goldenWeek.Get().FindStringSubmatch(s); g != nil {
		s = g[1] + "4月29日~5月5日" + g[2]
	}
	return s
}

// otherWords replaces words by others with the same meaning.
var otherWords = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(" 'til ", " til ", "next business day", "in 1 business day", "next working day",
		"in 1 business day", "翌営業日", "1営業日後", "次の営業日", "1営業日後", "お盆休み", "8月13日~16日", "お盆", "8月13日~16日",
		"ゴールデンウィーク", "4月29日~5月5日", "ゴールデンウイーク", "4月29日~5月5日", "年末年始", "12月29日~1月3日",
		"正月三が日", "1月1日~3日", "三が日", "1月1日~3日",
		"a quarter past", "quarter past", "a quarter to ", "quarter to ")
})

var (
	within = lazyregexp.New(`^(|.* )within ((?:\d{1,3}|an?|one|two|three|four|five|six|seven|ten) ` +
		`(?:hour|day|week|month|year|business day|working day)s?)$`)
	withinJapanese = lazyregexp.New(`^(.*(?:\d|[一二三四五六七八九十])(?:時間|日|週間|[かヶケカヵ]月|年))以内(.*)$`)
	frenchRange    = lazyregexp.New(`^(.* |)(\d{1,2})h(\d{2})? ?[-~] ?(\d{1,2})h(\d{2})?([ ,].*|)$`)
	goldenWeek     = lazyregexp.New(`^(.*[^a-z0-9]|)gw([^a-z0-9].*|)$`)
)

// dottedDay matches a day and a month with a dot behind each: 24.12. 18:00.
var dottedDay = lazyregexp.New(`^(.* |)(\d{1,2})\. ?(\d{1,2})\.( .*|)$`)

// plainSigns replaces signs by the ASCII ones with the same meaning.
var plainSigns = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("〜", "~", "∼", "~", "–", "-", "—", "-", "−", "-", "‐", "-", "‑", "-",
		"、", ",", "’", "'", "・", " ", "buß- und", "buss und", "1. weihnacht", "erster weihnacht", "2. weihnacht",
		"zweiter weihnacht", "ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")
})

// number parses a number at the start of s, in digits or kanji. It returns the
// number and its length in bytes, or 0.
func number(s string) (n, size int) {
	for size < len(s) && size < 9 && s[size] >= '0' && s[size] <= '9' {
		n = n*10 + int(s[size]-'0')
		size++
	}
	if size > 0 {
		return n, size
	}
	return kanjiNumber(s)
}

// kanjiNumber parses 十五, 二十, 百二十 or, digit by digit, 二〇二六.
func kanjiNumber(s string) (n, size int) {
	part := -1 // the digits before the next 十 or 百
	for size < len(s) && size < 30 {
		r, w := utf8.DecodeRuneInString(s[size:])
		switch r {
		case '十', '百':
			unit := map[rune]int{'十': 10, '百': 100}[r]
			if part < 0 {
				part = 1
			}
			n, part = n+part*unit, -1
		default:
			d := strings.Index("〇零一二三四五六七八九", string(r))
			if d < 0 || r == utf8.RuneError {
				w = 0
				break
			}
			part = max(part, 0)*10 + max(0, d/3-1)
		}
		if w == 0 {
			break
		}
		size += w
	}
	if n += max(part, 0); n > 1e6 {
		return 0, 0
	}
	return n, size
}
