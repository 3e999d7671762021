package store

import (
	"errors"
	"time"

	"techo/store/kv"
)

// recordOf returns the record of a memo.
func recordOf(m *Memo) memoRecord {
	return memoRecord{m.ID, m.Name, m.Content, m.Priority, m.Tags, m.Detail, m.CreatedAt.UnixMilli(),
		m.UpdatedAt.UnixMilli(), 0}
}

type memoRecord struct {
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

func loadMemo(tx *Tx, id string) (Memo, error) {
	var r memoRecord
	if err := load(tx, memoKey(id), &r); err != nil {
		return Memo{}, err
	}
	return r.memo(), nil
}

// indexedMemo loads a memo that an index names. A missing record is a
// FindingError.
func indexedMemo(tx *Tx, id string) (Memo, error) {
	m, err := loadMemo(tx, id)
	if errors.Is(err, kv.ErrNotFound) {
		err = finding(NoRecord, KindMemo, id, nil)
	}
	return m, err
}

// indexedMemos loads the memos that an index names.
func indexedMemos(tx *Tx, ids []string) (all []Memo, err error) {
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = memoKey(id)
	}
	values, err := tx.GetMany(keys)
	if err != nil {
		return nil, err
	}
	for i, value := range values {
		var r memoRecord
		if value == nil {
			return nil, finding(NoRecord, KindMemo, ids[i], nil)
		}
		if err := decode(keys[i], value, &r); err != nil {
			return nil, err
		}
		all = append(all, r.memo())
	}
	return all, nil
}

// memo returns the memo of a record.
func (r memoRecord) memo() Memo {
	return Memo{r.ID, r.Name, r.Content, r.Priority, r.Tags, r.Detail,
		time.UnixMilli(r.Created), time.UnixMilli(r.Updated)}
}
