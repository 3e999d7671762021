package dates

import (
	"testing"
	"time"
)

// asked is a Sunday.
var asked = time.Date(2026, 11, 22, 15, 4, 5, 0, time.UTC)

var namedDays = []struct{ text, part, from, last string }{
	{"notes from 20 April", "20 April", "2026-04-20", "2026-04-20"},
	{"What happened on April 21?", "April 21", "2026-04-21", "2026-04-21"},
	{"What did we decide last week about the roof?", "last week", "2026-11-09", "2026-11-15"},
	{"What happened in May?", "May", "2026-05-01", "2026-05-31"},
	{"the trip in 2023", "2023", "2023-01-01", "2023-12-31"},
	{"What was it three days ago?", "three days ago", "2026-11-19", "2026-11-19"},
	{"report of 2026-03-04", "2026-03-04", "2026-03-04", "2026-03-04"},
	{"先月の会議で何を決めた？", "先月", "2026-10-01", "2026-10-31"},
	{"先週の金曜日に誰と会った？", "先週の金曜日", "2026-11-13", "2026-11-13"},
	{"4月20日のメモ", "4月20日", "2026-04-20", "2026-04-20"},
	{"5月の契約", "5月", "2026-05-01", "2026-05-31"},
	{"昨日の夕食は？", "昨日", "2026-11-21", "2026-11-21"},
	{"去年の旅行", "去年", "2025-01-01", "2025-12-31"},
	{"去年の3月の旅行", "去年の3月", "2025-03-01", "2025-03-31"},
	{"What did I read two weeks ago?", "two weeks ago", "2026-11-05", "2026-11-11"},
	{"2か月前の予算", "2か月前", "2026-09-01", "2026-09-30"},
	{"the trip of two years ago", "two years ago", "2024-01-01", "2024-12-31"},
	{"Who called in early June?", "early June", "2026-06-01", "2026-06-10"},
	{"6月上旬の出張", "6月上旬", "2026-06-01", "2026-06-10"},
	// Up to today.
	{"What changed in the last two weeks?", "the last two weeks", "2026-11-08", "2026-11-22"},
	{"decisions of the past 3 days", "the past 3 days", "2026-11-19", "2026-11-22"},
	{"last couple of months", "last couple of months", "2026-09-22", "2026-11-22"},
	{"What did we ship in the last month?", "the last month", "2026-10-22", "2026-11-22"},
	{"What did we ship last month?", "last month", "2026-10-01", "2026-10-31"},
	{"過去2週間の決定", "過去2週間", "2026-11-08", "2026-11-22"},
	{"この3日間に何をした？", "この3日間", "2026-11-19", "2026-11-22"},
	// Vague times; it is a Sunday in November.
	{"What did I say on Friday?", "Friday", "2026-11-20", "2026-11-20"},
	{"Monday's meeting", "Monday", "2026-11-16", "2026-11-16"},
	{"What did we decide Tuesday?", "Tuesday", "2026-11-17", "2026-11-17"},
	{"金曜日に何をした？", "金曜日", "2026-11-20", "2026-11-20"},
	{"月曜の会議", "月曜", "2026-11-16", "2026-11-16"},
	{"last spring", "last spring", "2026-03-01", "2026-05-31"},
	{"this autumn", "this autumn", "2026-09-01", "2026-11-30"},
	{"last autumn", "last autumn", "2025-09-01", "2025-11-30"},
	{"the trip in spring", "spring", "2026-03-01", "2026-05-31"},
	{"What did we plant in the summer of 2024?", "the summer of 2024", "2024-06-01", "2024-08-31"},
	{"winter 2025", "winter 2025", "2024-12-01", "2025-02-28"},
	{"去年の夏の旅行", "去年の夏", "2025-06-01", "2025-08-31"},
	{"2025年の春に買った", "2025年の春", "2025-03-01", "2025-05-31"},
	{"春に買った種", "春", "2026-03-01", "2026-05-31"},
	{"What did we ship in Q2?", "Q2", "2026-04-01", "2026-06-30"},
	{"Q4 2025", "Q4 2025", "2025-10-01", "2025-12-31"},
	{"the second quarter", "the second quarter", "2026-04-01", "2026-06-30"},
	{"the first half of 2025", "the first half of 2025", "2025-01-01", "2025-06-30"},
	{"第2四半期の売上", "第2四半期", "2026-04-01", "2026-06-30"},
	{"上半期の目標", "上半期", "2026-01-01", "2026-06-30"},
	{"a fortnight ago", "a fortnight ago", "2026-11-05", "2026-11-11"},
	{"two fortnights ago", "two fortnights ago", "2026-10-22", "2026-10-28"},
	{"in the last fortnight", "the last fortnight", "2026-11-08", "2026-11-22"},
	{"What did I read recently?", "recently", "2026-10-23", "2026-11-22"},
	{"books that I read lately", "lately", "2026-10-23", "2026-11-22"},
	{"who called the other day?", "the other day", "2026-11-08", "2026-11-22"},
	{"a few weeks ago", "a few weeks ago", "2026-10-11", "2026-11-08"},
	{"half a year ago", "half a year ago", "2026-05-01", "2026-05-31"},
	{"最近読んだ本", "最近", "2026-10-23", "2026-11-22"},
	{"半年前に買ったもの", "半年前", "2026-05-01", "2026-05-31"},
	{"半月前", "半月前", "2026-11-04", "2026-11-10"},
	{"数日前に会った人", "数日前", "2026-11-16", "2026-11-20"},
	{"数か月前の話", "数か月前", "2026-05-22", "2026-09-22"},
	{"先日の件", "先日", "2026-11-08", "2026-11-22"},
	{"先月末の会議", "先月末", "2026-10-22", "2026-10-31"},
	{"今月初めに決めたこと", "今月初め", "2026-11-01", "2026-11-10"},
	{"去年末の旅行", "去年末", "2025-12-01", "2025-12-31"},
	{"the end of last month", "the end of last month", "2026-10-22", "2026-10-31"},
	{"at the beginning of this year", "the beginning of this year", "2026-01-01", "2026-01-31"},
	// Ranges.
	{"What did we do from June 3 to June 10?", "from June 3 to June 10", "2026-06-03", "2026-06-10"},
	{"releases between March and May", "between March and May", "2026-03-01", "2026-05-31"},
	{"June 3 to 5 in Kyoto", "June 3 to 5", "2026-06-03", "2026-06-05"},
	{"June 3–5 in Kyoto", "June 3–5", "2026-06-03", "2026-06-05"},
	{"3-5 June in Kyoto", "3-5 June", "2026-06-03", "2026-06-05"},
	{"trips between 3 and 5 June", "between 3 and 5 June", "2026-06-03", "2026-06-05"},
	{"from last Monday until yesterday", "from last Monday until yesterday", "2026-11-16", "2026-11-21"},
	{"from Monday to Wednesday", "from Monday to Wednesday", "2026-11-16", "2026-11-18"},
	{"from 2024 to 2025", "from 2024 to 2025", "2024-01-01", "2025-12-31"},
	{"between 2026-03-04 and 2026-04-05?", "between 2026-03-04 and 2026-04-05", "2026-03-04", "2026-04-05"},
	{"since June 3 until now", "June 3 until now", "2026-06-03", "2026-11-22"},
	{"from November to January", "from November to January", "2025-11-01", "2026-01-31"},
	{"6月3日から6月10日までの出来事", "6月3日から6月10日までの", "2026-06-03", "2026-06-10"},
	{"6月3日から10日まで何をした？", "6月3日から10日まで", "2026-06-03", "2026-06-10"},
	{"6月3日〜5日の京都", "6月3日〜5日", "2026-06-03", "2026-06-05"},
	{"3月から5月の間に決めたこと", "3月から5月の間に", "2026-03-01", "2026-05-31"},
	{"先月から今月までの支出", "先月から今月までの", "2026-10-01", "2026-11-30"},
	{"月曜から水曜までの会議", "月曜から水曜までの", "2026-11-16", "2026-11-18"},
}

