package memo

import (
	"encoding/json"
	"fmt"
	"strings"

	"techo/store/ledger"
	"techo/store/search"
)

// recorded describes memos for the history.
func recorded() ledger.Recorded {
	return ledger.Recorded{
		Kind: ledger.KindMemo, Prefixes: []ledger.Prefix{Records}, Numbers: []string{`,"text":`},
		ID: func(key []byte) (string, bool) { return string(ledger.Rest(key)), len(ledger.Rest(key)) > 0 },
		Current: func(tx *ledger.Tx, _ string, ids []string) ([][]byte, error) {
			return tx.GetMany(ledger.KeysOfIDs(ids, Key))
		},
		Describe: describeMemo, Restore: restoreMemos,
	}
}

func describeMemo(_ *ledger.Tx, id string, value []byte) (title, text string, err error) {
	var r record
	if err = json.Unmarshal(value, &r); err != nil {
		return "", "", err
	}
	d := ledger.Describing(ledger.KindMemo, id)
	d.Field("name", r.Name)
	d.Field("priority", fmt.Sprint(r.Priority))
	d.Field("tags", strings.Join(r.Tags, ", "))
	d.Field("content", r.Content)
	d.Field("detail", r.Detail)
	return r.Name, d.String(), nil
}

// restoreMemos gives memos their previous values.
func restoreMemos(tx *ledger.Tx, c ledger.Change) error {
	now := map[string]*Memo{}
	for _, m := range c.Records {
		if !m.Exists {
			continue
		}
		memo, err := LoadMemo(tx, m.ID)
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
		before, err := Decode(Key(m.ID), m.Before)
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

var prefixes = []ledger.Prefix{Records, Names, byRank, byTag, ByTime, CountKey}

// Schema describes the keys of memos.
func Schema() ledger.Schema {
	return ledger.Schema{Name: "memos", Prefixes: prefixes, Shared: true, Audit: newAudit, Repair: Repair,
		Recorded: []ledger.Recorded{recorded()},
		Outdated: func(tx *ledger.Tx) ([]ledger.Refreshing, error) {
			return ledger.IfOutdated(tx, search.At(search.Memos), refreshMemos)
		}}
}
