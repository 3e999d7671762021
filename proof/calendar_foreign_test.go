package proof

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// foreign is a file of other programs: their own zone, a Windows zone, local times, extra
// and excluded dates, a change of this and all later occurrences, a moved occurrence,
// quoted parameters, and properties that techo does not know.
const foreign = `BEGIN:VCALENDAR
PRODID:-//x//x//EN
VERSION:2.0
METHOD:PUBLISH
X-WR-CALNAME:Team
BEGIN:VTIMEZONE
TZID:Own/Zone
BEGIN:DAYLIGHT
DTSTART:19700329T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:19701025T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:own
SUMMARY:own zone
DTSTART;TZID=Own/Zone:20260327T100000
DURATION:PT1H
RRULE:FREQ=DAILY;COUNT=6
EXDATE;TZID=Own/Zone:20260328T100000
RDATE;TZID=Own/Zone:20260405T180000
END:VEVENT
BEGIN:VEVENT
UID:own
SUMMARY:moved
RECURRENCE-ID;TZID=Own/Zone:20260329T100000
DTSTART;TZID=Own/Zone:20260329T120000
DURATION:PT30M
END:VEVENT
BEGIN:VEVENT
UID:windows
SUMMARY:windows
DTSTART;TZID="Pacific Standard Time":20260307T170000
DTEND;TZID="Pacific Standard Time":20260307T173000
RRULE:FREQ=WEEKLY;COUNT=4
END:VEVENT
BEGIN:VEVENT
UID:windows
SUMMARY:later
RECURRENCE-ID;RANGE=THISANDFUTURE;TZID="Pacific Standard Time":20260321T170000
DTSTART;TZID="Pacific Standard Time":20260321T180000
DTEND;TZID="Pacific Standard Time":20260321T183000
END:VEVENT
BEGIN:VEVENT
UID:local
SUMMARY:local\, 現地
DTSTART:20260310T090000
DTEND:20260310T100000
ATTENDEE;CN="Doe, Jane";X-A="a;b":mailto:jane@example.com
X-ALT-DESC;FMTTYPE=text/html:<b>a\, b</b>
GEO:35.6;139.7
CLASS:PRIVATE
END:VEVENT
BEGIN:VEVENT
UID:days
SUMMARY:days
DTSTART;VALUE=DATE:20260301
DTEND;VALUE=DATE:20260303
RRULE:FREQ=MONTHLY;COUNT=3
EXDATE;VALUE=DATE:20260401
END:VEVENT
BEGIN:VEVENT
UID:instant
SUMMARY:instant
DTSTART:20260311T090000Z
END:VEVENT
END:VCALENDAR
`

// TestForeignExport checks that khal and python-icalendar read what techo exports after it
// read the file of another program, and that khal has the occurrences that techo lists.
func TestForeignExport(t *testing.T) {
	testenv.Tool(t, "khal")
	dir := t.TempDir()
	store, in, file := filepath.Join(dir, "store"), filepath.Join(dir, "in.ics"), filepath.Join(dir, "out.ics")
	if err := os.WriteFile(in, []byte(strings.ReplaceAll(foreign, "\n", "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	mustTecho(t, store, "cal", "import", in, "--strict")
	mustTecho(t, store, "cal", "export", "--to", file)

	khal := khalIn(t, dir)
	khal("import", "--batch", "-a", "c", file)
	var got, want []string
	list := khal("list", "--format", "{start-long-full}|{title}", "-df", "", "2026-03-01", "92d")
	for l := range strings.Lines(list) {
		got = append(got, strings.TrimSpace(l))
	}
	for _, e := range mustTecho(t, store, "cal", "list", "--date-from", "2026-03-01", "--date-to",
		"2026-05-31").Doc["events"].([]any) {
		e := e.(map[string]any)
		start := e["start"].(string)
		if e["all_day"] == true {
			start += "T00:00"
		}
		want = append(want, strings.Replace(start[:16], "T", " ", 1)+"|"+e["title"].(string))
	}
	slices.Sort(got)
	slices.Sort(want)
	if got = slices.Compact(got); !slices.Equal(got, want) || len(want) != 14 {
		t.Errorf("khal has\n%s\n\ntecho has %d\n%s", strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
	}
	script := `
import icalendar, sys
c = icalendar.Calendar.from_ical(open(sys.argv[1], 'rb').read())
for e in c.walk():
    assert not e.errors, e.errors
for e in c.walk('VEVENT'):
    e.decoded('DTSTART')
local = [e for e in c.walk('VEVENT') if e['UID'] == 'local'][0]
print(local['SUMMARY'], local['ATTENDEE'].params['CN'], local['GEO'].to_ical(), local['CLASS'], sep='|')
`
	if got, want := pythonICalendar(t, script, file), "local, 現地|Doe, Jane|35.6;139.7|PRIVATE"; got != want {
		t.Errorf("python has %s, want %s", got, want)
	}
}
