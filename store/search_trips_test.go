package store

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/memory"
)

// searchedFor are searches of the memories of fill.
func searchedFor(at time.Time) map[string]searched {
	since, until := at.AddDate(0, 0, 20), at.AddDate(0, 0, 30)
	return map[string]searched{
		"one word":               {"ramen", memory.Filter{}},
		"a word of all":          {"note", memory.Filter{}},
		"a sentence":             {"What did Priya say about the ramen restaurant in Kyoto?", memory.Filter{}},
		"a rare word":            {"Quillon", memory.Filter{}},
		"a number":               {"n17", memory.Filter{}},
		"a word that is waiting": {"lighthouse", memory.Filter{}},
		"Japanese":               {"京都のラーメンの予約", memory.Filter{}},
		"a misspelt word":        {"restuarant", memory.Filter{}},
		"a misspelt sentence":    {"Where is the resturant of Priya?", memory.Filter{}},
		"a misspelt short word":  {"rammen", memory.Filter{}},
		"nothing":                {"xylophone zzyzx", memory.Filter{}},
		"a session":              {"ramen", memory.Filter{Session: "s3"}},
		"a period":               {"ramen Kyoto", memory.Filter{Since: since, Until: until}},
		"a session and a period": {"ramen Kyoto", memory.Filter{Session: "s3", Since: at}},
		"a scope":                {"ramen", memory.Filter{Scope: memory.PersonScope}},
		"a named period":         {"ramen last week", memory.Filter{Named: memory.Period{Since: since, Until: until}}},
		"a context":              {"I want to eat ramen in Kyoto with Priya", memory.Filter{Limit: 25}},
	}
}

type searched struct {
	question string
	filter   memory.Filter
}

// mostTrips is the largest number of round trips of a search, at any size.
const mostTrips = 12

// TestSearchRoundTrips counts the round trips of searches among many memories, and
// compares them with a store in a folder. Each search is the first one of
// its process.
func TestSearchRoundTrips(t *testing.T) {
	address := newDatabase(t)
	through, c := countTrips(t, address)
	memories := 6_000
	if testenv.Long() {
		memories = 100_000
	}
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	folder := filepath.Join(t.TempDir(), "store")
	for _, where := range []string{address, folder} {
		fill(t, where, memories, at)
	}
	local := open(t, folder, Options{Now: time.Now})
	for name, q := range searchedFor(at) {
		s := open(t, through, Options{Now: time.Now})
		q.filter.Limit = max(q.filter.Limit, 5)
		for _, user := range []string{"tanaka", "suzuki"} {
			before := c.trips.Load()
			found, err := s.SearchMemories(t.Context(), user, q.question, q.filter)
			n := c.trips.Load() - before
			want, wantErr := local.SearchMemories(t.Context(), user, q.question, q.filter)
			if err != nil || wantErr != nil {
				t.Fatal(name, err, wantErr)
			}
			if !reflect.DeepEqual(found, want) {
				t.Errorf("%s: %v, in a folder %v", name, found, want)
			}
			if t.Logf("%s, %s: %d round trips, %d hits", name, user, n, len(found.Hits)); n > mostTrips {
				t.Errorf("%s: %d round trips, at most %d", name, n, mostTrips)
			}
		}
		s.Close()
	}
}

// TestSearchAgain: a process reads what the lists of an index have once, until texts enter or leave them, and finds
// what a new process finds.
func TestSearchAgain(t *testing.T) {
	address := newDatabase(t)
	through, c := countTrips(t, address)
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	fill(t, address, 3_000, at)
	s := open(t, through, Options{Now: time.Now})
	search := func() (bytes int64, hits []memory.Hit) {
		t.Helper()
		before, trips := c.answered.Load(), c.trips.Load()
		found, err := s.SearchMemories(t.Context(), "tanaka", "a restaurant in Kyoto", memory.Filter{Limit: 5})
		bytes = c.answered.Load() - before
		t.Logf("%d bytes, %d round trips", bytes, c.trips.Load()-trips)
		other := open(t, address, Options{Now: time.Now})
		want, wantErr := other.SearchMemories(t.Context(), "tanaka", "a restaurant in Kyoto", memory.Filter{Limit: 5})
		if err != nil || wantErr != nil || !reflect.DeepEqual(found, want) {
			t.Errorf("%v, %v; a new process finds %v, %v", found, err, want, wantErr)
		}
		return bytes, found.Hits
	}
	first, _ := search()
	again, hits := search()
	if again > first*2/3 { // the rest is about sessions
		t.Errorf("%d bytes, then %d", first, again)
	}
	fill(t, address, 3_300, at)
	search()
	writes := open(t, address, Options{Write: true, Now: time.Now})
	if _, _, err := writes.RemoveMemories(t.Context(), "tanaka", []string{hits[0].ID}); err != nil {
		t.Fatal(err)
	}
	if _, left := search(); len(left) > 0 && left[0].ID == hits[0].ID {
		t.Error("a removed memory is found")
	}
}

// fill adds memories to a store, some in sessions that take turns, and some with names.
func fill(t *testing.T, address string, memories int, at time.Time) {
	t.Helper()
	s, err := Open(address, Options{Write: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := rand.New(rand.NewPCG(1, 2))
	words := vocabulary(r, 5_000)
	drafter := memory.NewDrafter()
	var drafts []memory.Draft
	for i := range memories {
		created := at.Add(time.Duration(i) * 10 * time.Minute)
		m := memory.Memory{User: "tanaka", FullText: filler(r, words, i), CreatedAt: created}
		switch {
		case i == memories/2:
			m.FullText += " for Quillon and Mister7"
		case i%3 == 0:
			m.Session = fmt.Sprint("s", i/300)
		case i%3 == 1:
			m.Session = fmt.Sprint("t", i%20) // far apart
		}
		drafts = append(drafts, drafter.Draft(m))
		if len(drafts) == 2_000 || i == memories-1 {
			if _, err := s.AddMemories(t.Context(), "tanaka", drafts); err != nil {
				t.Fatal(err)
			}
			drafts = nil
		}
	}
	for i, user := range []string{"tanaka", "tanaka", "suzuki", "suzuki"} { // these texts wait
		m := memory.Memory{User: user, FullText: fmt.Sprintf("The lighthouse with Mister7, seen from boat %d", i)}
		m.CreatedAt = at.Add(time.Duration(i) * time.Minute)
		if _, err := s.AddMemories(t.Context(), user, []memory.Draft{drafter.Draft(m)}); err != nil {
			t.Fatal(err)
		}
	}
}

func filler(r *rand.Rand, words []string, i int) string {
	names := []string{"Priya", "Tanaka", "Yuki", "Oliver", "Kyoto", "Osaka"}
	text := fmt.Sprintf("Note %d: %s", i, names[r.IntN(len(names))])
	for range 12 {
		text += " " + words[int(float64(len(words))*r.Float64()*r.Float64()*r.Float64())]
	}
	switch i % 10 {
	case 0:
		text += " ramen restaurant"
	case 1:
		text += " 京都のラーメンを予約した"
	case 2:
		text += fmt.Sprintf(" with number n%d and Mister%d", i%97, i/30)
	}
	return text
}

// vocabulary returns words of Latin letters.
func vocabulary(r *rand.Rand, n int) []string {
	words := make([]string, n)
	for i := range words {
		for range 2 + r.IntN(3) {
			words[i] += string("bcdfghklmnprst"[r.IntN(14)]) + string("aeiou"[r.IntN(5)])
		}
	}
	return words
}
