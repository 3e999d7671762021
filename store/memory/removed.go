package memory

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/ledger"
)

// # What was removed for good
//
// The digest of a text that somebody removed stays, so that an import of its file does not bring it back. Saying the
// text again does, and so does the undo of the removal.

// removalTool is the tool whose removals are for good, as the history names it.
const removalTool = "remove_memory"

// Remove is RemoveMemories for somebody who does not want to see the texts again: an import leaves them out, and also
// what they had superseded.
func Remove(ctx context.Context, s *ledger.Ledger, user string, ids []string) (removed, missing []string, err error) {
	return removeMemories(ctx, s, user, ids, (*UserRecord).noteAll)
}

// noteAll keeps the digests of the texts of removed memories, and of those that they had superseded.
func (u *UserRecord) noteAll(tx *ledger.Tx, all []Record) error {
	for i := range all {
		texts := []string{all[i].Full}
		for _, f := range all[i].Former {
			texts = append(texts, f.Full)
		}
		for _, text := range texts {
			if err := u.note(tx, TextDigest(u.Name, text)); err != nil {
				return err
			}
		}
	}
	return u.save(tx)
}

// noteRemoved is noteAll, but for texts that another memory has or has superseded.
func noteRemoved(tx *ledger.Tx, user string, all []Record) error {
	u, err := LoadUser(tx, user, false)
	if err != nil {
		return err
	}
	var gone []Record
	for i := range all {
		r := &all[i]
		by, err := replacementOf(tx, u.Number, r.ID)
		if err == nil && by == "" {
			by, err = memoryWithText(tx, u.Number, r.Full, TextDigest(u.Name, r.Full))
		}
		if err != nil {
			return err
		}
		if by == "" {
			gone = append(gone, *r)
		}
	}
	return u.noteAll(tx, gone)
}

func removedKey(user uint32, digest []byte) []byte {
	return append(removedTexts.OfUser(user), digest...)
}

// note keeps the digest of a removed text. The caller saves the user's record.
func (u *UserRecord) note(tx *ledger.Tx, digest []byte) error {
	key := removedKey(u.Number, digest)
	_, err := tx.Get(key)
	if !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	u.Removed++
	return tx.Put(key, []byte{1})
}

// forget drops the digests of a text that is said again, and of those that it superseded. The caller saves the user's
// record.
func (u *UserRecord) forget(tx *ledger.Tx, d *Draft) error {
	digests := [][]byte{d.digest}
	for _, f := range d.Supersedes {
		if u.Removed > 0 {
			digests = append(digests, TextDigest(u.Name, f.FullText))
		}
	}
	for _, digest := range digests {
		if u.Removed == 0 {
			return nil
		}
		key := removedKey(u.Number, digest)
		_, err := tx.Get(key)
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		u.Removed--
		if err := tx.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// removedDrafts reports which drafts of an import have a text that was removed for good, and do not bring it back.
func (u UserRecord) removedDrafts(tx *ledger.Tx, drafts []Draft) ([]bool, error) {
	found := make([]bool, len(drafts))
	if u.Removed == 0 {
		return found, nil
	}
	keys := make([][]byte, len(drafts))
	for i := range drafts {
		keys[i] = removedKey(u.Number, drafts[i].digest)
	}
	values, err := tx.GetMany(keys)
	for i := range values {
		found[i] = values[i] != nil && !drafts[i].Again
	}
	return found, err
}

// removedOf returns the digests of texts that were removed for good, by the name of their user.
func removedOf(ctx context.Context, s *ledger.Ledger) (all map[string][][]byte, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		all = map[string][][]byte{}
		names := map[uint32]string{}
		for p, err := range kv.Pairs(tx, kv.Range{Prefix: Users.All()}) {
			if err != nil {
				return err
			}
			var u UserRecord
			if ledger.Decode(p.Key, p.Value, &u) == nil {
				names[u.Number] = u.Name
			}
		}
		return tx.ScanPrefixes([]ledger.Prefix{removedTexts}, func(key, _ []byte) error {
			if number, digest, ok := ledger.CutUser(key); ok && names[number] != "" {
				all[names[number]] = append(all[names[number]], bytes.Clone(digest))
			}
			return nil
		})
	})
	return all, err
}

// keepRemoved keeps digests again, after the users got other numbers.
func keepRemoved(ctx context.Context, s *ledger.Ledger, all map[string][][]byte) error {
	for user, digests := range all {
		for part := range slices.Chunk(digests, repairMaxKeys) {
			err := s.Update(ctx, func(tx *ledger.Tx) error {
				u, err := LoadUser(tx, norm.NFC.String(user), true)
				if err != nil {
					return err
				}
				for _, digest := range part {
					if err := u.note(tx, digest); err != nil {
						return err
					}
				}
				return u.save(tx)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
