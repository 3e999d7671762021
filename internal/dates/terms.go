package dates

import (
	"sync"
	"time"
)

// kind is the kind of a term.
type kind int

const (
	_           kind = iota
	dayTerm          // n days from today
	weekTerm         // the week n weeks from this one
	monthTerm        // the month n months from this one
	yearTerm         // the year n years from this one
	weekdayTerm      // the weekday n
	nameTerm         // the month n
	partTerm         // the part n of a day
	dayPartTerm      // the part n%10 of the day n/10 days from today
	clockTerm        // n minutes after midnight
	nowTerm          // now
	modeTerm         // the mode n of the following weekday, month or unit
	edgeTerm         // the edge n of the month, year or week
	weekendTerm      // the weekend of the week n weeks from this one
	dateTerm         // the date n: 100*month + day
	nthTerm          // the nth weekday or day of a month
	holidayTerm      // a weekday of a month: nthDay
	feastTerm        // a feast
)

// term is the meaning of a word.
type term struct {
	kind kind
	n    int
}

// The modes of a weekday.
const (
	plainMode = iota
	thisMode
	nextMode
	lastMode
	comingMode
)

// The parts of a day.
const (
	morning = iota + 1
	daytime
	afternoon
	evening
	night
	lateNight
	dayEnd
	earlyAfternoon
	lateMorning
)

// partTime returns the time of day that a part stands for.
func partTime(part int) time.Duration {
	return [...]time.Duration{morning: 9, daytime: 12, afternoon: 14, evening: 18, night: 20, lateNight: 24,
		dayEnd: 18, earlyAfternoon: 13, lateMorning: 11}[part] * time.Hour
}

// The edges of a month, a year or a week.
const (
	firstEdge = iota + 1
	lastEdge
	earlyEdge  // the first third of a month, Monday and Tuesday of a week
	middleEdge // the second third of a month, Wednesday of a week
	lateEdge   // the rest of a month, Thursday and Friday of a week
	firstHalf  // the first 15 days of a month, Monday to Wednesday of a week
	secondHalf
)