func TestFind(t *testing.T) {
	for _, c := range namedDays {
		f, ok := Find(c.text, asked)
		got := c.text[f.Start:f.End]
		if !ok || f.Side != In || got != c.part || f.Wall.Format(time.DateOnly) != c.from ||
			f.Last.Format(time.DateOnly) != c.last {
			t.Errorf("%s: %q %d %s %s, want %q %s %s", c.text, got, f.Side, f.Wall.Format(time.DateOnly),
				f.Last.Format(time.DateOnly), c.part, c.from, c.last)
		}
	}
	for _, text := range []string{
		"You may march on", "room 2023", "Is this the last piece?", "this may be", "お月見はいつ？", "",
		"written by April", "before lunch", "since then", "the call after the party", "駅前の店", "午後の会議",
		"会議の前に", "二人の間",
		"Is the shop open on Sunday?", "When do we deploy on Friday?", "closed on Sundays", "I spring out of bed", "fall down",
		"the fall of Rome", "in the fall of Rome", "春巻きの作り方", "夏目漱石", "毎週金曜日の会議", "火曜は在宅勤務", "秋葉原の店",
		"half a litre ago", "the other house", "the first half", "Friday the 13th is open",
	} {
		if f, ok := Find(text, asked); ok {
			t.Errorf("%q: %q", text, text[f.Start:f.End])
		}
	}
}

