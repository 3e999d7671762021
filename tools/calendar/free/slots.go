package free

import (
	"cmp"
	"slices"
	"time"

	"techo/internal/sorting"
	"techo/tools/calendar/backend"
)

// slotQuery has the conditions for suggestions. Times of day are in zone.
type slotQuery struct {
	zone     *time.Location
	length   time.Duration
	step     int // minutes; the start's minute must be a multiple
	strict   bool
	maxSlots int
	strategy string
	earliest time.Time // no slot starts before it
	buffer   time.Duration
	optional []backend.Span // busy times of optional calendars
}

// window is the part of a day in which slots may lie.
type window struct {
	day int // number of the day in the query
	backend.Span
}

type slot struct {
	backend.Span
	window       window
	block        backend.Span // the free span around it
	aligned      bool
	score        int
	touches      bool // an event is directly before or after it
	optionalBusy bool // an optional calendar is busy
}

// freeSpans returns the free spans of a window, with the buffer around events.
func (q *slotQuery) freeSpans(w window, busy []backend.Span) []backend.Span {
	within := w.Span
	if within.From.Before(q.earliest) {
		within.From = q.earliest
	}
	if !within.From.Before(within.To) {
		return nil
	}
	var padded []backend.Span
	for _, b := range busy {
		if b.From.Add(-q.buffer).Before(within.To) && within.From.Before(b.To.Add(q.buffer)) {
			padded = append(padded, backend.Span{From: b.From.Add(-q.buffer), To: b.To.Add(q.buffer)})
		}
	}
	return backend.Gaps(backend.MergeSpans(padded, within), within)
}

// slots returns the candidates in a window, sorted.
func (q *slotQuery) slots(w window, busy []backend.Span) (all []slot) {
	for _, b := range q.freeSpans(w, busy) {
		if b.To.Sub(b.From) < q.length {
			continue
		}
		steps := []int{q.step}
		if !q.strict {
			steps = append(steps, 15, 10, 5)
		}
		found := false
		for _, step := range steps {
			if step > q.step {
				continue
			}
			for at := q.nextStart(b.From, step); !at.Add(q.length).After(b.To); at = q.nextStart(at.Add(time.Minute),
				step) {
				all = append(all, q.slot(w, b, at, step == q.step))
				found = true
			}
			if found {
				break
			}
		}
		if !found && !q.strict {
			all = append(all, q.slot(w, b, b.From, false))
		}
	}
	return all
}

// nextStart returns the first instant from at on whose minute is a multiple of
// step.
func (q *slotQuery) nextStart(at time.Time, step int) time.Time {
	if over := at.Sub(at.Truncate(time.Minute)); over > 0 {
		at = at.Add(time.Minute - over)
	}
	for range 4 { // again after a clock change
		left := at.In(q.zone).Minute() % step
		if left == 0 {
			break
		}
		at = at.Add(time.Duration(step-left) * time.Minute)
	}
	return at
}

// Scores of a slot's properties. The best slot has the highest sum.
const (
	scoreHour         = 30
	scoreHalf         = 20
	scoreQuarter      = 10
	scoreHasRoom      = 8
	scoreNoLunch      = 4
	scoreOptionalBusy = -100
)

func (q *slotQuery) slot(w window, block backend.Span, from time.Time, aligned bool) slot {
	s := slot{Span: backend.Span{From: from, To: from.Add(q.length)}, window: w, block: block, aligned: aligned}
	minute := from.In(q.zone).Minute()
	switch {
	case minute == 0:
		s.score += scoreHour
	case minute == 30:
		s.score += scoreHalf
	case minute%15 == 0:
		s.score += scoreQuarter
	}
	if q.hasRoom(&s) {
		s.score += scoreHasRoom
	}
	if !q.overlapsLunch(&s) {
		s.score += scoreNoLunch
	}
	if s.optionalBusy = slices.ContainsFunc(q.optional,
		func(b backend.Span) bool { return b.From.Before(s.To) && s.From.Before(b.To) }); s.optionalBusy {
		s.score += scoreOptionalBusy
	}
	s.touches = s.From.Equal(block.From) && block.From.After(w.From) && !block.From.Equal(q.earliest) ||
		s.To.Equal(block.To) && block.To.Before(w.To)
	return s
}

// hasRoom reports whether each side has 15 free minutes or is the edge of the
// window.
func (q *slotQuery) hasRoom(s *slot) bool {
	const quarter = 15 * time.Minute
	before := s.From.Sub(s.block.From) >= quarter || s.block.From.Equal(s.window.From)
	after := s.block.To.Sub(s.To) >= quarter || s.block.To.Equal(s.window.To)
	return before && after
}

// overlapsLunch reports whether the slot overlaps the hour from noon.
func (q *slotQuery) overlapsLunch(s *slot) bool {
	from := s.From.In(q.zone)
	noon := from.Add(time.Duration(12*60-from.Hour()*60-from.Minute()) * time.Minute)
	return s.From.Before(noon.Add(time.Hour)) && noon.Before(s.To)
}

// choose returns the best slots that do not overlap, sorted by time.
func (q *slotQuery) choose(all []slot) []slot {
	var chosen []slot
	switch q.strategy {
	case "earliest":
		chosen = q.disjoint(nil, all)
	case "compact":
		order := slices.Clone(all)
		sorting.By(order, func(a, b slot) int {
			if a.touches != b.touches {
				return map[bool]int{true: -1, false: 1}[a.touches]
			}
			return cmp.Or(b.score-a.score, a.From.Compare(b.From))
		})
		chosen = q.disjoint(nil, order)
	default:
		chosen = q.spread(all)
	}
	if first := q.disjoint(nil, all); len(first) > len(chosen) {
		chosen = first // a good slot may overlap two others that both fit
	}
	sorting.By(chosen, func(a, b slot) int { return a.From.Compare(b.From) })
	return chosen
}

// disjoint adds slots, in order, that do not overlap an added one.
func (q *slotQuery) disjoint(chosen, all []slot) []slot {
	for _, s := range all {
		if len(chosen) >= q.maxSlots {
			break
		}
		if !slices.ContainsFunc(chosen, func(c slot) bool { return s.From.Before(c.To) && c.From.Before(s.To) }) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// spread chooses the best slot of each day in turn, then a second one of each day
// at least two hours away, and so on. At the end it adds any slots that fit.
func (q *slotQuery) spread(all []slot) (chosen []slot) {
	const gap = 2 * time.Hour
	for range q.maxSlots {
		before := len(chosen)
		for i := 0; i < len(all) && len(chosen) < q.maxSlots; {
			end := i
			for end < len(all) && all[end].window.day == all[i].window.day {
				end++
			}
			best := -1
			for n := i; n < end; n++ {
				near := slices.ContainsFunc(chosen, func(c slot) bool {
					return c.window.day == all[n].window.day && all[n].From.Before(c.To.Add(gap)) &&
						c.From.Before(all[n].To.Add(gap)) ||
						all[n].From.Before(c.To) && c.From.Before(all[n].To)
				})
				if !near && (best < 0 || all[n].score > all[best].score) {
					best = n
				}
			}
			if best >= 0 {
				chosen = append(chosen, all[best])
			}
			i = end
		}
		if len(chosen) == before {
			break
		}
	}
	order := slices.Clone(all)
	sorting.By(order, func(a, b slot) int { return b.score - a.score })
	return q.disjoint(chosen, order)
}
