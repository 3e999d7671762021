package store

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"techo/store/kv"
)

// recordOf is a memo as it is kept.
func recordOf(m *Memo) memoRecord {
	return memoRecord{m.ID, m.Name, m.Content, m.Priority, m.Tags, m.Detail, m.CreatedAt.UnixMilli(), m.UpdatedAt.UnixMilli(), 0}
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
	Text     uint32   `json:"text,omitempty"` // its number in the search index
}

func loadMemo(tx kv.Tx, id string) (Memo, error) {
	var r memoRecord
	if err := load(tx, memoKey(id), &r); err != nil {
		return Memo{}, err
	}
	return r.memo(), nil
}

// indexedMemo loads a memo that an index names.
func indexedMemo(tx kv.Tx, id string) (Memo, error) {
	m, err := loadMemo(tx, id)
	if errors.Is(err, kv.ErrNotFound) {
		err = &kv.CorruptError{Path: "memo " + id, Reason: "an index names it, and it is not there"}
	}
	return m, err
}

// The keys of memos.

var (
	memoNameSpace   = []byte("mn")
	memoOrderSpace  = []byte("mo")
	memoLatestSpace = []byte("mu")
	memoCountsKey   = []byte("mc")
)

func memoKey(id string) []byte       { return append([]byte("mi"), id...) }
func memoNameKey(name string) []byte { return append(slices.Clip(memoNameSpace), name...) }

// memoIndex returns the keys under which a memo is found.
func memoIndex(m *Memo) [][]byte {
	updated := append(appendTime(nil, m.UpdatedAt), m.Name...)
	order := append([]byte{byte(TopPriority - m.Priority)}, updated...)
	keys := [][]byte{
		memoNameKey(m.Name),
		append(slices.Clip(memoOrderSpace), order...),
		append(slices.Clip(memoLatestSpace), updated...),
	}
	for _, t := range m.Tags {
		keys = append(keys, append(memoTagPrefix(t), order...))
	}
	return keys
}

func memoTagPrefix(tag string) []byte {
	return append(binary.AppendUvarint([]byte("mt"), uint64(len(tag))), tag...)
}

// latestFirst turns over all bits but the first, which is the sign's.
const latestFirst = 1<<63 - 1

func appendTime(b []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t.UnixMilli())^latestFirst)
}

func readTime(b []byte) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b) ^ latestFirst))
}
