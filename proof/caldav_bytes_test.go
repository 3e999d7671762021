package proof

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// Parts of objects as other programs write them. Radicale takes them; techo reads them in part.
var (
	davTimes = [][]string{
		{"DTSTART:20260109T010000Z", "RRULE:FREQ=WEEKLY;COUNT=10;UNTIL=20260601T000000Z"},
		{"DTSTART;TZID=Nowhere/Land:20260109T100000", "DURATION:PT1H"},
		{"DTSTART;TZID=\"(UTC+09:00) Own: zone\":20260109T100000", "RRULE:FREQ=WEEKLY;COUNT=3"},
		{"DTSTART:20260109T010000Z", "RRULE:FREQ=DAILY;COUNT=5", "EXRULE:FREQ=DAILY;INTERVAL=2;COUNT=2"},
		{"DTSTART:20260109T010000Z", "RRULE:FREQ=YEARLY;BYEASTER=0;COUNT=3"},
		{"DTSTART:20260109T010000Z", "DURATION:PT1H", "RDATE:20260110T010000Z,20260112T010000Z", "EXDATE:20260110T010000Z"},
		{"DTSTART;VALUE=DATE:20260109", "RRULE:FREQ=WEEKLY;UNTIL=20260201T000000Z"},
		{"DTSTART:20260109T010000Z", "DTEND:20260109T020000Z", "RRULE:FREQ=MONTHLY;BYSETPOS=-1;BYDAY=MO,TU,WE,TH,FR;COUNT=4",
			"EXDATE:20260130T010000Z,20260227T010000Z"},
		{"DTSTART:20260109T100000", "DTEND:20260109T110000"},
		{"DTSTART:20260109T010000Z", "RRULE:FREQ=HOURLY;COUNT=4;BYMINUTE=0,30", "EXDATE;VALUE=DATE:20260109"},
	}
	davExtras = [][]string{
		{"ATTACH;ENCODING=BASE64;VALUE=BINARY;FMTTYPE=text/plain:SGVsbG8sIHRoaXMgaXMgYSBsb25nIGF0dGFjaG1lbnQgdGhhdCBpcyBmb2xkZWQgb3Zlcg==",
			"ATTACH:cid:part3.msg970415T083000@example.com", "X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS=\"Main St 1\";X-TITLE=Hall:geo:1,2"},
		{"ATTENDEE;CN=\"Doe, Jane\";X-NUM-GUESTS=2;PARTSTAT=X-MAYBE;RSVP=TRUE:mailto:jane@example.com",
			"ATTENDEE;CUTYPE=ROOM;ROLE=NON-PARTICIPANT;SCHEDULE-STATUS=\"1.1\":mailto:room@example.com",
			"REQUEST-STATUS:3.1;Invalid property value;DTSTART:96-Apr-01", "RELATED-TO;RELTYPE=SIBLING:other-uid"},
		{"BEGIN:VALARM", "ACTION:NONE", "TRIGGER;VALUE=DATE-TIME:19760401T005545Z", "END:VALARM", "BEGIN:VALARM", "ACTION:AUDIO",
			"TRIGGER;RELATED=END:P5200W", "REPEAT:999999", "DURATION:PT1S", "X-WR-ALARMUID:A1", "END:VALARM"},
		{"GEO:91.5;-200.25", "PRIORITY:12", "CLASS:X-SECRET", "TRANSP:OPAQUE", "COLOR:rebeccapurple", "X-MICROSOFT-CDO-BUSYSTATUS:OOF",
			"CONFERENCE;VALUE=URI;FEATURE=AUDIO,VIDEO;LABEL=\"Join: here\":https://example.com/a?b=c,d;e"},
		{"COMMENT;LANGUAGE=fr:Première remarque\\, assez longue pour être pliée au milieu d'un caractère é é é é é é é",
			"COMMENT:日本語の長いコメントで、七十五オクテットを超えるために折り返されます。折り返しは文字の間です。", "CONTACT;ALTREP=\"CID:c1\":Jim\\; desk\\nline two",
			"RESOURCES:EASEL,PROJECTOR", "X-EMPTY:", "X-PARAM;A=\"b:c\";D=e:f"},
		{"IMAGE;VALUE=URI;DISPLAY=BADGE:http://example.com/i.png", "SOURCE;VALUE=URI:https://example.com/s.ics",
			"LAST-MODIFIED:20250101T000000Z", "SEQUENCE:7", "CREATED:20240229T235959Z", "URL;X-Q=1:message:%3Cid@example.com%3E"},
	}
	// davChanges are the changes of one field: flags of cal update, and the property at the server.
	davChanges = []struct{ flag, value, property, line string }{
		{"--location", "Room 1", "LOCATION", "LOCATION:Room 1"},
		{"--title", "Another title", "SUMMARY", "SUMMARY:Another title"},
		{"--description", "One, two; three", "DESCRIPTION", `DESCRIPTION:One\, two\; three`},
	}
)

