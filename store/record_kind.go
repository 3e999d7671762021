package store

import (
	"bytes"
	"context"
	"hash/maphash"
	"slices"

	"techo/store/kv"
)

// recordKind describes one kind of record: its spaces, how they are checked,
// and how its indexes and counts are rebuilt.
type recordKind struct {
	name   string  // plural: the key of Report.Counts
	spaces []space // of the records and of their indexes
	audit  func() audit

	// repair rebuilds the indexes and counts of a rescued store, which may lack
	// any of its keys, and drops records that cannot be read.
	repair func(ctx context.Context, s *Store) ([]Repair, error)
}

// audit checks the keys of one record kind. visit gets each key with its value,
// in key order; finish compares the totals and returns the number of records.
// Damage is a FindingError.
type audit interface {
	visit(tx *Tx, key, value []byte) error
	finish(tx *Tx) (int, error)
}

// recordKinds returns all kinds of records. Memories come first: repairing them
// clears the search index, which they share with memos.
func recordKinds() []recordKind {
	return []recordKind{
		{"memories", memorySpaces(), newMemoryAudit, repairMemories},
		{"memos", []space{memoRecords, memoNames, memoOrder, memosByTag, memosByTime, memoCountKey},
			newMemoAudit, repairMemos},
		{"events", []space{seriesRecords, calendarRecords, calendarNames, eventPlaces, eventGroups, singleRecords,
			seriesFilters, eventUIDs, mirrorObjects}, newEventAudit, repairEvents},
		{"todos", []space{todoRecords, todoPlaces, todoUIDs}, newTodoAudit, repairTodos},
		{"questions", []space{questionRecords, questionKeys, pendingQuestions, questionCountKey}, newQuestionAudit,
			repairQuestions},
		{"web_pages", []space{webRecords, webPageAges, webCountKey}, newWebAudit, repairWeb},
		{"edits", []space{editRecords, editUndoData, editCountKey}, newEditAudit, repairEdits},
		{"changes", []space{historyChanges, historyParts, historyUndone, historyCountKey},
			newHistoryAudit, repairHistory},
		{"tokens", []space{tokenRecords}, newReadAudit(checkToken),
			repairReadable(tokenRecords, KindToken, checkToken)},
		{"receipts", []space{receiptRecords, receiptAges, recordReceipts}, newReceiptAudit, repairReceipts},
		{"spaces", []space{spaceNames, spaceNumbers, memberships, invitations, removedSpaces}, newSpaceAudit,
			repairSpaces},
	}
}

// sharedKinds returns the kinds of records that a shared space can have.
func sharedKinds() []recordKind {
	return slices.DeleteFunc(recordKinds(), func(k recordKind) bool {
		return slices.Contains([]string{"questions", "web_pages", "edits", "tokens", "spaces"}, k.name)
	})
}

// spacesOf returns the spaces of a record kind, by its name in the plural.
func spacesOf(name string) []space {
	for _, k := range recordKinds() {
		if k.name == name {
			return k.spaces
		}
	}
	return nil
}

// scanSpaces calls use with a copy of each key, and its value, in the order of
// the spaces.
func scanSpaces(tx *Tx, spaces []space, use func(key, value []byte) error) error {
	for _, s := range spaces {
		for p, err := range kv.Pairs(tx, kv.Range{Prefix: s.all()}) {
			if err != nil {
				return err
			}
			if err := use(bytes.Clone(p.Key), p.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func deleteKeys(tx *Tx, keys [][]byte) error {
	for _, key := range keys {
		if err := tx.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// setHash is a hash of a set of index entries that does not depend on their
// order. It needs constant memory, however many entries there are.
type setHash struct {
	seed maphash.Seed
	n    int
	sum  uint64
}

// newSetHashes returns two empty set hashes that can be compared: one for the
// entries that the records require, one for the existing entries.
func newSetHashes() (want, found setHash) {
	want.seed = maphash.MakeSeed()
	return want, want
}

func (h *setHash) add(key, value []byte) {
	h.n++
	h.sum += maphash.Bytes(h.seed, append(append(key[:len(key):len(key)], 0), value...))
}

// readAudit is the audit of a kind without indexes: every record must be
// readable.
type readAudit struct {
	check func(key, value []byte) error
	n     int
}

func newReadAudit(check func(key, value []byte) error) func() audit {
	return func() audit { return &readAudit{check: check} }
}

func (a *readAudit) visit(_ *Tx, key, value []byte) error {
	a.n++
	return a.check(key, value)
}

func (a *readAudit) finish(*Tx) (int, error) { return a.n, nil }

// repairReadable returns the repair of a kind without indexes: it drops records
// that cannot be read.
func repairReadable(s space, kind Kind, check func(key, value []byte) error) func(context.Context, *Store) ([]Repair,
	error) {
	return func(ctx context.Context, st *Store) (repairs []Repair, err error) {
		err = st.update(ctx, func(tx *Tx) error {
			repairs = nil
			var drop [][]byte
			err := scanSpaces(tx, []space{s}, func(key, value []byte) error {
				if err := check(key, value); err != nil {
					drop = append(drop, key)
					repairs = append(repairs, dropped(kind, string(key), err))
				}
				return nil
			})
			if err != nil {
				return err
			}
			return deleteKeys(tx, drop)
		})
		return repairs, err
	}
}
