package free

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/calendartest"
)

type suggestCase struct {
	ID       int
	TZ, Now  string
	DateFrom string      `json:"date_from"`
	DateTo   string      `json:"date_to"`
	Duration int         `json:"duration_minutes"`
	From     string      `json:"preferred_time_from"`
	To       string      `json:"preferred_time_to"`
	Step     int         `json:"step_minutes"`
	Gaps     [][2]string `json:"free_gaps"`
	Feasible []string    `json:"feasible_starts_utc"`
	ICS      string
}

// TestSuggestCases compares with a minute-by-minute search: all suggestions are among
// its results, as many as fit, and the candidates are equal.
func TestSuggestCases(t *testing.T) {
	var all []suggestCase
	if err := json.Unmarshal(testenv.ReadData(t, "cal", "suggest_cases.json"), &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		st := calendartest.Store(t)
		env := calendartest.Env(t, st, c.TZ, c.Now)
		calendartest.Import(t, env, st, []byte(c.ICS))
		for _, strategy := range []string{"spread", "earliest", "compact"} {
			out, err := suggestSchedule(t.Context(), env,
				SuggestIn{DateFrom: c.DateFrom, DateTo: c.DateTo, Duration: c.Duration, TimeFrom: c.From, TimeTo: c.To,
					Limit: 5, Step: c.Step, Align: "strict", Days: "all", Strategy: strategy, Tentative: "busy"})
			if err != nil {
				t.Errorf("%d: %v", c.ID, err)
				continue
			}
			var last time.Time
			for _, s := range out.Suggestions {
				from, _ := time.Parse(time.RFC3339, s.Start)
				to, _ := time.Parse(time.RFC3339, s.End)
				if !slices.Contains(c.Feasible, from.UTC().Format(time.RFC3339)) || from.Before(last) ||
					to.Sub(from) != time.Duration(c.Duration)*time.Minute {
					t.Errorf("%d %s: %s is not feasible, or overlaps", c.ID, strategy, s.Start)
				}
				last = to
			}
			if want := min(5, fits(t, c)); len(out.Suggestions) != want || (out.Reason == "") != (want > 0) {
				t.Errorf("%d %s: %d suggestions, want %d (%s)", c.ID, strategy, len(out.Suggestions), want, out.Reason)
			}
		}
		checkGaps(t, env, c)
		st.Close()
	}
}

// fits returns how many of the feasible starts do not overlap.
func fits(t *testing.T, c suggestCase) (n int) {
	var free time.Time
	for _, text := range c.Feasible {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		if !at.Before(free) {
			n++
			free = at.Add(time.Duration(c.Duration) * time.Minute)
		}
	}
	return n
}

// checkGaps compares the free times and the candidates with the case.
func checkGaps(t *testing.T, env *tools.Env, c suggestCase) {
	t.Helper()
	s, err := newSearch(env,
		SuggestIn{DateFrom: c.DateFrom, DateTo: c.DateTo, Duration: c.Duration, TimeFrom: c.From, TimeTo: c.To,
			Limit: 5, Step: c.Step, Align: "strict", Days: "all"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := agenda.Find(t.Context(), env,
		agenda.Query{Query: event.Query{From: agenda.InstantAt(env, s.first).Add(-48 * time.Hour),
			To: agenda.InstantAt(env, s.end).Add(48 * time.Hour)}, Names: []string{"default"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range (busyRules{}).busyEvents(g.Occurrences) {
		s.busy = append(s.busy, backend.Span{From: o.From, To: o.To})
	}
	var gaps [][2]string
	var starts []string
	for _, w := range s.windows(s.first, s.end, s.from, s.to) {
		for _, b := range s.freeSpans(w, s.busy) {
			gaps = append(gaps, [2]string{b.From.UTC().Format(time.RFC3339), b.To.UTC().Format(time.RFC3339)})
		}
		for _, x := range s.slots(w, s.busy) {
			starts = append(starts, x.From.UTC().Format(time.RFC3339))
		}
	}
	if !slices.Equal(gaps, c.Gaps) {
		t.Errorf("%d: gaps\ngot  %v\nwant %v", c.ID, gaps, c.Gaps)
	}
	if !slices.Equal(starts, c.Feasible) {
		t.Errorf("%d: %d candidates, want %d", c.ID, len(starts), len(c.Feasible))
	}
}
