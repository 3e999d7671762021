package repeat

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const japaneseDays = "日月火水木金土"

func (p *reader) japanese() bool {
	return p.try(eachNamed) || p.try(eachPeriod) || p.try(bareList)
}

// kanjiNumber cuts a number off, in digits or one kanji.
func (p *reader) kanjiNumber() int {
	if n := p.digits(); n > 0 {
		return n
	}
	for i, r := range []rune("一二三四五六七八九十") {
		if p.sign(string(r)) != "" {
			return i + 1
		}
	}
	return 0
}

// inWord reports whether a number or a kanji stands before the place.
func (p *reader) inWord() bool { return unicode.IsDigit(p.before) || unicode.Is(unicode.Han, p.before) }

// eachNamed reads 毎月曜 and the names of all weekdays at once.
func eachNamed(p *reader) bool {
	p.r.Unit, p.plain = Weekly, true
	switch {
	case p.sign("毎平日", "平日毎日", "平日の毎日", "平日毎", "平日の毎", "平日", "毎営業日", "営業日毎") != "":
		p.r.Days = workdays()
		return true
	case p.sign("毎週末", "週末毎") != "":
		p.r.Days = []time.Weekday{time.Sunday, time.Saturday}
		return true
	case p.sign("週末") != "":
		p.r.Days, p.plain = []time.Weekday{time.Sunday, time.Saturday}, false
		return true
	case p.sign("毎") != "":
		before := p.s
		days := p.japaneseList()
		p.r.Days = days
		return len(days) > 0 && strings.HasPrefix(before[len("月"):], "曜")
	}
	return false
}

// periodWord is a word for a period in Japanese, and for the part of a day.
type periodWord struct {
	text  string
	unit  Unit
	every int
	part  string
}

func periodWords() []periodWord {
	return []periodWord{{"毎日", Daily, 1, ""}, {"毎朝", Daily, 1, "朝"}, {"毎晩", Daily, 1, "夜"},
		{"毎夜", Daily, 1, "夜"}, {"毎夕", Daily, 1, "夕方"}, {"毎昼", Daily, 1, "昼"},
		{"隔日", Daily, 2, ""},
		{"毎時", Hourly, 1, ""}, {"毎週", Weekly, 1, ""}, {"各週", Weekly, 1, ""}, {"隔週", Weekly, 2, ""},
		{"毎月", Monthly, 1, ""}, {"各月", Monthly, 1, ""}, {"隔月", Monthly, 2, ""},
		{"毎四半期", Monthly, 3, ""},
		{"毎年", Yearly, 1, ""}, {"例年", Yearly, 1, ""}, {"隔年", Yearly, 2, ""}}
}

// eachPeriod reads a period and the days in it: 隔週火曜, 毎月第2月曜, 3日ごと, 週1回.
func eachPeriod(p *reader) bool {
	p.plain = true
	if !p.try(namedPeriod) && !p.try(countedPeriod) && !p.try(onceIn) {
		return false
	}
	p.try(func(p *reader) bool {
		p.sign("の", "は", ",", "に")
		switch p.r.Unit {
		case Weekly:
			days := p.japaneseList()
			p.r.Days = days
			return len(days) > 0
		case Monthly:
			return p.japaneseMonthDays()
		case Yearly:
			return p.japaneseYearDay()
		case Daily:
			days := p.japaneseList()
			p.r.Unit, p.r.Days = Weekly, days
			return len(days) > 1 && p.r.Every <= 1
		}
		return false
	})
	return p.fits()
}

func namedPeriod(p *reader) bool {
	for _, w := range periodWords() {
		if p.sign(w.text) != "" {
			p.r.Unit, p.r.Every, p.part = w.unit, w.every, w.part
			return true
		}
	}
	return false
}

// japaneseUnit cuts a unit off behind a number.
func (p *reader) japaneseUnit() (u Unit, times int) {
	switch {
	case p.sign("時間") != "":
		return Hourly, 1
	case p.sign("日間", "日") != "":
		return Daily, 1
	case p.sign("週間", "週") != "":
		return Weekly, 1
	case p.sign("か月", "ヶ月", "ケ月", "カ月", "箇月", "ヵ月", "ゕ月") != "":
		return Monthly, 1
	case p.sign("四半期") != "":
		return Monthly, 3
	case p.sign("年") != "":
		return Yearly, 1
	}
	return 0, 0
}

// countedPeriod reads 3日ごと, 2週間に1回, 半年ごと, 1日おき. おき leaves days out between; of longer
// units, only one between is sure.
func countedPeriod(p *reader) bool {
	before, n := p.s, 0
	var u Unit
	times := 0
	switch {
	case p.sign("半年") != "":
		n, u, times = 6, Monthly, 1
	case p.sign("四半期") != "":
		n, u, times = 3, Monthly, 1
	default:
		n = p.kanjiNumber()
		u, times = p.japaneseUnit()
	}
	if n == 0 || times == 0 {
		return false
	}
	p.r.Unit, p.r.Every = u, n*times
	switch {
	case p.sign("ごと", "毎", "につき1回", "に1回", "に一回", "に1度", "に一度", "1回") != "":
		return true
	case p.sign("おき") == "":
		return false
	case u == Hourly:
	case n == 1:
		p.r.Every++
	default:
		p.r.Doubt = strings.TrimSpace(before[:len(before)-len(p.s)])
		if u == Daily {
			p.r.Every++
		}
	}
	return true
}

