package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/store/kv"
)

// TestCrowdQuestions asks on several machines, of which some have a wrong clock: the list has
// the questions in their order, and those that have expired end.
func TestCrowdQuestions(t *testing.T) {
	address := newDatabase(t)
	var machines []*Store
	for i := range 3 {
		wrong := func() time.Time { return time.Now().Add(time.Duration(i-1) * time.Hour) }
		machines = append(machines, openWithClock(t, address, Options{Write: true, Now: wrong}))
	}
	var ids []string
	for i := range 9 {
		q := Question{Text: fmt.Sprint("Tea ", i, "?"), ExpiresAt: time.Now().Add(time.Duration(i%2) * time.Hour)}
		ids = append(ids, mustAsk(t, machines[i%3], q).ID)
	}
	s := machines[0]
	s.trimEvery = 1
	ids = append(ids, mustAsk(t, s, Question{Text: "Rice?"}).ID)
	found, total, err := s.FindQuestions(t.Context(), QuestionFilter{Limit: 20})
	if err != nil || total != 10 {
		t.Fatal(total, err)
	}
	slices.Reverse(found)
	for i, q := range found {
		if q.ID != ids[i] {
			t.Errorf("%d: %s, want %s", i, q.ID, ids[i])
		}
	}
	if usage, err := s.Usage(t.Context()); err != nil || usage.Pending != 5 {
		t.Errorf("%+v, %v", usage, err)
	}
	wantSound(t, s)
}

// TestCrowdCopy copies a history and questions from a database into a folder, where they go
// on.
func TestCrowdCopy(t *testing.T) {
	address := newDatabase(t)
	s := openMachine(t, address)
	if _, err := SpacesOf(s).Create(t.Context(), "team", Acting{User: "alice"}); err != nil {
		t.Fatal(err)
	}
	team := SpacesOf(s).In("team", "alice")
	for i := range 5 {
		mustAdd(t, s, fmt.Sprint("memo ", i))
		mustAdd(t, team, fmt.Sprint("memo ", i))
	}
	asked := []Question{mustAsk(t, s, Question{Text: "Tea?"}), mustAsk(t, s, Question{Text: "Rice?"})}
	if _, _, err := s.SettleQuestion(t.Context(), asked[0].ID, Answered, Answer{Texts: []string{"Yes"}}); err != nil {
		t.Fatal(err)
	}
	folder := openStore(t, t.TempDir()+"/copy", true)
	if _, err := Copy(t.Context(), s, folder); err != nil {
		t.Fatal(err)
	}
	wantSound(t, folder)
	if usage, err := s.Usage(t.Context()); err != nil || usage.Questions != 2 || usage.Pending != 1 {
		t.Errorf("%+v, %v", usage, err)
	}
	later := mustAsk(t, folder, Question{Text: "Ramen?"})
	if questionNumber(later.ID) != questionNumber(asked[1].ID)+1 {
		t.Errorf("%s follows %s", later.ID, asked[1].ID)
	}
	for _, one := range []*Store{folder, SpacesOf(folder).In("team", "alice")} {
		mustAdd(t, one, "later")
		if _, err := HistoryOf(one).Undo(t.Context(), "", HistoryFilter{}); err != nil {
			t.Fatal(err)
		}
		if _, err := one.GetMemo(t.Context(), "later"); !isMissing(err) {
			t.Errorf("undone: %v", err)
		}
	}
	wantSound(t, folder)
}

// TestCrowdMissing removes a change behind the back of techo, of the store or of a shared
// space, in a database and in a copy of it.
func TestCrowdMissing(t *testing.T) {
	first, second := newDatabase(t), newDatabase(t)
	s := openMachine(t, first)
	if _, err := SpacesOf(s).Create(t.Context(), "team", Acting{User: "alice"}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		mustAdd(t, s, fmt.Sprint("memo ", i))
		mustAdd(t, SpacesOf(s).In("team", "alice"), fmt.Sprint("memo ", i))
	}
	folder := openStore(t, t.TempDir()+"/copy", true)
	again := openMachine(t, second)
	for _, stores := range [][2]*Store{{s, folder}, {folder, again}} {
		if _, err := Copy(t.Context(), stores[0], stores[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []*Store{s, again} {
		wantSound(t, s)
		for _, prefix := range [][]byte{historyChanges.all(), append(sharedPrefix(1), historyChanges.all()...)} {
			wantMissing(t, s, prefix)
		}
	}
}

// wantMissing removes the second key with a prefix, and checks that Verify names its change.
func wantMissing(t *testing.T, s *Store, prefix []byte) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(keysOf(t, s)))
	keys = slices.DeleteFunc(keys, func(key string) bool { return !strings.HasPrefix(key, string(prefix)) })
	lost := []byte(keys[1])
	var value []byte
	err := s.engine.Update(t.Context(), func(tx kv.Tx) (err error) {
		if value, err = tx.Get(lost); err != nil {
			return err
		}
		return tx.Delete(lost)
	})
	if err != nil {
		t.Fatal(err)
	}
	number, _ := cutNumber(lost[len(prefix):])
	found := new(FindingError)
	_, err = s.Verify(t.Context(), VerifyOptions{})
	if !errors.As(err, &found) || found.Kind != KindChange || found.ID != ChangeID(number) {
		t.Errorf("without %s: %v", ChangeID(number), err)
	}
	if err := s.engine.Update(t.Context(), func(tx kv.Tx) error { return tx.Put(lost, value) }); err != nil {
		t.Fatal(err)
	}
}
