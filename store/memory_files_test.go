package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/memfile"
	"techo/store/memory"
	"techo/store/search"
)

// TestMemoryFilesUndo makes random changes of files of two users, then takes them back one by one.
func TestMemoryFilesUndo(t *testing.T) {
	s, r := newStore(t), testenv.Random(t)
	files := memfile.Of(s.Ledger)
	paths := []string{"/memories/a", "/memories/a/b", "/memories/c", "/memories/c/d/e"}
	state := func() string {
		var b strings.Builder
		for _, user := range []string{"alice", "bob"} {
			all, err := files.All(t.Context(), user)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range all {
				fmt.Fprintf(&b, "%s %s %q %v\n", user, f.Path, f.Text, f.Folder)
			}
		}
		return b.String()
	}
	type change struct{ user, before string }
	var changes []change
	for range testenv.Pick(60, 200) {
		user, now := []string{"alice", "bob"}[r.IntN(2)], state()
		path, other := paths[r.IntN(len(paths))], paths[r.IntN(len(paths))]
		var err error
		switch r.IntN(4) {
		case 0, 1:
			err = files.Create(t.Context(), user, path, strings.Repeat("tea ", r.IntN(3)))
		case 2:
			err = files.Rename(t.Context(), user, path, other)
		case 3:
			err = files.Delete(t.Context(), user, path)
		}
		if err == nil {
			changes = append(changes, change{user, now})
		} else if state() != now {
			t.Fatalf("%v changed something", err)
		}
	}
	wantSound(t, s)
	for _, c := range slices.Backward(changes) {
		if _, err := history.Of(s.Ledger).Undo(t.Context(), "", history.Filter{Owner: c.user}); err != nil {
			t.Fatal(err)
		}
		if got := state(); got != c.before {
			t.Fatalf("%s\nwant %s", got, c.before)
		}
	}
	wantSound(t, s)
}

// TestMemoryFilesRepair: a search finds the files of its user, also in an index that was built again.
func TestMemoryFilesRepair(t *testing.T) {
	s := newStore(t)
	files := memfile.Of(s.Ledger)
	for _, f := range [][3]string{{"alice", "/memories/team/tanaka.md", "He likes ramen."},
		{"alice", "/memories/tea.md", "Green tea"}, {"bob", "/memories/tea.md", "Black tea, ramen"}} {
		if err := files.Create(t.Context(), f[0], f[1], f[2]); err != nil {
			t.Fatal(err)
		}
	}
	finds := func(user, question string, want ...string) {
		t.Helper()
		found, err := files.Search(t.Context(), user, question, search.ByBoth, 5)
		var got []string
		for _, f := range found {
			got = append(got, f.Path+": "+f.Text)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s, %s: %q, %v", user, question, got, err)
		}
	}
	for range 2 {
		finds("alice", "who is tanaka?", "/memories/team/tanaka.md: He likes ramen.")
		finds("alice", "ramen", "/memories/team/tanaka.md: He likes ramen.")
		finds("bob", "tea", "/memories/tea.md: Black tea, ramen")
		finds("carol", "tea")
		finds("alice", "Which noodles?", "/memories/team/tanaka.md: He likes ramen.")
		wantSound(t, s)
		for _, repair := range []func() ([]ledger.Repair, error){
			func() ([]ledger.Repair, error) { return memory.Repair(t.Context(), s.Ledger) },
			func() ([]ledger.Repair, error) { return memfile.Schema().Repair(t.Context(), s.Ledger) },
		} {
			if notes, err := repair(); err != nil || len(notes) > 0 {
				t.Fatal(notes, err)
			}
		}
	}
}
