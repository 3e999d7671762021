package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"techo/internal/meaning"
	"techo/store/kv"
	"techo/store/search/vectors"
)

// randomVec returns a vector near another one, or far from all if share is 0.
func randomVec(r *rand.Rand, near meaning.Vec, share float64) meaning.Vec {
	v, square := meaning.Vec{}, 0.0
	for i := range v.Q {
		v.Q[i] = int8(share*float64(near.Q[i]) + (1-share)*float64(r.IntN(255)-127))
		square += float64(v.Q[i]) * float64(v.Q[i])
	}
	v.Scale = float32(1 / math.Sqrt(square))
	return v
}

// Near is a text with its likeness to another one, from -1 to 1.
type Near struct {
	Owner
	Likeness float32
}

// Nearest returns the texts that are most like a vector, up to n, the most alike first.
// keep selects texts by number; nil selects all.
func (x Index) Nearest(tx kv.Tx, v meaning.Vec, n int, keep func(num uint32) bool) ([]Near, error) {
	f := &finding{index: x, tx: tx, query: Query{Keep: keep}, vec: v, together: &together{}}
	if err := f.open(); err != nil || f.numbers.Texts == 0 {
		return nil, err
	}
	if err := f.readBlocks(); err != nil {
		return nil, err
	}
	likely, err := f.likely(nil)
	if err != nil {
		return nil, err
	}
	likely = likely[:min(n, len(likely))]
	nums := make([]uint32, len(likely))
	for i, l := range likely {
		nums[i] = l.num
	}
	if err := f.readOwners(nums, 0); err != nil {
		return nil, err
	}
	all := make([]Near, len(likely))
	for i, l := range likely {
		o, err := f.owner(l.num)
		if err != nil {
			return nil, err
		}
		all[i] = Near{o, l.likeness}
	}
	return all, nil
}

// nearest is the reference for Index.Nearest: it compares all texts.
func (m *model) nearest(v meaning.Vec, n int, keep func(uint32) bool) (all []Near) {
	for _, d := range m.docs {
		if !d.Vec.Zero() && (keep == nil || keep(d.Num)) {
			all = append(all, Near{d.owner(), meaning.Likeness(&v, &d.Vec)})
		}
	}
	slices.SortFunc(all, func(a, b Near) int {
		return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), cmp.Compare(b.Num, a.Num))
	})
	return all[:min(n, len(all))]
}

// addVectors adds texts with vectors near some that the index has, far ones, and some
// without.
func (b *both) addVectors(n int) {
	docs := make([]Doc, n)
	for i := range docs {
		docs[i] = Doc{ID: fmt.Sprint("id", b.next), Bag: NewAnalyzer().Bag(b.text(2))}
		b.next++
		switch old := len(b.model.docs); {
		case b.rand.IntN(10) == 0:
		case old > 0 && b.rand.IntN(3) == 0:
			docs[i].Vec = randomVec(b.rand, b.model.docs[b.rand.IntN(old)].Vec, .8)
		default:
			docs[i].Vec = randomVec(b.rand, meaning.Vec{}, 0)
		}
	}
	b.update(func(tx kv.Tx) error { return b.index.Add(tx, docs) })
	b.model.docs = append(b.model.docs, docs...)
}

