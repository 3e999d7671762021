package dates

import (
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
	if g := season.Get().FindStringSubmatch(s); g != nil {
		months := map[string]string{"spring": "march to may", "summer": "june to august", "autumn": "september to november",
			"fall": "september to november"}
		s = strings.TrimSpace(months[g[1]] + g[2])
	}
	if g := zoneInside.Get().FindStringSubmatch(s); g != nil && (zoneOf(g[2]) != "" || strings.Contains(g[2], "/")) {
		s = g[1] + " " + g[3] + " " + g[2]
	}
	return s
}

// otherWords replaces words by others with the same meaning.
var otherWords = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(" 'til ", " til ", "next business day", "in 1 business day", "next working day",
		"in 1 business day", "翌営業日", "1営業日後", "お盆", "8月13日~16日", "ゴールデンウィーク", "4月29日~5月5日",
		"a quarter past", "quarter past", "a quarter to ", "quarter to ")
})

var (
	within = lazyregexp.New(`^(|.* )within ((?:\d{1,3}|an?|one|two|three|four|five|six|seven|ten) ` +
		`(?:hour|day|week|month|year|business day|working day)s?)$`)
	withinJapanese = lazyregexp.New(`^(.*(?:\d|[一二三四五六七八九十])(?:時間|日|週間|[かヶケカヵ]月|年))以内(.*)$`)
	season         = lazyregexp.New(`^(?:in |this |the )?(spring|summer|autumn|fall)( \d{4})?$`)
	zoneInside     = lazyregexp.New(`^(.*\d(?: ?[ap]\.?m\.?)?) ([a-z]{2,4}|[a-z]+/[a-z_]+(?:/[a-z_]+)?) ((?:on |at )?[a-z0-9].*)$`)
)

// dottedDay matches a day and a month with a dot behind each: 24.12. 18:00.
var dottedDay = lazyregexp.New(`^(.* |)(\d{1,2})\. ?(\d{1,2})\.( .*|)$`)

// plainSigns replaces signs by the ASCII ones with the same meaning.
var plainSigns = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("〜", "~", "∼", "~", "–", "-", "—", "-", "−", "-", "‐", "-", "‑", "-",
		"、", ",", "’", "'", "・", " ", "buß- und", "buss und", "1. weihnacht", "erster weihnacht", "2. weihnacht",
		"zweiter weihnacht", "ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")
})

// cutZone cuts the name or the UTC offset of a time zone off a normalized text.
// Without one the zone is nil.
func cutZone(s string) (rest string, zone *time.Location) {
	for _, name := range []string{"tokyo time", "japan time", "日本時間"} {
		if before, after, ok := strings.Cut(s, name); ok {
			s, zone = strings.TrimSpace(before+strings.TrimPrefix(after, "の"))+" jst", nil
		}
	}
	if m := dateForm.Get().FindStringSubmatch(s); m != nil && (zoneOf(m[2]) != "" || m[2] == "utc" || m[2] == "gmt") {
		s = m[1] + m[3] + " " + m[2]
	}
	if m := gmtForm.Get().FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	if m := offsetForm.Get().FindStringSubmatch(s); m != nil {
		hours, _ := strconv.Atoi(m[3] + m[6])
		minutes, _ := strconv.Atoi(m[4] + m[7])
		seconds := hours*3600 + minutes*60
		if m[2] == "-" {
			seconds = -seconds
		}
		if hours > 14 || minutes > 59 {
			return s, nil
		}
		return m[1], time.FixedZone("", seconds)
	}
	name := strings.TrimRight(s, "])")
	i := strings.LastIndexAny(name, " [(0123456789時分半")
	if i < 0 {
		return s, nil
	}
	_, size := utf8.DecodeRuneInString(name[i:])
	rest, name = strings.TrimRight(name[:i+size], " [("), name[i+size:]
	if z := zoneOf(name); z != "" {
		name = z
	} else if name != "utc" && name != "gmt" && !strings.Contains(name, "/") {
		return s, nil
	}
	for _, n := range []string{name, capitals(name), strings.ToUpper(name)} {
		if loc, err := time.LoadLocation(n); err == nil && !strings.ContainsAny(n, `\.`) && n[0] != '/' {
			return rest, loc
		}
	}
	return s, nil
}

var (
	// dateForm matches what date prints: Wed Jun 10 15:00:00 UTC 2026.
	dateForm = lazyregexp.New(`^(.*:\d{2}(?: [ap]m)?) ([a-z]{3,4})( \d{4})$`)
	// gmtForm matches the end of what JavaScript prints: GMT+0900 (Japan Standard Time).
	gmtForm = lazyregexp.New(`^(.* gmt[+-]\d{4}) \([^()]*\)$`)
)

// offsetForm matches a text with a UTC offset behind its time.
var offsetForm = lazyregexp.New(`^(.*(?:[0-9:]|[ap]m|時|分|半))(?: ?(?:utc|gmt)([+-])(\d{1,2})(?::?(\d{2}))?|` +
	`(\+)(\d{2}):?(\d{2})|z)$`)

// zoneOf returns the zone of an abbreviation, or "". Abbreviations that are in use
// for several zones (CST, IST, BST) are left out.
func zoneOf(name string) string {
	switch name {
	case "jst":
		return "Asia/Tokyo"
	case "kst":
		return "Asia/Seoul"
	case "hkt":
		return "Asia/Hong_Kong"
	case "sgt":
		return "Asia/Singapore"
	case "et", "est", "edt":
		return "America/New_York"
	case "ct", "cdt":
		return "America/Chicago"
	case "mt", "mst", "mdt":
		return "America/Denver"
	case "pt", "pst", "pdt":
		return "America/Los_Angeles"
	case "cet", "cest":
		return "Europe/Paris"
	case "eet", "eest":
		return "Europe/Helsinki"
	case "wet", "west":
		return "Europe/Lisbon"
	case "aest", "aedt":
		return "Australia/Sydney"
	}
	return ""
}

// capitals writes a zone's name with the capitals of the database.
func capitals(name string) string {
	b := []byte(name)
	for i := range b {
		if (i == 0 || b[i-1] == '/' || b[i-1] == '_' || b[i-1] == '-') && b[i] >= 'a' && b[i] <= 'z' &&
			!strings.HasPrefix(name[i:], "of_") && !strings.HasPrefix(name[i:], "es_") {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}

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
