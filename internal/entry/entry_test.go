package entry

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// english and japanese are lines as people write them, and what they say on Monday 2026-01-05.
var english = map[string]Line{
	"Lunch with Sato tomorrow 12:00": {
		Title: "Lunch with Sato", When: "tomorrow 12:00", Timed: true,
	},
	"tomorrow at noon lunch": {Title: "lunch", When: "tomorrow at noon", Timed: true},
	"Send the report by friday": {
		Title: "Send the report", When: "by friday", Deadline: true,
	},
	"Standup every monday 9:30": {
		Title: "Standup", When: "every monday 9:30", Timed: true, Repeats: true,
	},
	"Buy milk tomorrow": {Title: "Buy milk", When: "tomorrow"},
	"Standup mon-fri 9:30": {
		Title: "Standup", When: "mon-fri 9:30", Timed: true, Repeats: true,
	},
	"Offsite mon and tue": {Title: "Offsite mon and", When: "tue", Unclear: true},
	"Gym twice a week":    {Title: "Gym twice a week"},
	"Yoga on tuesdays at 18:00": {
		Title: "Yoga", When: "on tuesdays at 18:00", Timed: true, Repeats: true,
	},
	"Standup every monday 9am except june 15": {
		Title: "Standup", When: "every monday 9am except june 15", Timed: true, Repeats: true,
	},
	"Standup every monday 9am in room 4 until july 20": {
		Title: "Standup in room 4", When: "every monday 9am until july 20", Timed: true, Repeats: true,
	},
	"Take pills every day at 8 for 10 days": {
		Title: "Take pills", When: "every day at 8 for 10 days", Timed: true, Repeats: true,
	},
	"Gym mon wed fri 7am": {
		Title: "Gym", When: "mon wed fri 7am", Timed: true, Repeats: true,
	},
	"Yoga tue/thu 18:00": {
		Title: "Yoga", When: "tue/thu 18:00", Timed: true, Repeats: true,
	},
	"Water plants 3 days after done": {Title: "Water plants", After: "3 days after done"},
	"Lunch with Mia fri 12-13": {
		Title: "Lunch with Mia", When: "fri 12-13", Timed: true,
	},
	"Dentist june 20-22":            {Title: "Dentist", When: "june 20-22", Timed: true},
	"Tickets for the march concert": {Title: "Tickets for the march concert"},
	"Ask Bob about monday":          {Title: "Ask Bob about monday"},
	"Monday is a bad day":           {Title: "Monday is a bad day"},
	"Send report friday eod": {
		Title: "Send report", When: "friday eod", Timed: true, Deadline: true,
	},
	"Meet John tomorrow 3pm for 1h30": {
		Title: "Meet John", When: "tomorrow 3pm for 1h30", Timed: true,
	},
	"Sunday brunch 11am":        {Title: "brunch", When: "Sunday 11am", Timed: true},
	"Fri lunch with Ben 12:00":  {Title: "lunch with Ben", When: "Fri 12:00", Timed: true},
	"Team dinner (friday 7pm)":  {Title: "Team dinner", When: "friday 7pm", Timed: true},
	"Ask about the 3pm meeting": {Title: "Ask about the 3pm meeting"},
	"Plan the sept offsite":     {Title: "Plan the sept offsite"},
	"Fix the 1 pm crash":        {Title: "Fix the 1 pm crash"},
	"Moved to 9:50 on Monday":   {Title: "Moved", When: "9:50 on Monday", Timed: true},
	"In 3 days: call Ben":       {Title: "call Ben", When: "In 3 days"},
	"Rehearsal mondays until july 20 with Bob": {
		Title: "Rehearsal with Bob", When: "mondays until july 20", Repeats: true,
	},
	"Buy sun cream":          {Title: "Buy sun cream"},
	"Room 101 has 20 chairs": {Title: "Room 101 has 20 chairs"},
	"Version 2.0 ships":      {Title: "Version 2.0 ships"},
	"May I help you":         {Title: "May I help you"},
}

var japanese = map[string]Line{
	"明日15時に歯医者": {Title: "歯医者", When: "明日15時に", Timed: true},
	"会議は来週月曜の14時から15時": {
		Title: "会議", When: "来週月曜の14時から15時", Timed: true,
	},
	"金曜までに報告書を出す": {
		Title: "報告書を出す", When: "金曜までに", Deadline: true,
	},
	"月水金 9時 朝会":  {Title: "朝会", When: "月水金 9時", Timed: true, Repeats: true},
	"平日9時に朝会":    {Title: "朝会", When: "平日9時に", Timed: true, Repeats: true},
	"月末17時 締め":   {Title: "締め", When: "月末17時", Timed: true},
	"週末に洗車":      {Title: "洗車", When: "週末に", Timed: true},
	"金曜9-11時 定例": {Title: "定例", When: "金曜9-11時", Timed: true},
	"毎週月曜9時 定例(6/15は除く)": {
		Title: "定例", When: "毎週月曜9時 (6/15は除く)", Timed: true, Repeats: true,
	},
	"毎月1日に家賃を払う": {Title: "家賃を払う", When: "毎月1日に", Repeats: true},
	"3日ごとに水やり":   {Title: "水やり", When: "3日ごとに", Repeats: true},
	"完了の3日後に水やり": {Title: "水やり", After: "完了の3日後"},
	"毎日8時に薬を飲む 10日間": {
		Title: "薬を飲む", When: "毎日8時に 10日間", Timed: true, Repeats: true,
	},
	"今週中に見積もり": {
		Title: "見積もり", When: "今週中に", Timed: true, Deadline: true,
	},
	"締切 6月30日 助成金":             {Title: "助成金", When: "6月30日", Deadline: true},
	"15日締め切りのレポート":             {Title: "レポート", When: "15日", Deadline: true},
	"東京 明日15時 出張":              {Title: "東京 出張", When: "明日15時", Timed: true},
	"Workshop 9-17 on june 20": {Title: "Workshop", When: "9-17 on june 20", Timed: true},
	"日曜 ブランチ 11時":              {Title: "ブランチ", When: "日曜 11時", Timed: true},
	"7月の旅行の計画":                 {Title: "7月の旅行の計画"},
	"日本の首都は東京":                 {Title: "日本の首都は東京"},
	"佐藤さんは三人兄弟":                {Title: "佐藤さんは三人兄弟"},
}