// withoutProperty returns the lines of a text except those of a property, and that property's lines.
func withoutProperty(text, property string) (rest, own string) {
	inside := false
	for line := range strings.SplitAfterSeq(text, "\r\n") {
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			inside = strings.HasPrefix(line, property+":") || strings.HasPrefix(line, property+";")
		}
		if inside {
			own += line
		} else {
			rest += line
		}
	}
	return rest, own
}

var recordID = regexp.MustCompile(`"(?:event|todo)_id":"([^"_]+)`)

// TestCalDAVBytes changes one field of 60 objects that techo reads in part. All other bytes at the server stay.
func TestCalDAVBytes(t *testing.T) {
	u := newDAVUser(t)
	changed := 0
	for i, times := range davTimes {
		for j, extras := range davExtras {
			kind, n := "VEVENT", i*len(davExtras)+j
			todo := i >= 7 && j == 0
			if todo {
				kind = "VTODO"
			}
			title := fmt.Sprintf("object%03dx", n)
			lines := []string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Other//EN", "X-WR-CALNAME:Own", "BEGIN:" + kind,
				"UID:" + title, "DTSTAMP:20260101T000000Z", "SUMMARY;LANGUAGE=en:" + title,
				"LOCATION;ALTREP=\"cid:1\":Old place", "DESCRIPTION;X-FORMAT=plain:Old text\\nof two lines"}
			lines = append(append(append(lines, times...), extras...), "END:"+kind, "END:VCALENDAR", "")
			body := strings.Join(lines, "\r\n")
			if todo {
				body = strings.ReplaceAll(body, "DTEND:", "DUE:")
			}
			name := title + ".ics"
			if status, _ := u.send("PUT", name, body); status >= 300 {
				t.Errorf("%s: the server refuses it with %d: %q %q", name, status, times, extras)
				continue
			}
			before := u.ask("GET", name, "")
			family, scope := "cal", []string{"--scope", "all"}
			if todo {
				family, scope = "todo", nil
			}
			found := u.run(family, "list", "--calendar", "dav", "--query", title)
			m := recordID.FindSubmatch(found.Out)
			if m == nil {
				t.Errorf("%s is not found: %q %q: %s", name, times, extras, found.Out)
				continue
			}
			c := davChanges[n%len(davChanges)]
			verb := map[string]string{"cal": "update", "todo": "edit"}[family]
			if a := u.run(append([]string{family, verb, string(m[1]), c.flag, c.value}, scope...)...); a.Code != 0 {
				t.Errorf("%s: %q %q: %s", name, times, extras, a.Out)
				continue
			}
			rest, own := withoutProperty(u.ask("GET", name, ""), c.property)
			if want, _ := withoutProperty(before, c.property); rest != want || own != c.line+"\r\n" {
				t.Errorf("%s: %q\n%q\nwant\n%q", name, own, rest, want)
			}
			changed++
		}
	}
	if changed != 60 {
		t.Errorf("%d objects changed", changed)
	}
}
