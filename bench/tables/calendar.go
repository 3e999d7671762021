package tables

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// calendarFile writes about 25 events a day around 2026, for as many years as that
// takes, and weekly, monthly and yearly series.
func calendarFile(path string, events, series int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<20)
	writeCalendar(b, events, series)
	return errors.Join(b.Flush(), f.Close())
}

func writeCalendar(b *bufio.Writer, events, series int) {
	random := rand.New(rand.NewPCG(1, 2))
	days := events / 25
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -days/2)
	fmt.Fprint(b, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\n")
	event := func(uid string, at time.Time, minutes int, more string) {
		fmt.Fprintf(b, "BEGIN:VEVENT\r\nUID:%s\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:%s\r\nDTEND:%s\r\n"+
			"SUMMARY:%s\r\n%sEND:VEVENT\r\n", uid,
			at.Format("20060102T150405Z"), at.Add(time.Duration(minutes)*time.Minute).Format("20060102T150405Z"),
			"Event "+uid, more)
	}
	for i := range events {
		at := first.Add(time.Duration(random.IntN(days*96)) * 15 * time.Minute)
		event(fmt.Sprintf("e%d@bench", i), at, 15*(1+random.IntN(8)), "")
	}
	rules := []string{"FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY", "FREQ=MONTHLY;BYDAY=2TU",
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "FREQ=WEEKLY;COUNT=20"}
	for i := range series {
		at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(random.IntN(600*96)) * 15 * time.Minute)
		event(fmt.Sprintf("s%d@bench", i), at, 30, "RRULE:"+rules[i%len(rules)]+"\r\n")
	}
	fmt.Fprint(b, "END:VCALENDAR\r\n")
}

// benchDay is the day to list, in the middle of the calendar.
const benchDay = "2026-01-07"

// calendars measures a calendar of 100,000 events and 2,000 series, and one
// ten times as large, beside khal and calcurse.
func calendars(b *bench) error {
	sizes := []int{sized(100_000), sized(1_000_000)}
	rounds := sized(40)
	old, err := oldTecho(b)
	if err != nil {
		return err
	}
	var stores, loads, before []string
	var files []string
	for _, n := range sizes {
		file, store := filepath.Join(b.dir, fmt.Sprintf("calendar-%d.ics", n)), b.store(fmt.Sprint("calendar-", n))
		if err := calendarFile(file, n, 2000); err != nil {
			return err
		}
		imported, err := once([]string{b.techo, "cal", "import", file, "--store", store}, nil)
		if err != nil {
			return err
		}
		stores, files, loads = append(stores, store), append(files, file), append(loads, load(imported))
		if old == "" {
			continue
		}
		earlier, err := once([]string{old, "cal", "import", file, "--store", store + "-old"}, nil)
		if err != nil {
			return err
		}
		before = append(before, load(earlier)+", "+ratio(imported.cpu, earlier.cpu)+" of the CPU now")
	}
	contenders := []contender{{"version", always(b.techo, "version")}}
	for i, store := range stores {
		command := func(args ...string) func(int) []string {
			return always(append(append([]string{b.techo, "cal"}, args...), "--tz", "UTC", "--store", store)...)
		}
		contenders = append(contenders,
			contender{fmt.Sprint("list ", i), command("list", benchDay)},
			// In 2030 the smaller calendar has only its series, so free times are found. At the
			// beginning of 2027 no time is free, and the nearest alternatives are computed.
			contender{fmt.Sprint("suggest ", i), command("suggest", "2030-01-07", "2030-01-20", "15", "--step", "15")},
			contender{fmt.Sprint("none ", i), command("suggest", "2027-01-07", "2027-01-20", "60")})
	}
	got, err := race(rounds, contenders...)
	if err != nil {
		return err
	}
	rows := calendarRows(sizes, loads, before, got)
	table(fmt.Sprintf("A calendar with 2,000 series, medians of %d processes (at most 1.3 × at ten times the size)",
		rounds), rows...)
	peers, err := b.calendarPeers(files[0])
	if err != nil {
		return err
	}
	table(fmt.Sprintf("The same beside others, medians of 5; a command is stopped after %v", peerPatience),
		peers...)
	return nil
}

// calendarRows returns the table of the imports and of the commands of both sizes.
func calendarRows(sizes []int, loads, before []string, got map[string][]sample) [][]string {
	rows := [][]string{{"one process", "at most", fmt.Sprint(sizes[0], " events"), "CPU",
		fmt.Sprint(sizes[1], " events"), "CPU", "CPU ratio"}}
	rows = append(rows, []string{"import", "5 s", loads[0], "", loads[1], "", ""})
	if len(before) > 0 {
		rows = append(rows, []string{"import by the earlier version", "", before[0], "", before[1], "", ""})
	}
	for _, c := range []struct{ name, what, most string }{{"list", "list of a day", "10 ms"},
		{"suggest", "suggest over 14 days", "15 ms"}, {"none", "the same, when there is no time", "15 ms"}} {
		small, large := got[c.name+" 0"], got[c.name+" 1"]
		rows = append(rows, []string{c.what, c.most, ms(median(small, wall)), ms(median(small, cpu)),
			ms(median(large, wall)), ms(median(large, cpu)), ratio(median(large, cpu), median(small, cpu))})
		rows = append(rows, []string{"its ratio to `techo version`", "", ratio(median(small, wall),
			median(got["version"], wall)), ratio(median(small, cpu), median(got["version"], cpu)), "", "", ""})
	}
	rows = append(rows, []string{"`techo version`, for comparison", "", ms(median(got["version"], wall)),
		ms(median(got["version"], cpu)), "", "", ""})
	return rows
}

