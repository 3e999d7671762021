package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/history"
	"techo/store/memory"
)

// newestOf returns the ids of all memories, the newest first.
func newestOf(t *testing.T, s *Store) (ids []string) {
	t.Helper()
	all, _, err := s.FindMemories(t.Context(), "tanaka", memory.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		ids = append(ids, m.ID)
	}
	return ids
}

// undoNewest undoes the last change.
func undoNewest(t *testing.T, s *Store) {
	t.Helper()
	if _, err := history.Of(s.Ledger).Undo(t.Context(), "", history.Filter{Owner: "tanaka"}); err != nil {
		t.Fatal(err)
	}
}

// TestSaidAgain says a text again: it is a new statement with new fields.
func TestSaidAgain(t *testing.T) {
	s := newStore(t)
	first := mustRemember(t, s, memory.Memory{FullText: "Deploys are on Friday.", Session: "a", Caption: "Deploys"})
	other := mustRemember(t, s, memory.Memory{FullText: "Deploys are on Tuesday."})
	again := mustRemember(t, s, memory.Memory{FullText: " Deploys are on Friday. ", Session: "b", Topic: "deploy",
		Scope: memory.ProjectScope, Caption: "Deploy day"})
	if again.Created || !again.Renewed || again.ID != first.ID || !again.CreatedAt.After(other.CreatedAt) ||
		again.Session != "b" || again.Topic != "deploy" || again.Scope != memory.ProjectScope ||
		again.Caption != "Deploy day" || again.FullText != first.FullText {
		t.Errorf("%+v", again)
	}
	if got := newestOf(t, s); !slices.Equal(got, []string{first.ID, other.ID}) {
		t.Errorf("order %q", got)
	}
	third := mustRemember(t, s, memory.Memory{FullText: first.FullText})
	if third.Session != "b" || third.Topic != "deploy" || third.Scope != memory.ProjectScope ||
		third.Caption != "Deploy day" {
		t.Errorf("fields that were not given changed: %+v", third)
	}
	old := mustRemember(t, s, memory.Memory{FullText: first.FullText, CreatedAt: time.UnixMilli(1e12), Session: "c"})
	if old.Renewed || old.Session != "b" || !old.CreatedAt.Equal(third.CreatedAt) {
		t.Errorf("an older statement changed it: %+v", old)
	}
	wantSound(t, s)
	undoNewest(t, s)
	undoNewest(t, s)
	if got := newestOf(t, s); !slices.Equal(got, []string{other.ID, first.ID}) {
		t.Errorf("undone: %q", got)
	}
	wantSound(t, s)
}

// TestSaidAgainAtOnce says A, B and A at one time: A is the newest. At once again changes nothing.
func TestSaidAgainAtOnce(t *testing.T) {
	at := time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC)
	s := open(t, newPlace(t), Options{Write: true, Now: func() time.Time { return at }})
	a := mustRemember(t, s, memory.Memory{FullText: "The release is red."})
	b := mustRemember(t, s, memory.Memory{FullText: "Lunch was soba."})
	if again := mustRemember(t, s, memory.Memory{FullText: a.FullText}); !again.Renewed {
		t.Errorf("%+v", again)
	}
	if got := newestOf(t, s); !slices.Equal(got, []string{a.ID, b.ID}) {
		t.Errorf("order %q", got)
	}
	if again := mustRemember(t, s, memory.Memory{FullText: a.FullText}); again.Renewed || again.Created {
		t.Errorf("%+v", again)
	}
	wantSound(t, s)
}

// TestSaidAgainAfterSuperseding says A, supersedes it by B, and says A again.
func TestSaidAgainAfterSuperseding(t *testing.T) {
	s := newStore(t)
	a := mustRemember(t, s, memory.Memory{FullText: "Deploys are on Friday.", Topic: "deploy", Session: "s"})
	b, err := memory.Supersede(t.Context(), s.Ledger, "tanaka", []string{a.ID}, "Deploys are on Tuesday.", nil)
	if err != nil {
		t.Fatal(err)
	}
	early := mustRemember(t, s, memory.Memory{FullText: a.FullText, CreatedAt: a.CreatedAt})
	if early.Created || !early.Outdated || early.ID != b.ID {
		t.Errorf("an older statement: %+v", early)
	}
	again := mustRemember(t, s, memory.Memory{FullText: a.FullText})
	if !again.Created || again.ID != a.ID || !slices.Equal(again.Superseded, []string{b.ID}) ||
		again.Topic != "deploy" || again.Session != "s" || len(again.Supersedes) != 1 {
		t.Errorf("%+v", again)
	}
	for _, id := range []string{a.ID, b.ID} {
		if m, err := s.GetMemory(t.Context(), "tanaka", id); err != nil || m.ID != a.ID {
			t.Errorf("%s is %+v, %v", id, m, err)
		}
	}
	wantSound(t, s)
	undoNewest(t, s)
	if got := newestOf(t, s); !slices.Equal(got, []string{b.ID}) {
		t.Errorf("undone: %q", got)
	}
	wantSound(t, s)
}

