package store

import (
	"techo/store/ledger"
)

// inSpace returns the changes of the records of a shared space.
func inSpace(n *namer, space string, suspects bool) (all []RecordChange) {
	if suspects {
		n.addSuspects()
	}
	all = n.result()
	for i := range all {
		all[i].Space = space
	}
	return all
}

// of returns the namer of the records that a key belongs to, and the key there.
func (n *namer) of(key []byte) (*namer, []byte) {
	if ledger.PrefixOf(key) != ledger.SharedRecords {
		return n, key
	}
	number, within, ok := ledger.CutShared(key)
	if !ok {
		return n, key
	}
	if n.shared[number] == nil {
		n.shared[number] = newNamer()
	}
	return n.shared[number], within
}
