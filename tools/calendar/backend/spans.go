package backend

import (
	"time"

	"techo/internal/sorting"
	"techo/internal/zone"
	"techo/tools"
)

// Span is the time between two instants.
type Span struct{ From, To time.Time }

func (s Span) Minutes() int { return int(s.To.Sub(s.From) / time.Minute) }

// WallSpan returns the span between two wall clock times of the caller. It starts or
// ends with a change of clocks that skips one of them.
func WallSpan(env *tools.Env, from, to time.Time) Span {
	a, _ := zone.Reached(from, env.Zone)
	b, _ := zone.Reached(to, env.Zone)
	return Span{a, b}
}

// MergeSpans joins spans that overlap or touch, sorts them, and clips them to
// within.
func MergeSpans(all []Span, within Span) []Span {
	sorting.By(all, func(a, b Span) int { return a.From.Compare(b.From) })
	var out []Span
	for _, s := range all {
		if s.From.Before(within.From) {
			s.From = within.From
		}
		if s.To.After(within.To) {
			s.To = within.To
		}
		if !s.From.Before(s.To) {
			continue
		}
		if n := len(out); n > 0 && !s.From.After(out[n-1].To) {
			if s.To.After(out[n-1].To) {
				out[n-1].To = s.To
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// Gaps returns the parts of within that busy, a result of mergeSpans, leaves free.
func Gaps(busy []Span, within Span) []Span {
	var free []Span
	from := within.From
	for _, b := range busy {
		if from.Before(b.From) {
			free = append(free, Span{from, b.From})
		}
		from = b.To
	}
	if from.Before(within.To) {
		free = append(free, Span{from, within.To})
	}
	return free
}
