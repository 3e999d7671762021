package search

import (
	"errors"
	"iter"
	"slices"

	"techo/store/kv"
	"techo/store/search/vectors"
)

// ErrOutdated is returned for an index that another version of techo has written, until Rebuild
// has built it again.
var ErrOutdated = errors.New("search index: another version has written it")

// rebuilding is how far an index has been built again.
type rebuilding struct {
	Cleared bool   `json:"cleared,omitempty"` // nothing of the other version is left
	After   string `json:"after,omitempty"`   // id of the last text that was added
}

// TextsAfter yields the texts of the records after an id, "" for all, in the order of the ids.
type TextsAfter func(id string) iter.Seq2[Doc, error]

// keysPerText is the number of keys that are removed in place of a text that is added.
const keysPerText = 4

// outdated reports whether the index has to be built again.
func (n *numbers) outdated() bool {
	return n.Rebuilding != nil || n.Version != version && *n != (numbers{})
}

// Ready returns ErrOutdated for an index that has to be built again.
func (x Index) Ready(tx kv.Tx) error {
	n, err := x.numbers(tx)
	if err == nil && n.outdated() {
		err = ErrOutdated
	}
	return err
}

// Rebuild does a part of the work that an index of another version needs: it removes some of its
// keys, or adds up to most texts, which keep their numbers. done is true if no work is left.
//
// Each call begins where the last committed one ended, so a process that is killed loses one of
// them at most.
func (x Index) Rebuild(tx kv.Tx, most int, texts TextsAfter) (done bool, err error) {
	n, err := x.numbers(tx)
	if err != nil || !n.outdated() {
		return err == nil, err
	}
	if n.Version != version {
		n = numbers{Version: version, Rebuilding: &rebuilding{}}
	}
	if n.Rebuilding.Cleared {
		done, err = addAgain(tx, x, &n, most, texts)
	} else {
		n.Rebuilding.Cleared, err = clearIndex(tx, x, most*keysPerText)
	}
	if err != nil {
		return false, err
	}
	return done, x.saveNumbers(tx, n)
}

// addAgain adds up to most texts.
func addAgain(tx kv.Tx, x Index, n *numbers, most int, texts TextsAfter) (done bool, err error) {
	done = true
	var docs []Doc
	for d, err := range texts(n.Rebuilding.After) {
		if err != nil {
			return false, err
		}
		if done = len(docs) < most; !done {
			break
		}
		docs = append(docs, d)
		n.Next = max(n.Next, d.Num+1)
		n.Texts++
		n.Length += int64(d.Bag.Length)
	}
	if n.Folded = n.Next; done {
		n.Rebuilding = nil
	} else {
		n.Rebuilding.After = docs[len(docs)-1].ID
	}
	slices.SortFunc(docs, byNumber)
	return done, x.apply(tx, docs, 1)
}

// clearIndex removes up to most keys of an index, all but the statistics. It returns whether none
// is left.
func clearIndex(tx kv.Tx, x Index, most int) (cleared bool, err error) {
	var all [][]byte
	for _, prefix := range Prefixes() {
		if prefix != numbersPrefix {
			all = append(all, x.key(prefix))
		}
	}
	return vectors.Clear(tx, all, most)
}
