package proof

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"techo/internal/testenv"
)

func allAtOnce(t *testing.T, store string, calls [][]string) []answer {
	t.Helper()
	all := make([]answer, len(calls))
	var group sync.WaitGroup
	for i, args := range calls {
		group.Go(func() { all[i] = techo(t, store, args...) })
	}
	group.Wait()
	return all
}

// TestSlot books the same time with --if-free from twenty processes. One succeeds;
// the errors of the others name its event.
func TestSlot(t *testing.T) {
	for name, args := range map[string]func(i int) []string{
		"one time":     func(int) []string { return []string{"2026-03-02 10:00"} },
		"that overlap": func(i int) []string { return []string{fmt.Sprintf("2026-03-02 10:%02d", i)} },
		"series": func(i int) []string { // overlapping in March
			return []string{fmt.Sprintf("2026-0%d-02 10:00", 1+i%2), "--recurrence", "FREQ=DAILY"}
		},
		"days": func(i int) []string {
			return []string{"2026-03-02", "--end",
				fmt.Sprintf("2026-03-%02d", 2+i)}
		},
		"days or hours": func(i int) []string { return []string{[]string{"2026-03-02", "2026-03-02 10:00"}[i%2]} },
		"one day a year": func(i int) []string {
			return []string{"2026-03-02", "--recurrence", "FREQ=YEARLY"}
		},
		"a new calendar": func(int) []string { return []string{"2026-03-02 10:00", "--calendar", "new"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(t.TempDir(), "store")
			var calls [][]string
			for i := range 20 {
				calls = append(calls, append([]string{"cal", "create", fmt.Sprint("e", i), "--if-free"}, args(i)...))
			}
			won := 0
			for _, a := range allAtOnce(t, store, calls) {
				switch {
				case a.Code == 0:
					won++
				case a.Code != 5 || a.errorCode() != "conflict":
					t.Errorf("%v", a)
				}
			}
			if won != 1 {
				t.Errorf("%d got it", won)
			}
			mustTecho(t, store, "store", "verify")
		})
	}
}

// TestConfirm confirms alternatives of one group concurrently. One is kept; the
// other calls get not_found.
func TestConfirm(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	held := mustTecho(t, store, "cal", "hold", "Interview", "--slot", "2026-03-02T10:00", "--slot", "2026-03-03T10:00",
		"--slot", "2026-03-04T10:00", "--expires", "2126-01-01")
	var calls [][]string
	for i := range 18 {
		e := held.Doc["events"].([]any)[i%3].(map[string]any)
		calls = append(calls, []string{"cal", "confirm", e["event_id"].(string)})
	}
	kept := map[string]bool{}
	for _, a := range allAtOnce(t, store, calls) {
		switch {
		case a.Code == 0:
			kept[a.Doc["events"].([]any)[0].(map[string]any)["event_id"].(string)] = true
		case a.Code != 3 || a.errorCode() != "not_found":
			t.Errorf("%v", a)
		}
	}
	left := mustTecho(t, store, "cal", "list", "--date-from", "2026-03-01", "--date-to", "2026-03-31")
	if len(kept) != 1 || left.Doc["count"] != 1.0 ||
		left.Doc["events"].([]any)[0].(map[string]any)["status"] != "confirmed" {
		t.Errorf("kept %v, %v", kept, left)
	}
	mustTecho(t, store, "store", "verify")
}

