package recur

import (
	"testing"
	"time"
)

func TestMove(t *testing.T) {
	at := func(text string) time.Time {
		w, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, c := range []struct{ rule, from, to, want string }{
		{"FREQ=WEEKLY;BYDAY=MO", "2026-01-05 10:00", "2026-01-06 12:00", "FREQ=WEEKLY;BYDAY=TU"},
		{"FREQ=WEEKLY;BYDAY=MO,SA", "2026-01-05 10:00", "2026-01-06 10:00", "FREQ=WEEKLY;BYDAY=TU,SU"},
		{"FREQ=WEEKLY;BYDAY=MO,TU", "2026-01-05 10:00", "2026-01-05 11:00", "FREQ=WEEKLY;BYDAY=MO,TU"},
		{"FREQ=WEEKLY", "2026-01-05 10:00", "2026-01-06 12:00", "FREQ=WEEKLY"},
		{"FREQ=MONTHLY;BYDAY=2TU", "2026-01-13 10:00", "2026-01-14 10:00", "FREQ=MONTHLY;BYDAY=2WE"},
		{"FREQ=MONTHLY;BYDAY=-1FR", "2026-01-30 10:00", "2026-01-22 10:00", "FREQ=MONTHLY;BYDAY=-2TH"},
		{"FREQ=MONTHLY;BYMONTHDAY=15", "2026-01-15 10:00", "2026-01-16 10:00", "FREQ=MONTHLY;BYMONTHDAY=16"},
		{"FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31 10:00", "2026-01-30 10:00", "FREQ=MONTHLY;BYMONTHDAY=-2"},
		{"FREQ=MONTHLY;BYMONTHDAY=1,15", "2026-01-15 10:00", "2026-01-16 10:00", "-"},
		{"FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "2026-03-29 10:00", "2026-04-26 10:00",
			"FREQ=YEARLY;BYMONTH=4;BYDAY=-1SU"},
		{"FREQ=DAILY;BYHOUR=10;UNTIL=20260201", "2026-01-05 10:00", "2026-01-06 12:00",
			"FREQ=DAILY;UNTIL=20260202;BYHOUR=12"},
		{"FREQ=DAILY;UNTIL=20260201T100000Z;COUNT=0", "2026-01-05 10:00", "2026-01-05 12:00", "?"},
		{"FREQ=DAILY;UNTIL=20260201T100000Z", "2026-01-05 10:00", "2026-01-05 12:00",
			"FREQ=DAILY;UNTIL=20260201T120000Z"},
	} {
		r, err := Parse(c.rule)
		if err != nil {
			if c.want != "?" {
				t.Error(c.rule, err)
			}
			continue
		}
		got := "-"
		if m, ok := r.Move(at(c.from), at(c.to), false); ok {
			got = m.String()
		}
		if got != c.want {
			t.Errorf("%s from %s to %s: %s, want %s", c.rule, c.from, c.to, got, c.want)
		}
		if again := r.String(); again != mustParse(t, c.rule).String() {
			t.Errorf("%s: changed in place to %s", c.rule, again)
		}
	}
}

func mustParse(t *testing.T, text string) *Rule {
	t.Helper()
	r, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
