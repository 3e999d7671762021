package claims

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Text is one of several texts that are compared with each other.
type Text struct {
	Full string
	Rare func() []string // its rarest words; several texts may be asked at once
	At   time.Time       // when it was said
}

// Related is an earlier text of a list that another one repeats or replaces, or that replaces it.
type Related struct {
	Index    int
	Relation Relation
}

const (
	mostSharing = 32  // earlier texts that share its rarest words, which a text is compared with
	mostHaving  = 256 // texts with a word that are looked at, the last ones
)

// Among compares each text with those before it that share its rarest words, on all processors.
// Of two the one that was said later is the newer one or, if both were at once, the one that is later
// in the list.
func Among(texts []Text) [][]Related {
	rare, said := make([][]string, len(texts)), make([]Statement, len(texts))
	inParallel(len(texts), func(i int, _ []float64) { rare[i], said[i] = texts[i].Rare(), Read(texts[i].Full) })
	having := map[string][]int{}
	for i, words := range rare {
		for _, word := range words {
			having[word] = append(having[word], i)
		}
	}
	all := make([][]Related, len(texts))
	inParallel(len(texts), func(i int, weights []float64) {
		for _, k := range sharing(rare[i], having, i, weights) {
			older, newer := k, i
			if texts[k].At.After(texts[i].At) {
				older, newer = i, k
			}
			if relation := Compare(said[older], said[newer]); relation != Other {
				all[i] = append(all[i], Related{k, relation})
			}
		}
	})
	return all
}

// inParallel calls do for each of n texts, with a zero for each text as scratch space.
func inParallel(n int, do func(i int, weights []float64)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			weights := make([]float64, n)
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i), weights)
			}
		})
	}
	workers.Wait()
}

// sharing returns the texts before one that share its rarest words, the ones with most of them first.
// weights has a zero for each text, also afterwards.
func sharing(words []string, having map[string][]int, before int, weights []float64) (most []int) {
	var all []int
	for _, word := range words {
		others := having[word]
		for _, k := range others[max(0, len(others)-mostHaving):] {
			if k >= before {
				break
			}
			if weights[k] == 0 {
				all = append(all, k)
			}
			weights[k] += 1 / float64(len(others))
		}
	}
	for _, k := range all {
		at, _ := slices.BinarySearchFunc(most, k, func(a, b int) int {
			return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b))
		})
		if at < mostSharing {
			most = slices.Insert(most[:min(len(most), mostSharing-1)], at, k)
		}
	}
	for _, k := range all {
		weights[k] = 0
	}
	return most
}
