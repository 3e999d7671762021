package memory

import (
	"context"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/claims"
	"techo/store/ledger"
	"techo/store/search"
)

// Alike has the ids of memories to compare with a new one.
type Alike struct {
	Similar     []string // that say the same, or long ones with nearly the same words
	Contradicts []string // with a statement that the newer of both replaces or denies
}

// similarFrom is the share of the rarest words of a memory that a memory with nearly
// the same words has at least.
const similarFrom = 0.5

// longText is the length, in bytes, from which two texts with nearly the same words are
// similar, whatever their sentences say.
const longText = 200

// alikeBefore returns the memories that are similar to a new one or likely to contradict it. It
// reads them before the transaction that adds the memory, which others wait for.
func alikeBefore(ctx context.Context, s *ledger.Ledger, d Draft) (like Alike, err error) {
	if d.limits() != nil {
		return like, nil
	}
	err = s.View(ctx, func(tx *ledger.Tx) error {
		like = Alike{}
		u, err := LoadUser(tx, norm.NFC.String(d.User), false)
		if err == nil && u.Number != 0 {
			like, err = alikeMemories(tx, u, d, s.Time())
		}
		return err
	})
	return like, err
}

// AlikeOf returns the memories that are similar to one that was changed or added, or likely to
// contradict it.
func AlikeOf(ctx context.Context, s *ledger.Ledger, m Memory) (Alike, error) {
	like, err := alikeBefore(ctx, s, NewDrafter().Draft(m))
	return like.without(m.ID), err
}

// without returns the memories other than one.
func (l Alike) without(id string) Alike {
	is := func(other string) bool { return other == id }
	return Alike{slices.DeleteFunc(l.Similar, is), slices.DeleteFunc(l.Contradicts, is)}
}

// alikeMemories returns the memories that are similar to a draft or likely to contradict it now,
// of those with its rarest words.
func alikeMemories(tx *ledger.Tx, u UserRecord, d Draft, now time.Time) (like Alike, err error) {
	near, err := u.index().Alike(tx, d.bag)
	if err != nil {
		return like, err
	}
	ids := make([]string, len(near))
	for i, n := range near {
		ids[i] = n.ID
	}
	records, err := indexedMemories(tx, u.Number, ids)
	if err != nil {
		return like, err
	}
	own, drafter := claims.Read(d.FullText), NewDrafter()
	for i, n := range near {
		r := records[i]
		expired := r.Expires != 0 && r.Expires <= now.UnixMilli()
		older, newer := claims.Read(r.Full), own
		if !d.CreatedAt.IsZero() && d.CreatedAt.UnixMilli() < r.Created {
			older, newer = newer, older
		}
		switch relation := claims.Compare(older, newer); {
		case relation == claims.Replaces && !expired && r.scope() == d.Scope:
			like.Contradicts = append(like.Contradicts, n.ID)
		case relation == claims.Replaces:
		case relation == claims.Same, len(d.FullText) > longText && n.Share >= similarFrom &&
			d.bag.Overlap(drafter.Draft(r.memory()).bag) >= search.NearlySame:
			like.Similar = append(like.Similar, n.ID)
		}
	}
	return like, nil
}
