package memfile

import (
	"context"
	"iter"
	"strings"

	"techo/internal/bitset"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
)

// index returns the search index of the files of all users. A search keeps to those of its user.
func index() search.Index { return search.At(search.Files) }

// doc returns the document of a file for the index.
func doc(f *File) search.Doc {
	d := search.Doc{Num: f.num, ID: f.id(), At: f.UpdatedAt.UnixMilli()}
	d.Bag = search.NewAnalyzer().Bag(f.Text, f.Names())
	d.Vec = search.MeaningOf(f.Text, f.Names())
	return d
}

// followInSearch replaces a file in the index. The new one gets its number there.
func followInSearch(tx *ledger.Tx, before, after *File) error {
	if before != nil && !before.Folder {
		if err := index().Remove(tx, doc(before)); err != nil {
			return err
		}
	}
	if after == nil || after.Folder {
		return nil
	}
	docs := []search.Doc{doc(after)}
	if size := docs[0].Bag.Size() + 1<<10; size > kv.MaxValue {
		return &ledger.LimitError{What: "bytes of a memory file", Max: kv.MaxValue, Got: size}
	}
	err := index().Add(tx, docs)
	after.num = docs[0].Num
	return err
}

func texts(tx *ledger.Tx) search.TextsAfter {
	all := ledger.TextsOf(tx, Records.All(), func(p kv.Pair) (search.Doc, error) {
		f, err := Decode(p.Key, p.Value)
		if err != nil || f.Folder {
			return search.Doc{}, err
		}
		return doc(&f), nil
	})
	return func(after string) iter.Seq2[search.Doc, error] {
		return func(yield func(search.Doc, error) bool) {
			for d, err := range all(after) {
				if (d.ID != "" || err != nil) && !yield(d, err) { // a folder has no text
					return
				}
			}
		}
	}
}

// refresh builds the index again.
func refresh(tx *ledger.Tx) (bool, error) {
	return index().Rebuild(tx, ledger.RefreshBatch, texts(tx))
}

func checkIndex(tx *ledger.Tx) error { return index().Verify(tx, texts(tx)) }

// Search returns the files of a user that match a question by words, meaning or both, the best first.
func (s Files) Search(ctx context.Context, user, question string, by search.By, limit int) (found []File, err error) {
	user = ledger.NormalUser(user)
	err = s.View(ctx, func(tx *ledger.Tx) error {
		found = nil
		own := map[string]File{}
		only := &bitset.Set{}
		for f, err := range table.Scan(tx, kv.Range{Prefix: Key(user, "")}) {
			if err != nil {
				return err
			}
			if !f.Folder {
				own[f.id()] = f
				only.Add(f.num)
			}
		}
		if len(own) == 0 {
			return nil
		}
		hits, err := index().Find(tx, search.Query{Text: question, Limit: limit, Only: only, By: by})
		for _, h := range hits.Hits {
			if f, ok := own[h.ID]; ok {
				found = append(found, f)
			}
		}
		return err
	})
	return found, err
}

// Names returns the names in the path of a file as words.
func (f *File) Names() string {
	return strings.NewReplacer("/", " ", ".", " ", "_", " ", "-", " ").Replace(f.Path[len(Root):])
}

func (f *File) id() string { return string(ledger.Rest(Key(f.User, f.Path))) }
