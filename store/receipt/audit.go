package receipt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"techo/store/kv"
	"techo/store/ledger"
)

// audit checks the receipts and their index entries.
type audit struct {
	n           int
	want, found ledger.SetHash // of the entries by time
	records     ledger.SetHash // of the entries by record, as the entries by time list them
	byRecord    ledger.SetHash // of the entries by record
}

func newAudit() ledger.Audit {
	a := new(audit)
	a.want, a.found = ledger.NewSetHashes()
	a.records, a.byRecord = ledger.NewSetHashes()
	return a
}

func (a *audit) Visit(_ *ledger.Tx, key, value []byte) error {
	switch ledger.PrefixOf(key) {
	case Records:
		r, err := decodeReceipt(key, value)
		if err != nil {
			return err
		}
		a.n++
		if r.At != 0 {
			a.want.Add(AgeKey(r.At, key), nil)
		}
	case ages:
		a.found.Add(key, nil)
		fields := &ledger.FieldReader{B: value}
		for len(fields.B) > 0 && fields.Err == nil {
			a.records.Add([]byte(fields.Text()), nil)
		}
		if fields.Err != nil {
			return ledger.Finding(ledger.Unreadable, ledger.KindReceipt, string(key), fields.Err)
		}
	case recordReceipts:
		a.byRecord.Add(key, nil)
	}
	return nil
}

func (a *audit) Finish(*ledger.Tx) (int, error) {
	if a.want != a.found || a.records != a.byRecord {
		return 0, ledger.Finding(ledger.WrongIndex, ledger.KindReceipt, "", nil)
	}
	return a.n, nil
}

// decodeReceipt decodes a receipt.
func decodeReceipt(key, value []byte) (r Receipt, err error) {
	if err := json.Unmarshal(value, &r); err != nil {
		return r, ledger.Finding(ledger.Unreadable, ledger.KindReceipt, string(key), err)
	}
	return r, nil
}

// Repair drops receipts that cannot be read, and rebuilds the entries by
// time. It drops receipts that have a time but no such entry: the records that
// they contain are not known.
func Repair(ctx context.Context, s *ledger.Ledger) (repairs []ledger.Repair, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		repairs = nil
		kept := map[string]bool{} // keys of index entries
		var drop [][]byte
		err := ledger.ScanSpaces(tx, []ledger.Prefix{Records}, func(key, value []byte) error {
			r, err := decodeReceipt(key, value)
			if err == nil && r.At == 0 {
				return nil
			}
			age := AgeKey(r.At, key)
			var entries []string
			if err == nil {
				entries, err = receiptEntries(tx, age)
			}
			if err != nil {
				drop = append(drop, key)
				repairs = append(repairs, ledger.DroppedRecord(ledger.KindReceipt, string(key), err))
				return nil
			}
			kept[string(age)] = true
			for _, e := range entries {
				kept[e] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = ledger.ScanSpaces(tx, []ledger.Prefix{ages, recordReceipts}, func(key, _ []byte) error {
			if !kept[string(key)] {
				drop = append(drop, bytes.Clone(key))
			}
			return nil
		})
		if err != nil {
			return err
		}
		return ledger.DeleteKeys(tx, drop)
	})
	return repairs, err
}

// receiptEntries returns the entries by record of the receipt with an entry by
// time. All of them must exist.
func receiptEntries(tx *ledger.Tx, age []byte) (entries []string, err error) {
	value, err := tx.Get(age)
	if err != nil {
		return nil, missingEntry(age, err)
	}
	fields := &ledger.FieldReader{B: value}
	for len(fields.B) > 0 && fields.Err == nil {
		entry := fields.Text()
		if _, err := tx.Get([]byte(entry)); err != nil {
			return nil, missingEntry(age, err)
		}
		entries = append(entries, entry)
	}
	if fields.Err != nil {
		return nil, ledger.Finding(ledger.Unreadable, ledger.KindReceipt, string(age), fields.Err)
	}
	return entries, nil
}

func missingEntry(age []byte, err error) error {
	if errors.Is(err, kv.ErrNotFound) {
		return ledger.Finding(ledger.NoIndexEntry, ledger.KindReceipt, string(ledger.Rest(age)[8:]), nil)
	}
	return err
}

// Schema describes the keys of receipts.
func Schema() ledger.Schema {
	return ledger.Schema{Name: "receipts", Prefixes: []ledger.Prefix{Records, ages, recordReceipts}, Shared: true,
		Audit: newAudit, Repair: Repair}
}