var namedSides = []struct{ text, part, first, last string }{
	{"releases before June 3", "before June 3", "", "2026-06-02"},
	{"what was decided prior to 2026-03-04?", "prior to 2026-03-04", "", "2026-03-03"},
	{"What did we know before last week?", "before last week", "", "2026-11-08"},
	{"decisions until June 3", "until June 3", "", "2026-06-03"},
	{"What had we finished by March?", "by March", "", "2026-03-31"},
	{"What had we finished by the end of May?", "by the end of May", "", "2026-05-31"},
	{"up to yesterday", "up to yesterday", "", "2026-11-21"},
	{"decisions after June 3", "after June 3", "2026-06-04", ""},
	{"Who joined after May?", "after May", "2026-06-01", ""},
	{"what changed since June 3", "since June 3", "2026-06-03", ""},
	{"what changed since Monday?", "since Monday", "2026-11-16", ""},
	{"since last week", "since last week", "2026-11-09", ""},
	{"since the beginning of last month", "since the beginning of last month", "2026-10-01", ""},
	{"from June 3 on", "from June 3 on", "2026-06-03", ""},
	{"from June onwards", "from June onwards", "2026-06-01", ""},
	{"June 3 or later", "June 3 or later", "2026-06-03", ""},
	{"June 3 or earlier", "June 3 or earlier", "", "2026-06-03"},
	{"not before 2025", "not before 2025", "2025-01-01", ""},
	{"since two weeks ago", "since two weeks ago", "2026-11-08", ""},
	{"after the last two weeks", "after the last two weeks", "2026-11-23", ""},
	// A bound that is close ahead.
	{"What must be ready by December 1?", "by December 1", "", "2026-12-01"},
	{"What did we ship by December 1?", "by December 1", "", "2025-12-01"},
	{"What has to be ready before Friday?", "before Friday", "", "2026-11-26"},
	{"What did we ship before Friday?", "before Friday", "", "2026-11-19"},
	{"what is done by June 3", "by June 3", "", "2026-06-03"},
	// Japanese.
	{"6月3日以前のリリース", "6月3日以前", "", "2026-06-03"},
	{"6月3日より前のリリース", "6月3日より前の", "", "2026-06-02"},
	{"6月3日の前に決めたこと", "6月3日の前に", "", "2026-06-02"},
	{"6月3日前に決めたこと", "6月3日前に", "", "2026-06-02"},
	{"先週までの決定", "先週までの", "", "2026-11-15"},
	{"6月3日までに決めたこと", "6月3日までに", "", "2026-06-03"},
	{"6月3日以降の決定", "6月3日以降の", "2026-06-03", ""},
	{"6月3日からの決定", "6月3日からの", "2026-06-03", ""},
	{"先月から何が変わった？", "先月から", "2026-10-01", ""},
	{"3日前から咳が出る", "3日前から", "2026-11-19", ""},
	{"6月3日の後で決めたこと", "6月3日の後で", "2026-06-04", ""},
	{"6月3日より後のリリース", "6月3日より後の", "2026-06-04", ""},
	{"月曜以降の予定", "月曜以降の", "2026-11-16", ""},
	{"2025年以降の引っ越し", "2025年以降の", "2025-01-01", ""},
	{"5月末までに終わらせた", "5月末までに", "", "2026-05-31"},
}

func TestFindSides(t *testing.T) {
	for _, c := range namedSides {
		f, _ := Find(c.text, asked)
		first, last := f.Days()
		if got := c.text[f.Start:f.End]; got != c.part || day(first) != c.first || day(last) != c.last || f.Dated {
			t.Errorf("%s: %q %q %q, want %q %q %q", c.text, got, day(first), day(last), c.part, c.first, c.last)
		}
	}
	for text, part := range map[string]string{
		"6月前半の旅行": "6月前半", "6月3日の前日": "6月3日",
		"6月後半の旅行": "6月後半", "3日前の夕食": "3日前",
	} {
		if f, ok := Find(text, asked); !ok || f.Side != In || text[f.Start:f.End] != part {
			t.Errorf("%s: %q, side %d", text, text[f.Start:f.End], f.Side)
		}
	}
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
