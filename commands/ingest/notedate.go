package ingest

import (
	"fmt"
	"path"
	"strings"
	"time"

	"techo/internal/dates"
	"techo/internal/lazyregexp"
	"techo/internal/zone"
)

// # When a note was made
//
// A note is of the time that its author has given it: by a field of its front matter, or else by its name, as
// the note of a day has it. Only what names its year and has one reading is a time. The time of the file comes
// last: a copy, a checkout or a sync changes it.

// The fields of front matter with a time, in the order in which they count.
const (
	noDate      = iota
	changedDate // when the note was changed; its name counts more
	publishedDate
	plainDate
	madeDate
)

// dateFields has the fields in the form of dateField, by what they say.
var dateFields = map[int]string{
	madeDate: " created createdat createdon createddate createdtime createddatetime creation creationdate " +
		"creationtime createtime createdate datecreated timecreated ctime dccreated 作成 作成日 作成日時 作成日付 作成時刻 " +
		"作成時間 作成年月日 登録日 登録日時 記録日 記録日時 記入日 記入日時 執筆日 起票日 起票日時 ",
	plainDate: " date datetime day timestamp dcdate notedate entrydate journaldate 日付 日時 年月日 日付け ",
	publishedDate: " published publishedat publishedon publisheddate publishdate datepublished pubdate posted " +
		"postedat postdate 公開日 公開日時 投稿日 投稿日時 発行日 掲載日 ",
	changedDate: " updated updatedat updatedon updateddate updatedate dateupdated modified modifiedat modifieddate " +
		"datemodified lastmod lastmodified lastmodifiedat lastupdated lastedited mtime 更新 更新日 更新日時 最終更新 " +
		"最終更新日 最終更新日時 変更日 変更日時 修正日 ",
}

// dateField returns which time a field of front matter has. Case, blanks and signs between words do not count.
func dateField(key string) int {
	key = strings.NewReplacer(" ", "", "_", "", "-", "", ".", "", ":", "").Replace(strings.ToLower(key))
	for what, names := range dateFields {
		if key != "" && strings.Contains(names, " "+key+" ") {
			return what
		}
	}
	return noDate
}

// authored is a time that an author has written: an instant, or some days.
type authored struct {
	from  time.Time
	until time.Time // the end of a week, a month or a longer period; zero for an instant or a day
}

// within returns the instant, the beginning of the day, or what is nearest to a time in the period.
func (a authored) within(at time.Time) time.Time {
	switch {
	case a.until.IsZero() || at.Before(a.from):
		return a.from
	case !at.Before(a.until):
		return a.until.Add(-time.Second)
	}
	return at
}

// readAuthored reads a time in words or digits, also as a link. Without an offset it is of the zone.
func readAuthored(text string, in *time.Location) (a authored, ok bool) {
	text = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), `[]<>"'`))
	if at, ok := exactTime(text, in); ok {
		return authored{from: at}, true
	}
	// What depends on the present day is no date of a note.
	m, ok := dates.Parse(text, time.Date(2001, 3, 7, 0, 0, 0, 0, in), dates.Past)
	other, _ := dates.Parse(text, time.Date(2034, 10, 18, 23, 0, 0, 0, in), dates.Past)
	if !ok || !m.Wall.Equal(other.Wall) || !m.Instant.Equal(other.Instant) || m.End != nil || m.Length != 0 {
		return a, false
	}
	for _, n := range m.Notes {
		if n.Choice == dates.MonthFirst || n.Choice == dates.NotOther {
			return a, false
		}
	}
	switch {
	case m.Offset:
		return authored{from: m.Instant}, true
	case m.Zone != nil:
		in = m.Zone
	}
	a.from = zone.Instant(m.Wall, in)
	if m.Last.After(m.Wall) {
		a.until = zone.Instant(m.Last.AddDate(0, 0, 1), in)
	}
	return a, true
}