// terms returns the words of both languages, built at their first use.
var terms = sync.OnceValue(func() map[string]term {
	all := map[string]term{}
	add := func(k kind, first, step int, names ...[]string) {
		for i, same := range names {
			for _, name := range same {
				all[name] = term{k, first + i*step}
			}
		}
	}
	type list = []string
	add(dayTerm, -3, 1, list{"一昨々日", "さきおととい"},
		list{"day before yesterday", "一昨日", "おととい", "おとつい"}, list{"yesterday", "昨日",
			"きのう"},
		list{"today", "今日", "本日", "きょう", "当日"},
		list{"tomorrow", "tmr", "tmrw", "tmw", "tomorow", "tommorow", "tommorrow", "明日", "あした", "あす",
			"翌日", "明くる日"},
		list{"day after tomorrow", "overmorrow", "明後日", "あさって", "翌々日"},
		list{"明々後日", "明明後日", "しあさって"})
	add(weekTerm, -2, 1, list{"先々週", "先先週"}, list{"先週", "前週"}, list{"今週"}, list{"来週",
		"翌週"},
		list{"再来週", "さ来週", "翌々週", "week after next"})
	add(monthTerm, -2, 1, list{"先々月", "先先月"}, list{"先月", "前月"}, list{"今月", "当月"},
		list{"来月", "翌月"},
		list{"再来月", "さ来月", "翌々月"})
	add(yearTerm, -2, 1, list{"一昨年", "おととし"}, list{"昨年", "去年", "前年"}, list{"今年",
		"本年", "ことし"},
		list{"来年", "翌年"}, list{"再来年"})
	add(weekdayTerm, 0, 1, list{"sunday", "sun", "sunady", "日曜日", "日曜", "にちようび", "にちよう"},
		list{"monday", "mon", "monady", "月曜日", "月曜", "げつようび", "げつよう"},
		list{"tuesday", "tues", "tue", "tuseday", "teusday", "tusday", "火曜日", "火曜", "かようび"},
		list{"wednesday", "weds", "wed", "wendsday", "wensday", "wednsday", "wedensday", "wednesay", "水曜日", "水曜", "すいようび"},
		list{"thursday", "thurs", "thur", "thu", "thrusday", "thursay", "thurday", "木曜日", "木曜", "もくようび"},
		list{"friday", "fri", "firday", "frday", "金曜日", "金曜", "きんようび"},
		list{"saturday", "sat", "satruday", "saterday", "saturay", "土曜日", "土曜", "どようび"})
	add(nameTerm, 1, 1, list{"january", "jan"}, list{"february", "feb", "febuary", "feburary"}, list{"march", "mar"}, list{"april", "apr"},
		list{"may"}, list{"june", "jun"}, list{"july", "jul"}, list{"august", "aug"},
		list{"september", "sept", "sep"}, list{"october", "oct"}, list{"november", "nov"}, list{"december", "dec"})
	add(partTerm, morning, 1, list{"morning", "in the morning", "first thing", "first thing in the morning", "朝",
		"早朝", "午前中", "朝イチ", "朝一", "朝一番", "start of business", "start of day",
		"start of the day",
		"始業", "始業時", "業務開始"},
		list{"midday", "lunchtime", "lunch time", "at lunch", "昼", "お昼", "昼間", "昼休み"},
		list{"afternoon", "in the afternoon", "arvo", "this arvo"},
		list{"evening", "in the evening", "夕方", "夕"}, list{"night", "at night", "夜", "晩"},
		list{"late night", "late at night", "深夜", "真夜中", "夜中"},
		list{"end of day", "end of the day", "end of business", "close of business", "end of business day",
			"end of the business day", "end of work day", "end of the work day", "end of workday", "end of the workday",
			"end of play", "close of play", "eod", "eob", "cob", "終業", "終業時", "定時", "業務終了"},
		list{"early afternoon", "after lunch", "昼過ぎ", "お昼過ぎ", "昼すぎ", "午後イチ",
			"午後一", "午後一番"},
		list{"late morning", "昼前", "お昼前"})
	add(dayPartTerm, morning, 1, list{"this morning", "今朝", "けさ"}, list{}, list{"this afternoon"},
		list{"this evening"}, list{"tonight", "tonite", "this night", "今夜", "今晩", "今宵"})
	add(dayPartTerm, 10+morning, 1, list{"明朝", "翌朝"}, list{}, list{}, list{}, list{"明晩"})
	add(dayPartTerm, -10+night, 1, list{"last night", "昨夜", "昨晩", "ゆうべ"})
	add(clockTerm, 0, 720, list{"midnight", "twelve midnight", "零時"}, list{"noon", "twelve noon", "正午"})
	add(nowTerm, 0, 1, list{"now", "right now", "just now", "今", "いま", "ただいま", "現在", "今すぐ"})
	add(modeTerm, thisMode, 1, list{"this", "この"}, list{"next", "following"},
		list{"last", "past", "previous", "前の", "この前の", "前回の"},
		list{"coming", "this coming", "upcoming", "次の", "つぎの", "今度の", "来る", "来たる"})
	add(edgeTerm, firstEdge, 1, list{"beginning of", "start of", "first day of"},
		list{"end of", "last day of", "eow", "eom", "eoq", "eoy"}, list{"early"}, list{"mid", "middle of"},
		list{"late"}, list{"first half of"}, list{"second half of", "latter half of"})
	add(weekendTerm, -1, 1, list{"先週末", "先週の週末"}, list{"weekend", "週末", "今週末",
		"今週の週末"},
		list{"来週末", "来週の週末"}, list{"再来週末"})
	add(dateTerm, 1224, 1, list{"christmas eve", "xmas eve", "クリスマスイブ", "クリスマスイヴ"},
		list{"christmas", "christmas day", "xmas", "xmas day", "クリスマス"})
	add(dateTerm, 1231, 1, list{"new year's eve", "new years eve", "大晦日", "大みそか", "年末", "年内"})
	add(dateTerm, 214, 1, list{"valentine's day", "valentines day", "バレンタインデー", "バレンタイン"})
	add(dateTerm, 1031, 1, list{"halloween", "ハロウィン", "ハロウィーン"})
	add(dateTerm, 101, 1, list{"new year's day", "new year", "new year's", "new years day", "元日", "元旦",
		"年始", "年明け", "お正月", "正月"})
	add(dateTerm, 331, 70, list{"年度末"}, list{"年度初め", "年度始め", "新年度"})
	adder(add).holidays()
	add(nthTerm, 1, 1, list{"first", "第一"}, list{"second", "第二"}, list{"third", "第三"}, list{"fourth",
		"第四"},
		list{"fifth", "第五"})
	return all
})

// edgeText is a word behind a month or a year that names a part of it.
type edgeText struct {
	text   string
	edge   int
	ofWeek bool // also of a week
}

// japaneseEdges returns the words for parts in Japanese. The longest one comes first.
func japaneseEdges() []edgeText {
	return []edgeText{{"月末", lastEdge, false}, {"月初め", firstEdge, false}, {"月初", firstEdge, false},
		{"月頭", firstEdge, false}, {"最終日", lastEdge, false}, {"末日", lastEdge, false},
		{"末", lastEdge, false}, {"初め", firstEdge, true}, {"初旬", earlyEdge, false},
		{"上旬", earlyEdge, false}, {"中旬", middleEdge, false}, {"下旬", lateEdge, false},
		{"頭", firstEdge, true}, {"あたま", firstEdge, true}, {"半ば", middleEdge, true},
		{"なかば", middleEdge, true}, {"前半", firstHalf, true}, {"後半", secondHalf, true}}
}
