package store

import (
	"encoding/json"
	"time"
)

// memoryRecorded describes memories for the history.
func memoryRecorded() Recorded {
	return Recorded{
		Kind: KindMemory, Prefixes: []space{memoryRecords}, Owned: true,
		Numbers: []string{`,"text":`, `,"group":`, `,"order":`},
		ID:      func(key []byte) (string, bool) { return string(rest(key)), len(rest(key)) > 4 },
		Current: currentMemories, Describe: describeMemory, Restore: restoreMemories, Mentions: formerOf,
	}
}

func currentMemories(tx *Tx, owner string, ids []string) ([][]byte, error) {
	u, err := loadMemoryUser(tx, owner, false)
	if err != nil || u.Number == 0 {
		return make([][]byte, len(ids)), err
	}
	return tx.GetMany(keysOfIDs(ids, func(id string) []byte { return memoryKey(u.Number, id) }))
}

// formerOf returns the ids of the memories that a memory has superseded.
func formerOf(value []byte) (ids []string) {
	var m memoryRecord
	if json.Unmarshal(value, &m) != nil {
		return nil
	}
	for _, f := range m.Former {
		ids = append(ids, f.ID)
	}
	return ids
}

func describeMemory(_ *Tx, id string, value []byte) (title, text string, err error) {
	var r memoryRecord
	if err = json.Unmarshal(value, &r); err != nil {
		return "", "", err
	}
	d := describing(KindMemory, id)
	d.field("caption", r.Caption)
	d.field("session", r.Session)
	d.field("topic", r.Topic)
	if r.Project {
		d.field("scope", r.scope())
	}
	if r.Expires != 0 {
		d.field("expires_at", time.UnixMilli(r.Expires).UTC().Format(time.RFC3339))
	}
	for _, f := range r.Former {
		d.field("supersedes", f.ID+" "+f.Caption)
	}
	d.field("full_text", r.Full)
	return r.Caption, d.String(), nil
}

// memorySchema describes the keys of memories and of the search index, which they share with memos.
func memorySchema() Schema {
	return Schema{Name: "memories", Prefixes: memoryPrefixes(), Shared: true, Audit: newMemoryAudit,
		Repair: repairMemories, Recorded: []Recorded{memoryRecorded()}, Outdated: outdatedMemoryIndexes}
}

func outdatedMemoryIndexes(tx *Tx) (all []refreshing, err error) {
	err = scanMemoryUsers(tx, func(u memoryUser) error {
		outdated, err := ifOutdated(tx, u.index(), refreshMemories(u.Number))
		all = append(all, outdated...)
		return err
	})
	return all, err
}
