package ical

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"techo/internal/charset"
	"techo/internal/testenv"
)

func data(t testing.TB) string {
	t.Helper()
	return testenv.Data(t, "cal")
}

// each calls fn for every file of the shared data.
func each(t testing.TB, fn func(path string, b []byte)) {
	t.Helper()
	err := filepath.WalkDir(data(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".ics" {
			return err
		}
		b, err := os.ReadFile(path)
		fn(path, b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFiles checks that every BEGIN:VEVENT of a file becomes a component.
func TestFiles(t *testing.T) {
	n := 0
	each(t, func(path string, b []byte) {
		want := 0
		for line := range strings.SplitSeq(strings.ReplaceAll(string(b), "\r", "\n"), "\n") {
			if strings.EqualFold(strings.TrimRight(line, " "), "BEGIN:VEVENT") {
				want++
			}
		}
		roots, _ := Parse(b)
		if got := count(roots, "VEVENT"); got != want {
			t.Errorf("%s: %d events, want %d", path, got, want)
		}
		n++
	})
	if n < 100 {
		t.Errorf("only %d files", n)
	}
}

func count(all []*Component, name string) (n int) {
	for _, c := range all {
		if c.Name == name {
			n++
		}
		n += count(c.Components, name)
	}
	return n
}

func TestParse(t *testing.T) {
	text := "\xef\xbb\xbfBEGIN:VCALENDAR\r\nbegin:vevent\nSUMMARY;LANGUAGE=ja;X=\"a;b:c\",d^'e:会\xe8\xad\r\n " +
		"\xb0\\, \\n室\r\nnot a line\nDESCRIPTION;ENCODING=QUOTED-PRINTABLE:a=\n=E4=BC=9A\nBEGIN:VEVENT\nUID:2\n" +
		"END:VCALENDAR\nEND:VTODO\n"
	roots, problems := Parse([]byte(text))
	if len(roots) != 1 || len(roots[0].Components) != 2 {
		t.Fatalf("%+v", roots)
	}
	e := roots[0].Components[0]
	if p := e.Property("SUMMARY"); p.Text() != "会議, \n室" || p.Param("LANGUAGE") != "ja" ||
		p.Params[1].Values[0] != "a;b:c" || p.Params[1].Values[1] != `d"e` || p.Line != 3 {
		t.Errorf("%+v", p)
	}
	if p := e.Property("DESCRIPTION"); p.Text() != "a会" {
		t.Errorf("%q", p.Text())
	}
	var got []string
	for _, p := range problems {
		got = append(got, string(p.Fault))
	}
	if s := strings.Join(got, " "); s != "bad_line no_end no_end stray_end" || problems[0].Line != 5 {
		t.Errorf("%+v", problems)
	}
}

// TestDecode reads encodings, also with folds within characters, whose lines keep their numbers.
func TestDecode(t *testing.T) {
	const text = "BEGIN:VCALENDAR\r\nSUMMARY:%s\r\nEND:VCALENDAR\r\n"
	for _, c := range []struct{ name, words string }{
		{"utf-8", "日本語の会議です"}, {"shift_jis", "日本語の会議です"}, {"euc-jp", "日本語の会議です"},
		{"utf-16le", "日本語の会議です"}, {"utf-16be", "Café"}, {"windows-1252", "Café à Zürich"},
		{"gb18030", "我们明天上午在会议室开会讨论"}, {"euc-kr", "내일 오전 회의실에서 회의가 있습니다"},
	} {
		of, _ := charset.Find(c.name)
		want := fmt.Sprintf(text, c.words)
		raw, err := of.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.NewReplacer("\r", "") // unfolded lines end in \n
		if got, name := decode(raw); plain.Replace(string(got)) != plain.Replace(want) || c.name != name {
			t.Errorf("%s: %s %q", c.name, name, got)
		}
		if strings.HasPrefix(c.name, "utf-16") {
			continue
		}
		at := bytes.Index(raw, []byte("SUMMARY:")) + len("SUMMARY:") + 5
		folded := slices.Concat(raw[:at], []byte("\r\n "), raw[at:])
		got, name := decode(folded)
		roots, problems := Parse(got)
		if p := roots[0].Property("SUMMARY"); name != c.name || p.Text() != c.words || len(problems) > 0 {
			t.Errorf("folded %s: %s %q", c.name, name, got)
		}
		if n := bytes.Count(got, []byte("\n")); n != 4 {
			t.Errorf("%s: %d lines", c.name, n)
		}
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]string{
		"20260105": "20260105", "20260105T100000": "20260105T100000", "20260105t100000z": "20260105T100000Z",
		"2026-01-05T10:00:00Z": "20260105T100000Z",
		"20260105T1000":        "20260105T100000", "20260105T240000": "20260106T000000", "": "-", "20261305": "-",
		"x":               "-",
		"20260105T250000": "-",
	} {
		got, err := ParseTime(text)
		if form := got.Form(); (err != nil) != (want == "-") || err == nil && form != want {
			t.Errorf("%q: %s, %v", text, form, err)
		}
	}
	for text, want := range map[string]Duration{
		"P1D": {1, 0}, "PT24H": {0, 24 * time.Hour}, "-P2W": {-14, 0},
		"P1DT2H3M4S": {1, 2*time.Hour + 3*time.Minute + 4*time.Second},
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "P", "1D", "PT", "PD", "P1H", "PT1D", "P99999999999D"} {
		if got, err := ParseDuration(text); err == nil && text != "PT" {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestZone writes time zones, reads them back and compares the wall clocks.
func TestZone(t *testing.T) {
	from, to := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2037, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range []string{"America/New_York", "Asia/Tokyo", "Australia/Lord_Howe", "Pacific/Apia",
		"Africa/Casablanca", "Asia/Kathmandu"} {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		var w Writer
		w.WriteZone(name, loc, from, to, false)
		roots, problems := Parse([]byte(w.String()))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		again, err := Zone(roots[0])
		if err != nil || again.String() != name {
			t.Fatal(again, err)
		}
		for at := from; at.Before(to); at = at.Add(7 * time.Hour) {
			_, a := at.In(loc).Zone()
			_, b := at.In(again).Zone()
			if a != b {
				t.Fatalf("%s at %v: %d, want %d", name, at, b, a)
			}
		}
	}
}

// TestZoneEndless compares zones with what their rules say in 2070.
func TestZoneEndless(t *testing.T) {
	from, to := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2038, 1, 1, 0, 0, 0, 0, time.UTC)
	listed := 0
	for _, name := range []string{"America/New_York", "Europe/Berlin", "Asia/Tokyo", "Australia/Lord_Howe",
		"Australia/Sydney", "Pacific/Auckland", "America/Santiago", "America/Nuuk", "Asia/Jerusalem", "Africa/Cairo",
		"Asia/Beirut", "Africa/Casablanca", "America/Havana", "Antarctica/Troll", "Europe/Chisinau"} {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		var w Writer
		w.WriteZone(name, loc, from, to, true)
		if !strings.Contains(w.String(), "RRULE") && strings.Contains(w.String(), "DAYLIGHT") {
			listed++
		}
		roots, _ := Parse([]byte(w.String()))
		again, err := Zone(roots[0])
		if err != nil {
			t.Fatal(name, err)
		}
		for at := from; at.Year() < 2069; at = at.Add(7 * time.Hour) {
			_, a := at.In(loc).Zone()
			_, b := at.In(again).Zone()
			if a != b && (at.Month() != time.December || at.Day() != 31) { // golang/go#81583
				t.Fatalf("%s at %v: %d, want %d\n%s", name, at, b, a, w.String())
			}
		}
	}
	t.Logf("%d zones have no rules", listed)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY;X=\"a\":b\\n\r\n c\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"))
	f.Add([]byte("BEGIN:VTIMEZONE\nTZID:x\nBEGIN:STANDARD\nDTSTART:20200101T000000\nTZOFFSETFROM:+0100\n" +
		"TZOFFSETTO:+0200\nEND:STANDARD\nEND:VTIMEZONE"))
	f.Fuzz(func(t *testing.T, b []byte) {
		roots, _ := Parse(b)
		var w Writer
		var write func(*Component)
		write = func(c *Component) {
			w.Begin(c.Name)
			for _, p := range c.Properties {
				w.Line(p.String())
			}
			for _, sub := range c.Components {
				write(sub)
			}
			w.End(c.Name)
			if c.Name == "VTIMEZONE" {
				_, _ = Zone(c)
			}
		}
		for _, c := range roots {
			write(c)
		}
		again, _ := Parse([]byte(w.String()))
		if a, b := count(roots, "VEVENT"), count(again, "VEVENT"); a != b {
			t.Fatalf("%d events, then %d:\n%s", a, b, w.String())
		}
	})
}

func FuzzEscape(f *testing.F) {
	f.Add("会議; a, b\\n\nc")
	f.Fuzz(func(t *testing.T, s string) {
		var w Writer
		w.Text("X", s)
		for line := range strings.SplitSeq(w.String(), "\r\n") {
			if len(line) > 75 {
				t.Fatalf("%d octets: %q", len(line), line)
			}
		}
	})
}

// TestStream reads streams in pieces as it reads them whole: line ends, folds, soft line breaks and lines that are
// longer than a piece.
func TestStream(t *testing.T) {
	parts := []string{"BEGIN:VCALENDAR", "BEGIN:VEVENT", "END:VEVENT", "BEGIN:VTODO", "END:VCALENDAR", "SUMMARY:日本語",
		"DESCRIPTION;ENCODING=QUOTED-PRINTABLE:a=", "=", "b=E6", "\xff", "\x1b$B", "\xef\xbb\xbf",
		"\n", "\n", "\r\n", "\r\n", "\r", "\n ", "\r\n\t", "\r ", strings.Repeat("é", 40_000), strings.Repeat("x", maxLine+10)}
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for range 1 + random.IntN(40) {
			n := len(parts)
			if seed%50 > 0 {
				n -= 2
			}
			b.WriteString(parts[random.IntN(n)])
			if random.IntN(2) == 0 {
				b.WriteString("\r\n")
			}
		}
		data, encoding := decode([]byte(b.String()))
		var want, got []*Component
		p := parse(data, func(c, _ *Component) { want = append(want, c) })
		s, err := Open(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		problems, total, err := s.Each(func(c, _ *Component) { got = append(got, c) })
		if err != nil || s.Encoding != encoding || total != p.total || !reflect.DeepEqual(problems, p.problems) ||
			!reflect.DeepEqual(got, want) {
			t.Fatalf("%d: %.300q\n%v %v %s %s\n%v\n%v", seed, b.String(), err, total, s.Encoding, encoding, problems, p.problems)
		}
	}
}
