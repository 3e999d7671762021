package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// calendarFile writes events of about 25 a day around 2026 and series of
// weeks, months and years: the more events, the more years.
func calendarFile(path string, events, series int) error {
	random := rand.New(rand.NewPCG(1, 2))
	days := events / 25
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -days/2)
	var b bytes.Buffer
	b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\n")
	event := func(uid string, at time.Time, minutes int, more string) {
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%s\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:%s\r\nDTEND:%s\r\nSUMMARY:%s\r\n%sEND:VEVENT\r\n", uid,
			at.Format("20060102T150405Z"), at.Add(time.Duration(minutes)*time.Minute).Format("20060102T150405Z"), "Event "+uid, more)
	}
	for i := range events {
		at := first.Add(time.Duration(random.IntN(days*96)) * 15 * time.Minute)
		event(fmt.Sprintf("e%d@bench", i), at, 15*(1+random.IntN(8)), "")
	}
	rules := []string{"FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY", "FREQ=MONTHLY;BYDAY=2TU", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "FREQ=WEEKLY;COUNT=20"}
	for i := range series {
		at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(random.IntN(600*96)) * 15 * time.Minute)
		event(fmt.Sprintf("s%d@bench", i), at, 30, "RRULE:"+rules[i%len(rules)]+"\r\n")
	}
	b.WriteString("END:VCALENDAR\r\n")
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// calendars measures a calendar of 100,000 events and 2,000 series, and one
// ten times as large, beside khal and calcurse.
func calendars(b *bench) error {
	rows := [][]string{{"calendar", "import", "list of a day", "CPU", "suggest over 14 days", "CPU"}}
	for _, n := range []int{100_000, 1_000_000} {
		file, store := filepath.Join(b.dir, "calendar.ics"), b.store(fmt.Sprint("calendar-", n))
		if err := calendarFile(file, n, 2000); err != nil {
			return err
		}
		imported, err := once([]string{b.techo, "cal", "import", file, "--store", store}, nil)
		if err != nil {
			return err
		}
		got, err := race(60,
			contender{"list", always(b.techo, "cal", "list", "2026-01-07", "--tz", "UTC", "--store", store)},
			contender{"suggest", always(b.techo, "cal", "suggest", "2030-01-07", "2030-01-20", "15", "--step", "15", "--tz", "UTC", "--store", store)},
		)
		if err != nil {
			return err
		}
		rows = append(rows, []string{fmt.Sprintf("techo, %d events, 2,000 series", n), ms(imported.wall), ms(median(got["list"], wall)), ms(median(got["list"], cpu)),
			ms(median(got["suggest"], wall)), ms(median(got["suggest"], cpu))})
	}
	peers, err := b.calendarPeers()
	if err != nil {
		return err
	}
	table("A calendar, one process each, medians of 60 (at most: import 5 s, list 10 ms, suggest 15 ms; 1.3 × at ten times the size)", append(rows, peers...)...)
	return nil
}

// calendarPeers measures those that are installed, with 2,000 events and 200
// series: with 100,000 an import of theirs takes hours.
func (b *bench) calendarPeers() (rows [][]string, err error) {
	const events, series = 2000, 200
	file := filepath.Join(b.dir, "small.ics")
	if err := calendarFile(file, events, series); err != nil {
		return nil, err
	}
	row := func(name string, load, list []string) error {
		imported, err := once(load, nil)
		if err != nil {
			return err
		}
		got, err := race(5, contender{"list", always(list...)})
		if err != nil {
			return err
		}
		rows = append(rows, []string{fmt.Sprintf("%s, %d events, %d series", name, events, series), ms(imported.wall), ms(median(got["list"], wall)), ms(median(got["list"], cpu)), "", ""})
		return nil
	}
	store := b.store("calendar-small")
	if err := row("techo", []string{b.techo, "cal", "import", file, "--store", store}, []string{b.techo, "cal", "list", "2026-01-07", "--tz", "UTC", "--store", store}); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("khal"); err == nil {
		conf := filepath.Join(b.dir, "khal.conf")
		text := strings.ReplaceAll("[calendars]\n[[c]]\npath = DIR/khal\n[sqlite]\npath = DIR/khal.db\n[locale]\nlocal_timezone = UTC\ndefault_timezone = UTC\ntimeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n[default]\ndefault_calendar = c\n", "DIR", b.dir)
		if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
			return nil, err
		}
		if err := os.Mkdir(filepath.Join(b.dir, "khal"), 0o755); err != nil {
			return nil, err
		}
		if err := row("khal", []string{"khal", "-c", conf, "import", "--batch", "-a", "c", file}, []string{"khal", "-c", conf, "list", "2026-01-07", "1d"}); err != nil {
			return nil, err
		}
	}
	if _, err := exec.LookPath("calcurse"); err == nil {
		dir := filepath.Join(b.dir, "calcurse")
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
		if err := row("calcurse", []string{"calcurse", "-D", dir, "-q", "-i", file}, []string{"calcurse", "-D", dir, "-q", "-d", "01/07/2026"}); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