// onceIn reads 週1回, 月に一度, 年一.
func onceIn(p *reader) bool {
	switch {
	case p.inWord():
		return false
	case p.sign("1日", "日") != "":
		p.r.Unit = Daily
	case p.sign("週") != "":
		p.r.Unit = Weekly
	case p.sign("月") != "":
		p.r.Unit = Monthly
	case p.sign("年") != "":
		p.r.Unit = Yearly
	default:
		return false
	}
	p.sign("に")
	if p.sign("1回", "一回", "1度", "一度") != "" {
		return true
	}
	return p.sign("一", "1") != "" && (p.s == "" || !strings.ContainsRune("0123456789日月年時:-/", []rune(p.s)[0]))
}

// japaneseList cuts a list of weekdays off: 月水金, 火曜と木曜, 月〜金. One letter alone must not
// begin another word.
func (p *reader) japaneseList() (days []time.Weekday) {
	named := false
	one := func() (d time.Weekday, ok bool) {
		for i, r := range []rune(japaneseDays) {
			if p.sign(string(r)) != "" {
				named = p.sign("曜日", "曜") != "" || named
				return time.Weekday(i), true
			}
		}
		return 0, false
	}
	d, ok := one()
	if !ok {
		return nil
	}
	days = []time.Weekday{d}
	for {
		before := p.s
		ranged := p.sign("から", "~", "〜", "～", "-", "–") != ""
		if !ranged {
			p.sign(",", "、", "・", "と", "や", "/")
		}
		d, ok := one()
		if !ok {
			p.s = before
			break
		}
		if ranged {
			days = append(days, from(days[len(days)-1], d)...)
			p.sign("まで")
			continue
		}
		days = append(days, d)
	}
	days = tidyDays(days)
	if next, _ := utf8.DecodeRuneInString(p.s); !named && len(days) < 2 && unicode.Is(unicode.Han, next) {
		return nil
	}
	return days
}

// japaneseMonthDays reads days of a month: 第2月曜, 最終金曜, 末日, 1日と15日, 第1営業日.
func (p *reader) japaneseMonthDays() bool {
	r := &p.r
	switch {
	case p.sign("末日", "月末", "末", "最終日", "晦日") != "":
		r.MonthDays = []int{-1}
		return true
	case p.sign("初日", "月初め", "月初", "頭") != "":
		r.MonthDays = []int{1}
		return true
	case p.sign("最初の", "初めの") != "":
		return p.japaneseNth([]int{1})
	case p.sign("最終", "最後の", "月末", "末") != "":
		return p.japaneseNth([]int{-1})
	}
	var n []int
	for p.try(func(p *reader) bool {
		if len(n) > 0 && p.sign(",", "、", "・", "と", "&", "/") == "" && !strings.HasPrefix(p.s, "第") {
			return false
		}
		if p.sign("第") == "" && len(n) == 0 {
			return false
		}
		one := p.kanjiNumber()
		if one > 0 {
			n = append(n, one)
		}
		p.sign("週の", "週")
		return one > 0 && (!strings.HasPrefix(p.s, "日") || strings.HasPrefix(p.s, "日曜"))
	}) {
		continue
	}
	if len(n) > 0 {
		return p.japaneseNth(n)
	}
	for p.try(func(p *reader) bool {
		if len(r.MonthDays) > 0 {
			p.sign(",", "、", "・", "と", "&", "/")
		}
		if n := p.kanjiNumber(); n > 0 && p.sign("日") != "" && !strings.HasPrefix(p.s, "曜") {
			r.MonthDays = append(r.MonthDays, n)
			return true
		}
		return p.sign("末日", "月末") != "" && p.addLast()
	}) {
		continue
	}
	return len(r.MonthDays) > 0
}

func (p *reader) addLast() bool {
	p.r.MonthDays = append(p.r.MonthDays, -1)
	return true
}

// japaneseNth reads the weekdays or the working day behind their number in a month.
func (p *reader) japaneseNth(n []int) bool {
	if p.r.Nth = n; p.sign("営業日", "平日") != "" {
		p.r.Nth, p.r.SetPos, p.r.Days = nil, n[0], workdays()
		return len(n) == 1
	}
	p.r.Days = p.japaneseList()
	for p.try(func(p *reader) bool { // 第1月曜と第3月曜
		if p.sign(",", "と", "/", ""); p.sign("第") == "" {
			return false
		}
		one := p.kanjiNumber()
		days := p.japaneseList()
		p.r.Nth = append(slices.Clip(p.r.Nth), one)
		return one > 0 && slices.Equal(days, p.r.Days)
	}) {
		continue
	}
	return len(p.r.Days) > 0
}

// japaneseYearDay reads a day of the year: 5月3日, 5月の第2日曜, 12月.
func (p *reader) japaneseYearDay() bool {
	if p.holiday() {
		return true
	}
	n := p.kanjiNumber()
	if p.r.Month = time.Month(n); n < 1 || n > 12 || p.sign("月") == "" {
		return false
	}
	p.try(func(p *reader) bool {
		p.sign("の")
		return p.japaneseMonthDays()
	})
	return true
}

// bareList reads days without a period: 月水金, 第2火曜, 月末.
func bareList(p *reader) bool {
	if p.inWord() {
		return false
	}
	if p.try(func(p *reader) bool {
		p.r.Unit, p.r.Days = Weekly, p.japaneseList()
		return len(p.r.Days) > 1
	}) {
		return true
	}
	p.r.Unit = Monthly
	if p.sign("毎月末") != "" {
		p.plain = true
		return p.addLast()
	}
	if p.sign("月末") != "" {
		return p.addLast()
	}
	return strings.HasPrefix(p.s, "第") && p.japaneseMonthDays()
}
