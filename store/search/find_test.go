package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/bitset"
	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/folder"
)

// both is an index with its model, in a store.
type both struct {
	t      *testing.T
	ctx    context.Context
	engine *folder.Engine
	model  model
	index  Index
	rand   *rand.Rand
	next   uint32
	kept   *keptState
}

func newBoth(t *testing.T) *both {
	engine, err := folder.Open(filepath.Join(t.TempDir(), "store"), folder.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return &both{t: t, ctx: t.Context(), engine: engine, index: At(7), rand: testenv.Random(t),
		kept: &keptState{values: map[string][]byte{}}}
}

// text generates words, with higher numbers rarer, and some Japanese.
func (b *both) text(words int) string {
	var s strings.Builder
	for range words {
		if b.rand.IntN(5) == 0 {
			s.WriteString(string([]rune("雨雪風花見る山のカフェラテ")[b.rand.IntN(8):][:3]) + " ")
			continue
		}
		fmt.Fprintf(&s, "w%d ", int(math.Pow(300, b.rand.Float64()))-1)
	}
	return s.String()
}

func (b *both) update(fn func(kv.Tx) error) {
	b.t.Helper()
	if err := b.engine.Update(b.ctx, fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *both) add(n, groups int) {
	b.t.Helper()
	a := NewAnalyzer()
	docs := make([]Doc, n)
	for i := range docs {
		docs[i] = Doc{ID: fmt.Sprint("id", b.next), Bag: a.Bag(b.text(1 + b.rand.IntN(20)))}
		if groups > 0 {
			docs[i].Group = uint32(b.rand.IntN(groups))
		}
		b.next++
	}
	b.update(func(tx kv.Tx) error { return b.index.Add(tx, docs) })
	b.model.docs = append(b.model.docs, docs...)
}

func (b *both) remove() {
	b.t.Helper()
	i := b.rand.IntN(len(b.model.docs))
	b.update(func(tx kv.Tx) error { return b.index.Remove(tx, b.model.docs[i]) })
	b.model.docs = slices.Delete(b.model.docs, i, i+1)
}

// sound checks the index and asks random questions.
func (b *both) sound(questions int, grouped bool) {
	b.t.Helper()
	err := b.engine.View(b.ctx, func(tx kv.Tx) error {
		if err := b.check(tx); err != nil {
			return err
		}
		for range questions {
			b.model.same(b.t, tx, b.index, b.text(1+b.rand.IntN(6)), 1+b.rand.IntN(12), grouped)
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// TestFind adds and removes texts in every way and compares with the model.
func TestFind(t *testing.T) {
	for _, groups := range []int{0, 9} {
		t.Run(fmt.Sprintf("%d groups", groups), func(t *testing.T) {
			b := newBoth(t)
			err := b.engine.Group(t.Context(), func(ctx context.Context) error { // one sync instead of thousands
				b.ctx = ctx
				for range testenv.Pick(60, 150) {
					b.step(groups)
					b.sound(1, groups > 0)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// step adds or removes a few texts, sometimes many.
func (b *both) step(groups int) {
	b.t.Helper()
	switch r := b.rand.IntN(20); {
	case r == 0:
		b.add(200+b.rand.IntN(200), groups)
	case r < 13 || len(b.model.docs) == 0:
		b.add(1+b.rand.IntN(3), groups)
	default:
		b.remove()
	}
	for len(b.model.docs) > pool-20 {
		b.remove()
	}
}

// TestFindPruned searches enough texts that common terms are pruned.
func TestFindPruned(t *testing.T) {
	b := newBoth(t)
	b.add(20000, 0)
	b.add(100, 0)
	pruned := 0
	err := b.engine.View(t.Context(), func(tx kv.Tx) error {
		for range testenv.Pick(10, 25) {
			question := b.text(4)
			b.model.same(t, tx, b.index, question, 5, false)
			found, err := b.index.Find(tx, Query{Text: question, Limit: 5})
			if err != nil {
				return err
			}
			if found.AtLeast {
				pruned++
			}
		}
		return nil
	})
	if err != nil || pruned == 0 {
		t.Fatalf("%v, %d questions were pruned", err, pruned)
	}
}

// TestFindOnly searches subsets of the texts.
func TestFindOnly(t *testing.T) {
	b := newBoth(t)
	b.add(20000, 0)
	b.add(100, 0)
	err := b.engine.View(t.Context(), func(tx kv.Tx) error {
		for range testenv.Pick(10, 25) {
			question, share := b.text(4), 1+b.rand.IntN(1000)
			only := &bitset.Set{}
			for _, d := range b.model.docs {
				if b.rand.IntN(1000) < share {
					only.Add(d.Num)
				}
			}
			want, matching := b.model.find(question, false, smallPool, only.Has)
			var order []float64
			for _, s := range want {
				order = append(order, s)
			}
			slices.Sort(order)
			slices.Reverse(order)
			found, err := b.index.Find(tx, Query{Text: question, Limit: 5, Only: only})
			if err != nil {
				return err
			}
			if len(found.Hits) != min(5, len(order)) || found.Total > matching || !found.AtLeast &&
				found.Total != matching {
				t.Fatalf("%q: %+v, want %d", question, found, len(order))
			}
			for i, h := range found.Hits {
				if !only.Has(h.Num) || math.Abs(h.Score-order[i]) > 1e-9 {
					t.Fatalf("%q: hit %d is %+v, want %v", question, i, h, order[i])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFindLong asks page-long questions about grouped texts, with too many postings
// to read all. The scores agree with the model.
func TestFindLong(t *testing.T) {
	b := newBoth(t)
	b.add(4000, 400)
	err := b.engine.View(t.Context(), func(tx kv.Tx) error {
		question := b.text(80)
		found, err := b.index.Find(tx, Query{Text: question, Limit: 20, Around: b.model.neighbours})
		if err != nil {
			return err
		}
		sorted := slices.IsSortedFunc(found.Hits, newestBefore)
		if len(found.Hits) != 20 || !found.AtLeast || found.Total > 4000 || !sorted {
			t.Errorf("%q: %+v", question, found)
		}
		want, _ := b.model.find(question, true, pool, nil)
		for i, h := range found.Hits {
			if math.Abs(h.Score-want[h.Num]) > 1e-6 {
				t.Errorf("hit %d: score %v, want %v", i, h.Score, want[h.Num])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBlocks grows and shrinks a list until it is empty.
func TestBlocks(t *testing.T) {
	b := newBoth(t)
	a := NewAnalyzer()
	sizes := append(slices.Repeat([]int{mayWait, 300, 900}, 4), 3000)
	for range 12 {
		sizes = append(sizes, mayWait-1, 1) // which are folded together
	}
	for _, n := range sizes {
		docs := make([]Doc, n)
		for i := range docs {
			docs[i] = Doc{ID: fmt.Sprint("id", b.next), Group: uint32(1 + b.rand.IntN(2500)),
				Bag: a.Bag("same " + b.text(1))}
			b.next++
		}
		b.update(func(tx kv.Tx) error { return b.index.Add(tx, docs) })
		b.model.docs = append(b.model.docs, docs...)
	}
	b.sound(0, true)
	b.update(func(tx kv.Tx) error {
		h, err := b.index.loadHead(tx, "same")
		if most := h.count/perBlock + 2; err != nil || len(h.firsts) > most {
			t.Errorf("%v: %d entries in %d blocks, at most %d", err, h.count, len(h.firsts), most)
		}
		return nil
	})
	b.rand.Shuffle(len(b.model.docs),
		func(i, j int) { b.model.docs[i], b.model.docs[j] = b.model.docs[j], b.model.docs[i] })
	for len(b.model.docs) > 0 {
		b.update(func(tx kv.Tx) error {
			for range min(2000, len(b.model.docs)) {
				last := len(b.model.docs) - 1
				if err := b.index.Remove(tx, b.model.docs[last]); err != nil {
					return err
				}
				b.model.docs = b.model.docs[:last]
			}
			return nil
		})
		b.sound(0, true)
	}
	b.update(func(tx kv.Tx) error {
		for item, err := range tx.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			if space := string(item.Key[:2]); space == headPrefix || space == blockPrefix || space == waitingPrefix {
				t.Errorf("%q is left of an empty index", item.Key)
			}
		}
		err := b.index.Remove(tx, Doc{Num: 1, Bag: a.Bag("same")})
		if !errors.As(err, new(*kv.CorruptError)) {
			t.Errorf("what is not there was removed: %v", err)
		}
		return nil
	})
}