func khalIn(t *testing.T, dir string) func(args ...string) string {
	t.Helper()
	conf := filepath.Join(dir, "khal.conf")
	text := strings.ReplaceAll("[calendars]\n[[c]]\npath = DIR/c\n[sqlite]\npath = DIR/khal.db\n[locale]\n"+
		"local_timezone = Asia/Tokyo\ndefault_timezone = Asia/Tokyo\ntimeformat = %H:%M\ndateformat = %Y-%m-%d\n"+
		"longdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n[default]\n"+
		"default_calendar = c\n", "DIR", dir)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(args ...string) string {
		c := exec.Command("khal", append([]string{"-c", conf}, args...)...)
		c.Env = append(environment(), "LC_ALL=C.UTF-8")
		out, err := c.CombinedOutput()
		if err != nil || strings.Contains(strings.ToLower(string(out)), "warning") {
			t.Fatalf("khal %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
}

// TestKhal checks that khal reads an export correctly: zones with summer time,
// all-day events, series, exceptions and moved occurrences.
func TestKhal(t *testing.T) {
	testenv.Tool(t, "khal")
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	create := func(args ...string) string {
		a := mustTecho(t, store, append([]string{"cal", "create"}, args...)...)
		return a.Doc["event"].(map[string]any)["event_id"].(string)
	}
	create("会議, 東京", "2026-03-02 10:00", "--location", "会議室A; 2階", "--description",
		"一行目\n二行目")
	create("one day", "2026-03-10")
	create("three days", "2026-03-12", "--end", "2026-03-14")
	york := create("New York", "2026-03-02 10:00", "--tz", "America/New_York", "--recurrence",
		"FREQ=WEEKLY;BYDAY=MO,WE;COUNT=8")
	create("Berlin", "2026-03-28 23:30", "--tz", "Europe/Berlin", "--end", "3h", "--recurrence",
		"FREQ=DAILY;UNTIL=20260401")
	create("second hour", "2026-04-04T15:10:00Z", "--end", "10m", "--tz", "Australia/Lord_Howe")
	create("Lord Howe", "2026-04-04 12:00", "--tz", "Australia/Lord_Howe", "--recurrence", "FREQ=DAILY;COUNT=3")
	mustTecho(t, store, "cal", "update", york+"_20260309T140000Z", "--title", "moved", "--start", "2026-03-10 15:00")
	mustTecho(t, store, "cal", "delete", york+"_20260311T140000Z")
	mustTecho(t, store, "cal", "update", york+"_20260318T140000Z", "--title", "later", "--start", "2026-03-19 08:00",
		"--scope", "following")
	mustTecho(t, store, "cal", "export", "--to", filepath.Join(dir, "out.ics"))

	khal := khalIn(t, dir)
	khal("import", "--batch", "-a", "c", filepath.Join(dir, "out.ics"))
	var got, want []string
	for l := range strings.Lines(khal("list", "--format", "{start-long-full}|{end-long-full}|{title}", "-df", "",
		"2026-03-01", "45d")) {
		got = append(got, strings.TrimSpace(l))
	}
	for _, e := range mustTecho(t, store, "cal", "list", "--date-from", "2026-03-01", "--date-to",
		"2026-04-14").Doc["events"].([]any) {
		e := e.(map[string]any)
		from, to := e["start"].(string), e["end"].(string)
		if e["all_day"] == true {
			from, to = from+" 00:00", e["end_date"].(string)+" 00:00"
		} else {
			from, to = strings.Replace(from[:16], "T", " ", 1), strings.Replace(to[:16], "T", " ", 1)
		}
		want = append(want, from+"|"+to+"|"+e["title"].(string))
	}
	slices.Sort(got)
	slices.Sort(want)
	got = slices.Compact(got) // an event of several days is listed on each
	if !slices.Equal(got, want) || len(want) < 15 {
		t.Errorf("khal has\n%s\n\ntecho has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// pythonICalendar runs a script with python-icalendar on a file, and returns what it prints.
func pythonICalendar(t *testing.T, script, file string) string {
	t.Helper()
	python := "/usr/bin/python3" // the packages of the system
	if err := exec.Command(python, "-c", "import icalendar").Run(); err != nil {
		testenv.Missing(t, "the Python package icalendar")
	}
	out, err := exec.Command(python, "-c", script, file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestPythonICalendar checks that python-icalendar reads an export: the instants of
// each event, also in the hour that clocks show twice, and the rules.
func TestPythonICalendar(t *testing.T) {
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store"), filepath.Join(dir, "out.ics")
	for _, args := range [][]string{
		{"first", "2026-11-01T05:30:00Z", "--end", "45m"}, {"second", "2026-11-01T06:15:00Z", "--end", "45m"},
		{"weekly", "2026-11-02 10:00", "--recurrence", "FREQ=WEEKLY;COUNT=3"}, {"day", "2026-11-03"},
		{"会議, 東京", "2026-11-04 10:00", "--description", "一行目\n二行目"},
	} {
		mustTecho(t, store, append(append([]string{"cal", "create"}, args...), "--tz", "America/New_York")...)
	}
	mustTecho(t, store, "cal", "export", "--to", file)
	script := `
import icalendar, sys, datetime
for e in icalendar.Calendar.from_ical(open(sys.argv[1], 'rb').read()).walk('VEVENT'):
    def utc(v):
        return v.astimezone(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%MZ') if hasattr(v, 'hour') else str(v)
    rule = e.get('RRULE')
    print(e['SUMMARY'], utc(e.decoded('DTSTART')), utc(e.decoded('DTEND')), rule.to_ical().decode() if rule else '-',
          sep='|')
`
	got := strings.Split(pythonICalendar(t, script, file), "\n")
	want := []string{"day|2026-11-03|2026-11-04|-", "first|2026-11-01T05:30Z|2026-11-01T06:15Z|-",
		"second|2026-11-01T06:15Z|2026-11-01T07:00Z|-",
		"weekly|2026-11-02T15:00Z|2026-11-02T16:00Z|FREQ=WEEKLY;COUNT=3",
		"会議, 東京|2026-11-04T15:00Z|2026-11-04T16:00Z|-"}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("python has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
