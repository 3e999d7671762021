package recur

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// occurrences returns the first n occurrences of a rule.
func occurrences(rule, start string, n int) ([]string, error) {
	r, err := Parse(rule)
	if err != nil {
		return nil, err
	}
	layout, date := "20060102T150405", len(start) == 8
	if date {
		layout = "20060102"
	}
	first, err := time.Parse(layout, strings.TrimSuffix(start, "Z"))
	if err != nil {
		return nil, err
	}
	var got []string
	New(r, first, date, r.Until).Walk(first, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), func(w time.Time) bool {
		got = append(got, w.Format(layout))
		return len(got) < n
	})
	return got, nil
}

// TestVectors compares with libical and python-dateutil where both agree (tier A),
// and with python-dateutil where DTSTART does not match the rule (B) or the two
// differ otherwise (C), except for BYHOUR with dates. Rules of the remaining tiers
// (R, X) may be rejected, but must not hang.
func TestVectors(t *testing.T) {
	var all []struct {
		Name, RRule, DTStart, Tier string
		Expect                     []string
	}
	if err := json.Unmarshal(testenv.ReadData(t, "cal/rrule/vectors_merged.json"), &all); err != nil {
		t.Fatal(err)
	}
	passed := map[string]int{}
	for _, v := range all {
		got, err := occurrences(v.RRule, v.DTStart, len(v.Expect)+1)
		if r, e := Parse(v.RRule); e == nil && r.Count == 0 && r.Until.IsZero() && len(got) > len(v.Expect) {
			got = got[:len(v.Expect)]
		}
		want := strings.ReplaceAll(strings.Join(v.Expect, " "), "Z", "")
		if err == nil && strings.Join(got, " ") == want {
			passed[v.Tier]++
		} else if v.Tier == "A" || v.Tier == "B" {
			t.Errorf("%s %s: %s from %s\ngot  %v, %v\nwant %v", v.Tier, v.Name, v.RRule, v.DTStart, got, err, v.Expect)
		}
	}
	t.Log("passed:", passed)
}

// randomRule generates an unusual but valid rule.
func randomRule(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	freq := pick("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY")
	text := "FREQ=" + freq
	some := func(n int, part string) {
		if r.IntN(n) == 0 {
			text += ";" + part
		}
	}
	some(2, fmt.Sprint("INTERVAL=", 1+r.IntN(9)))
	some(3, "BYMONTH="+pick("1", "2,7", "3,11,12"))
	some(4, "BYMONTHDAY="+pick("1", "31", "13,-1", "29"))
	if freq == "MONTHLY" || freq == "YEARLY" {
		some(3, "BYDAY="+pick("2TU", "-1FR", "1MO,3MO", "SA,2WE"))
	} else {
		some(3, "BYDAY="+pick("MO", "SU,TU", "FR", "WE,TH,SA"))
	}
	some(6, "BYHOUR="+pick("9", "0,23", "5"))
	some(9, "BYWEEKNO="+pick("1", "53,-1", "20"))
	some(9, "BYYEARDAY="+pick("1", "366,-1", "100"))
	some(5, "BYSETPOS="+pick("1", "-1", "2,-2"))
	some(4, "WKST="+pick("SU", "WE"))
	return text
}

// TestSeek compares a walk of a late window with a walk from the start.
func TestSeek(t *testing.T) {
	random := testenv.Random(t)
	for range 500 {
		text := randomRule(random)
		r, err := Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		start := time.Unix(1_000_000_000+random.Int64N(1e8), 0).UTC()
		s := New(r, start, false, time.Time{})
		from := start.AddDate(0, 0, random.IntN(2500))
		to := from.AddDate(0, 0, 1+random.IntN(60))
		var near, far []time.Time
		s.Walk(from, to, func(w time.Time) bool { near = append(near, w); return true })
		counting := *s
		rule := *r
		rule.Count = 1 << 30 // COUNT forces a walk from the start
		counting.rule = &rule
		if !counting.Walk(from, to, func(w time.Time) bool { far = append(far, w); return true }) {
			continue // beyond maxCounted
		}
		filter := ReadFilter(s.Filter().Append(nil))
		if !filter.May(from.Unix(), to.Unix()) && len(near) > 0 {
			t.Fatalf("%s from %v: the filter denies %v", text, start, near)
		}
		for _, w := range near {
			if !filter.May(w.Unix(), w.Unix()+1) {
				t.Fatalf("%s from %v: the filter denies %v", text, start, w)
			}
		}
		if !slices.Equal(near, far) {
			t.Fatalf("%s from %v, in %v to %v:\n%v\n%v", text, start, from, to, near, far)
		}
	}
}

