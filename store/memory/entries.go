package memory

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"

	"techo/internal/bitset"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memory/wording"
)

type indexEntry struct{ key, value []byte }

// memoryEntries returns the index entries of a memory by its topic, its expiry, its
// scope and the memories that it superseded.
func memoryEntries(user uint32, r *Record) (all []indexEntry) {
	id := []byte(r.ID)
	if r.Topic != "" {
		all = append(all, indexEntry{memoryTopicKey(user, r.scope(), r.Topic), id})
	}
	if r.Expires != 0 {
		all = append(all, indexEntry{memoryExpiryKey(user, r.Expires, r.Text), id})
	}
	if r.Project {
		all = append(all, indexEntry{projectMemoryKey(user, r.Text), id})
	}
	for _, letter := range reviewed(r) {
		all = append(all, indexEntry{reviewKey(user, letter, r.Text), id})
	}
	var old []string
	for _, f := range r.Former {
		for _, id := range []string{f.ID, IdOfText(TextDigest(r.User, f.Full))} {
			if !slices.Contains(old, id) {
				old = append(old, id)
				all = append(all, indexEntry{ReplacementKey(user, id, r.ID), nil})
			}
		}
	}
	return all
}

// reviewed returns the letters of the entries for a review that a memory has.
func reviewed(r *Record) (letters []byte) {
	if len(r.Near) > 0 {
		letters = append(letters, nearLetter)
	}
	if r.Source != nil && r.Source.Hash != "" {
		letters = append(letters, sourceLetter)
	}
	if r.Confirmed != 0 || wording.Turn(r.Full, r.Session != "") {
		letters = append(letters, settledLetter)
	}
	return letters
}

// topicHolder returns the id of the memory with a topic, or "".
func topicHolder(tx *ledger.Tx, user uint32, scope, topic string) (string, error) {
	if user == 0 || topic == "" || len(topic) > maxLabelBytes {
		return "", nil
	}
	id, err := tx.Get(memoryTopicKey(user, scope, topic))
	return string(id), ledger.IgnoreMissing(err)
}

// maxLabelBytes is the size of the longest session or topic.
const maxLabelBytes = 4 * ledger.MaxLabel

// replacementOf returns the id of the memory that superseded one, or "". Of several
// it is the latest.
func replacementOf(tx *ledger.Tx, user uint32, id string) (by string, err error) {
	if user == 0 || len(id) > maxMemoryID {
		return "", nil
	}
	prefix := ReplacementKey(user, id, "")
	latest := int64(0)
	for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return "", err
		}
		r, err := IndexedMemory(tx, user, string(item.Key[len(prefix):]))
		if err != nil {
			return "", err
		}
		if by == "" || r.Created > latest {
			by, latest = r.ID, r.Created
		}
	}
	return by, nil
}

// expired returns the texts of a user's memories that have expired, nil for none.
func (u UserRecord) expired(tx *ledger.Tx, now time.Time) (texts *bitset.Set, err error) {
	prefix := expiries.OfUser(u.Number)
	end := memoryExpiryKey(u.Number, now.UnixMilli()+1, 0)
	for item, err := range tx.Scan(kv.Range{Prefix: prefix, KeysOnly: true}) {
		if err != nil {
			return nil, err
		}
		if bytes.Compare(item.Key, end) >= 0 {
			break
		}
		if texts == nil {
			texts = &bitset.Set{}
		}
		texts.Add(textOfKey(item.Key))
	}
	return texts, nil
}

// inProjects returns the texts of a user's memories of the scope project.
func (u UserRecord) inProjects(tx *ledger.Tx) (*bitset.Set, error) {
	texts := &bitset.Set{}
	for item, err := range tx.Scan(kv.Range{Prefix: ofProjects.OfUser(u.Number), KeysOnly: true}) {
		if err != nil {
			return nil, err
		}
		texts.Add(textOfKey(item.Key))
	}
	return texts, nil
}

// textOfKey returns the number of a text at the end of a key.
func textOfKey(key []byte) uint32 {
	return binary.BigEndian.Uint32(key[max(len(key)-4, 0):]) // the user's number precedes it
}

// visible returns which texts of a user a filter selects by scope and expiry, nil
// for all.
func (u UserRecord) visible(tx *ledger.Tx, f Filter, now time.Time) (func(text uint32) bool, error) {
	expired, err := u.expired(tx, now)
	if err != nil {
		return nil, err
	}
	if f.Scope == "" {
		if expired == nil {
			return nil, nil
		}
		return func(text uint32) bool { return !expired.Has(text) }, nil
	}
	projects, err := u.inProjects(tx)
	if err != nil {
		return nil, err
	}
	want := f.Scope == ProjectScope
	return func(text uint32) bool {
		return projects.Has(text) == want && (expired == nil || !expired.Has(text))
	}, nil
}
