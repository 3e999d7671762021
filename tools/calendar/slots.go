package calendar

import (
	"cmp"
	"slices"
	"time"
)

// slotQuery is what a suggestion has to fulfil. All times are instants; zone is
// where clocks are looked at.
type slotQuery struct {
	zone     *time.Location
	length   time.Duration
	step     int // minutes of the clock that a start has to divide by
	strict   bool
	limit    int
	strategy string
	earliest time.Time // no start before it
	buffer   time.Duration
	optional []stretch // when those are busy who need not come
}

// window is a time on a day that suggestions may lie in.
type window struct {
	day int // its number in the query
	stretch
}

// slot is a time that fits.
type slot struct {
	stretch
	window  window
	block   stretch // the free time around it
	aligned bool
	score   int
	touches bool // an event lies right before or after it
	missed  bool // somebody who need not come is busy
}

// blocks are the free times of a window. An edge that an event makes is a
// buffer away from the event.
func (q *slotQuery) blocks(w window, busy []stretch) []stretch {
	within := w.stretch
	if within.from.Before(q.earliest) {
		within.from = q.earliest
	}
	if !within.from.Before(within.to) {
		return nil
	}
	var padded []stretch
	for _, b := range busy {
		if b.from.Add(-q.buffer).Before(within.to) && within.from.Before(b.to.Add(q.buffer)) {
			padded = append(padded, stretch{b.from.Add(-q.buffer), b.to.Add(q.buffer)})
		}
	}
	return gaps(merged(padded, within), within)
}

// slots are the candidates of a window, in order.
func (q *slotQuery) slots(w window, busy []stretch) (all []slot) {
	for _, b := range q.blocks(w, busy) {
		if b.to.Sub(b.from) < q.length {
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
			for at := q.ceil(b.from, step); !at.Add(q.length).After(b.to); at = q.ceil(at.Add(time.Minute), step) {
				all = append(all, q.slot(w, b, at, step == q.step))
				found = true
			}
			if found {
				break
			}
		}
		if !found && !q.strict {
			all = append(all, q.slot(w, b, b.from, false))
		}
	}
	return all
}

// ceil is the first instant, not before at, whose minutes on the clock divide
// by step.
func (q *slotQuery) ceil(at time.Time, step int) time.Time {
	if over := at.Sub(at.Truncate(time.Minute)); over > 0 {
		at = at.Add(time.Minute - over)
	}
	for range 4 { // the clock may change on the way
		left := at.In(q.zone).Minute() % step
		if left == 0 {
			break
		}
		at = at.Add(time.Duration(step-left) * time.Minute)
	}
	return at
}

// Scores of what makes a slot good, the more the better.
const (
	scoreHour    = 30
	scoreHalf    = 20
	scoreQuarter = 10
	scoreRoom    = 8
	scoreNoLunch = 4
	scoreMissed  = -100
)

func (q *slotQuery) slot(w window, block stretch, from time.Time, aligned bool) slot {
	s := slot{stretch: stretch{from, from.Add(q.length)}, window: w, block: block, aligned: aligned}
	minute := from.In(q.zone).Minute()
	switch {
	case minute == 0:
		s.score += scoreHour
	case minute == 30:
		s.score += scoreHalf
	case minute%15 == 0:
		s.score += scoreQuarter
	}
	if q.room(&s) {
		s.score += scoreRoom
	}
	if !q.lunch(&s) {
		s.score += scoreNoLunch
	}
	if s.missed = slices.ContainsFunc(q.optional, func(b stretch) bool { return b.from.Before(s.to) && s.from.Before(b.to) }); s.missed {
		s.score += scoreMissed
	}
	s.touches = s.from.Equal(block.from) && block.from.After(w.from) && !block.from.Equal(q.earliest) || s.to.Equal(block.to) && block.to.Before(w.to)
	return s
}

// room reports whether a quarter of an hour is free on both sides, or there is
// no event there.
func (q *slotQuery) room(s *slot) bool {
	const quarter = 15 * time.Minute
	before := s.from.Sub(s.block.from) >= quarter || s.block.from.Equal(s.window.from)
	after := s.block.to.Sub(s.to) >= quarter || s.block.to.Equal(s.window.to)
	return before && after
}

// lunch reports whether the slot lies in the hour from noon.
func (q *slotQuery) lunch(s *slot) bool {
	from := s.from.In(q.zone)
	noon := from.Add(time.Duration(12*60-from.Hour()*60-from.Minute()) * time.Minute)
	return s.from.Before(noon.Add(time.Hour)) && noon.Before(s.to)
}

// choose picks the best slots, none of which overlap, in order of time.
func (q *slotQuery) choose(all []slot) []slot {
	var chosen []slot
	switch q.strategy {
	case "earliest":
		chosen = q.disjoint(nil, all)
	case "compact":
		order := slices.Clone(all)
		slices.SortStableFunc(order, func(a, b slot) int {
			if a.touches != b.touches {
				return map[bool]int{true: -1, false: 1}[a.touches]
			}
			return cmp.Or(b.score-a.score, a.from.Compare(b.from))
		})
		chosen = q.disjoint(nil, order)
	default:
		chosen = q.spread(all)
	}
	if first := q.disjoint(nil, all); len(first) > len(chosen) {
		chosen = first // a good slot may lie across two that would fit
	}
	slices.SortFunc(chosen, func(a, b slot) int { return a.from.Compare(b.from) })
	return chosen
}

// disjoint adds slots in their order as long as they overlap none before.
func (q *slotQuery) disjoint(chosen, all []slot) []slot {
	for _, s := range all {
		if len(chosen) >= q.limit {
			break
		}
		if !slices.ContainsFunc(chosen, func(c slot) bool { return s.from.Before(c.to) && c.from.Before(s.to) }) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// spread takes the best slot of each day in turn, then a second one of each at
// least two hours away, and so on, and at last whatever fits.
func (q *slotQuery) spread(all []slot) (chosen []slot) {
	const apart = 2 * time.Hour
	for range q.limit {
		before := len(chosen)
		for i := 0; i < len(all) && len(chosen) < q.limit; {
			end := i
			for end < len(all) && all[end].window.day == all[i].window.day {
				end++
			}
			best := -1
			for n := i; n < end; n++ {
				near := slices.ContainsFunc(chosen, func(c slot) bool {
					return c.window.day == all[n].window.day && all[n].from.Before(c.to.Add(apart)) && c.from.Before(all[n].to.Add(apart)) ||
						all[n].from.Before(c.to) && c.from.Before(all[n].to)
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
	slices.SortStableFunc(order, func(a, b slot) int { return b.score - a.score })
	return q.disjoint(chosen, order)
}
