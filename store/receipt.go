package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"techo/store/kv"
)

// # Receipts of idempotency keys
//
// A receipt is the stored result of a call. It expires, and it is erased with
// the records that the call read or wrote, because its result may contain them.

// receiptLifetime is how long a receipt is kept.
const receiptLifetime = 30 * 24 * time.Hour

// maxDroppedReceipts limits how many expired receipts one call drops.
const maxDroppedReceipts = 16

// ReusedKeyError reports that an idempotency key was used before with another
// input.
type ReusedKeyError struct{ Key string }

func (e *ReusedKeyError) Error() string {
	return fmt.Sprintf("idempotency key %q: used before with another input", e.Key)
}

// receipt is the record of a call with an idempotency key.
type receipt struct {
	Digest string `json:"digest"`
	Result string `json:"result"`       // a string, to return it byte for byte
	At     int64  `json:"at,omitempty"` // milliseconds since 1970; 0 in old stores, until they are compacted
}

func (r *receipt) expired(now time.Time) bool {
	return r.At != 0 && now.Sub(time.UnixMilli(r.At)) > receiptLifetime
}

// Once runs fn, unless it ran before for this user and key in the last 30 days:
// then it returns the earlier result. digest identifies the input; a key with two
// different digests is a ReusedKeyError. The writes of fn and the receipt form one
// transaction.
func (s *Store) Once(ctx context.Context, user, key, digest string, fn func(context.Context) ([]byte, error)) ([]byte,
	error) {
	var result []byte
	err := s.update(ctx, func(tx *Tx) error {
		var r receipt
		k := receiptKey(user, key)
		err := load(tx, k, &r)
		switch {
		case err == nil && r.expired(s.now()):
			err = dropReceipt(tx, k)
		case err == nil && r.Digest != digest:
			return &ReusedKeyError{key}
		case err == nil:
			result = []byte(r.Result)
			return nil
		}
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		if err := dropExpiredReceipts(tx, s.now()); err != nil {
			return err
		}
		if result, err = fn(withOpen(ctx, s, tx)); err != nil {
			return err
		}
		return putReceipt(tx, k, receipt{digest, string(result), s.time().UnixMilli()})
	})
	return result, err
}

// putReceipt writes a receipt and its index entries.
func putReceipt(tx *Tx, key []byte, r receipt) error {
	var entries []byte
	if c := tx.changes; c != nil {
		for _, id := range c.present() {
			entry := append(recordReceiptPrefix(kindLetters[id.kind], id.id), rest(key)...)
			if len(entry) > kv.MaxKey-len(sharedPrefix(0)) { // the receipt may be of a shared space
				continue
			}
			if err := tx.Put(entry, nil); err != nil {
				return err
			}
			entries = appendText(entries, string(entry))
		}
	}
	if err := tx.Put(receiptAgeKey(r.At, key), entries); err != nil {
		return err
	}
	return save(tx, key, r)
}

// present returns the records that the transaction has read or written, without
// those that it has removed, and the calendars whose names its result may contain.
func (c *changeRecorder) present() (all []recordID) {
	for key, r := range c.read {
		if id, ok := recordOfKey([]byte(key)); ok && r.found && c.touched[id] == nil {
			all = append(all, id)
		}
	}
	for id, t := range c.touched {
		if t.exists {
			all = append(all, id)
		}
	}
	all = append(all, c.named...)
	slices.SortFunc(all, recordID.compare)
	return slices.Compact(all)
}

// dropReceipt removes a receipt and its index entries. A missing receipt is no
// error.
func dropReceipt(tx *Tx, key []byte) error {
	var r receipt
	err := load(tx, key, &r)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	age := receiptAgeKey(r.At, key)
	entries, err := tx.Get(age)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	keys := [][]byte{key, age}
	fields := &fieldReader{b: entries}
	for len(fields.b) > 0 && fields.err == nil {
		keys = append(keys, []byte(fields.text()))
	}
	if fields.err != nil {
		return finding(Unreadable, KindReceipt, string(age), fields.err)
	}
	return deleteKeys(tx, keys)
}

// dropExpiredReceipts removes some of the receipts that have expired.
func dropExpiredReceipts(tx *Tx, now time.Time) error {
	var old [][]byte
	for item, err := range tx.Scan(oldestReceipts()) {
		if err != nil {
			return err
		}
		at, ok := cutNumber(rest(item.Key))
		r := receipt{At: int64(at)}
		if !ok || !r.expired(now) || len(old) == maxDroppedReceipts {
			break
		}
		old = append(old, receiptRecords.key(string(rest(item.Key)[8:])))
	}
	return dropReceipts(tx, old)
}

func oldestReceipts() kv.Range {
	return kv.Range{Prefix: receiptAges.all(), Limit: maxDroppedReceipts + 1}
}

func dropReceipts(tx *Tx, keys [][]byte) error {
	for _, key := range keys {
		if err := dropReceipt(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// eraseReceiptsOf removes the receipts of the calls that read or wrote some records.
func eraseReceiptsOf(tx *Tx, ids ...recordID) error {
	within := func(id recordID) kv.Range {
		return kv.Range{Prefix: recordReceiptPrefix(kindLetters[id.kind], id.id), KeysOnly: true}
	}
	var keys [][]byte
	for _, id := range ids {
		r := within(id)
		for item, err := range tx.Scan(r) {
			if err != nil {
				return err
			}
			keys = append(keys, receiptRecords.key(string(item.Key[len(r.Prefix):])))
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	return dropReceipts(tx, slices.CompactFunc(keys, bytes.Equal)) // one receipt may contain several records
}

// eraseReceiptsWith removes all receipts whose results contain one of some texts.
func eraseReceiptsWith(tx *Tx, texts []string) error {
	var keys [][]byte
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: receiptRecords.all()}) {
		if err != nil {
			return err
		}
		if slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(p.Value, []byte(text)) }) {
			keys = append(keys, bytes.Clone(p.Key))
		}
	}
	return dropReceipts(tx, keys)
}

// dateReceipts gives the receipts of an old store a time, so that they expire. It
// returns how many there were.
func dateReceipts(ctx context.Context, s *Store) (dated int, err error) {
	err = s.update(withoutHistory(ctx), func(tx *Tx) error {
		var keys [][]byte
		for item, err := range tx.Scan(kv.Range{Prefix: receiptRecords.all()}) {
			if err != nil {
				return err
			}
			var r receipt
			if err := load(tx, item.Key, &r); err != nil {
				return err
			}
			if r.At == 0 {
				keys = append(keys, bytes.Clone(item.Key))
			}
			if len(keys) == 1000 {
				break
			}
		}
		for _, key := range keys {
			var r receipt
			if err := load(tx, key, &r); err != nil {
				return err
			}
			r.At = s.time().UnixMilli()
			if err := putReceipt(tx, key, r); err != nil {
				return err
			}
		}
		dated = len(keys)
		return nil
	})
	return dated, err
}
