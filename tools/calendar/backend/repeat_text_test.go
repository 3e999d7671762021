package backend

import (
	"testing"
	"time"

	"techo/tools"
)

// TestRecurrenceText reads rules as files have them. What has no words stays as it is.
func TestRecurrenceText(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*60*60)
	english, japanese := &tools.Env{Lang: tools.English, Zone: tokyo}, &tools.Env{Lang: tools.Japanese, Zone: tokyo}
	for _, c := range []struct {
		lines  []string
		en, ja string
	}{
		{[]string{"RRULE:FREQ=WEEKLY"}, "every week", "毎週"},
		{[]string{"RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;COUNT=4"}, "every 2 weeks on Tuesday, Thursday, 4 occurrences", ""},
		{[]string{"RRULE:FREQ=MONTHLY;BYDAY=1MO"}, "every month on the 1st Monday", ""},
		{[]string{"RRULE:FREQ=MONTHLY;BYDAY=-1FR"}, "every month on the last Friday", ""},
		{[]string{"RRULE:FREQ=MONTHLY;BYMONTHDAY=-1"}, "every month on the last day", "毎月の末日"},
		{[]string{"RRULE:FREQ=MONTHLY;BYMONTHDAY=15"}, "every month on day 15", ""},
		{[]string{"RRULE:FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3"}, "every year on 3 May", ""},
		{[]string{"RRULE:FREQ=DAILY;UNTIL=20261231T230000Z"}, "every day, until 2027-01-01", ""},
		{[]string{"RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "EXDATE;TZID=Asia/Tokyo:20261204T090000"},
			"every weekday, except 2026-12-04", "平日、2026-12-04 を除く"},
		{[]string{"RRULE:FREQ=DAILY", "EXDATE:20261201,20261202,20261203,20261204"}, "every day, except 4 days", ""},
		{[]string{"RRULE:FREQ=YEARLY;BYMONTHDAY=15"}, "FREQ=YEARLY;BYMONTHDAY=15", ""},
		{[]string{"RRULE:FREQ=MONTHLY;BYDAY=1TU,3TH"}, "FREQ=MONTHLY;BYDAY=1TU,3TH", ""},
		{[]string{"RRULE:FREQ=MONTHLY;BYDAY=MO;BYMONTHDAY=13"}, "FREQ=MONTHLY;BYDAY=MO;BYMONTHDAY=13", ""},
		{[]string{"RRULE:FREQ=YEARLY;BYWEEKNO=20"}, "FREQ=YEARLY;BYWEEKNO=20", ""},
		{[]string{"RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"}, "every month on the last working day", ""},
		{[]string{"RRULE:nonsense"}, "RRULE:nonsense", ""},
	} {
		if got := RecurrenceText(english, c.lines); got != c.en {
			t.Errorf("%q: %q, want %q", c.lines, got, c.en)
		}
		if got := RecurrenceText(japanese, c.lines); c.ja != "" && got != c.ja {
			t.Errorf("%q: %q, want %q", c.lines, got, c.ja)
		}
	}
}
