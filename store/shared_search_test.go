package store

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/search"
	"techo/store/space"
)

// everywhere selects the user's own records and all of their spaces.
func everywhere(user string) space.Sources {
	return space.Sources{User: user, Own: true, Spaces: func(string) bool { return true }}
}

// newSpaces returns a store with some spaces of alice. Bob reads each.
func newSpaces(t *testing.T, s *Store, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := space.Of(s.Ledger).Create(t.Context(), name, person("alice")); err != nil {
			t.Fatal(err)
		}
		if _, err := space.Of(s.Ledger).Grant(t.Context(), name, "bob", ledger.ReadRole, person("alice")); err != nil {
			t.Fatal(err)
		}
	}
}

// remember adds a memory of a user, in a space unless that is "".
func remember(t *testing.T, s *Store, user, space, text string, at time.Time) {
	t.Helper()
	to, owner := s, user
	if space != "" {
		to, owner = In(s, space, "alice"), space
	}
	if _, err := to.AddMemory(t.Context(), memory.Memory{User: owner, FullText: text, CreatedAt: at}); err != nil {
		t.Fatal(err)
	}
}

// TestSpaceScores divides texts among the memories of a user and two spaces. A search of
// all finds them with the scores, and in the order, of one index of all texts.
func TestSpaceScores(t *testing.T) {
	t.Parallel()
	r := testenv.Random(t)
	words := vocabulary(r, 60)
	for range testenv.Pick(2, 20) {
		apart, together := newStore(t), newStore(t)
		newSpaces(t, apart, "blue", "red")
		text := func() string {
			chosen := make([]string, 3+r.IntN(9))
			for i := range chosen {
				chosen[i] = words[r.IntN(1+r.IntN(len(words)))]
			}
			return strings.Join(chosen, " ")
		}
		for i := range 90 {
			at := time.Date(2025, 1, 1, i, 0, 0, 0, time.UTC) // too far apart to be neighbours
			one := fmt.Sprint(text(), " x", i)
			remember(t, apart, "bob", []string{"", "blue", "red"}[r.IntN(3)], one, at)
			remember(t, together, "bob", "", one, at)
		}
		for range 12 {
			question := text()
			if r.IntN(2) == 0 {
				question = misspelt(r, question)
			}
			f := memory.Filter{Limit: 1 + r.IntN(100), By: search.ByWords}
			got, err := memory.SearchIn(t.Context(), apart.Ledger, everywhere("bob"), question, f)
			want, wantErr := together.SearchMemories(t.Context(), "bob", question, f)
			if err != nil || wantErr != nil {
				t.Fatal(err, wantErr)
			}
			if got.Total != want.Total || got.AtLeast != want.AtLeast {
				t.Errorf("%s: %d, want %d", question, got.Total, want.Total)
			}
			wantSameHits(t, question, got.Hits, want.Hits)
		}
	}
}

// misspelt returns a text with a wrong letter in each long word.
func misspelt(r *rand.Rand, text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if len(w) >= 6 {
			at := 1 + r.IntN(len(w)-1)
			words[i] = w[:at] + "z" + w[at+1:]
		}
	}
	return strings.Join(words, " ")
}

func wantSameHits(t *testing.T, question string, got, want []memory.Hit) {
	t.Helper()
	same := func(a, b memory.Hit) bool {
		return a.FullText == b.FullText && math.Abs(a.Score-b.Score) < 1e-9*a.Score && a.Matches == b.Matches
	}
	if !slices.EqualFunc(got, want, same) {
		t.Fatalf("%q:\n%v\nwant\n%v", question, inShort(got), inShort(want))
	}
}

func inShort(hits []memory.Hit) (lines string) {
	for _, h := range hits {
		lines += fmt.Sprintf("%.9f %s %q %s\n", h.Score, h.Space, h.FullText, h.CreatedAt.Format(time.RFC3339))
	}
	return lines
}

// TestSpaceSources searches as users with different memberships.
func TestSpaceSources(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	newSpaces(t, s, "blue", "red")
	at := time.Date(2025, 1, 1, 9, 0, 0, 0, time.UTC)
	for i, space := range []string{"", "blue", "red"} {
		remember(t, s, "bob", space, "The ferry leaves at noon.", at.AddDate(0, 0, i))
		remember(t, s, "carol", "", "The ferry of carol.", at)
	}
	search := func(in space.Sources, question string) string {
		t.Helper()
		found, err := memory.SearchIn(ctx, s.Ledger, in, question,
			memory.Filter{Limit: 9, By: search.ByWords})
		if err != nil {
			t.Fatal(err)
		}
		var spaces []string
		for _, h := range found.Hits {
			spaces = append(spaces, cmp.Or(h.Space, space.Own))
		}
		return strings.Join(append(spaces, fmt.Sprint(found.Total)), " ")
	}
	blue := func(name string) bool { return name == "blue" }
	for _, c := range []struct {
		in   space.Sources
		want string
	}{
		{everywhere("bob"), "red blue own 3"}, // of equal scores the newest first
		{everywhere("carol"), "own 1"},
		{everywhere("dave"), "0"},
		{space.Sources{User: "bob", Own: true}, "own 1"},
		{space.Sources{User: "bob", Own: true, Spaces: blue}, "blue own 2"},
		{space.Sources{User: "bob", Spaces: blue}, "blue 1"},
		{space.Sources{User: "carol", Spaces: blue}, "0"},
		{space.Sources{User: "bob"}, "0"},
	} {
		if got := search(c.in, "when does the ferry leave?"); got != c.want {
			t.Errorf("%+v: %s, want %s", c.in, got, c.want)
		}
	}
	if _, err := space.Of(s.Ledger).Grant(ctx, "red", "bob", ledger.NoRole, person("alice")); err != nil {
		t.Fatal(err)
	}
	if got := search(everywhere("bob"), "ferry"); got != "blue own 2" {
		t.Errorf("after the removal from red: %s", got)
	}
	if _, err := space.Of(s.Ledger).Remove(ctx, "blue", true, person("alice")); err != nil {
		t.Fatal(err)
	}
	if got := search(everywhere("bob"), "ferry"); got != "own 1" {
		t.Errorf("after the removal of blue: %s", got)
	}
}