// TestDays compares with a slow reference that tests every day against the
// sentences of the RFC, using package time alone.
func TestDays(t *testing.T) {
	random := testenv.Random(t)
	for range 1000 {
		months, days := random.Perm(12)[:random.IntN(3)], random.Perm(7)[:random.IntN(3)]
		text := "FREQ=DAILY"
		for i, m := range months {
			text += map[bool]string{true: ";BYMONTH=", false: ","}[i == 0] + strconv.Itoa(m+1)
		}
		for i, d := range days {
			text += map[bool]string{true: ";BYDAY=", false: ","}[i == 0] + dayNames[d]
		}
		interval := 1 + random.IntN(5)
		text += ";INTERVAL=" + strconv.Itoa(interval)
		start := time.Date(1990+random.IntN(60), time.Month(1+random.IntN(12)), 1+random.IntN(28), random.IntN(24), 30,
			0, 0, time.UTC)
		var want []string
		for i := 0; i < 1200; i += interval {
			d := start.AddDate(0, 0, i)
			if (len(months) == 0 || slices.Contains(months, int(d.Month())-1)) &&
				(len(days) == 0 || slices.Contains(days, int(d.Weekday()))) {
				want = append(want, d.Format("20060102T150405"))
			}
		}
		got, err := occurrences(text, start.Format("20060102T150405"), len(want))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s from %v: %v\ngot  %v\nwant %v", text, start, err, got, want)
		}
	}
}

// TestEndless checks that rules on which other calendars hang are rejected or
// walked at once.
func TestEndless(t *testing.T) {
	for rule, refused := range map[string]bool{
		"FREQ=MONTHLY;BYDAY=53MO;COUNT=2":                 true,
		"FREQ=MONTHLY;BYDAY=-53MO":                        true,
		"FREQ=YEARLY;BYMONTH=12;BYDAY=8MO":                true,
		"FREQ=YEARLY;BYEASTER=-200":                       true,
		"FREQ=DAILY;COUNT=0":                              true,
		"FREQ=DAILY;INTERVAL=0":                           true,
		"FREQ=DAILY;COUNT=2;UNTIL=20300101":               true,
		"COUNT=2":                                         true,
		"FREQ=HOURLY;INTERVAL=24;BYHOUR=5":                false,
		"FREQ=MINUTELY;INTERVAL=60;BYMINUTE=5":            false,
		"FREQ=SECONDLY;INTERVAL=60;BYSECOND=5":            false,
		"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30":              false,
		"FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30":           false,
		"FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6":               false,
		"FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=4;BYSETPOS=2": false,
		"freq=daily;count=2;X-FOO=1;":                     false,
	} {
		got, err := occurrences(rule, "20260105T100000", 3)
		if (err != nil) != refused {
			t.Errorf("%s: %v, %v", rule, got, err)
		}
	}
}

// TestString parses the formatted rule again.
func TestString(t *testing.T) {
	random := testenv.Random(t)
	for range 500 {
		text := randomRule(random)
		r, err := Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		again, err := Parse(r.String())
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Fatalf("%s became %s, %v", text, r, err)
		}
	}
}

func FuzzRule(f *testing.F) {
	for _, rule := range []string{"FREQ=DAILY;COUNT=3", "FREQ=YEARLY;BYMONTH=2;BYDAY=-1SU;WKST=SU",
		"freq=secondly;byhour=9;until=20270101T000000Z;", "FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO,TU;INTERVAL=7"} {
		f.Add(rule, int64(1_700_000_000), int64(86400*30))
	}
	f.Fuzz(func(t *testing.T, text string, start, after int64) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		if _, err := Parse(r.String()); err != nil {
			t.Fatalf("%q was read, %q is not: %v", text, r, err)
		}
		first := time.Unix(start%(1<<33), 0).UTC()
		from := first.Add(time.Duration(after%(1<<30)) * time.Second)
		last, n := time.Time{}, 0
		New(r, first, false, r.Until).Walk(from, from.AddDate(0, 0, 40), func(w time.Time) bool {
			if !w.After(last) && n > 0 || w.Before(first) || w.Before(from) {
				t.Fatalf("%q: %v after %v", text, w, last)
			}
			last = w
			n++
			return n < 1000
		})
	})
}
