package store

import (
	"encoding/binary"
	"time"
)

// The prefixes of the keys of memos.
const (
	memoRecords  space = "mi"
	memoNames    space = "mn"
	memoOrder    space = "mo"
	memosByTag   space = "mt"
	memosByTime  space = "mu"
	memoCountKey space = "mc"
)

func memoKey(id string) []byte { return memoRecords.key(id) }

func memoNameKey(name string) []byte { return memoNames.key(name) }

func memoTagPrefix(tag string) []byte { return memosByTag.named(tag) }

func memoRank(priority int) byte { return byte(TopPriority - priority) }

func memoRankPrefix(tag string, rank byte) []byte { return append(memoTagPrefix(tag), rank) }

// memoIndex returns the keys of a memo's index entries.
func memoIndex(m *Memo) [][]byte {
	updated := append(appendTime(nil, m.UpdatedAt), m.Name...)
	order := string(append([]byte{memoRank(m.Priority)}, updated...))
	keys := [][]byte{memoNameKey(m.Name), memoOrder.key(order), memosByTime.key(string(updated))}
	for _, t := range m.Tags {
		keys = append(keys, append(memoTagPrefix(t), order...))
	}
	return keys
}

// latestFirst inverts all bits of a time but the first, its sign.
const latestFirst = 1<<63 - 1

func appendTime(b []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t.UnixMilli())^latestFirst)
}

func readTime(b []byte) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b) ^ latestFirst))
}
