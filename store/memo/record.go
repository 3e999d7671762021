package memo

import (
	"errors"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// RecordOf returns the record of a memo.
func RecordOf(m *Memo) record {
	return record{m.ID, m.Name, m.Content, m.Priority, m.Tags, m.Detail, m.CreatedAt.UnixMilli(),
		m.UpdatedAt.UnixMilli(), 0}
}

type record struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Content  string   `json:"content"`
	Priority int      `json:"priority"`
	Tags     []string `json:"tags"`
	Detail   string   `json:"detail,omitempty"`
	Created  int64    `json:"created"` // milliseconds since 1970
	Updated  int64    `json:"updated"`
	Text     uint32   `json:"text,omitempty"` // number in the search index
}

func LoadMemo(tx *ledger.Tx, id string) (Memo, error) {
	var r record
	if err := ledger.Load(tx, Key(id), &r); err != nil {
		return Memo{}, err
	}
	return r.memo(), nil
}

// indexedMemo loads a memo that an index names. A missing record is a
// FindingError.
func indexedMemo(tx *ledger.Tx, id string) (Memo, error) {
	m, err := LoadMemo(tx, id)
	if errors.Is(err, kv.ErrNotFound) {
		err = ledger.Finding(ledger.NoRecord, ledger.KindMemo, id, nil)
	}
	return m, err
}

// indexedMemos loads the memos that an index names.
func indexedMemos(tx *ledger.Tx, ids []string) (all []Memo, err error) {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = Key(id)
	}
	values, err := tx.GetMany(keys)
	if err != nil {
		return nil, err
	}
	for i, value := range values {
		var r record
		if value == nil {
			return nil, ledger.Finding(ledger.NoRecord, ledger.KindMemo, ids[i], nil)
		}
		if err := ledger.Decode(keys[i], value, &r); err != nil {
			return nil, err
		}
		all = append(all, r.memo())
	}
	return all, nil
}

// memo returns the memo of a record.
func (r record) memo() Memo {
	return Memo{r.ID, r.Name, r.Content, r.Priority, r.Tags, r.Detail,
		time.UnixMilli(r.Created), time.UnixMilli(r.Updated)}
}
