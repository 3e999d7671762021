package todo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store/event"
	"techo/store/ledger"
)

// Completion is what Complete did.
type Completion struct {
	Done    Occurrence
	Next    Occurrence // of a to-do that repeats; without a Todo for others
	Skipped int        // past occurrences that were left out
}

// How is the way to complete a to-do.
type How struct {
	At    time.Time
	Every bool // past occurrences of a series come next, too
}

// Complete marks a to-do as completed. Of a series it completes the first occurrence
// that is not done, and returns the series with its next one, or the completed series
// if there is none. It skips occurrences that were due before how.At, unless how.Every
// keeps them. A to-do that is completed stays as it is.
func (a Todos) Complete(ctx context.Context, id string, how How, loc *time.Location) (c Completion, err error) {
	err = a.s.Update(ctx, func(tx *ledger.Tx) error {
		d := NewTx(tx)
		before, err := d.Load(id)
		if err != nil {
			return err
		}
		c = Completion{Done: d.Current(before, loc)}
		switch {
		case before.Status == Completed:
			return nil
		case c.Done.Original != "" && before.Recurs():
			err = d.completeOccurrence(&c, how, a.s.Time(), loc)
		case before.repeatsAfter():
			err = d.completeAndRepeat(&c, how.At, a.s.Time(), loc)
		default:
			after := before
			after.complete(how.At)
			d.Ev.Touch(&after.Event, a.s.Time())
			c.Done = d.Current(after, loc)
			err = d.Put(&before, &after)
		}
		if err != nil {
			return err
		}
		return d.Ev.Save()
	})
	return c, err
}

func (t *Todo) complete(at time.Time) {
	t.Status, t.CompletedAt, t.Percent = Completed, at, 100
}

// completeOccurrence adds a completed to-do that replaces the current occurrence of a
// series. With its last occurrence the series is completed too.
func (d Tx) completeOccurrence(c *Completion, how How, now time.Time, loc *time.Location) error {
	series := c.Done.Todo
	one := *series
	one.ID, one.RecurrenceID = series.ID+"_"+c.Done.Original, c.Done.Original
	one.Start, one.Recurrence, one.Exceptions = c.Done.Wall, nil, nil
	one.complete(how.At)
	one.CreatedAt = now
	d.Ev.Touch(&one.Event, now)
	if err := d.Put(nil, &one); err != nil {
		return err
	}
	after := *series
	after.Exceptions = append(slices.Clone(series.Exceptions), c.Done.Original)
	slices.Sort(after.Exceptions)
	if !how.Every {
		c.Skipped = d.skipPast(&after, how.At, loc)
	}
	if _, more := d.nextWall(&after, d.Ev.Location(&after.Event, loc)); !more {
		after.complete(how.At)
	}
	d.Ev.Touch(&after.Event, now)
	if err := d.Put(series, &after); err != nil {
		return err
	}
	c.Done, c.Next = d.Current(one, loc), d.Current(after, loc)
	return nil
}

// maxSkipped limits the occurrences that one completion leaves out.
const maxSkipped = 1000

// skipPast leaves the occurrences of a series out that were due before a time, and returns their
// number.
func (d Tx) skipPast(series *Todo, at time.Time, loc *time.Location) int {
	home := d.Ev.Location(&series.Event, loc)
	x := d.Ev.Expander(&series.Event, home)
	if x.Err != nil {
		return 0
	}
	var past []string
	x.Walk(series.Start.Add(-event.Slack), zone.Wall(at, home).Add(event.Slack), func(wall time.Time) bool {
		if o := occurrenceAt(series, wall, home); !o.To.Before(at) {
			return false
		}
		past = append(past, series.OccurrenceID(wall, home))
		return len(past) < maxSkipped
	})
	if len(past) > 0 {
		series.Recurrence = append(slices.Clip(series.Recurrence), "EXDATE:"+strings.Join(past, ","))
	}
	return len(past)
}

// afterLine begins the iCalendar line of a to-do that is due again some time after it was done. RFC
// 5545 has no such repetition.
const afterLine = "X-TECHO-AFTER-DONE:"

// Period is a number of days, weeks, months or years.
type Period struct {
	N    int
	Unit byte // D, W, M or Y
}

// MaxPeriod is the greatest number of a Period.
const MaxPeriod = 999

// String returns the period as of ISO 8601, such as P3D.
func (p Period) String() string { return fmt.Sprintf("P%d%c", p.N, p.Unit) }

// After returns the day so long after another one, the last day of its month if that is shorter.
func (p Period) After(day time.Time) time.Time {
	switch p.Unit {
	case 'D':
		return day.AddDate(0, 0, p.N)
	case 'W':
		return day.AddDate(0, 0, 7*p.N)
	case 'Y':
		p.N *= 12
	}
	first := time.Date(day.Year(), day.Month()+time.Month(p.N), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1)
	return first.AddDate(0, 0, min(day.Day(), last.Day())-1)
}

// AfterDone returns how long after its completion the to-do is due again. ok is false for others.
func (t *Todo) AfterDone() (p Period, ok bool) {
	for _, l := range t.Extra {
		text, found := strings.CutPrefix(l, afterLine+"P")
		if !found || len(text) < 2 {
			continue
		}
		p.Unit = text[len(text)-1]
		n, err := strconv.Atoi(text[:len(text)-1])
		if p.N = n; err == nil && n > 0 && n <= MaxPeriod && strings.IndexByte("DWMY", p.Unit) >= 0 {
			return p, true
		}
	}
	return Period{}, false
}

// SetAfterDone sets how long after its completion the to-do is due again, in place of any other
// repetition; nil removes it.
func (t *Todo) SetAfterDone(p *Period) {
	t.Extra = slices.DeleteFunc(slices.Clone(t.Extra), func(l string) bool { return strings.HasPrefix(l, afterLine) })
	if p != nil {
		t.Extra, t.Recurrence = append(t.Extra, afterLine+p.String()), nil
	}
}

// repeatsAfter reports whether the to-do comes back after it was done.
func (t *Todo) repeatsAfter() bool {
	_, ok := t.AfterDone()
	return ok && t.HasDue && len(t.Recurrence) == 0 && t.RecurrenceID == ""
}

// completeAndRepeat adds a completed copy of a to-do, which itself is due again later.
func (d Tx) completeAndRepeat(c *Completion, at, now time.Time, loc *time.Location) (err error) {
	before := c.Done.Todo
	one := *before
	one.SetAfterDone(nil)
	if one.ID, err = d.newID(before.ID + "\x00" + at.UTC().Format(time.RFC3339Nano)); err != nil {
		return err
	}
	one.UID, one.CreatedAt = one.ID, now
	one.complete(at)
	d.Ev.Touch(&one.Event, now)
	if err := d.Put(nil, &one); err != nil {
		return err
	}
	after, due := *before, c.Done.DueWall()
	period, _ := before.AfterDone()
	day := period.After(zone.Day(zone.Wall(at, d.Ev.Location(&before.Event, loc))))
	after.Start = before.Start.Add(day.Sub(zone.Day(due)))
	after.Later, after.Status, after.Percent = false, NeedsAction, 0
	d.Ev.Touch(&after.Event, now)
	if err := d.Put(before, &after); err != nil {
		return err
	}
	c.Done, c.Next = d.Current(one, loc), d.Current(after, loc)
	return nil
}
