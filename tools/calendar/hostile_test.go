package calendar

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store"
	"techo/tools/calendar/free"
)

// hostileEvents returns a calendar of n events, each with an extra line.
func hostileEvents(n int, line func(i int) string) string {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\n")
	for i := range n {
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%d\r\nDTSTART:20200105T100000Z\r\nDURATION:PT30M\r\nSUMMARY:e\r\n%s\r\n"+
			"END:VEVENT\r\n", i, line(i))
	}
	b.WriteString("END:VCALENDAR\r\n")
	return b.String()
}

func same(line string) func(int) string { return func(int) string { return line } }

// hostile returns files that make calendar programs hang or crash.
func hostile() map[string]string {
	all := hostileSyntax()
	maps.Copy(all, hostileSeries())
	maps.Copy(all, hostileZones())
	for i, rule := range hostileRules() {
		all[fmt.Sprintf("rule %d", i)] = hostileEvents(1, same("RRULE:"+rule))
		all[fmt.Sprintf("rule %d, often", i)] = hostileEvents(testenv.Pick(200, 1000), same("RRULE:"+rule))
	}
	return all
}

// hostileSyntax returns files with broken or extreme syntax.
func hostileSyntax() map[string]string {
	return map[string]string{
		"empty": "", "no calendar": "hello", "zeros": strings.Repeat("\x00", 1<<16),
		"no END":         strings.Repeat("BEGIN:VEVENT\r\nDTSTART:20260105\r\n", 2000),
		"deep":           strings.Repeat("BEGIN:X\r\n", 100_000) + "BEGIN:VEVENT\r\nDTSTART:20260105\r\nEND:VEVENT\r\n",
		"deep calendars": strings.Repeat("BEGIN:VCALENDAR\r\n", 50_000),
		"ENDs":           strings.Repeat("END:VEVENT\r\n", 100_000),
		"a long line": "BEGIN:VEVENT\r\nDTSTART:20260105\r\nSUMMARY:" + strings.Repeat("あ", 3<<20) +
			"\r\nEND:VEVENT\r\n",
		"many folds": "BEGIN:VEVENT\r\nDTSTART:20260105\r\nSUMMARY:" + strings.Repeat("a\r\n ", 1<<20) +
			"\r\nEND:VEVENT\r\n",
		"blank lines":  strings.Repeat("\r\n", 1<<20),
		"no line ends": strings.Repeat("BEGIN:VEVENT", 1<<18),
		"quotes":       "BEGIN:VEVENT\r\nDTSTART;X=" + strings.Repeat(`"`, 1<<20) + ":20260105\r\nEND:VEVENT\r\n",
		"parameters":   "BEGIN:VEVENT\r\nDTSTART" + strings.Repeat(";X=1,2,3", 1<<18) + ":20260105\r\nEND:VEVENT\r\n",
		"soft breaks": "BEGIN:VEVENT\r\nDTSTART:20260105\r\nSUMMARY;ENCODING=QUOTED-PRINTABLE:" +
			strings.Repeat("=41=\r\n", 1<<18) + "\r\nEND:VEVENT\r\n",
		"properties": "BEGIN:VEVENT\r\nDTSTART:20260105\r\n" + strings.Repeat("X-A:b\r\n", 1<<18) +
			"END:VEVENT\r\n",
	}
}

// hostileSeries returns files with extreme series.
func hostileSeries() map[string]string {
	return map[string]string{
		"many EXDATEs": hostileEvents(1,
			same("RRULE:FREQ=DAILY\r\nEXDATE:"+strings.TrimSuffix(strings.Repeat("20200106T100000Z,", 50_000), ","))),
		"many RDATEs": hostileEvents(1,
			same("RDATE:"+strings.TrimSuffix(strings.Repeat("20200106T100000Z,", 50_000), ","))),
		"many RRULEs": hostileEvents(1, same(strings.Repeat("RRULE:FREQ=SECONDLY\r\n", 5000))),
		"one UID":     strings.ReplaceAll(hostileEvents(5000, same("SEQUENCE:1")), "UID:", "UID:one\r\nX-N:"),
		"overrides": hostileEvents(5000,
			func(i int) string { return "RECURRENCE-ID:20200105T100000Z\r\nSEQUENCE:" + fmt.Sprint(i) }),
		"of one series": strings.ReplaceAll(hostileEvents(3000, func(i int) string {
			if i == 0 {
				return "RRULE:FREQ=HOURLY"
			}
			return "RECURRENCE-ID;RANGE=THISANDFUTURE:" +
				time.Date(2020, 1, 5, 10+i, 0, 0, 0, time.UTC).Format("20060102T150405Z")
		}), "UID:", "UID:one\r\nX-N:"),
		"year 9999": strings.ReplaceAll(hostileEvents(500, same("RRULE:FREQ=YEARLY")), "DTSTART:20200105",
			"DTSTART:99991231"),
		"year 1": strings.ReplaceAll(hostileEvents(500, same("RRULE:FREQ=DAILY")), "DTSTART:20200105",
			"DTSTART:00010101"),
		"long": hostileEvents(500, same("RRULE:FREQ=SECONDLY\r\nDTEND:99991231T000000Z")),
	}
}

