package memory

import (
	"encoding/json"
	"time"

	"techo/store/ledger"
)

func recorded() ledger.Recorded {
	return ledger.Recorded{
		Kind: ledger.KindMemory, Prefixes: []ledger.Prefix{Records}, Local: func(id string) string { return id[4:] },
		Numbers: []string{`,"text":`, `,"group":`, `,"order":`},
		ID:      func(key []byte) (string, bool) { return string(ledger.Rest(key)), len(ledger.Rest(key)) > 4 },
		Current: currentMemories, Describe: describeMemory, Restore: restoreMemories, Mentions: formerOf,
	}
}

func currentMemories(tx *ledger.Tx, owner string, ids []string) ([][]byte, error) {
	u, err := LoadUser(tx, owner, false)
	if err != nil || u.Number == 0 {
		return make([][]byte, len(ids)), err
	}
	return tx.GetMany(ledger.KeysOfIDs(ids, func(id string) []byte { return Key(u.Number, id) }))
}

// formerOf returns the ids of the memories that a memory has superseded.
func formerOf(value []byte) (ids []string) {
	var m Record
	if json.Unmarshal(value, &m) != nil {
		return nil
	}
	for _, f := range m.Former {
		ids = append(ids, f.ID)
	}
	return ids
}

func describeMemory(_ *ledger.Tx, id string, value []byte) (title, text string, err error) {
	var r Record
	if err = json.Unmarshal(value, &r); err != nil {
		return "", "", err
	}
	d := ledger.Describing(ledger.KindMemory, id)
	d.Field("caption", r.Caption)
	d.Field("session", r.Session)
	d.Field("topic", r.Topic)
	if r.Project {
		d.Field("scope", r.scope())
	}
	if r.Expires != 0 {
		d.Field("expires_at", time.UnixMilli(r.Expires).UTC().Format(time.RFC3339))
	}
	if r.Source != nil {
		d.Field("source", r.Source.Text)
	}
	if r.Confirmed != 0 {
		d.Field("confirmed_at", time.UnixMilli(r.Confirmed).UTC().Format(time.RFC3339))
	}
	for _, f := range r.Former {
		d.Field("supersedes", f.ID+" "+f.Caption)
	}
	d.Field("full_text", r.Full)
	return r.Caption, d.String(), nil
}

// Schema describes the keys of memories and of the search index, which they share with memos.
func Schema() ledger.Schema {
	return ledger.Schema{Name: "memories", Prefixes: prefixes(), Shared: true, Audit: newAudit,
		Repair: Repair, Recorded: []ledger.Recorded{recorded()}, Outdated: outdatedMemoryIndexes}
}

func outdatedMemoryIndexes(tx *ledger.Tx) (all []ledger.Refreshing, err error) {
	err = scanMemoryUsers(tx, func(u UserRecord) error {
		outdated, err := tx.IfOutdated(u.index(), refreshMemories(u.Number))
		all = append(all, outdated...)
		return err
	})
	return all, err
}
