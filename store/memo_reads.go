package store

import (
	"techo/store/kv"
	"techo/store/search"
)

// namedMemo returns the reads of a memo by its name in NFC or its id.
func namedMemo(name string) kv.Reads {
	return kv.Reads{
		Keys:   [][]byte{memoKey(name)},
		Linked: []kv.Linked{{Key: memoNameKey(name), Prefix: memoKey("")}},
		All:    true,
	}
}

// announceMemo announces the reads of a change to the memo with a name, and of more keys.
func announceMemo(tx kv.Tx, name string, more ...[]byte) error {
	return tx.Prefetch(func() kv.Reads {
		reads := namedMemo(name)
		reads.Keys = append(reads.Keys, memoCountKey.all(),
			search.NumbersKey(search.At(memoSearch)))
		reads.Keys = append(reads.Keys, more...)
		return reads
	})
}

// announceNewMemo announces the reads of the addition of a memo with a name and an id.
func announceNewMemo(tx kv.Tx, name, id string) error {
	return tx.Prefetch(func() kv.Reads {
		reads := kv.Reads{Keys: [][]byte{memoCountKey.all(), search.NumbersKey(search.At(memoSearch)),
			memoNameKey(name), memoNameKey(id), memoKey(id)}}
		if isMemoID(name) {
			reads.Keys = append(reads.Keys, memoKey(name))
		}
		return reads
	})
}

// listedMemos returns the reads of a list of memos and of their number.
func listedMemos(prefix []byte, offset, limit int) kv.Reads {
	reads := kv.Reads{Keys: [][]byte{memoCountKey.all()}, All: true}
	if end := listEnd(offset, limit); end > 0 {
		reads.Linked = []kv.Linked{{Range: kv.Range{Prefix: prefix, Limit: end}, Prefix: memoKey("")}}
	}
	return reads
}

// listEnd returns the limit of a scan that reads a page of a list, 0 for a long scan.
func listEnd(offset, limit int) int {
	const long = 4096
	if offset < 0 || limit < 0 || offset > long || limit > long {
		return 0
	}
	return offset + limit
}

// firstsOfTags returns the reads of the first memo of each tag and priority.
func firstsOfTags(tags map[string]int) (reads kv.Reads) {
	for tag := range tags {
		for rank := range byte(TopPriority) {
			reads.Ranges = append(reads.Ranges, kv.Range{Prefix: memoRankPrefix(tag, rank), Limit: 1})
		}
	}
	return reads
}