// hostileZones returns files with extreme time zones.
func hostileZones() map[string]string {
	return map[string]string{
		"zones": strings.Repeat("BEGIN:VTIMEZONE\r\nTZID:x\r\nBEGIN:STANDARD\r\nDTSTART:16010101T000000\r\n"+
			"TZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nRRULE:FREQ=SECONDLY\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n",
			5000) + hostileEvents(1, same("")),
		"zone changes": "BEGIN:VTIMEZONE\r\nTZID:x\r\n" +
			strings.Repeat("BEGIN:STANDARD\r\nDTSTART:16010101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n"+
				"RRULE:FREQ=DAILY\r\nRDATE:20200101T000000\r\nEND:STANDARD\r\n", 2000) +
			"END:VTIMEZONE\r\nBEGIN:VEVENT\r\nDTSTART;TZID=x:20200105T100000\r\nEND:VEVENT\r\n",
		"distinct zones": func() string {
			var b strings.Builder
			for i := range 2000 {
				fmt.Fprintf(&b, "BEGIN:VTIMEZONE\r\nTZID:z%d\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n"+
					"TZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nRRULE:FREQ=MONTHLY;BYDAY=-1SU\r\nEND:STANDARD\r\n"+
					"END:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:%d\r\nDTSTART;TZID=z%d:20200105T100000\r\n"+
					"RRULE:FREQ=DAILY\r\nEND:VEVENT\r\n", i, i, i)
			}
			return b.String()
		}(),
		"unknown zones": hostileEvents(5000, func(i int) string {
			return fmt.Sprintf("DTEND;TZID=../../%d/%s:20200105T110000", i, strings.Repeat("x", 200))
		}),
	}
}

// hostileRules returns rules that are expensive to expand.
func hostileRules() []string {
	return []string{
		"FREQ=SECONDLY", "FREQ=MINUTELY;INTERVAL=7", "FREQ=SECONDLY;COUNT=999999999", "FREQ=DAILY;COUNT=999999999",
		"FREQ=YEARLY;COUNT=999999999;BYMONTH=2;BYMONTHDAY=29",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
		"FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;INTERVAL=1000000",
		"FREQ=YEARLY;INTERVAL=4;BYYEARDAY=366;BYDAY=MO",
		"FREQ=SECONDLY;BYSETPOS=366", "FREQ=SECONDLY;INTERVAL=86400;BYHOUR=5", "FREQ=MINUTELY;INTERVAL=60;BYMINUTE=5",
		"FREQ=HOURLY;INTERVAL=24;BYHOUR=5", "FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=6",
		"FREQ=MONTHLY;BYSETPOS=-366;BYDAY=MO",
		"FREQ=YEARLY;BYHOUR=" + numbered(0, 23) + ";BYMINUTE=" + numbered(0, 59) + ";BYSECOND=" + numbered(0, 59) +
			";BYYEARDAY=" + numbered(1, 366) + ";BYSETPOS=" + numbered(1, 366),
		"FREQ=YEARLY;BYHOUR=" + numbered(0, 23) + ";BYMINUTE=" + numbered(0, 59) + ";BYSECOND=" + numbered(0, 59) +
			";BYYEARDAY=" + numbered(1, 366),
		"FREQ=WEEKLY;WKST=SU;INTERVAL=999999;BYDAY=SU,MO,TU,WE,TH,FR,SA;UNTIL=99991231T235959Z",
		"FREQ=DAILY;UNTIL=00010101T000000Z", "FREQ=WEEKLY;BYDAY=" +
			strings.TrimSuffix(strings.Repeat("1MO,", 5000), ","),
	}
}

func numbered(from, to int) string {
	var all []string
	for i := from; i <= to; i++ {
		all = append(all, fmt.Sprint(i))
	}
	return strings.Join(all, ",")
}

