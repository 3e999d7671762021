package event

import (
	"errors"
	"slices"
	"strings"
	"time"

	"techo/internal/recur"
	"techo/internal/zone"
	"techo/store/kv"
)

// split ends a series before an occurrence and starts a new series there.
func (t *Tx) split(series *Event, tail Event, o Occurrence, home *time.Location, how Write, now time.Time,
	change func(*Event) error) (w Written, err error) {
	head := *series
	head.Recurrence, tail.Recurrence = SplitRecurrence(series, o.Wall, home)
	tail.CreatedAt, tail.Exceptions = now, nil
	if tail.ID, err = t.NewEventID(series.ID + "\x00" + o.Original); err != nil {
		return w, err
	}
	if tail.UID = how.part; tail.UID == "" {
		tail.UID = wholeUID(series.UID) + splitMark + o.Original
	}
	if _, err := t.ByUID(series.Calendar, tail.UID, ""); err == nil { // divided there before
		tail.UID = tail.ID
	} else if !errors.Is(err, kv.ErrNotFound) {
		return w, err
	}
	rules := slices.Clone(tail.Recurrence)
	if same, err := apply(change, &tail); same || err != nil {
		tail.ID, tail.UID = series.ID, series.UID
		return t.unchanged(tail, o, how, err)
	}
	move, err := Follow(&tail, rules, o.Wall, home, t.Location(&tail, how.Zone))
	if err != nil {
		return w, err
	}
	t.Touch(&tail, now)
	how.series = series.UID
	for _, original := range series.Exceptions {
		if !before(original, o.Wall, home) {
			tail.Exceptions = append(tail.Exceptions, move(original))
		}
	}
	if how.DryRun {
		w, err = t.meet(tail, how)
		w.Event = &tail
		return w, err
	}
	head.Exceptions = slices.DeleteFunc(slices.Clone(series.Exceptions),
		func(original string) bool { return !before(original, o.Wall, home) })
	t.Touch(&head, now)
	if err := t.Put(series, &head); err != nil {
		return w, err
	}
	overrides, err := t.Overrides(series)
	if err != nil {
		return w, err
	}
	for _, e := range overrides {
		if before(e.RecurrenceID, o.Wall, home) {
			continue
		}
		old := e
		e.RecurrenceID = move(e.RecurrenceID)
		e.UID, e.ID = tail.UID, tail.ID+"_"+e.RecurrenceID
		if err := t.Put(&old, &e); err != nil {
			return w, err
		}
	}
	if w, err = t.meet(tail, how); err != nil {
		return w, err
	}
	return w, t.keep(&w, nil, &tail, how)
}

func before(original string, wall time.Time, home *time.Location) bool {
	w, err := ReadOccurrence(original, home)
	return err == nil && w.Before(wall)
}

// SplitRecurrence divides the recurrence of a series at the occurrence at a local
// time: the lines before it, and the lines from it on.
func SplitRecurrence(e *Event, wall time.Time, home *time.Location) (head, tail []string) {
	for _, l := range e.Recurrence {
		name, value, _ := strings.Cut(l, ":")
		bare, _, _ := strings.Cut(name, ";")
		switch bare {
		case "RRULE", "EXRULE":
			r, err := recur.Parse(value)
			if err != nil {
				continue
			}
			if until := UntilWall(r, e, home); !until.IsZero() && until.Before(wall) {
				head = append(head, l)
				continue
			}
			first, rest := *r, *r
			if r.Count > 0 {
				n := 0
				recur.New(r, e.Start, e.Form == AllDay, time.Time{}).Walk(e.Start, wall,
					func(time.Time) bool { n++; return true })
				first.Count, rest.Count = 0, max(r.Count-n, 1)
			}
			first.Until, first.Form = wall.Add(-time.Second), recur.UntilLocal
			switch e.Form {
			case AllDay:
				first.Until, first.Form = wall.AddDate(0, 0, -1), recur.UntilDate
			case Timed:
				first.Until, first.Form = zone.Instant(wall, home).Add(-time.Second).UTC(), recur.UntilUTC
			}
			head, tail = append(head, bare+":"+first.String()), append(tail, bare+":"+rest.String())
		case "RDATE", "EXDATE":
			var early, late []string
			for text := range strings.SplitSeq(value, ",") {
				if before(text, wall, home) {
					early = append(early, text)
				} else {
					late = append(late, text)
				}
			}
			if len(early) > 0 {
				head = append(head, name+":"+strings.Join(early, ","))
			}
			if len(late) > 0 {
				tail = append(tail, name+":"+strings.Join(late, ","))
			}
		}
	}
	return head, tail
}

// Follow adapts the recurrence of a series to its new start. The start was wall in
// the zone home and is now after.Start in the zone there. Lines that are not in
// old remain as they are. move maps the ids of occurrences. A rule that cannot be
// adapted remains, and the error is a RuleStartError.
func Follow(after *Event, old []string, wall time.Time, home, there *time.Location) (move func(string) string,
	err error) {
	by := after.Start.Sub(wall)
	move = func(original string) string {
		at, err := ReadOccurrence(original, home)
		if err != nil {
			return original
		}
		return after.OccurrenceID(at.Add(by), there)
	}
	after.Recurrence = slices.Clone(after.Recurrence)
	for i, l := range after.Recurrence {
		name, list, _ := strings.Cut(l, ":")
		bare, _, _ := strings.Cut(name, ";")
		switch {
		case !slices.Contains(old, l):
		case bare == "RDATE" || bare == "EXDATE":
			var moved []string
			for text := range strings.SplitSeq(list, ",") {
				moved = append(moved, move(text))
			}
			if strings.HasSuffix(moved[0], "Z") {
				name = bare // an instant needs no zone
			}
			after.Recurrence[i] = name + ":" + strings.Join(moved, ",")
		case bare == "RRULE" && by != 0:
			r, bad := recur.Parse(list)
			if bad != nil {
				continue
			}
			if moved, ok := r.Move(wall, after.Start, after.Form == AllDay); ok {
				after.Recurrence[i] = bare + ":" + moved.String()
			} else {
				err = &RuleStartError{Rule: list}
			}
		}
	}
	return move, err
}

// RuleStartError reports that a series cannot start at a time that its rule does
// not match.
type RuleStartError struct{ Rule string }

func (e *RuleStartError) Error() string { return "event: its rule has no such start: " + e.Rule }
