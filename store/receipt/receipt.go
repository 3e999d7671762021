// Package receipt has the results of calls with an idempotency key.
package receipt

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
)

// # Receipts of idempotency keys
//
// A receipt is the stored result of a call. It expires, and it is erased with
// the records that the call read or wrote, because its result may contain them.

// ReceiptLifetime is how long a receipt is kept.
const ReceiptLifetime = 30 * 24 * time.Hour

// maxDroppedReceipts limits how many expired receipts one call drops.
const maxDroppedReceipts = 16

// Receipt is the record of a call with an idempotency key.
type Receipt struct {
	Digest string `json:"digest"`
	Result string `json:"result"` // a string, to return it byte for byte
	At     int64  `json:"at"`     // milliseconds since 1970

	key     []byte
	entries [][]byte // the keys of the entries by record
}

func (r *Receipt) expired(now time.Time) bool {
	return now.Sub(time.UnixMilli(r.At)) > ReceiptLifetime
}

// Receipts are the results of calls with idempotency keys.
type Receipts struct{ *ledger.Ledger }

// Once runs fn, unless it ran before for this user and key in the last 30 days:
// then it returns the earlier result. digest identifies the input; a key with two
// different digests is a ReusedKeyError. The writes of fn and the receipt form one
// transaction.
func (s Receipts) Once(ctx context.Context, user, key, digest string, fn func(context.Context) ([]byte, error)) ([]byte,
	error) {
	var result []byte
	err := s.Update(ctx, func(tx *ledger.Tx) error {
		k := Key(user, key)
		r, err := table.Load(tx, k)
		switch {
		case err == nil && r.expired(s.Now()):
			err = dropReceipt(tx, k)
		case err == nil && r.Digest != digest:
			return &ledger.ReusedKeyError{Key: key}
		case err == nil:
			result = []byte(r.Result)
			return nil
		}
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		if err := dropExpiredReceipts(tx, s.Now()); err != nil {
			return err
		}
		if result, err = fn(s.WithOpen(ctx, tx)); err != nil {
			return err
		}
		return PutReceipt(tx, k, Receipt{Digest: digest, Result: string(result), At: s.Time().UnixMilli()})
	})
	return result, err
}

// PutReceipt writes a receipt and its index entries.
func PutReceipt(tx *ledger.Tx, key []byte, r Receipt) error {
	r.key = key
	if c := tx.Changes; c != nil {
		for _, id := range c.Present() {
			entry := append(RecordReceiptPrefix(ledger.KindLetters[id.Kind], id.ID), ledger.Rest(key)...)
			if len(entry) <= kv.MaxKey-len(ledger.SharedPrefix(0)) { // the receipt may be of a shared space
				r.entries = append(r.entries, entry)
			}
		}
	}
	return table.Put(tx, nil, &r)
}

// dropReceipt removes a receipt and its index entries. A missing receipt is no
// error.
func dropReceipt(tx *ledger.Tx, key []byte) error {
	r, err := table.Load(tx, key)
	if err != nil {
		return ledger.IgnoreMissing(err)
	}
	if err := r.loadEntries(tx); err != nil && !ledger.IsFinding(err, ledger.NoIndexEntry) {
		return err
	}
	return table.Put(tx, &r, nil)
}

// dropExpiredReceipts removes some of the receipts that have expired.
func dropExpiredReceipts(tx *ledger.Tx, now time.Time) error {
	var old [][]byte
	for item, err := range tx.Scan(kv.Range{Prefix: ages.All(), Limit: maxDroppedReceipts + 1}) {
		if err != nil {
			return err
		}
		at, ok := ledger.CutNumber(ledger.Rest(item.Key))
		r := Receipt{At: int64(at)}
		if !ok || !r.expired(now) || len(old) == maxDroppedReceipts {
			break
		}
		old = append(old, Records.Key(string(ledger.Rest(item.Key)[8:])))
	}
	return dropReceipts(tx, old)
}

func dropReceipts(tx *ledger.Tx, keys [][]byte) error {
	for _, key := range keys {
		if err := dropReceipt(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// Erase removes the receipts of the calls that read or wrote some records.
func Erase(tx *ledger.Tx, ids ...ledger.RecordID) error {
	if len(ids) == 0 {
		return nil
	}
	var within []kv.Range
	for _, id := range ids {
		prefix := RecordReceiptPrefix(ledger.KindLetters[id.Kind], id.ID)
		within = append(within, kv.Range{Prefix: prefix, KeysOnly: true})
	}
	_, found, err := tx.ReadMany(nil, within)
	if err != nil {
		return err
	}
	var keys [][]byte
	for i, of := range found {
		for _, p := range of {
			keys = append(keys, Records.Key(string(p.Key[len(within[i].Prefix):])))
		}
	}
	sorting.By(keys, bytes.Compare)
	return dropReceipts(tx, slices.CompactFunc(keys, bytes.Equal)) // one receipt may contain several records
}

// EraseWith removes all receipts whose results contain one of some texts.
func EraseWith(tx *ledger.Tx, texts []string) error {
	var keys [][]byte
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: Records.All()}) {
		if err != nil {
			return err
		}
		if slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(p.Value, []byte(text)) }) {
			keys = append(keys, bytes.Clone(p.Key))
		}
	}
	return dropReceipts(tx, keys)
}
