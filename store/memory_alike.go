package store

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"techo/store/kv"
	"techo/store/search"
)

// Alike has the ids of memories to compare with a new one.
type Alike struct {
	Similar     []string // with nearly the same words
	Contradicts []string // with a statement that is likely to contradict one of the new memory
}

// similarFrom is the share of the rarest words of a memory that a memory with nearly
// the same words has at least.
const similarFrom = 0.5

// alikeBeside returns the memories that are similar to a new one or likely to contradict it
// among the committed ones of a database, and notes in the draft whether there is a memory with
// its text. It reads them before the transaction that adds the memory: that would meet others for
// longer, and because of what it only mentions. ok is false for a store that cannot do this.
func alikeBeside(ctx context.Context, s *Store, d *Draft) (like Alike, ok bool, err error) {
	if f, ok := ctx.Value(foundAlikeKey{}).(foundAlike); ok && f.space == s.space && bytes.Equal(f.digest, d.digest) {
		d.kept = f.kept
		return f.like, true, nil
	}
	engine, ok := s.engine.(kv.Besider)
	if !ok || d.limits() != nil {
		return like, false, nil
	}
	m := d.Memory
	m.UpdatedAt = s.time()
	wait := !joined(ctx) && ctx.Value(groupedKey{}) == nil
	ok, err = engine.Beside(ctx, wait, func(tx kv.Tx) error {
		like = Alike{}
		u, err := announceUser(s, tx, d.User, 0, func(number uint32) kv.Reads { return alikeReads(number, *d) })
		if err != nil || u.Number == 0 {
			return err
		}
		id, err := memoryWithText(tx, u.Number, d.FullText, d.digest)
		if d.kept = id != ""; d.kept || err != nil {
			return err
		}
		like, err = alikeMemories(tx, u, *d, m)
		return err
	})
	return like, ok, err
}

// foundAlike is what alikeBeside found for a memory with a text.
type foundAlike struct {
	space  string
	digest []byte
	like   Alike
	kept   bool
}

type foundAlikeKey struct{}

// FindAlike looks up the memories that are similar to a new one, or likely to contradict it, and
// returns a context in which AddMemory uses them. It is for a caller that opens a transaction
// next: AddMemory cannot look them up before that one. In a folder, and within a Group, AddMemory
// looks them up itself; FindAlike returns ctx then.
func FindAlike(ctx context.Context, s *Store, m Memory) (context.Context, error) {
	if _, ok := s.engine.(kv.Besider); !ok || joined(ctx) || ctx.Value(groupedKey{}) != nil {
		return ctx, nil
	}
	d := NewDrafter().Draft(m)
	like, ok, err := alikeBeside(ctx, s, &d)
	if err != nil || !ok {
		return ctx, err
	}
	return context.WithValue(ctx, foundAlikeKey{}, foundAlike{s.space, d.digest, like, d.kept}), nil
}

// alikeReads returns the first reads of alikeBeside.
func alikeReads(user uint32, d Draft) kv.Reads {
	reads := search.AlikeAhead(search.At(user), d.bag)
	reads.Keys = append(reads.Keys, memoryKey(user, idOfText(d.digest)), memoryTextKey(user, d.digest))
	return reads
}

// without returns the memories other than one.
func (l Alike) without(id string) Alike {
	is := func(other string) bool { return other == id }
	return Alike{slices.DeleteFunc(slices.Clone(l.Similar), is), slices.DeleteFunc(slices.Clone(l.Contradicts), is)}
}

// alikeMemories returns the memories that are similar to a memory with the text of a draft or
// likely to contradict it, of those with its rarest words.
func alikeMemories(tx kv.Tx, u memoryUser, d Draft, m Memory) (like Alike, err error) {
	near, err := u.index().Alike(tx, d.bag)
	if err != nil {
		return like, err
	}
	if err := announceAlike(tx, u.Number, near); err != nil {
		return like, err
	}
	own, drafter := claimsOf(m.FullText), NewDrafter()
	for _, n := range near {
		if n.ID == m.ID {
			continue
		}
		r, err := indexedMemory(tx, u.Number, n.ID)
		if err != nil {
			return like, err
		}
		if n.Share >= similarFrom && d.bag.Overlap(drafter.Draft(r.memory()).bag) >= search.NearlySame {
			like.Similar = append(like.Similar, n.ID)
		}
		expired := r.Expires != 0 && r.Expires <= m.UpdatedAt.UnixMilli()
		if !expired && r.scope() == m.Scope && contradict(own, claimsOf(r.Full)) {
			like.Contradicts = append(like.Contradicts, n.ID)
		}
	}
	return like, nil
}

// announceAlike announces the reads of the records of similar memories.
func announceAlike(tx kv.Tx, user uint32, near []search.Alike) error {
	return tx.Prefetch(func() kv.Reads {
		reads := kv.Reads{All: true}
		for _, n := range near {
			reads.Keys = append(reads.Keys, memoryKey(user, n.ID))
		}
		return reads
	})
}

// keepPresent drops the memories that a group of writes in a database does not find: it may
// have removed them, and they were looked for beside it. Other transactions do not look,
// because they would meet those that add memories beside these.
func (l *Alike) keepPresent(tx kv.Tx, user string) error {
	if !crowded(tx) || len(l.Similar)+len(l.Contradicts) == 0 {
		return nil
	}
	u, err := loadMemoryUser(tx, user, false)
	if err != nil {
		return err
	}
	for _, ids := range []*[]string{&l.Similar, &l.Contradicts} {
		var present []string
		for _, id := range *ids {
			_, err := loadMemory(tx, u.Number, id)
			if err == nil {
				present = append(present, id)
			} else if !errors.Is(err, kv.ErrNotFound) {
				return err
			}
		}
		*ids = present
	}
	return nil
}