// TestSpaceSpelling: a word that any source has is spelt correctly in all, and one that
// none has is respelt in each.
func TestSpaceSpelling(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	newSpaces(t, s, "team")
	at := time.Date(2025, 1, 1, 9, 0, 0, 0, time.UTC)
	remember(t, s, "bob", "", "The lantern festival begins.", at)
	remember(t, s, "bob", "team", "The lanterns of the festivals arrive.", at.AddDate(0, 0, 1))
	remember(t, s, "bob", "team", "A banter of the crew.", at.AddDate(0, 0, 2))
	remember(t, s, "bob", "", "A lecture about pottery.", at.AddDate(0, 0, 3))
	for question, want := range map[string]struct {
		respelt string
		hits    int
	}{
		"lantern": {"[]", 2}, "pottery": {"[]", 1}, "lecture festival": {"[]", 3},
		"festivol": {"[{festivol festival} {festivol festivals}]", 2},
		"bantur":   {"[{bantur banter}]", 1}, // loosely: nothing else was found anywhere
		"fête":     {"[]", 0},
	} {
		found, err := memory.SearchIn(ctx, s.Ledger, everywhere("bob"), question,
			memory.Filter{Limit: 9, By: search.ByWords})
		if err != nil || fmt.Sprint(found.Respelt) != want.respelt || len(found.Hits) != want.hits {
			t.Errorf("%s: %v, %v, %v; want %v", question, found.Respelt, inShort(found.Hits), err, want)
		}
		if want.hits == 0 && !slices.Equal(found.Nearby, []string{"festivals", "festival"}) { // of two that are as near the newest first
			t.Errorf("%s: suggestions %v", question, found.Nearby)
		}
	}
}

// TestSpaceMemoSearch ranks the memos of all sources together.
func TestSpaceMemoSearch(t *testing.T) {
	at := time.Date(2025, 1, 1, 9, 0, 0, 0, time.UTC) // of all: a newer one comes before others that fit as well
	s, ctx := open(t, newPlace(t), Options{Write: true, Now: func() time.Time { return at }}), t.Context()
	newSpaces(t, s, "blue", "red")
	for i := range 12 {
		where := []*Store{s, In(s, "blue", "alice"), In(s, "red", "alice")}[i%3]
		content := "ferry" + strings.Repeat(" filler", i)
		if _, err := where.AddMemo(ctx, memo.Memo{Name: fmt.Sprint("m", i), Content: content,
			Priority: 3}); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for page := range 3 {
		found, total, err := memo.Search(ctx, s.Ledger, everywhere("bob"), "ferry",
			memo.Filter{Offset: 5 * page, Limit: 5})
		if err != nil || total != 12 {
			t.Fatal(total, err)
		}
		for _, m := range found {
			names = append(names, m.Name+m.Space)
		}
	}
	want := "m0 m1blue m2red m3 m4blue m5red m6 m7blue m8red m9 m10blue m11red" // the shortest first
	if got := strings.Join(names, " "); got != want {
		t.Error(got)
	}
}

// TestSpaceSearchRoundTrips counts the round trips of searches in one's own memories and
// several spaces: at most twelve for each of them.
func TestSpaceSearchRoundTrips(t *testing.T) {
	address := newDatabase(t)
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	fill(t, address, 2_000, at)
	s := open(t, address, Options{Write: true, Now: time.Now})
	var spaces []string
	for i := range 4 {
		spaces = append(spaces, fmt.Sprint("space", i))
	}
	newSpaces(t, s, spaces...)
	r, words := rand.New(rand.NewPCG(3, 4)), vocabulary(rand.New(rand.NewPCG(1, 2)), 5_000)
	drafter := memory.NewDrafter()
	for _, name := range spaces {
		var drafts []memory.Draft
		for i := range 300 {
			m := memory.Memory{User: name, FullText: filler(r, words, i),
				CreatedAt: at.Add(time.Duration(i) * time.Minute)}
			if i%3 == 0 {
				m.Session = fmt.Sprint("s", i/100)
			}
			drafts = append(drafts, drafter.Draft(m))
		}
		if _, err := In(s, name, "alice").AddMemories(t.Context(), name, drafts); err != nil {
			t.Fatal(err)
		}
		if _, err := space.Of(s.Ledger).Grant(t.Context(), name, "tanaka", ledger.ReadRole,
			person("alice")); err != nil {
			t.Fatal(err)
		}
	}
	through, c := countTrips(t, address)
	for name, q := range searchedFor(at) {
		s := open(t, through, Options{Now: time.Now})
		q.filter.Limit = max(q.filter.Limit, 5)
		before := c.trips.Load()
		found, err := memory.SearchIn(t.Context(), s.Ledger, everywhere("tanaka"), q.question, q.filter)
		n := c.trips.Load() - before
		t.Logf("%s: %d round trips, %d hits", name, n, len(found.Hits))
		if err != nil || n > int64(12*(1+len(spaces))) {
			t.Errorf("%s: %d round trips, %v", name, n, err)
		}
	}
}
