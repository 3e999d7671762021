package search

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
)

// said returns a text of a conversation in either language, with function words, hiragana,
// names and questions.
func (b *both) said(words int) string {
	kana := []string{"りんご", "みどり", "さくら", "かえる", "ねこ", "です", "から", "みかん"}
	common := []string{"the", "what", "you", "is", "to", "I", "my"}
	var s strings.Builder
	if b.rand.IntN(3) == 0 {
		s.WriteString([]string{"Anna: ", "Ben: "}[b.rand.IntN(2)])
	}
	for range words {
		switch b.rand.IntN(4) {
		case 0:
			s.WriteString(kana[b.rand.IntN(1+b.rand.IntN(len(kana)))] + " ")
		case 1:
			s.WriteString(common[b.rand.IntN(len(common))] + " ")
		default:
			s.WriteString(b.text(1))
		}
	}
	if b.rand.IntN(4) == 0 {
		s.WriteString([]string{"yesterday", "Max", "?"}[b.rand.IntN(3)])
	}
	return s.String()
}

// TestPrunedAsWhole asks questions that are answered with pruned lists, and again with
// whole ones: sessions, neighbours that ask, speakers, times, names and subsets of the
// texts change nothing about the texts that are found, their order and their scores.
func TestPrunedAsWhole(t *testing.T) {
	for _, texts := range testenv.Pick([]int{manyTexts + 500}, []int{15000, manyTexts + 500}) {
		t.Run(fmt.Sprint(texts, " texts"), func(t *testing.T) {
			b := newBoth(t)
			b.addSaid(texts)
			pruned := 0
			err := b.engine.View(t.Context(), func(tx kv.Tx) error {
				for range testenv.Pick(15, 30) {
					q := b.ask()
					q.By = ByWords
					found, whole, err := b.findTwice(tx, q)
					if err != nil {
						return err
					}
					if !reflect.DeepEqual(found.Hits, whole.Hits) {
						t.Fatalf("%q: %+v, with whole lists %+v", q.Text, found.Hits, whole.Hits)
					}
					if found.AtLeast {
						pruned++
					}
				}
				return nil
			})
			if err != nil || pruned < testenv.Pick(3, 6) {
				t.Fatalf("%v, %d questions were pruned", err, pruned)
			}
		})
	}
}

// TestRoughly finds candidates for a rough question by its rarest terms, if the lists of all are long.
func TestRoughly(t *testing.T) {
	for _, test := range []struct {
		texts, terms int // of each list, of the question
		roughly      bool
		want         int
	}{
		{100_000, 60, false, 60},
		{100_000, 60, true, leastRoughly},
		{100_000, leastRoughly, true, leastRoughly},
		{mostRoughly / 40, 60, true, 40},
		{10, 60, true, 60},
	} {
		f := &finding{query: Query{Roughly: test.roughly}, terms: make([]asked, test.terms)}
		for i := range f.terms {
			f.terms[i].head.count = test.texts
		}
		if terms, postings := f.scoring(); terms != test.want || postings != test.want*test.texts {
			t.Errorf("%+v: %d terms, %d postings", test, terms, postings)
		}
	}
}

// findTwice answers a question with what may be left out left out, and with everything read.
func (b *both) findTwice(tx kv.Tx, q Query) (found, whole Found, err error) {
	if found, err = b.index.Find(tx, q); err == nil {
		q.Counted = true
		whole, err = b.index.Find(tx, q)
	}
	return found, whole, err
}

// addSaid adds texts of conversations; a few hundred wait.
func (b *both) addSaid(n int) {
	a := NewAnalyzer()
	for _, part := range []int{n - 200, 200} {
		docs := make([]Doc, part)
		for i := range docs {
			text := b.said(1 + b.rand.IntN(12))
			docs[i] = Doc{ID: fmt.Sprint("id", b.next), Bag: a.Bag(text), Vec: a.Meaning(text), At: int64(b.next)}
			if b.rand.IntN(4) > 0 {
				docs[i].Group = uint32(1 + b.rand.IntN(n/20))
			}
			b.next++
		}
		b.update(func(tx kv.Tx) error { return b.index.Add(tx, docs) })
		b.model.docs = append(b.model.docs, docs...)
	}
}

// ask returns a question.
func (b *both) ask() Query {
	q := Query{Text: b.said(2 + b.rand.IntN(6)), Limit: 1 + b.rand.IntN(20)}
	if b.rand.IntN(3) > 0 {
		q.Around = b.model.neighbours
	}
	if b.rand.IntN(2) == 0 {
		q.FullText = func(o Owner, _ []Owner) (string, error) { return fmt.Sprint("I met Max and W", o.Num%300), nil }
	}
	if b.rand.IntN(4) == 0 {
		for range b.rand.IntN(50) {
			q.Favoured = append(q.Favoured, b.model.docs[b.rand.IntN(len(b.model.docs))].Num)
		}
	}
	if b.rand.IntN(4) == 0 {
		odd := uint32(1 + b.rand.IntN(5))
		q.Keep = func(num uint32) bool { return num%odd == 0 }
	}
	return q
}

// TestPrunedKana finds a text for two pairs of hiragana, which make a text a hit together
// only, though the list of one of them is not read as a whole.
func TestPrunedKana(t *testing.T) {
	b := newBoth(t)
	a := NewAnalyzer()
	docs := make([]Doc, 20000)
	for i := range docs {
		text := "filler"
		if i < 2 {
			text += " zebra"
		}
		if i%10 == 0 {
			text += " ねこ"
		}
		if i%60 == 0 || i%10 != 0 && i%3 == 0 {
			text += " ゆめ"
		}
		if i%20 != 0 {
			text += " lamp"
		}
		docs[i] = Doc{ID: fmt.Sprint("id", i), Bag: a.Bag(text)}
	}
	b.update(func(tx kv.Tx) error { return b.index.Add(tx, docs) })
	err := b.engine.View(t.Context(), func(tx kv.Tx) error {
		found, err := b.index.Find(tx, Query{Text: "zebra ねこ ゆめ lamp", Limit: 3})
		if err != nil || len(found.Hits) < 3 || found.Hits[2].Num != 19980 {
			t.Errorf("%v, %+v", err, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