// TestSaidAgainWithTopic gives a text the topic of another memory, which it then supersedes.
func TestSaidAgainWithTopic(t *testing.T) {
	s := newStore(t)
	a := mustRemember(t, s, memory.Memory{FullText: "The release is red."})
	b := mustRemember(t, s, memory.Memory{FullText: "The release is green.", Topic: "release"})
	again := mustRemember(t, s, memory.Memory{FullText: a.FullText, Topic: " ＲＥＬＥＡＳＥ"})
	if again.ID != a.ID || !slices.Equal(again.Superseded, []string{b.ID}) || len(again.Supersedes) != 1 {
		t.Errorf("%+v", again)
	}
	next := mustRemember(t, s, memory.Memory{FullText: "The release is blue.", Topic: "Release"})
	if !next.Replaced || next.Created || !slices.Equal(next.Superseded, []string{a.ID}) || next.Topic != "Release" ||
		len(next.Supersedes) != 2 || next.Supersedes[0].FullText != a.FullText {
		t.Errorf("%+v", next)
	}
	past := mustRemember(t, s, memory.Memory{FullText: "The release is new.", Topic: "release",
		CreatedAt: time.UnixMilli(1e12)})
	if !past.Outdated || past.ID != next.ID || past.FullText != next.FullText {
		t.Errorf("an older text of the topic: %+v", past)
	}
	if found, n, err := s.FindMemories(t.Context(), "tanaka", memory.Filter{Topic: "release", Limit: 9}); err != nil ||
		n != 1 || found[0].ID != next.ID {
		t.Errorf("%v %d %v", found, n, err)
	}
	wantSound(t, s)
}

// TestLargeTopic gives a topic one large text after another: each is taken, and former ones are kept as far as there
// is room.
func TestLargeTopic(t *testing.T) {
	testenv.All(t, "takes two seconds")
	s := newStore(t)
	for i, n := range []int{1 << 10, 4 << 20, 4 << 20, 1 << 10, 1 << 19, 1 << 19, 1 << 19, 1 << 10} {
		text := fmt.Sprintf("The plan of week %d. ", i) + strings.Repeat("a ", n/2)
		m := mustRemember(t, s, memory.Memory{FullText: text[:n], Topic: "plan"})
		if i > 0 && (!m.Replaced || len(m.Supersedes) == 0 && n < 4<<20) {
			t.Errorf("%d: replaced %v, %d superseded", i, m.Replaced, len(m.Supersedes))
		}
	}
	if found, n, err := memory.List(t.Context(), s.Ledger, "tanaka", memory.Filter{Topic: "plan", Limit: 9}, true); err != nil ||
		n != 3 || found[1].SupersededBy != found[0].ID {
		t.Errorf("%d, %v", n, err)
	}
	wantSound(t, s)
}

// imported imports memories and returns how many are new.
func imported(t *testing.T, s *Store, all ...memory.Memory) (n int) {
	t.Helper()
	drafter := memory.NewDrafter()
	var drafts []memory.Draft
	for _, m := range all {
		m.User = "tanaka"
		drafts = append(drafts, drafter.Draft(m))
	}
	added, err := s.AddMemories(t.Context(), "tanaka", drafts)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range added {
		if a.Err != nil {
			t.Error(a.Err)
		}
		if a.Created {
			n++
		}
	}
	wantSound(t, s)
	return n
}

// TestImportOlder imports an older export: nothing that was superseded since is revived.
func TestImportOlder(t *testing.T) {
	s := newStore(t)
	a := mustRemember(t, s, memory.Memory{FullText: "Sarah lives in Berlin.", Topic: "home"}).Memory
	b, err := memory.Supersede(t.Context(), s.Ledger, "tanaka", []string{a.ID}, "Sarah lives in Lisbon.", nil)
	if err != nil {
		t.Fatal(err)
	}
	note := memory.Memory{FullText: a.FullText} // of a folder: without a time
	if n := imported(t, s, a, note); n != 0 {
		t.Errorf("%d are new", n)
	}
	if got := newestOf(t, s); !slices.Equal(got, []string{b.ID}) {
		t.Errorf("%q", got)
	}
	// It was said later elsewhere.
	a.CreatedAt = b.CreatedAt.Add(time.Hour)
	imported(t, s, a)
	imported(t, s, a, b.Memory)
	if got := newestOf(t, s); !slices.Equal(got, []string{a.ID}) {
		t.Errorf("said later: %q", got)
	}
	// A store that lacks what happened since learns it from a newer export.
	other := newStore(t)
	a.CreatedAt = b.CreatedAt.Add(-time.Hour)
	for range 2 {
		if imported(t, other, a); len(newestOf(t, other)) != 1 {
			t.Errorf("%q", newestOf(t, other))
		}
		imported(t, other, b.Memory)
		if got := newestOf(t, other); !slices.Equal(got, []string{b.ID}) {
			t.Errorf("after a newer export: %q", got)
		}
	}
}