// exactTime reads the forms of programs.
func exactTime(text string, in *time.Location) (time.Time, bool) {
	var digits int64
	if n, _ := fmt.Sscanf(text, "%d", &digits); n == 1 && strings.Trim(text, "0123456789") == "" {
		switch len(text) {
		case 10:
			return unixTime(float64(digits)), true
		case 13:
			return unixTime(float64(digits) / 1000), true
		}
	}
	for _, form := range []string{
		time.RFC3339Nano, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 -0700",
		"2006-01-02 15:04 -0700", "2006-01-02T15:04:05-0700", time.DateOnly, "2006-01-02 15:04:05", "2006-01-02 15:04",
		"2006-01-02T15:04:05", "2006-01-02T15:04", "2006/01/02", "2006/01/02 15:04", "20060102150405", "200601021504",
		"20060102T150405", "20060102T1504", "2006-01-02 1504", "2006-01-02-1504",
	} {
		if at, err := time.ParseInLocation(form, text, in); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// noteTime reads a time as programs and people write it. A period is its beginning.
func noteTime(text string, in *time.Location) (time.Time, bool) {
	a, ok := readAuthored(text, in)
	return a.from, ok
}

// namedTime returns the day that the name of a note or its folders have: 2026-03-14.md, 2026-03-14 Meeting.md,
// Journal/2026/03/14.md, 2026年3月14日.md. Of a note for a week or a month it is when the file was changed, within
// that time. A day that is only a part of a name, or names a folder, is no later than the file: else it is what the
// note is about.
func namedTime(file string, changed time.Time, in *time.Location) (time.Time, bool) {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if a, ok := dayOf(stem, path.Dir(file), in); ok {
		return a.within(changed), true
	}
	folder := path.Dir(file)
	a, ok := dayOf(path.Base(folder), path.Dir(folder), in)
	if !ok || !a.until.IsZero() {
		a, ok = dayInName(stem, in)
	}
	return a.from, ok && !a.from.After(changed)
}

// dayInName returns the only day in a longer name, with the time behind it: 202601051530 Idea.
func dayInName(stem string, in *time.Location) (a authored, ok bool) {
	all := dayPattern.Get().FindAllStringSubmatchIndex(stem, -1)
	if len(all) != 1 {
		return a, false
	}
	at := all[0]
	isDigit := func(i int) bool { return i >= 0 && i < len(stem) && stem[i] >= '0' && stem[i] <= '9' }
	if isDigit(at[0]-1) || isDigit(at[1]) {
		return a, false
	}
	var parts []string
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 {
			parts = append(parts, stem[at[i]:at[i+1]])
		}
	}
	if len(parts) > 3 {
		at, err := time.ParseInLocation("200601021504", strings.Join(parts, ""), in)
		return authored{from: at}, err == nil
	}
	return oneDay(parts[0], parts[1], parts[2], in)
}

var dayPattern = lazyregexp.New(`((?:19|20)\d\d)(?:[-_. ](\d\d?)[-_. ](\d\d?)|年(\d\d?)月(\d\d?)日|` +
	`(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(?:\d\d)?)?)`)

// dayOf returns the day, the week or the month that is all of a name, or that it has together with the folders
// above it.
func dayOf(name, folders string, in *time.Location) (a authored, ok bool) {
	if yearPattern.Get().MatchString(name) && (len(name) < 9 || strings.Trim(name, "0123456789") != "" || len(name) == 12 ||
		len(name) == 14) {
		a, ok = readAuthored(strings.ReplaceAll(name, "_", "-"), in)
		return a, ok && (a.until.IsZero() || a.until.Sub(a.from) <= 32*24*time.Hour)
	}
	last, above := path.Base(folders), path.Base(path.Dir(folders))
	if g := ofYear.Get().FindStringSubmatch(last); g != nil {
		if d := monthDay.Get().FindStringSubmatch(name); d != nil {
			return oneDay(g[1], d[1]+d[2], d[3], in)
		}
		if m := ofMonth.Get().FindStringSubmatch(name); m != nil {
			return readAuthored(g[1]+"-"+m[1], in)
		}
		return a, false
	}
	day := dayNumber.Get().FindStringSubmatch(name)
	if day == nil {
		return a, false
	}
	if rest := strings.Trim(day[2], " -_.()（）"); rest != "" {
		_, english := dates.Weekday(rest)
		if _, short := dates.Weekday(rest + "曜"); !english && !short {
			return a, false
		}
	}
	if g := yearMonth.Get().FindStringSubmatch(last); g != nil {
		return oneDay(g[1], g[2], day[1], in)
	}
	year := ofYear.Get().FindStringSubmatch(above)
	if year == nil {
		return a, false
	}
	if m := ofMonth.Get().FindStringSubmatch(last); m != nil {
		return oneDay(year[1], m[1], day[1], in)
	}
	if month, ok := readAuthored(last+" "+year[1], in); ok && !month.until.IsZero() {
		return oneDay(year[1], month.from.In(in).Format("1"), day[1], in)
	}
	return a, false
}

// oneDay returns a day in digits.
func oneDay(year, month, day string, in *time.Location) (a authored, ok bool) {
	at, err := time.ParseInLocation("2006-1-2", year+"-"+strings.TrimPrefix(month, "0")+"-"+strings.TrimPrefix(day, "0"), in)
	return authored{from: at}, err == nil
}

var (
	yearPattern = lazyregexp.New(`(?:19|20)\d\d|令和|平成|昭和|[〇一二三四五六七八九]{4}年`)
	ofYear      = lazyregexp.New(`^((?:19|20)\d\d)年?$`)
	yearMonth   = lazyregexp.New(`^((?:19|20)\d\d)[-_. 年]?(0\d|1[0-2]|[1-9])月?(?:[-_. ]\D*)?$`)
	ofMonth     = lazyregexp.New(`^(0?[1-9]|1[0-2])(?:月|[-_. ]\D*)?$`)
	monthDay    = lazyregexp.New(`^(?:(\d\d?)(?:[-_.]|月)|(\d\d))(\d\d?)日?$`)
	dayNumber   = lazyregexp.New(`^(0?[1-9]|[12]\d|3[01])(?:日|st|nd|rd|th)?(\D*)$`)
)
