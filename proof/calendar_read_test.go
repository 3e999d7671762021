package proof

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// wholeExport writes a file with every field of events and to-dos.
func wholeExport(t *testing.T, dir string) (file string) {
	t.Helper()
	store := filepath.Join(dir, "store")
	for _, args := range [][]string{
		{"cal", "create", "会議, A;B", "2026-03-02 10:00", "--attendee", "ann@example.com",
			"--attendee", "bob@example.com", "--organizer", "boss@example.com", "--url", "https://example.com/a?b=c,d",
			"--category", "Work", "--category", "A, B", "--alarm", "10m", "--alarm", "10w",
			"--alarm", "-5m", "--alarm", "2026-03-01 09:00",
			"--color", "tomato", "--description", "一行目\n二行目; " + strings.Repeat("長い行", 40)},
		{"cal", "create", "Weekly", "2026-03-03", "--recurrence", "FREQ=WEEKLY;COUNT=2", "--alarm", "1d",
			"--busy=false", "--status", "tentative"},
		{"todo", "add", "報告, 書", "--due", "2026-03-04 17:00", "--priority", "2", "--alarm", "1h",
			"--category", "Work", "--url", "https://example.com/t", "--description", "Two\nlines"},
		{"todo", "add", "Day", "--due", "2026-03-05"},
		{"todo", "add", "Plants", "--due", "2026-03-06 09:00", "--recurrence", "FREQ=DAILY;COUNT=3"},
		{"todo", "add", "Some day"},
	} {
		mustTecho(t, store, args...)
	}
	list := mustTecho(t, store, "todo", "list", "--query", "plants")
	mustTecho(t, store, "todo", "done", list.todoID(), "--every")
	file = filepath.Join(dir, "out.ics")
	mustTecho(t, store, "cal", "export", "--to", file)
	return file
}

// TestKhalWhole checks that khal reads the details of events next to to-dos.
func TestKhalWhole(t *testing.T) {
	testenv.Tool(t, "khal")
	dir := t.TempDir()
	file := wholeExport(t, dir)
	khal := khalIn(t, dir)
	khal("import", "--batch", "-a", "c", file)
	got := khal("list", "--format", "{title}|{url}|{categories}|{alarm-symbol}|{organizer}", "-df", "", "2026-03-02",
		"10d")
	for _, want := range []string{"会議, A;B|https://example.com/a?b=c,d|", "|boss@example.com", "Weekly|"} {
		if !strings.Contains(got, want) {
			t.Errorf("khal has not %q:\n%s", want, got)
		}
	}
	if strings.Count(got, "Weekly") != 2 {
		t.Errorf("khal has\n%s", got)
	}
}

// TestPythonICalendarWhole checks that python-icalendar reads every field.
func TestPythonICalendarWhole(t *testing.T) {
	file := wholeExport(t, t.TempDir())
	script := `
import icalendar, sys
c = icalendar.Calendar.from_ical(open(sys.argv[1], 'rb').read())
print('calendar', c['X-WR-CALNAME'], c['X-WR-TIMEZONE'], c.get('METHOD', '-'), sep='|')
def many(v):
    return v if isinstance(v, list) else [] if v is None else [v]
for e in c.walk('VEVENT') + c.walk('VTODO'):
    alarms = sorted(str(a.decoded('TRIGGER')) for a in e.walk('VALARM'))
    print(e.name, e['SUMMARY'], ' '.join(str(a) for a in many(e.get('ATTENDEE'))), e.get('ORGANIZER', ''),
          e.get('URL', ''), ','.join(str(t) for t in e['CATEGORIES'].cats) if 'CATEGORIES' in e else '',
          e.get('COLOR', ''), ' '.join(alarms), str(e.decoded('DUE')) if 'DUE' in e else '', e.get('PRIORITY', ''),
          e.get('STATUS'), str(e.decoded('COMPLETED'))[:4] if 'COMPLETED' in e else '', e.get('SEQUENCE'),
          len(e.get('DESCRIPTION', '')), e.errors, sep='|')
`
	got := strings.Split(pythonICalendar(t, script, file), "\n")
	want := []string{
		"VEVENT|Weekly||||||-1 day, 0:00:00|||TENTATIVE||0|0|[]",
		"VEVENT|会議, A;B|mailto:ann@example.com mailto:bob@example.com|mailto:boss@example.com|" +
			"https://example.com/a?b=c,d|Work,A, B|tomato|-1 day, 23:50:00 -70 days, 0:00:00 0:05:00 " +
			"2026-03-01 00:00:00+00:00|||CONFIRMED||0|129|[]",
		"VTODO|Day|||||||2026-03-05||NEEDS-ACTION||0|0|[]",
		"VTODO|Plants|||||||2026-03-06 09:00:00+09:00||COMPLETED|2026|1|0|[]",
		"VTODO|Plants|||||||2026-03-06 09:00:00+09:00||NEEDS-ACTION||1|0|[]",
		"VTODO|Some day|||||||||NEEDS-ACTION||0|0|[]",
		"VTODO|報告, 書|||https://example.com/t|Work||-1 day, 23:00:00|2026-03-04 17:00:00+09:00|2|" +
			"NEEDS-ACTION||0|9|[]",
		"calendar|default|Asia/Tokyo|-",
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("python has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