// TestRead reads lines.
func TestRead(t *testing.T) {
	now := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for _, all := range []map[string]Line{english, japanese} {
		for text, want := range all {
			got := Read(text, now)
			got.Moment, got.Guessed = want.Moment, want.Guessed
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
		if l := Read(text, time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)); l.When == "" && l.Timed {
			t.Errorf("%q: %+v", text, l)
		}
	})
}

// TestMissing names a day or a time that does not exist.
func TestMissing(t *testing.T) {
	now := time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2月30日 15時 歯医者": "2月30日", "4月31日に旅行": "4月31日", "13月5日 10時 会議": "13月5日", "Dentist 2026-02-30 15:00": "2026-02-30",
		"Lunch on february 30 12:00": "february 30", "Dentist 31 november": "31 november", "Lunch tomorrow 25:00": "25:00",
		"lunch 2/30 12:00": "2/30", "2月29日 誕生日会": "", "party 12/31 20:00": "", "明日25時に会議": "", "a video of 40:20": "",
		"May 4 party": "", `buy "2/30"`: "", "add 1/2 cup": "",
	} {
		if got := Read(text, now).Missing; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestReadLong takes a long text as a title at once.
func TestReadLong(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	text := "call mum every friday at noon " + strings.Repeat("word ", 900_000)
	if l := Read(text, now); l.When != "" || l.Title != text {
		t.Errorf("read %q in a text of %d bytes", l.When, len(text))
	}
	for _, part := range []string{"fri ", "毎週", "毎週月曜", "in 3 days "} {
		start := time.Now()
		Read(strings.Repeat(part, maxLine/len(part)), now)
		if took := time.Since(start); took > 10*time.Second { // 16 and 63 seconds where each time was looked for anew
			t.Errorf("a line of %q took %s", part, took)
		}
	}
}

// TestFalseAlarms: what only looks like a time stays in the title.
func TestFalseAlarms(t *testing.T) {
	now := time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC) // a Sunday
	for text, want := range map[string]Line{
		"yoga every friday 4":         {Title: "yoga", When: "every friday at 4", Timed: true, Repeats: true, Guessed: "every friday at 4"},
		"every other friday 4 yoga":   {Title: "4 yoga", When: "every other friday", Repeats: true},
		"second friday 4, dinner":     {Title: "4, dinner", When: "second friday"},
		"Arsenal won yesterday 3 - 1": {Title: "Arsenal won yesterday 3 - 1"},
		"AM4 board for Dan":           {Title: "AM4 board for Dan"},
		"buy a cooler for AM5":        {Title: "buy a cooler for AM5"},
		"PM10 sensor":                 {Title: "PM10 sensor"},
		"PM3 会議":                      {Title: "会議", When: "PM3", Timed: true, Guessed: "PM3"},
		"pizza for 5ish people":       {Title: "pizza for 5ish people"},
		"need 20ish chairs":           {Title: "need 20ish chairs"},
		"tea at 5ish":                 {Title: "tea", When: "at 5ish", Timed: true},
		"Febuary plans":               {Title: "Febuary plans"},
		"水 2-3本 買う":                   {Title: "水 2-3本 買う"},
		"水 1-2L 買う":                   {Title: "水 1-2L 買う"},
		"土 10-12 公園":                  {Title: "公園", When: "土曜 10-12", Timed: true, Guessed: "土曜 10-12"},
		"土曜 〆鯖を仕込む":                   {Title: "〆鯖を仕込む", When: "土曜"},
		"明日〆鯖を食べる":                    {Title: "〆鯖を食べる", When: "明日"},
		"金曜 〆のラーメン":                   {Title: "〆のラーメン", When: "金曜"},
		"金曜〆の原稿":                      {Title: "原稿", When: "金曜", Deadline: true},
		"sat 9 Rose Court viewing":    {Title: "9 Rose Court viewing", When: "sat"},
		"fri 1830 Harbour Rd":         {Title: "1830 Harbour Rd", When: "fri", Guessed: "fri"},
		"Freaky Friday 2":             {Title: "Freaky Friday 2"},
		"Concert sat 12 at 8":         {Title: "Concert 12", When: "sat at 8", Timed: true, Guessed: "sat at 8"},
		"tue 1, wed 2 leave":          {Title: "tue 1, 2 leave", When: "wed", Second: "tue"},
		"半GST課税":                      {Title: "半GST課税"},
		"10時半（CST）会議":                 {Title: "（CST）会議", When: "10時半", Timed: true, Zone: "CST"},
		"論文 8月7日 〆":                   {Title: "論文", When: "8月7日", Deadline: true},
	} {
		got := Read(text, now)
		got.Moment = want.Moment
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
