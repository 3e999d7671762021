package quick

import (
	"reflect"
	"testing"
	"time"
)

// english and japanese are lines as people write them, and what they say on Monday 2026-01-05.
var english = map[string]line{
	"Lunch with Sato tomorrow 12:00": {
		title: "Lunch with Sato", when: "tomorrow 12:00", timed: true,
	},
	"tomorrow at noon lunch": {title: "lunch", when: "tomorrow at noon", timed: true},
	"Send the report by friday": {
		title: "Send the report", when: "by friday", deadline: true,
	},
	"Standup every monday 9:30": {
		title: "Standup", when: "every monday 9:30", timed: true, repeats: true,
	},
	"Buy milk tomorrow": {title: "Buy milk", when: "tomorrow"},
	"Standup mon-fri 9:30": {
		title: "Standup", when: "mon-fri 9:30", timed: true, repeats: true,
	},
	"Offsite mon and tue": {title: "Offsite mon and", when: "tue", unclear: true},
	"Gym twice a week":    {title: "Gym twice a week"},
	"Yoga on tuesdays at 18:00": {
		title: "Yoga", when: "on tuesdays at 18:00", timed: true, repeats: true,
	},
	"Standup every monday 9am except june 15": {
		title: "Standup", when: "every monday 9am except june 15", timed: true, repeats: true,
	},
	"Standup every monday 9am in room 4 until july 20": {
		title: "Standup in room 4", when: "every monday 9am until july 20", timed: true, repeats: true,
	},
	"Take pills every day at 8 for 10 days": {
		title: "Take pills", when: "every day at 8 for 10 days", timed: true, repeats: true,
	},
	"Gym mon wed fri 7am": {
		title: "Gym", when: "mon wed fri 7am", timed: true, repeats: true,
	},
	"Yoga tue/thu 18:00": {
		title: "Yoga", when: "tue/thu 18:00", timed: true, repeats: true,
	},
	"Water plants 3 days after done": {title: "Water plants", after: "3 days after done"},
	"Lunch with Mia fri 12-13": {
		title: "Lunch with Mia", when: "fri 12-13", timed: true,
	},
	"Dentist june 20-22":            {title: "Dentist", when: "june 20-22", timed: true},
	"Tickets for the march concert": {title: "Tickets for the march concert"},
	"Ask Bob about monday":          {title: "Ask Bob about monday"},
	"Monday is a bad day":           {title: "Monday is a bad day"},
	"Send report friday eod": {
		title: "Send report", when: "friday eod", timed: true, deadline: true,
	},
	"Meet John tomorrow 3pm for 1h30": {
		title: "Meet John", when: "tomorrow 3pm for 1h30", timed: true,
	},
	"Sunday brunch 11am":        {title: "brunch", when: "Sunday 11am", timed: true},
	"Fri lunch with Ben 12:00":  {title: "lunch with Ben", when: "Fri 12:00", timed: true},
	"Team dinner (friday 7pm)":  {title: "Team dinner", when: "friday 7pm", timed: true},
	"Ask about the 3pm meeting": {title: "Ask about the 3pm meeting"},
	"Plan the sept offsite":     {title: "Plan the sept offsite"},
	"Buy sun cream":             {title: "Buy sun cream"},
	"Room 101 has 20 chairs":    {title: "Room 101 has 20 chairs"},
	"Version 2.0 ships":         {title: "Version 2.0 ships"},
	"May I help you":            {title: "May I help you"},
}

var japanese = map[string]line{
	"明日15時に歯医者": {title: "歯医者", when: "明日15時に", timed: true},
	"会議は来週月曜の14時から15時": {
		title: "会議", when: "来週月曜の14時から15時", timed: true,
	},
	"金曜までに報告書を出す": {
		title: "報告書を出す", when: "金曜までに", deadline: true,
	},
	"月水金 9時 朝会":  {title: "朝会", when: "月水金 9時", timed: true, repeats: true},
	"平日9時に朝会":    {title: "朝会", when: "平日9時に", timed: true, repeats: true},
	"月末17時 締め":   {title: "締め", when: "月末17時", timed: true},
	"週末に洗車":      {title: "洗車", when: "週末に", timed: true},
	"金曜9-11時 定例": {title: "定例", when: "金曜9-11時", timed: true},
	"毎週月曜9時 定例(6/15は除く)": {
		title: "定例", when: "毎週月曜9時 (6/15は除く)", timed: true, repeats: true,
	},
	"毎月1日に家賃を払う": {title: "家賃を払う", when: "毎月1日に", repeats: true},
	"3日ごとに水やり":   {title: "水やり", when: "3日ごとに", repeats: true},
	"完了の3日後に水やり": {title: "水やり", after: "完了の3日後"},
	"毎日8時に薬を飲む 10日間": {
		title: "薬を飲む", when: "毎日8時に 10日間", timed: true, repeats: true,
	},
	"今週中に見積もり": {
		title: "見積もり", when: "今週中に", timed: true, deadline: true,
	},
	"締切 6月30日 助成金":             {title: "助成金", when: "6月30日", deadline: true},
	"15日締め切りのレポート":             {title: "レポート", when: "15日", deadline: true},
	"東京 明日15時 出張":              {title: "東京 出張", when: "明日15時", timed: true},
	"Workshop 9-17 on june 20": {title: "Workshop", when: "9-17 on june 20", timed: true},
	"日曜 ブランチ 11時":              {title: "ブランチ", when: "日曜 11時", timed: true},
	"7月の旅行の計画":                 {title: "7月の旅行の計画"},
	"日本の首都は東京":                 {title: "日本の首都は東京"},
	"佐藤さんは三人兄弟":                {title: "佐藤さんは三人兄弟"},
}

// TestRead reads lines.
func TestRead(t *testing.T) {
	now := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for _, all := range []map[string]line{english, japanese} {
		for text, want := range all {
			got := read(text, now)
			got.moment, got.guessed = want.moment, want.guessed
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%q: %+v, want %+v", text, got, want)
			}
		}
	}
}

// FuzzRead checks that any line is read, and that no word of the title is lost but those around the
// time.
func FuzzRead(f *testing.F) {
	f.Add("Lunch tomorrow 12:00")
	f.Add("毎週火曜10時 定例")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			return
		}
		if l := read(text, time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)); l.when == "" && l.timed {
			t.Errorf("%q: %+v", text, l)
		}
	})
}
