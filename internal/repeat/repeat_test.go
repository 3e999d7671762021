package repeat

import (
	"os"
	"strings"
	"testing"
	"time"
)

// said are repetitions as RFC 5545 writes them, and what remains of the text.
var said = map[string][2]string{
	"daily":                                 {"FREQ=DAILY"},
	"weekly":                                {"FREQ=WEEKLY"},
	"Monthly":                               {"FREQ=MONTHLY"},
	"yearly":                                {"FREQ=YEARLY"},
	"weekdays":                              {"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"},
	"every weekday at 9:30":                 {"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "9:30"},
	"every weekend":                         {"FREQ=WEEKLY;BYDAY=SU,SA"},
	"every 2 weeks on tue":                  {"FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"},
	"every two weeks":                       {"FREQ=WEEKLY;INTERVAL=2"},
	"every other week":                      {"FREQ=WEEKLY;INTERVAL=2"},
	"every day 7am":                         {"FREQ=DAILY", "7am"},
	"every monday 7am":                      {"FREQ=WEEKLY;BYDAY=MO", "7am"},
	"7am every Monday":                      {"FREQ=WEEKLY;BYDAY=MO", "7am"},
	"every mon, wed and fri at 18:00-19:00": {"FREQ=WEEKLY;BYDAY=MO,WE,FR", "18:00-19:00"},
	"every tues/thurs":                      {"FREQ=WEEKLY;BYDAY=TU,TH"},
	"mondays and thursdays at noon":         {"FREQ=WEEKLY;BYDAY=MO,TH", "noon"},
	"on Sundays":                            {"FREQ=WEEKLY;BYDAY=SU"},
	"every other friday":                    {"FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"},
	"every second tuesday":                  {"FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"},
	"every second tuesday of the month":     {"FREQ=MONTHLY;BYDAY=2TU"},
	"every first monday":                    {"FREQ=MONTHLY;BYDAY=1MO"},
	"every last friday 17:00":               {"FREQ=MONTHLY;BYDAY=-1FR", "17:00"},
	"monthly on the 15th":                   {"FREQ=MONTHLY;BYMONTHDAY=15"},
	"every month on the last day":           {"FREQ=MONTHLY;BYMONTHDAY=-1"},
	"every 3 months on the first monday":    {"FREQ=MONTHLY;INTERVAL=3;BYDAY=1MO"},
	"on the last day of every month":        {"FREQ=MONTHLY;BYMONTHDAY=-1"},
	"the 3rd of each month at 9":            {"FREQ=MONTHLY;BYMONTHDAY=3", "at 9"},
	"every 15th of the month":               {"FREQ=MONTHLY;BYMONTHDAY=15"},
	"yearly on May 5":                       {"FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=5"},
	"every year on 5th may":                 {"FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=5"},
	"every week 10 times":                   {"FREQ=WEEKLY;COUNT=10"},
	"daily for 5 times at 8":                {"FREQ=DAILY;COUNT=5", "at 8"},
	"fortnightly on fri":                    {"FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"},
	"every quarter":                         {"FREQ=MONTHLY;INTERVAL=3"},
	"quarterly on the 15th":                 {"FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15"},
	"each sunday 10am":                      {"FREQ=WEEKLY;BYDAY=SU", "10am"},
	"everyday 7:30":                         {"FREQ=DAILY", "7:30"},
	"every march 3":                         {"FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=3"},
	"every 24 december 18:00":               {"FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24", "18:00"},
	"every day except sunday":               {"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA"},
	"every day but sat and sun 8:00":        {"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "8:00"},
	"weekly for 6 weeks":                    {"FREQ=WEEKLY;COUNT=6"},
	"every 2 weeks on fri for 6 weeks":      {"FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;COUNT=3"},
	"daily at 9 for the next 10 days":       {"FREQ=DAILY;COUNT=10", "at 9"},
	"every morning at 7":                    {"FREQ=DAILY", "7 in the morning"},

	"毎日":            {"FREQ=DAILY"},
	"毎朝7時":          {"FREQ=DAILY", "朝7時"},
	"毎週":            {"FREQ=WEEKLY"},
	"毎週月曜":          {"FREQ=WEEKLY;BYDAY=MO"},
	"毎週月曜9時":        {"FREQ=WEEKLY;BYDAY=MO", "9時"},
	"毎週月曜日の9時":      {"FREQ=WEEKLY;BYDAY=MO", "9時"},
	"毎週月・水・金曜18時":   {"FREQ=WEEKLY;BYDAY=MO,WE,FR", "18時"},
	"毎週火曜と木曜に10:00": {"FREQ=WEEKLY;BYDAY=TU,TH", "10:00"},
	"毎月曜":           {"FREQ=WEEKLY;BYDAY=MO"},
	"隔週火曜":          {"FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"},
	"2週間ごとの金曜":      {"FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"},
	"平日9時半":         {"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "9時半"},
	"毎週末":           {"FREQ=WEEKLY;BYDAY=SU,SA"},
	"毎月15日":         {"FREQ=MONTHLY;BYMONTHDAY=15"},
	"毎月末":           {"FREQ=MONTHLY;BYMONTHDAY=-1"},
	"毎月第2月曜 19時":    {"FREQ=MONTHLY;BYDAY=2MO", "19時"},
	"毎月最終金曜":        {"FREQ=MONTHLY;BYDAY=-1FR"},
	"3か月ごと":         {"FREQ=MONTHLY;INTERVAL=3"},
	"毎年5月3日":        {"FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"},
	"３日ごと":          {"FREQ=DAILY;INTERVAL=3"},
	"毎週土曜10回":       {"FREQ=WEEKLY;BYDAY=SA;COUNT=10"},
}

// TestFind reads repetitions, and what remains of the text.
func TestFind(t *testing.T) {
	for text, want := range said {
		checkFind(t, text, want)
	}
	table, err := os.ReadFile("testdata/meant.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if parts := strings.Split(strings.TrimSpace(line), " | "); line[0] != '#' {
			checkFind(t, parts[0], [2]string{parts[1], strings.Join(parts[2:], "")})
		}
	}
}

func checkFind(t *testing.T, text string, want [2]string) {
	t.Helper()
	r, rest, ok := Find(text)
	if got := [2]string{r.String(), rest}; !ok || got != want {
		t.Errorf("%q: %q, %v, want %q", text, got, ok, want)
	}
}

// TestRepeats reads words that are known to be a repetition.
func TestRepeats(t *testing.T) {
	for text, want := range map[string]string{
		"monday": "FREQ=WEEKLY;BYDAY=MO", "fri": "FREQ=WEEKLY;BYDAY=FR", "the 15th": "FREQ=MONTHLY;BYMONTHDAY=15",
		"third friday": "FREQ=MONTHLY;BYDAY=3FR", "second tuesday": "FREQ=MONTHLY;BYDAY=2TU",
		"may 5": "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=5", "christmas": "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25",
		"月曜": "FREQ=WEEKLY;BYDAY=MO", "15日": "FREQ=MONTHLY;BYMONTHDAY=15",
		"5月3日": "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3",
		"最終金曜": "FREQ=MONTHLY;BYDAY=-1FR", "1日と15日": "FREQ=MONTHLY;BYMONTHDAY=1,15",
		"weekly": "FREQ=WEEKLY",
	} {
		if r, rest, ok := Repeats(text); !ok || rest != "" || r.String() != want {
			t.Errorf("%q: %q, %q, %v, want %q", text, r, rest, ok, want)
		}
	}
	for _, text := range []string{"", "2026-01-05", "soon", "every summer", "10回", "lunch"} {
		if r, rest, ok := Repeats(text); ok {
			t.Errorf("%q: %q, %q", text, r, rest)
		}
	}
}

// TestLacking finds the open parts of a repetition.
func TestLacking(t *testing.T) {
	for text, want := range map[string]Lack{
		"twice a week": Weekdays, "three times per month": MonthDays, "2 times a day": Times, "twice a year": YearDays,
		"twice daily": Times, "週2回": Weekdays, "週に3回": Weekdays, "月2回 10時": MonthDays,
		"1日3回": Times, "年に数回": YearDays,
		"every day at 8:00 and 20:00": OneTime, "毎日朝8時と夜8時": OneTime, "土日祝": Holidays,
		"weekdays but holidays": Holidays, "every 30 minutes": Hours, "30分ごと": Hours,
		"every monday at 9 and 15:00": OneTime, "every monday 9am and wednesday 10am": OneTime,
		"daily": NoLack, "every 2 weeks": NoLack, "週1回": NoLack, "毎月第2火曜": NoLack,
		"毎週土曜10回": NoLack,
	} {
		if got := Lacking(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestSpanned reads how long a repetition goes on, and notes doubtful words.
func TestSpanned(t *testing.T) {
	for text, want := range map[string]Period{"every monday for 2 months": {2, Monthly},
		"every weekday for 2 weeks": {2, Weekly},
		"every day for a week":      {1, Weekly}, "毎日2週間 7時": {2, Weekly},
		"毎週月曜 3か月間": {3, Monthly}} {
		if r, _, ok := Find(text); !ok || r.For != want || r.Count != 0 {
			t.Errorf("%q: %+v, %v", text, r, ok)
		}
	}
	for text, want := range map[string]string{"every second tuesday": "every second", "bimonthly": "bimonthly",
		"2日おき": "2日おき", "1日おき": "", "every other day": ""} {
		if r, _, _ := Find(text); r.Doubt != want {
			t.Errorf("%q: doubt %q, want %q", text, r.Doubt, want)
		}
	}
	for text, want := range map[string]bool{"mon-fri 9:00": true, "月水金": true, "月末": true, "mondays": false,
		"毎月末": false, "last friday of the month": true, "last friday of each month": false} {
		if r, _, ok := Find(text); !ok || r.Implied != want {
			t.Errorf("%q: implied %v, %v", text, r.Implied, ok)
		}
	}
}

// TestNone leaves other texts alone.
func TestNone(t *testing.T) {
	for _, text := range []string{"", "monday", "next mon 9:00", "2026-01-05", "tomorrow",
		"月曜", "来月3日", "5月3日",
		"every", "every thing", "everyone", "daylight", "weekly on may 5", "daily on tue", "yearly on feb 30",
		"monthly on the 32nd", "毎", "every 0 days", "moonday", "sundaysx"} {
		if r, rest, ok := Find(text); ok {
			t.Errorf("%q: %q, %q", text, r, rest)
		}
	}
}

// TestEnd reads the end of a repetition.
func TestEnd(t *testing.T) {
	for text, want := range map[string]string{
		"every monday 9:00 until 2026-12-31": "2026-12-31", "weekly until next friday": "next friday",
		"毎週月曜9時 12月31日まで": "12月31日", "2026年3月末まで毎日": "2026年3月末",
		"毎週月曜 9時から10時まで": "", "金曜まで毎日8時": "金曜",
		"クリスマスまで毎日":                     "クリスマス",
		"every day until friday at 8am": "friday",
	} {
		if r, _, ok := Find(text); !ok || r.Until != want {
			t.Errorf("%q: until %q, %v", text, r.Until, ok)
		}
	}
}

// TestExcept reads the days that a repetition leaves out, and the period that has all occurrences.
func TestExcept(t *testing.T) {
	for text, want := range map[string][2]string{
		"every monday 9am except june 15 and 22": {"june 15|june 22"}, "every monday 9am except the 15th": {"15th"},
		"every monday (not june 15, july 6) 9am": {"june 15|july 6"},
		"毎週月曜9時(6/15と7月6日は除く)":                   {"6/15|7月6日"},
		"every monday except christmas":          {"christmas"}, "every day except sunday": {},
		"every monday in july":     {"", "july"},
		"every day this week at 8": {"", "this week"}, "7月の毎週月曜9時": {"", "7月"},
		"来月は毎日":                            {"", "来月"},
		"every weekday starting next week": {}, "来週から毎日": {},
	} {
		r, _, ok := Find(text)
		if got := [2]string{strings.Join(r.Except, "|"), r.During}; !ok || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"every monday except monday", "monthly except sunday", "every 2 days except sunday"} {
		if r, _, ok := Find(text); ok {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

// TestFirst compares the first day with a rule's meaning, written by hand.
func TestFirst(t *testing.T) {
	for text, want := range map[string]string{
		"daily": "2026-01-07", "every monday": "2026-01-12", "every wednesday": "2026-01-07",
		"every first monday": "2026-02-02", "every last friday": "2026-01-30", "monthly on the 31st": "2026-01-31",
		"every month on the last day": "2026-01-31", "yearly on feb 29": "2028-02-29", "毎月第1水曜": "2026-01-07",
	} {
		r, ok := Parse(text)
		day := r.First(time.Date(2026, 1, 7, 0, 0, 0, 0, time.UTC)) // a Wednesday
		if got := day.Format(time.DateOnly); !ok || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, ok, want)
		}
	}
}

// FuzzFind checks that any text is read without a panic, and that a rule is whole.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"every 2 weeks on tue", "毎週月・水曜9時", "until until 5 times",
		"the last fri of each month"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, _, ok := Find(text)
		if ok && (r.Every < 1 || len(r.Nth) > 0 && len(r.Days) == 0 || r.Count < 0 ||
			strings.Contains(r.String(), "=0")) {
			t.Errorf("%q: %+v", text, r)
		}
	})
}

// TestAfterDone reads repetitions that count from the day on which something was done.
func TestAfterDone(t *testing.T) {
	for text, want := range map[string]Period{
		"3 days after it was done": {3, Daily}, "a week after it is done": {1, Weekly},
		"two weeks after completion": {2, Weekly}, "1 month after I did it": {1, Monthly},
		"6 months after last done": {6, Monthly}, "1 year after finishing it": {1, Yearly},
		"10 days after it's done": {10, Daily}, "完了の3日後": {3, Daily}, "完了から2週間後": {2, Weekly},
		"終わってから1か月後": {1, Monthly}, "済んでから三日後": {3, Daily},
		"every week after it is done": {1, Weekly}, "every 3 months after I did it": {3, Monthly},
		"完了後2週間":  {2, Weekly},
		"実施日の１年後": {1, Yearly}, "やった日から10日後": {10, Daily},
	} {
		if got, ok := AfterDone(text); !ok || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "3 days", "3 days after tomorrow", "0 days after it was done",
		"other days after it was done", "every 3 days", "完了", "3日後", "3日おき",
		"完了の0日後", "days after done"} {
		if got, ok := AfterDone(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}
