package memory

import (
	"cmp"
	"context"
	"runtime"
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

// alikeDrafts returns what is alike for each of some drafts, and how many more it could have compared. It
// compares the first new ones.
func alikeDrafts(ctx context.Context, s *ledger.Ledger, user string, drafts []Draft, most int) (
	like []Alike, left int, err error) {
	var places []int
	err = s.View(ctx, func(tx *ledger.Tx) error {
		like, places = make([]Alike, len(drafts)), nil
		if most == 0 {
			return nil
		}
		u, err := LoadUser(tx, norm.NFC.String(user), false)
		if err != nil {
			return err
		}
		if _, err := readTogether(tx, u, drafts); err != nil {
			return err
		}
		for i := range drafts {
			d := &drafts[i]
			if len(places) == most || d.limits() != nil || claims.Turn(d.FullText, d.Session != "") {
				continue
			}
			if id, err := memoryWithText(tx, u.Number, d.FullText, d.digest); err != nil || id != "" {
				if err != nil {
					return err
				}
				continue
			}
			places = append(places, i)
			if u.Number == 0 {
				continue
			}
			if like[i], err = alikeMemories(tx, u, *d, s.Time()); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		alikeAmong(drafts, places, like)
	}
	return like, most - len(places), err
}

// alikeAmong compares some of the drafts with each other. The one that is added later has both.
func alikeAmong(drafts []Draft, places []int, like []Alike) {
	texts := make([]claims.Text, len(places))
	for n, i := range places {
		texts[n] = claims.Text{Full: drafts[i].FullText, Rare: drafts[i].bag.Rare, At: drafts[i].CreatedAt}
	}
	for n, related := range claims.Among(texts) {
		i := places[n]
		for _, r := range related {
			switch d := &drafts[places[r.Index]]; {
			case r.Relation == claims.Replaces && drafts[i].Scope == d.Scope:
				like[i].Contradicts = append(like[i].Contradicts, draftID(d))
			case r.Relation == claims.Same:
				like[i].Similar = append(like[i].Similar, draftID(d))
			}
		}
	}
}

// draftID returns the id that the memory of a draft gets, unless another text has it.
func draftID(d *Draft) string { return cmp.Or(d.ID, IdOfText(d.digest)) }

// alikeInstead is alikeBefore for a memory that gets another text.
func alikeInstead(ctx context.Context, s *ledger.Ledger, user, id, text string) (like Alike, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		like = Alike{}
		u, r, err := changeableMemory(tx, user, id)
		if err != nil {
			return nil // the change itself reports it
		}
		d := NewDrafter().Draft(Memory{User: u.Name, FullText: text, Scope: r.scope()})
		if d.limits() == nil {
			like, err = alikeMemories(tx, u, d, s.Time())
		}
		return err
	})
	return like.without(id), err
}

// ids returns the ids of all of them, nil for none.
func (l Alike) ids() (all []string) { return append(append(all, l.Contradicts...), l.Similar...) }

// without returns the memories other than one.
func (l Alike) without(id string) Alike {
	is := func(other string) bool { return other == id }
	return Alike{slices.DeleteFunc(l.Similar, is), slices.DeleteFunc(l.Contradicts, is)}
}

// alikeMemories returns the memories that are similar to a draft or likely to contradict it now,
// of those with its rarest words.
func alikeMemories(tx *ledger.Tx, u UserRecord, d Draft, now time.Time) (like Alike, err error) {
	near, err := u.index().Alike(tx, d.bag)
	if err != nil || len(near) == 0 {
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
		runtime.Gosched() // beside many additions, a server's reads are over before the next comparison
		r := records[i]
		expired := r.Expires != 0 && r.Expires <= now.UnixMilli()
		older, newer, compared := claims.Read(r.Full), own, r.Alike
		if !d.CreatedAt.IsZero() && d.CreatedAt.UnixMilli() < r.Created {
			older, newer, compared = newer, older, nil
		}
		switch relation := compare(compared, draftID(&d), older, newer); {
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

const (
	lookedFurther = 12 // more memories are ranked, for one that replaces a hit
	mostRelated   = 64 // hits are compared with each other
	mostFollowed  = 16 // hits are looked at for memories that replace them
)

// newerThan reports whether a memory is the newer one of two.
func (m *Memory) newerThan(o *Memory) bool { return m.CreatedAt.After(o.CreatedAt) }

// confirmedSince reports whether a memory was confirmed at a time or later.
func (m *Memory) confirmedSince(at time.Time) bool {
	return !m.ConfirmedAt.IsZero() && !m.ConfirmedAt.Before(at)
}

// keptBoth reports whether both memories were confirmed since both exist: then both hold.
func keptBoth(a, b *Memory) bool {
	at := a.CreatedAt
	if b.newerThan(a) {
		at = b.CreatedAt
	}
	return a.confirmedSince(at) && b.confirmedSince(at)
}

// compare is claims.Compare for memories. If the older one was compared with the newer one when it
// was added, the newer one has been said again since, and replaces what had replaced it.
func compare(known []string, id string, older, newer claims.Statement) claims.Relation {
	relation := claims.Compare(older, newer)
	if relation != claims.Replaces && slices.Contains(known, id) && claims.Compare(newer, older) == claims.Replaces {
		return claims.Replaces
	}
	return relation
}

// judge relates an older memory to a newer one. Of two that contradict each other the newer one
// holds, unless only the older one was confirmed since.
func judge(older, newer *Memory, said, now claims.Statement) (relation claims.Relation, holds *Memory) {
	relation = compare(older.Alike, newer.ID, said, now)
	switch {
	case relation == claims.Replaces && (older.Scope != newer.Scope || keptBoth(older, newer)):
		return claims.Other, nil
	case relation == claims.Replaces && older.confirmedSince(newer.CreatedAt):
		return relation, older
	}
	return relation, newer
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
	by := make([]*Hit, len(hits))
	for i := range hits {
		for k := range hits {
			h, o := &hits[i], &hits[k]
			if h.Space != o.Space || !o.newerThan(&h.Memory) || h.Scope != o.Scope ||
				len(said[i]) == 0 || len(said[k]) == 0 {
				continue
			}
			switch relation, holds := judge(&h.Memory, &o.Memory, said[i], said[k]); {
			case relation == claims.Same:
				h.Repeats, o.Repeats = append(h.Repeats, o.ID), append(o.Repeats, h.ID)
			case relation == claims.Replaces && holds == &h.Memory:
				by[k] = newest(by[k], h)
			case relation == claims.Replaces:
				by[i] = newest(by[i], o)
			}
		}
	}
	for i, o := range by {
		if o != nil {
			hits[i].OutdatedBy = o.ID
		}
	}
}

// newest returns the newer hit of two; the first may be nil.
func newest(a, b *Hit) *Hit {
	if a == nil || b.newerThan(&a.Memory) {
		return b
	}
	return a
}

// newestFirst moves each hit that replaces others before the first of them, unless the
// question names their time or is about it.
func newestFirst(hits []Hit, about Period) {
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
		if h.InTime && !newer.InTime || about.Has(h.CreatedAt) && !about.Has(newer.CreatedAt) {
			continue
		}
		newer.Score = max(newer.Score, h.Score)
		copy(hits[i+1:], hits[i:i+1+k])
		hits[i] = newer
		i-- // the newer one may be replaced as well
	}
}