// TestNearest compares Nearest with the model. Among few texts all are compared, so the
// results are equal; among many the most alike are found.
func TestNearest(t *testing.T) {
	b := newBoth(t)
	err := b.engine.Group(t.Context(), func(ctx context.Context) error {
		b.ctx = ctx
		for range 4 {
			b.addVectors(10 + b.rand.IntN(20))
			b.remove()
			b.sameNearest(1000, nil)
			b.sameNearest(5, func(num uint32) bool { return num%3 != 0 })
		}
		b.addVectors(700) // some of them into the lists
		for range 50 {
			b.remove()
		}
		for range 3 { // what was kept is old then
			b.addVectors(300)
			b.sameNearest(3, nil)
			b.remove()
			b.sameNearest(3, nil)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// keeping is a transaction of an engine far away.
type keeping struct {
	kv.Tx
	kept *keptState
}

type keptState struct {
	state  string
	values map[string][]byte
}

func (t keeping) Keeps() bool { return true }

func (t keeping) Kept(_ []byte, state string, keys [][]byte) (values [][]byte, unknown []int) {
	values = make([][]byte, len(keys))
	for i, key := range keys {
		v, ok := t.kept.values[string(key)]
		if values[i] = v; !ok || t.kept.state != state {
			unknown = append(unknown, i)
		}
	}
	return values, unknown
}

func (t keeping) Keep(_ []byte, state string, keys, values [][]byte) {
	if t.kept.state != state {
		*t.kept = keptState{state, map[string][]byte{}}
	}
	for i, key := range keys {
		t.kept.values[string(key)] = bytes.Clone(values[i])
	}
}

// sameNearest asks for the texts near some texts, also with what earlier searches have kept.
func (b *both) sameNearest(n int, keep func(uint32) bool) {
	b.t.Helper()
	err := b.engine.View(b.ctx, func(tx kv.Tx) error {
		for i := range 20 {
			v := randomVec(b.rand, b.model.docs[b.rand.IntN(len(b.model.docs))].Vec, .9)
			asked := tx
			if i%2 == 0 {
				asked = keeping{tx, b.kept}
			}
			got, err := b.index.Nearest(asked, v, n, keep)
			if err != nil {
				return err
			}
			want := b.model.nearest(v, n, keep)
			if len(b.model.docs) > sketched { // of those that are not alike others may come
				alike := func(n Near) bool { return n.Likeness < .5 }
				got, want = slices.DeleteFunc(got, alike), slices.DeleteFunc(want, alike)
			}
			if !slices.Equal(got, want) {
				b.t.Fatalf("of %d texts:\n%v, want\n%v", len(b.model.docs), got, want)
			}
		}
		return b.check(tx)
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// check checks the index against the texts of the model.
func (b *both) check(tx kv.Tx) error {
	c := b.index.NewCheck()
	for _, d := range b.model.docs {
		if err := c.Add(tx, d); err != nil {
			return err
		}
	}
	return c.Done(tx)
}

// TestVectorDamage changes one bit of the vectors or the sketches, or loses a record of
// them: the check sees it.
func TestVectorDamage(t *testing.T) {
	b := newBoth(t)
	b.addVectors(400)
	var keys [][]byte
	err := b.engine.View(t.Context(), func(tx kv.Tx) error {
		for _, prefix := range vectors.Prefixes() {
			for item, err := range tx.Scan(kv.Range{Prefix: b.index.key(prefix)}) {
				if err != nil {
					return err
				}
				keys = append(keys, bytes.Clone(item.Key))
			}
		}
		return b.check(tx)
	})
	if err != nil || len(keys) < 20 {
		t.Fatal(len(keys), err)
	}
	undo := fmt.Errorf("undo")
	for _, key := range keys {
		for name, damage := range map[string]func(tx kv.Tx, value []byte) error{
			"flipped": func(tx kv.Tx, value []byte) error {
				value = bytes.Clone(value)
				value[b.rand.IntN(len(value))] ^= 1 << b.rand.IntN(8)
				return tx.Put(key, value)
			},
			"lost":     func(tx kv.Tx, _ []byte) error { return tx.Delete(key) },
			"cut":      func(tx kv.Tx, value []byte) error { return tx.Put(key, value[:len(value)-1]) },
			"surplus":  func(tx kv.Tx, value []byte) error { return tx.Put(append(bytes.Clone(key), 0), value) },
			"too long": func(tx kv.Tx, value []byte) error { return tx.Put(key, bytes.Repeat(value, 70)) },
		} {
			err := b.engine.Update(t.Context(), func(tx kv.Tx) error {
				value, err := tx.Get(key)
				if err == nil {
					err = damage(tx, value)
				}
				if err != nil {
					return err
				}
				if b.check(tx) == nil {
					t.Errorf("%s: %q is not noticed", name, key)
				}
				return undo
			})
			if err != undo {
				t.Fatal(err)
			}
		}
	}
}

// TestMeaningOf leaves out what is in brackets behind a speaker, and what is far behind.
func TestMeaningOf(t *testing.T) {
	if a, b := MeaningOf("Nina (8 May 2023): We moved."), MeaningOf("Nina: We moved."); a != b || a.Zero() {
		t.Error("a date changes the meaning")
	}
	long := bytes.Repeat([]byte("雨だと膝が痛む。"), 1000)
	if a, b := MeaningOf(string(long)), MeaningOf(string(long)+" Where is the boat?"); a != b {
		t.Error("the end of a long text changes its meaning")
	}
}

// TestAge checks the figure of age: what has a newer text like it gets more, what has an older one less, and a turn of
// a conversation nothing, whether the texts wait or not.
func TestAge(t *testing.T) {
	b := newBoth(t)
	texts := []string{"The rent is 900 euros.", "The rent is 950 euros now.", "Ann: The rent is 970 euros."}
	docs, a := make([]Doc, len(texts)), NewAnalyzer()
	for i, text := range texts {
		docs[i] = Doc{ID: text, At: int64(i), Bag: a.Bag(text), Vec: a.Meaning(text)}
	}
	b.update(func(tx kv.Tx) error { return b.index.Add(tx, docs) })
	for _, waiting := range []bool{true, false} {
		if !waiting {
			b.add(2*mayWait, 0)
		}
		age := map[string]float64{}
		err := b.engine.View(t.Context(), func(tx kv.Tx) error {
			n, err := b.index.numbers(tx)
			if err != nil || n.Folded == 0 != waiting {
				t.Fatal(n, err)
			}
			_, err = b.index.Find(tx, Query{Text: "quokka rent", Limit: 3, Observe: func(all []Hit) {
				for _, h := range all {
					age[h.ID] = h.Features[ofAge]
				}
			}})
			return err
		})
		if older, newer := age[texts[0]], age[texts[1]]; err != nil || older < .2 || newer > -.2 || age[texts[2]] != 0 {
			t.Errorf("waiting %v: %v, %v", waiting, age, err)
		}
	}
}

// TestNothingOpen: a text that has both an abbreviation and its long form has more than all words of the question.
// Then the figures of the open part are 0, not reversed.
func TestNothingOpen(t *testing.T) {
	b := newBoth(t)
	docs, a := []Doc{}, NewAnalyzer()
	for i := range 20 {
		text := fmt.Sprint("a text about lunch ", i)
		if i < 2 {
			text = fmt.Sprint("k8s kubernetes costs 900 euros ", i)
		}
		docs = append(docs, Doc{ID: text, At: int64(i), Bag: a.Bag(text), Vec: a.Meaning(text)})
	}
	b.update(func(tx kv.Tx) error { return b.index.Add(tx, docs) })
	err := b.engine.View(t.Context(), func(tx kv.Tx) error {
		_, err := b.index.Find(tx, Query{Text: "k8s", Limit: 3, Observe: func(all []Hit) {
			for _, h := range all {
				if h.Features[ofAge] != 0 || h.Features[ofNearMeaning] != 0 {
					t.Errorf("%s: age %v, near meaning %v", h.ID, h.Features[ofAge], h.Features[ofNearMeaning])
				}
			}
		}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
