package store

import (
	"encoding/json"
	"fmt"
	"strings"

	"techo/store/search"
)

// memoRecorded describes memos for the history.
func memoRecorded() Recorded {
	return Recorded{
		Kind: KindMemo, Prefixes: []space{memoRecords}, Numbers: []string{`,"text":`},
		ID: func(key []byte) (string, bool) { return string(rest(key)), len(rest(key)) > 0 },
		Current: func(tx *Tx, _ string, ids []string) ([][]byte, error) {
			return tx.GetMany(keysOfIDs(ids, memoKey))
		},
		Describe: describeMemo, Restore: restoreMemos,
	}
}

func describeMemo(_ *Tx, id string, value []byte) (title, text string, err error) {
	var r memoRecord
	if err = json.Unmarshal(value, &r); err != nil {
		return "", "", err
	}
	d := describing(KindMemo, id)
	d.field("name", r.Name)
	d.field("priority", fmt.Sprint(r.Priority))
	d.field("tags", strings.Join(r.Tags, ", "))
	d.field("content", r.Content)
	d.field("detail", r.Detail)
	return r.Name, d.String(), nil
}

// restoreMemos gives memos their previous values.
func restoreMemos(tx *Tx, c Change) error {
	now := map[string]*Memo{}
	for _, m := range c.Records {
		if !m.Exists {
			continue
		}
		memo, err := loadMemo(tx, m.ID)
		if err != nil {
			return err
		}
		now[m.ID] = &memo
		if !m.Existed || len(c.Records) > 1 {
			if err := replaceMemo(tx, &memo, nil); err != nil {
				return err
			}
			now[m.ID] = nil
		}
	}
	for _, m := range c.Records {
		if !m.Existed {
			continue
		}
		before, err := decodeMemo(memoKey(m.ID), m.before)
		if err != nil {
			return err
		}
		if there := now[m.ID]; there == nil || there.Name != before.Name {
			if err := memoNameFree(tx, before.Name, m.ID); err != nil {
				return err
			}
		}
		if err := replaceMemo(tx, now[m.ID], &before); err != nil {
			return err
		}
	}
	return nil
}

var memoPrefixes = []space{memoRecords, memoNames, memoOrder, memosByTag, memosByTime, memoCountKey}

// memoSchema describes the keys of memos.
func memoSchema() Schema {
	return Schema{Name: "memos", Prefixes: memoPrefixes, Shared: true, Audit: newMemoAudit, Repair: repairMemos,
		Recorded: []Recorded{memoRecorded()},
		Outdated: func(tx *Tx) ([]refreshing, error) { return ifOutdated(tx, search.At(search.Memos), refreshMemos) }}
}