// checkHostileFile imports a file twice and reads it with every tool. No step may
// fail or hang.
func checkHostileFile(t *testing.T, name, ics string) {
	t.Helper()
	st := openStore(t)
	defer st.Close()
	env := envAt(t, st, "America/New_York", "2026-01-05T00:00:00Z")
	step := func(what string, fn func() error) {
		began := time.Now()
		if err := fn(); err != nil {
			t.Errorf("%s: %s: %v", name, what, err)
		}
		switch took := time.Since(began); {
		case took > hostileTimeout:
			t.Errorf("%s: %s took %v", name, what, took)
		case took > hostileTimeout/100:
			t.Logf("%s: %s took %v", name, what, took)
		}
	}
	step("import", func() error { importICS(t, env, st, []byte(ics)); return nil })
	step("import again", func() error {
		if n, _ := importICS(t, env, st, []byte(ics)); n.Added+n.Changed > 0 {
			return fmt.Errorf("importing twice: %+v", n)
		}
		return nil
	})
	for _, days := range [][2]string{{"2026-01-05", "2026-01-05"}, {"1990-01-01", "2030-12-31"},
		{"9999-12-30", "9999-12-31"}} {
		step("list from "+days[0], func() error {
			_, err := listEvents(t.Context(), env, ListIn{DateFrom: days[0], DateTo: days[1], Limit: 250})
			return err
		})
	}
	step("suggest", func() error {
		_, err := runTool[free.SuggestIn, free.SuggestOut](t, free.Suggest, env,
			free.SuggestIn{DateFrom: "2026-01-05", DateTo: "2026-01-19", Duration: 60, TimeFrom: "09:00",
				TimeTo: "18:00",
				Limit:  5, Align: "auto", Days: "all", Strategy: "spread", Tentative: "busy"})
		return err
	})
	step("verify", func() error {
		_, err := st.Verify(t.Context(), store.VerifyOptions{})
		return err
	})
}

// hostileTimeout is far above the duration of each step, about two seconds, so that
// only a step that hangs exceeds it.
const hostileTimeout = 2 * time.Minute

func TestHostile(t *testing.T) {
	all := hostile()
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%testenv.Pick(4, 1) == 0 {
			t.Run(name, func(t *testing.T) { checkHostileFile(t, name, all[name]) })
		}
	}
}

// TestHostileRandom mutilates calendars: bytes, lines and pieces are changed,
// left out, and put in twice.
func TestHostileRandom(t *testing.T) {
	random := testenv.Random(t)
	whole := hostileEvents(3, func(i int) string {
		return []string{"RRULE:FREQ=WEEKLY;BYDAY=MO,TU;COUNT=10",
			"RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20200106T100000",
			"EXDATE;VALUE=DATE:20200106\r\nRDATE:20200107T100000Z/PT1H"}[i]
	}) + "BEGIN:VTIMEZONE\r\nTZID:z\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\n" +
		"TZOFFSETTO:+0200\r\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
	for range 60 {
		b := []byte(whole)
		for range 1 + random.IntN(20) {
			i, n := random.IntN(len(b)), random.IntN(60)
			piece := append([]byte(nil), b[i:min(i+n, len(b))]...)
			switch at := random.IntN(len(b)); random.IntN(4) {
			case 0:
				b[at] = byte(random.IntN(256))
			case 1:
				b = append(b[:i:i], b[min(i+n, len(b)):]...)
			default:
				b = append(b[:at:at], append(piece, b[at:]...)...)
			}
			if len(b) == 0 {
				b = []byte("x")
			}
		}
		if checkHostileFile(t, "mutilated", string(b)); t.Failed() {
			t.Fatalf("%q", b)
		}
	}
}

// TestTooMuchIsNotFree checks that a calendar with too many occurrences to read never
// counts as free.
func TestTooMuchIsNotFree(t *testing.T) {
	st := openStore(t)
	env := envAt(t, st, "UTC", "2026-01-05T00:00:00Z")
	importICS(t, env, st, []byte(hostileEvents(500, same("RRULE:FREQ=SECONDLY;BYSECOND=0,30;BYHOUR=3"))))
	for _, in := range []free.CheckIn{
		{CheckType: "range", DateFrom: "2026-01-06", DateTo: "2026-06-30"}, {CheckType: "day", Date: "2026-01-06"},
		{CheckType: "time_slot", Date: "2026-01-06", TimeFrom: "03:00", TimeTo: "04:00"},
	} {
		out, err := runTool[free.CheckIn, free.CheckOut](t, free.Check, env, in)
		if err != nil || out.Available != nil && *out.Available || len(out.FreeDays) > 0 {
			t.Errorf("%+v: %+v, %v", in, out.Available, err)
		}
	}
	out, err := runTool[free.SuggestIn, free.SuggestOut](t, free.Suggest, env,
		free.SuggestIn{DateFrom: "2026-01-06", DateTo: "2026-03-31", Duration: 30, TimeFrom: "03:00", TimeTo: "04:00",
			Limit: 5, Align: "auto", Days: "all", Strategy: "spread"})
	if err != nil || out.Count > 0 {
		t.Errorf("%d suggestions (%s), %v", out.Count, out.Reason, err)
	}
}