// load describes an import.
func load(s sample) string {
	return fmt.Sprintf("%s, CPU %s, %d MB", ms(s.wall), ms(s.cpu), s.memory/1_000_000)
}

// oldTecho builds the program of the earlier version in TECHO_BENCH_OLD, or returns "".
func oldTecho(b *bench) (string, error) {
	checkout := os.Getenv("TECHO_BENCH_OLD")
	if checkout == "" {
		return "", nil
	}
	return b.build("techo-old", ".", "-C", checkout)
}

// peerPatience is how long another program may take for one command.
const peerPatience = 2 * time.Minute

// calendarPeers measures techo and each other calendar program that is installed,
// with the calendar of 100,000 events and with one of 2,000, which all of them read
// in reasonable time.
func (b *bench) calendarPeers(large string) ([][]string, error) {
	small := filepath.Join(b.dir, "small.ics")
	if err := calendarFile(small, 2000, 200); err != nil {
		return nil, err
	}
	rows := [][]string{{"program", "import of 2,000 and 200 series", "list of a day", "CPU",
		"import of 100,000 and 2,000 series", "list of a day", "CPU"}}
	for _, p := range []struct {
		name string
		make func(dir, file string) (load, list []string, err error)
	}{{"techo", b.techoCalendar}, {"khal", khalCalendar}, {"calcurse", calcurseCalendar}} {
		if _, err := exec.LookPath(p.name); err != nil && p.name != "techo" {
			fmt.Printf("\n%s is not installed: left out\n", p.name)
			continue
		}
		row := []string{p.name}
		for i, file := range []string{small, large} {
			dir := filepath.Join(b.dir, fmt.Sprint(p.name, i))
			if err := os.MkdirAll(filepath.Join(dir, "c"), 0o755); err != nil {
				return nil, err
			}
			load, list, err := p.make(dir, file)
			if err != nil {
				return nil, err
			}
			cells, err := peerCells(load, list)
			if err != nil {
				return nil, err
			}
			row = append(row, cells...)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// peerCells measures an import and then a list; "-" marks a measurement that took too long.
func peerCells(load, list []string) ([]string, error) {
	began := time.Now()
	ok, err := within(peerPatience, load)
	if err != nil || !ok {
		return []string{"-", "-", "-"}, err
	}
	imported := time.Since(began)
	if ok, err := within(peerPatience, list); err != nil || !ok { // once to fill caches
		return []string{ms(imported), "-", "-"}, err
	}
	got, err := race(5, contender{"list", always(list...)})
	return []string{ms(imported), ms(median(got["list"], wall)), ms(median(got["list"], cpu))}, err
}

// within runs a process and returns false if it was stopped after limit. calcurse
// ends with exit code 1 when it has skipped something.
func within(limit time.Duration, args []string) (bool, error) {
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	if ctx.Err() != nil {
		return false, nil
	}
	if err != nil && args[0] == "calcurse" {
		fmt.Printf("\n%s: %v: %.100q\n", strings.Join(args[3:], " "), err, out)
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%v: %w: %.300s", args, err, out)
	}
	return err == nil, err
}

func (b *bench) techoCalendar(dir, file string) (load, list []string, err error) {
	store := filepath.Join(dir, "store")
	return []string{b.techo, "cal", "import", file, "--store", store},
		[]string{b.techo, "cal", "list", benchDay, "--tz", "UTC", "--store", store}, nil
}

func khalCalendar(dir, file string) (load, list []string, err error) {
	conf := filepath.Join(dir, "khal.conf")
	text := strings.ReplaceAll("[calendars]\n[[c]]\npath = DIR/c\n[sqlite]\npath = DIR/khal.db\n[locale]\n"+
		"local_timezone = UTC\ndefault_timezone = UTC\ntimeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = "+
		"%Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n[default]\n"+
		"default_calendar = c\n", "DIR", dir)
	return []string{"khal", "-c", conf, "import", "--batch", "-a", "c", file},
		[]string{"khal", "-c", conf, "list", benchDay, "1d"}, os.WriteFile(conf, []byte(text), 0o644)
}

func calcurseCalendar(dir, file string) (load, list []string, err error) {
	return []string{"calcurse", "-D", dir, "-q", "-i", file}, []string{"calcurse", "-D", dir, "-q", "-d", "01/07/2026"},
		nil
}
