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

// # Facts that repeat or replace each other
//
// How memories relate is computed among the hits of a search, not kept: what a memory
// replaces changes with each addition, edit and removal, and the hits are few.

// lookedFurther is how many more memories a search ranks than it returns, for one that
// replaces a hit.
const lookedFurther = 12

// mostRelated is how many hits are compared with each other.
const mostRelated = 64

// newerThan reports whether a memory is the newer one of two.
func (m *Memory) newerThan(o *Memory) bool { return m.CreatedAt.After(o.CreatedAt) }

// Related relates a newer memory to an older one: both are of one scope, and
// the newer one was made later.
func Related(older, newer *Memory, said, now claims.Statement) claims.Relation {
	if older.Scope != newer.Scope || !newer.newerThan(older) {
		return claims.Other
	}
	return claims.Compare(said, now)
}

// relate marks the hits that others replace or repeat. The turns of a conversation are
// a record of it: they replace nothing.
func relate(hits []Hit) {
	hits = hits[:min(len(hits), mostRelated)]
	said := make([]claims.Statement, len(hits))
	for i := range hits {
		if m := &hits[i].Memory; !claims.Turn(m.FullText, m.Session != "") {
			said[i] = claims.Read(m.FullText)
		}
	}
	for i := range hits {
		h := &hits[i]
		var by *Hit
		for k := range hits {
			o := &hits[k]
			if i == k || h.Space != o.Space || len(said[i]) == 0 || len(said[k]) == 0 {
				continue
			}
			switch Related(&h.Memory, &o.Memory, said[i], said[k]) {
			case claims.Replaces:
				if by == nil || o.newerThan(&by.Memory) {
					by = o
				}
			case claims.Same:
				h.Repeats, o.Repeats = append(h.Repeats, o.ID), append(o.Repeats, h.ID)
			}
		}
		if by != nil {
			h.OutdatedBy = by.ID
		}
	}
}

// newestFirst moves each hit that replaces others before the first of them, unless the
// question names their time.
func newestFirst(hits []Hit) {
	for i := 0; i < len(hits); i++ {
		h := hits[i]
		if h.OutdatedBy == "" {
			continue
		}
		k := slices.IndexFunc(hits[i+1:], func(o Hit) bool { return o.ID == h.OutdatedBy && o.Space == h.Space })
		if k < 0 {
			continue
		}
		newer := hits[i+1+k]
		if h.InTime && !newer.InTime {
			continue // the question names the time of the older one
		}
		newer.Score = max(newer.Score, h.Score)
		copy(hits[i+1:], hits[i:i+1+k])
		hits[i] = newer
		i-- // the newer one may be replaced as well
	}
}
