package ledger_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/store/kv"
	"techo/store/kv/folder"
	"techo/store/ledger"
)

// tableTest compares a table of notes with its model.
type tableTest struct {
	*testing.T
	r     *rand.Rand
	l     *ledger.Ledger
	model noteModel
}

func newTableTest(t *testing.T, seed uint64) *tableTest {
	engine, err := folder.Open(t.TempDir(), folder.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	l := &ledger.Ledger{Schemas: ledger.Schemas{All: []ledger.Schema{notes.Schema("notes")}}.Prepared(),
		Engine: engine, Now: time.Now, Write: true}
	return &tableTest{t, rand.New(rand.NewPCG(seed, 1)), l, noteModel{notes: map[string]note{}}}
}

func (t *tableTest) write(fn func(tx *ledger.Tx) error) {
	t.Helper()
	if err := t.l.Maintain(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// draft returns a note with one of few ids and titles.
func (t *tableTest) draft() note {
	n := note{ID: fmt.Sprint("n", t.r.IntN(9)), Title: fmt.Sprint("title ", t.r.IntN(12)), Tags: []string{},
		Stars: t.r.IntN(4)}
	for _, tag := range []string{"a", "b", "c"} {
		if t.r.IntN(2) == 0 {
			n.Tags = append(n.Tags, tag)
		}
	}
	return n
}

// change adds, replaces or removes notes in one batch.
func (t *tableTest) change() {
	t.write(func(tx *ledger.Tx) error {
		return notes.Change(tx, func(b *ledger.Batch[note, noteCounts]) error {
			for range 1 + t.r.IntN(3) {
				n := t.draft()
				var before *note
				if old, ok := t.model.notes[n.ID]; ok {
					before = &old
				}
				var after *note
				if t.r.IntN(3) > 0 {
					after = &n
				}
				if after == nil && before == nil || after != nil && t.model.titleTaken(n) {
					continue
				}
				t.model.put(n.ID, after)
				if err := b.Put(before, after); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// restore makes a change and gives the notes their previous values.
func (t *tableTest) restore() {
	before := maps.Clone(t.model.notes)
	t.change()
	var c ledger.Change
	for i := range 9 {
		id := fmt.Sprint("n", i)
		old, existed := before[id]
		now, exists := t.model.notes[id]
		if asJSON(old) != asJSON(now) || existed != exists {
			c.Records = append(c.Records, ledger.ChangedRecord{ID: id, Existed: existed, Exists: exists,
				Before: []byte(asJSON(old))})
		}
	}
	r := notes.Recorded(noteKey, nil)
	t.write(func(tx *ledger.Tx) error { return r.Restore(tx, c) })
	t.model.notes = before
}

// refuse puts a note that the table refuses, and restores one whose title is taken.
func (t *tableTest) refuse() {
	n := t.draft()
	n.Tags = []string{"a", "b", "c", "d"}
	write := func(fn func(tx *ledger.Tx) error) error { return t.l.Maintain(t.Context(), fn) }
	if err := write(func(tx *ledger.Tx) error { return notes.Put(tx, nil, &n) }); !errors.Is(err, errTooMany) {
		t.Fatalf("too many tags: %v", err)
	}
	n = t.draft()
	if _, there := t.model.notes[n.ID]; there || !t.model.titleTaken(n) {
		return
	}
	c := ledger.Change{Records: []ledger.ChangedRecord{{ID: n.ID, Existed: true, Before: []byte(asJSON(n))}}}
	err := write(func(tx *ledger.Tx) error { return notes.Recorded(noteKey, nil).Restore(tx, c) })
	if !errors.As(err, new(*ledger.TakenError)) {
		t.Fatalf("the title is taken: %v", err)
	}
}

// keys returns all keys of the store with their values.
func (t *tableTest) keys() (all map[string]string) {
	err := t.l.View(t.Context(), func(tx *ledger.Tx) error {
		all = map[string]string{}
		return tx.ScanPrefixes([]ledger.Prefix{""}, func(key, value []byte) error {
			all[string(key)] = string(value)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// audit returns the finding about the store.
func (t *tableTest) audit() error {
	return t.l.View(t.Context(), func(tx *ledger.Tx) error {
		a := notes.NewAudit()
		visit := func(key, value []byte) error { return a.Visit(tx, key, value) }
		err := tx.ScanPrefixes([]ledger.Prefix{""}, visit)
		if err != nil {
			return err
		}
		n, err := a.Finish(tx)
		if err == nil && n != len(t.model.notes) {
			t.Fatalf("%d notes, want %d", n, len(t.model.notes))
		}
		return err
	})
}

// same fails unless the store has the keys of the model, and is sound.
func (t *tableTest) same(after string) {
	t.Helper()
	if got, want := t.keys(), t.model.keys(); !maps.Equal(got, want) {
		t.Fatalf("%s: %q, want %q", after, got, want)
	}
	if err := t.audit(); err != nil {
		t.Fatalf("%s: %v", after, err)
	}
}

// read reads the notes in all ways.
func (t *tableTest) read() {
	var ids []string
	err := t.l.View(t.Context(), func(tx *ledger.Tx) error {
		ids = nil
		for n, err := range notes.Scan(tx, kv.Range{Prefix: []byte("ni")}) {
			if err != nil {
				return err
			}
			ids = append(ids, n.ID)
		}
		all, err := notes.LoadMany(tx, ledger.KeysOfIDs(ids, noteKey))
		for i, n := range all {
			one, err := notes.Load(tx, noteKey(ids[i]))
			if want := asJSON(t.model.notes[ids[i]]); err != nil || asJSON(n) != want || asJSON(one) != want {
				t.Fatalf("%+v, %+v, %v, want %s", n, one, err, want)
			}
		}
		if _, err := notes.LoadMany(tx, [][]byte{noteKey("none")}); !ledger.IsFinding(err, ledger.NoRecord) {
			t.Fatalf("no record: %v", err)
		}
		return err
	})
	if want := slices.Sorted(maps.Keys(t.model.notes)); err != nil || !slices.Equal(ids, want) {
		t.Fatalf("%q, %v, want %q", ids, err, want)
	}
}

// damage changes one key at random, and the model to what can be saved. It returns the code of
// the finding that the audit must report, or "" if it must report a kv.CorruptError without one.
func (t *tableTest) damage() (what string, code ledger.FindingCode) {
	all := t.keys()
	key := slices.Sorted(maps.Keys(all))[t.r.IntN(len(all))]
	value, remove := []byte("{"), t.r.IntN(2) == 0
	if t.r.IntN(5) == 0 {
		key, value, remove = "nta/none", nil, false
	}
	id := strings.TrimPrefix(key, "ni")
	switch {
	case key == "nta/none":
		code = ledger.WrongIndex
	case key == "nc" && remove:
		code = ledger.WrongCount
	case key == "nc": // its JSON is no finding
	case id == key:
		code = ledger.NoIndexEntry
	case remove:
		code = ledger.WrongIndex
	default:
		code = ledger.Unreadable
	}
	delete(t.model.notes, id)
	if key == "nc" {
		t.model.last = ""
		for id := range t.model.notes {
			t.model.last = max(t.model.last, id)
		}
	}
	t.write(func(tx *ledger.Tx) error {
		if remove {
			return tx.Delete([]byte(key))
		}
		return tx.Put([]byte(key), value)
	})
	return fmt.Sprintf("%q, removed: %v", key, remove), code
}

// repair damages the store, which the audit finds and a repair mends.
func (t *tableTest) repair() {
	if len(t.model.notes) == 0 {
		return
	}
	what, code := t.damage()
	found := new(ledger.FindingError)
	err := t.audit()
	if !errors.As(err, new(*kv.CorruptError)) || code != "" && (!errors.As(err, &found) || found.Code != code) {
		t.Fatalf("%s: %v, want %q", what, err, code)
	}
	repairs, err := notes.Repair(ledger.WithoutHistory(t.Context()), t.l)
	if err != nil || len(repairs) != 0 && (found.Code != ledger.Unreadable || repairs[0].Record != found.ID) ||
		len(repairs) == 0 && found.Code == ledger.Unreadable {
		t.Fatalf("%s: %+v, %v", what, repairs, err)
	}
	t.same("repaired " + what)
}

// TestTable changes, reads, restores, damages and repairs a table at random, and compares all of its
// keys with a model.
func TestTable(t *testing.T) {
	for seed := range uint64(4) {
		test := newTableTest(t, seed)
		steps := map[int]func(){0: test.restore, 1: test.refuse, 2: test.read, 3: test.repair, 4: test.repair}
		for range 150 {
			step := steps[test.r.IntN(10)]
			if step == nil {
				step = test.change
			}
			step()
			test.same("a step")
		}
	}
}

// TestTableSettle repairs two notes with one title, one that cannot be read, and lost counts.
func TestTableSettle(t *testing.T) {
	test := newTableTest(t, 0)
	test.write(func(tx *ledger.Tx) error {
		for _, id := range []string{"n1", "n2"} {
			if err := tx.Put(noteKey(id), []byte(asJSON(note{ID: id, Title: "same", Tags: []string{}}))); err != nil {
				return err
			}
		}
		return tx.Put(noteKey("n9"), []byte("{"))
	})
	repairs, err := notes.Repair(ledger.WithoutHistory(t.Context()), test.l)
	if err != nil || len(repairs) != 2 || repairs[0].Record != "n9" || repairs[1].NewName != "n2" {
		t.Fatal(repairs, err)
	}
	test.model.put("n1", &note{ID: "n1", Title: "same", Tags: []string{}})
	test.model.put("n2", &note{ID: "n2", Title: "n2", Tags: []string{}})
	test.model.last = "n9"
	test.same("settled")
}
