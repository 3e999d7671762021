package receipt

import (
	"bytes"
	"errors"

	"techo/store/kv"
	"techo/store/ledger"
)

// The prefixes of the keys of receipts.
const (
	Records        ledger.Prefix = "rk"
	ages           ledger.Prefix = "rt"
	recordReceipts ledger.Prefix = "rx"
)

// Key returns the key of a record.
func Key(user, key string) []byte { return append(Records.Named(user), key...) }

// AgeKey is the key of a receipt among the receipts by time.
func AgeKey(at int64, receipt []byte) []byte {
	return append(ages.Number(uint64(at)), ledger.Rest(receipt)...)
}

// RecordReceiptPrefix begins the keys of the receipts that contain a record. A
// letter stands for its kind.
func RecordReceiptPrefix(letter byte, record string) []byte {
	return recordReceipts.Named(string(letter) + record)
}

// table keeps the receipts. Their entries by record are known from the entries by time alone.
var table = &ledger.Table[Receipt, struct{}]{
	Kind: ledger.KindReceipt, Records: Records, Indexes: []ledger.Prefix{ages, recordReceipts},
	Key:    func(r *Receipt) []byte { return r.key },
	Encode: func(r *Receipt) ([]byte, error) { return ledger.Encode(r) },
	Decode: func(key, value []byte) (Receipt, error) {
		r, err := ledger.DecodeJSON[Receipt](ledger.KindReceipt, string(key), value)
		r.key = bytes.Clone(key)
		return r, err
	},
	Index: func(r *Receipt) []kv.Pair {
		var list []byte
		pairs := make([]kv.Pair, 1)
		for _, entry := range r.entries {
			list = ledger.AppendText(list, string(entry))
			pairs = append(pairs, kv.Pair{Key: entry})
		}
		pairs[0] = kv.Pair{Key: AgeKey(r.At, r.key), Value: list}
		return pairs
	},
	Settle: dropUnlisted,
}

// listed returns the entries by record that an entry by time lists.
func listed(age, list []byte) (entries [][]byte, err error) {
	fields := &ledger.FieldReader{B: list}
	for len(fields.B) > 0 && fields.Err == nil {
		entries = append(entries, []byte(fields.Text()))
	}
	if fields.Err != nil {
		err = ledger.Finding(ledger.Unreadable, ledger.KindReceipt, string(age), fields.Err)
	}
	return entries, err
}

// loadEntries loads which entries by record there are. A missing entry by time is a FindingError.
func (r *Receipt) loadEntries(tx *ledger.Tx) error {
	age := AgeKey(r.At, r.key)
	list, err := tx.Get(age)
	if err == nil {
		r.entries, err = listed(age, list)
	}
	return r.missing(err)
}

// missing returns the finding for an entry that was not found.
func (r *Receipt) missing(err error) error {
	if errors.Is(err, kv.ErrNotFound) {
		return ledger.Finding(ledger.NoIndexEntry, ledger.KindReceipt, string(ledger.Rest(r.key)), nil)
	}
	return err
}

// dropUnlisted drops receipts that lack entries: the records that they contain are not
// known.
func dropUnlisted(tx *ledger.Tx, all []Receipt) (kept []Receipt, repairs []ledger.Repair, err error) {
	for _, r := range all {
		err = r.loadEntries(tx)
		for i := 0; err == nil && i < len(r.entries); i++ {
			_, err = tx.Get(r.entries[i])
			err = r.missing(err)
		}
		switch {
		case err == nil:
			kept = append(kept, r)
		case errors.As(err, new(*ledger.FindingError)):
			repairs = append(repairs, ledger.DroppedRecord(ledger.KindReceipt, string(r.key), err))
			err = nil
		default:
			return nil, nil, err
		}
	}
	return kept, repairs, nil
}

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
		r, err := table.Decode(key, value)
		if err != nil {
			return err
		}
		a.n++
		a.want.Add(AgeKey(r.At, key), nil)
	case ages:
		a.found.Add(key, nil)
		entries, err := listed(key, value)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			a.records.Add(entry, nil)
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

// Schema describes the keys of receipts.
func Schema() ledger.Schema {
	s := table.Schema("receipts")
	s.Shared, s.Audit = true, newAudit
	return s
}
