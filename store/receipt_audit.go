package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"techo/store/kv"
)

// receiptAudit checks the receipts and their index entries.
type receiptAudit struct {
	n           int
	want, found setHash // of the entries by time
	records     setHash // of the entries by record, as the entries by time list them
	byRecord    setHash // of the entries by record
}

func newReceiptAudit() audit {
	a := new(receiptAudit)
	a.want, a.found = newSetHashes()
	a.records, a.byRecord = newSetHashes()
	return a
}

func (a *receiptAudit) visit(_ *Tx, key, value []byte) error {
	switch spaceOf(key) {
	case receiptRecords:
		r, err := decodeReceipt(key, value)
		if err != nil {
			return err
		}
		a.n++
		if r.At != 0 {
			a.want.add(receiptAgeKey(r.At, key), nil)
		}
	case receiptAges:
		a.found.add(key, nil)
		fields := &fieldReader{b: value}
		for len(fields.b) > 0 && fields.err == nil {
			a.records.add([]byte(fields.text()), nil)
		}
		if fields.err != nil {
			return finding(Unreadable, KindReceipt, string(key), fields.err)
		}
	case recordReceipts:
		a.byRecord.add(key, nil)
	}
	return nil
}

func (a *receiptAudit) finish(*Tx) (int, error) {
	if a.want != a.found || a.records != a.byRecord {
		return 0, finding(WrongIndex, KindReceipt, "", nil)
	}
	return a.n, nil
}

// decodeReceipt decodes a receipt.
func decodeReceipt(key, value []byte) (r receipt, err error) {
	if err := json.Unmarshal(value, &r); err != nil {
		return r, finding(Unreadable, KindReceipt, string(key), err)
	}
	return r, nil
}

// repairReceipts drops receipts that cannot be read, and rebuilds the entries by
// time. It drops receipts that have a time but no such entry: the records that
// they contain are not known.
func repairReceipts(ctx context.Context, s *Store) (repairs []Repair, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		repairs = nil
		kept := map[string]bool{} // keys of index entries
		var drop [][]byte
		err := scanSpaces(tx, []space{receiptRecords}, func(key, value []byte) error {
			r, err := decodeReceipt(key, value)
			if err == nil && r.At == 0 {
				return nil
			}
			age := receiptAgeKey(r.At, key)
			var entries []string
			if err == nil {
				entries, err = receiptEntries(tx, age)
			}
			if err != nil {
				drop = append(drop, key)
				repairs = append(repairs, dropped(KindReceipt, string(key), err))
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
		err = scanSpaces(tx, []space{receiptAges, recordReceipts}, func(key, _ []byte) error {
			if !kept[string(key)] {
				drop = append(drop, bytes.Clone(key))
			}
			return nil
		})
		if err != nil {
			return err
		}
		return deleteKeys(tx, drop)
	})
	return repairs, err
}

// receiptEntries returns the entries by record of the receipt with an entry by
// time. All of them must exist.
func receiptEntries(tx *Tx, age []byte) (entries []string, err error) {
	value, err := tx.Get(age)
	if err != nil {
		return nil, missingEntry(age, err)
	}
	fields := &fieldReader{b: value}
	for len(fields.b) > 0 && fields.err == nil {
		entry := fields.text()
		if _, err := tx.Get([]byte(entry)); err != nil {
			return nil, missingEntry(age, err)
		}
		entries = append(entries, entry)
	}
	if fields.err != nil {
		return nil, finding(Unreadable, KindReceipt, string(age), fields.err)
	}
	return entries, nil
}

func missingEntry(age []byte, err error) error {
	if errors.Is(err, kv.ErrNotFound) {
		return finding(NoIndexEntry, KindReceipt, string(rest(age)[8:]), nil)
	}
	return err
}
