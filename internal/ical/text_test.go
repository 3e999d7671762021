package ical

import (
	"strings"
	"testing"
)

const folded = "BEGIN:VCALENDAR\nVERSION:2.0\nX-OWN;A=\"x:y\":1\nBEGIN:VTIMEZONE\nTZID:Mine\nEND:VTIMEZONE\n" +
	"BEGIN:VEVENT\nUID:a\nSUMMARY;LANGUAGE=de:Gr\xc3\n \xbc\xc3\x9fe\nno content line\nRRULE:FREQ=DAILY;\n\tCOUNT=3\n" +
	"BEGIN:VALARM\nSUMMARY:inner\nEND:VALARM\nEND:VEVENT\nBEGIN:VEVENT\nUID:b\nEND:VEVENT\nEND:VCALENDAR\n"

// TestText changes one property; all other bytes stay.
func TestText(t *testing.T) {
	text := ParseText([]byte(folded))
	if got := text.String(); got != folded {
		t.Fatalf("%q", got)
	}
	if len(text.Sections) != 3 || text.At(7) != text.Sections[1] {
		t.Fatalf("%+v", text.Sections)
	}
	s := text.Sections[1]
	if own := s.Own("SUMMARY"); len(own) != 1 || own[0].Value != "Grüße" {
		t.Errorf("%+v", own)
	}
	all := func(Line) bool { return true }
	text.Replace(s, "SUMMARY", all, []string{"SUMMARY:New"})
	text.Replace(s, "LOCATION", all, []string{"LOCATION:Room 1"})
	want := strings.Replace(folded, "SUMMARY;LANGUAGE=de:Gr\xc3\n \xbc\xc3\x9fe\n", "SUMMARY:New\n", 1)
	want = strings.Replace(want, "BEGIN:VALARM", "LOCATION:Room 1\nBEGIN:VALARM", 1)
	if got := text.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if inner := s.Inner(); len(inner) != 1 || strings.Join(inner[0], "|") != "BEGIN:VALARM|SUMMARY:inner|END:VALARM" {
		t.Errorf("%q", inner)
	}
	s.RemoveInner(0)
	text.Remove(text.Sections[2])
	if got := text.String(); strings.Contains(got, "VALARM") || strings.Contains(got, "UID:b") ||
		!strings.HasSuffix(got, "END:VEVENT\nEND:VCALENDAR\n") {
		t.Errorf("%q", got)
	}
}

// FuzzText checks that an unchanged text keeps its bytes.
func FuzzText(f *testing.F) {
	f.Add([]byte(folded))
	f.Add([]byte("\xef\xbb\xbfBEGIN:VCALENDAR\r\n\r\nBEGIN:VEVENT\rEND:VEVENT\nEND:VCALENDAR"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := ParseText(data).String(); got != string(data) {
			t.Errorf("%q became %q", data, got)
		}
	})
}

// TestUnquotedColons reads zones with colons that are not in quotes.
func TestUnquotedColons(t *testing.T) {
	for line, want := range map[string][2]string{
		"DTSTART;TZID=GMT+05:30:20261202T100000":           {"GMT+05:30", "20261202T100000"},
		"DTSTART;TZID=tzone://Microsoft/Utc:20261202T1000": {"tzone://Microsoft/Utc", "20261202T1000"},
		"DTSTART;TZID=Asia/Tokyo:2026-12-02T10:00:00":      {"Asia/Tokyo", "2026-12-02T10:00:00"},
		`DTSTART;TZID="UTC+02:00":20261202T100000`:         {"UTC+02:00", "20261202T100000"},
		"EXDATE;TZID=GMT-03:30:20261202T1000,20261203T10":  {"GMT-03:30", "20261202T1000,20261203T10"},
	} {
		p, ok := parseLine(line)
		if !ok || p.Param("TZID") != want[0] || p.Value != want[1] {
			t.Errorf("%s: %+v", line, p)
		}
	}
}
