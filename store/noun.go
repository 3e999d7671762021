package store

import (
	"context"
	"fmt"
	"hash/maphash"

	"techo/store/kv"
)

// noun is one kind of thing that the store keeps: its keys, how they are
// checked, and how those that follow from others are made anew.
type noun struct {
	name   string   // in the plural: what Verify counts
	spaces []string // the first two letters of its keys
	audit  func() audit

	// mend makes what follows from the records anew after a rescue, which may
	// have left holes, and tells what it had to change. nil has nothing such.
	mend func(ctx context.Context, s *Store) ([]Note, error)
}

// audit checks the keys of a noun. It sees each, in key order, and says at
// last how many of the noun there are. What is wrong is a kv.CorruptError.
type audit interface {
	see(tx kv.Tx, key, value []byte) error
	finish(tx kv.Tx) (int, error)
}

// nouns are all that the store keeps.
func nouns() []noun {
	return []noun{
		{name: "memories", spaces: memorySpaces(), audit: newMemoryAudit, mend: mendMemories},
		{name: "memos", spaces: []string{"mi", "mn", "mo", "mt", "mu", "mc"}, audit: newMemoAudit, mend: mendMemos},
		{name: "events", spaces: []string{"cb", "cc", "ce", "ch", "ci", "cm", "cu"}, audit: newEventAudit, mend: mendEvents},
		{name: "questions", spaces: []string{"qi", "qk", "qp", "qc"}, audit: newQuestionAudit, mend: mendQuestions},
		{name: "web_pages", spaces: []string{"wp", "wt", "wc"}, audit: newWebAudit, mend: mendWeb},
		{name: "edits", spaces: []string{"ue", "uw", "uc"}, audit: newEditAudit, mend: mendEdits},
		{name: "receipts", spaces: []string{"rk"}, audit: func() audit { return new(receiptAudit) }},
	}
}

func bad(format string, args ...any) error {
	return &kv.CorruptError{Path: "store", Reason: fmt.Sprintf(format, args...)}
}

// tally stands for a set of entries, whatever their order, in constant memory.
type tally struct {
	seed maphash.Seed
	n    int
	sum  uint64
}

// newTallies returns two tallies that can be compared.
func newTallies() (want, found tally) {
	want.seed = maphash.MakeSeed()
	return want, want
}

func (t *tally) add(key, value []byte) {
	t.n++
	t.sum += maphash.Bytes(t.seed, append(append(key[:len(key):len(key)], 0), value...))
}

// receiptAudit reads receipts.
type receiptAudit struct{ n int }

func (a *receiptAudit) see(tx kv.Tx, key, _ []byte) error {
	a.n++
	return load(tx, key, new(receipt))
}

func (a *receiptAudit) finish(kv.Tx) (int, error) { return a.n, nil }
