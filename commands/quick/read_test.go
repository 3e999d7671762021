package quick

import (
	"reflect"
	"testing"
	"time"
)

// TestRead reads lines as people write them; it is Monday 2026-01-05.
func TestRead(t *testing.T) {
	now := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]line{
		"Lunch with Sato tomorrow 12:00": {title: "Lunch with Sato", when: "tomorrow 12:00", timed: true},
		"tomorrow at noon lunch":         {title: "lunch", when: "tomorrow at noon", timed: true},
		"Send the report by friday":      {title: "Send the report", when: "by friday", deadline: true},
		"Standup every monday 9:30":      {title: "Standup", when: "every monday 9:30", timed: true, repeats: true},
		"Buy milk tomorrow":              {title: "Buy milk", when: "tomorrow"},
		"Standup mon-fri 9:30":           {title: "Standup", when: "mon-fri 9:30", timed: true, repeats: true},
		"Offsite mon and tue":            {title: "Offsite mon and", when: "tue"},
		"Gym twice a week":               {title: "Gym twice a week"},
		"Yoga on tuesdays at 18:00":      {title: "Yoga", when: "on tuesdays at 18:00", timed: true, repeats: true},
		"Buy sun cream":                  {title: "Buy sun cream"},
		"Room 101 has 20 chairs":         {title: "Room 101 has 20 chairs"},
		"Version 2.0 ships":              {title: "Version 2.0 ships"},
		"May I help you":                 {title: "May I help you"},

		"明日15時に歯医者": {title: "歯医者", when: "明日15時に", timed: true},
		"会議は来週月曜の14時から15時": {
			title: "会議", when: "来週月曜の14時から15時", timed: true,
		},
		"金曜までに報告書を出す": {
			title: "報告書を出す", when: "金曜までに", deadline: true,
		},
		"月水金 9時 朝会": {title: "朝会", when: "月水金 9時", timed: true, repeats: true},
		"平日9時に朝会":   {title: "朝会", when: "平日 9時に", timed: true, repeats: true},
		"月末17時 締め":  {title: "締め", when: "月末17時", timed: true},
		"週末に洗車":     {title: "洗車", when: "週末に", timed: true},
		"日本の首都は東京":  {title: "日本の首都は東京"},
		"佐藤さんは三人兄弟": {title: "佐藤さんは三人兄弟"},
	} {
		got := read(text, now)
		got.moment = want.moment
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
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
