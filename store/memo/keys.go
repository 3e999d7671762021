package memo

import (
	"encoding/binary"
	"time"

	"techo/store/ledger"
)

// The prefixes of the keys of memos.
const (
	Records  ledger.Prefix = "mi"
	Names    ledger.Prefix = "mn"
	byRank   ledger.Prefix = "mo"
	byTag    ledger.Prefix = "mt"
	ByTime   ledger.Prefix = "mu"
	CountKey ledger.Prefix = "mc"
)

// Key returns the key of a record.
func Key(id string) []byte { return Records.Key(id) }

// NameKey returns the key of the entry for a name.
func NameKey(name string) []byte { return Names.Key(name) }

func memoTagPrefix(tag string) []byte { return byTag.Named(tag) }

func memoRank(priority int) byte { return byte(TopPriority - priority) }

func memoRankPrefix(tag string, rank byte) []byte { return append(memoTagPrefix(tag), rank) }

// latestFirst inverts all bits of a time but the first, its sign.
const latestFirst = 1<<63 - 1

func appendTime(b []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t.UnixMilli())^latestFirst)
}

func ReadTime(b []byte) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b) ^ latestFirst))
}
