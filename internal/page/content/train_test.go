package content

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"testing"

	"techo/internal/page/pagetest"
	"techo/internal/page/view"
)

var train = flag.Bool("train", false, "fit the extractor's table anew and write it")

// lesson is a page as training data.
type lesson struct {
	pagetest.Sample
	vectors []*vector
	priors  []float64
	labels  []float64
	weights []float64
	s       *surroundings
}

func newLesson(s pagetest.Sample) *lesson {
	o := view.Parse(s.HTML).Outline()
	around := survey(o)
	l := &lesson{Sample: s, labels: label(o.Blocks, s.Truth), s: around, priors: around.prior}
	total := float64(max(len(pagetest.WordsOf(s.Truth)), 20))
	for i := range o.Blocks {
		v := new(vector)
		around.describe(v, i)
		l.vectors = append(l.vectors, v)
		l.weights = append(l.weights, math.Pow(max(o.Blocks[i].Words, 1)/total, 0.75))
	}
	sum := 0.0
	for _, w := range l.weights {
		sum += w
	}
	for i := range l.weights { // pages have similar weight; large pages a little more
		l.weights[i] *= 30 / math.Sqrt(sum) / math.Sqrt(sum+0.01)
	}
	return l
}

// text returns the content that has some of the blocks.
func (l *lesson) text(keep []bool) string {
	c := &Content{Outline: l.s.Outline, Keep: keep}
	if len(l.s.Blocks) == 0 {
		c.Descriptions = l.s.Page.Texts.Descriptions()
	}
	c.useMetadata(l.s)
	return c.Text()
}

// label returns the share of each block that is in the ground truth. If a text is
// more often on the page than there, the copies beside other matches have it.
func label(blocks []view.Block, truth string) []float64 {
	g := grams{left: map[uint64]int{}}
	g.each(truth, func(h uint64) { g.left[h]++ })
	labels := make([]float64, len(blocks))
	for i := range blocks {
		labels[i] = g.share(blocks[i].Text, false)
	}
	order := make([]int, len(blocks))
	near := make([]int, len(blocks))
	for i := range blocks {
		order[i], near[i] = i, int(5*nearby(blocks, labels, i, 8))
	}
	slices.SortStableFunc(order, func(a, b int) int { return near[b] - near[a] })
	for _, i := range order {
		labels[i] = g.share(blocks[i].Text, true)
	}
	// One or two words occur in any long text by chance: count them only next to other
	// matches.
	for i := range blocks {
		if blocks[i].Words < gramSize && labels[i] > 0 && nearby(blocks, labels, i, 3) < 0.5 {
			labels[i] *= 0.3
		}
	}
	return labels
}

// nearby returns the mean label of the other blocks of at least gramSize words within a distance.
func nearby(blocks []view.Block, labels []float64, i, reach int) float64 {
	sum, weight := 0.0, 0.0
	for j := max(0, i-reach); j < min(len(blocks), i+reach+1); j++ {
		if j != i && blocks[j].Words >= gramSize {
			sum, weight = sum+labels[j]*blocks[j].Words, weight+blocks[j].Words
		}
	}
	return sum / max(weight, 1)
}

const gramSize = 4

// grams counts the sequences of up to four words of the ground truth.
type grams struct{ left map[uint64]int }

func (g *grams) each(text string, do func(uint64)) {
	w := pagetest.WordsOf(text)
	for size := 1; size <= gramSize; size++ {
		for i := 0; i+size <= len(w); i++ {
			do(hashOf(w[i : i+size]))
		}
	}
}

func hashOf(words []string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{' '})
	}
	return h.Sum64()
}

// share returns the share of a text in the ground truth. It removes what it finds if
// asked to.
func (g *grams) share(text string, remove bool) float64 {
	w := pagetest.WordsOf(text)
	if len(w) == 0 {
		return 0
	}
	size := min(gramSize, len(w))
	hit := 0
	for i := 0; i+size <= len(w); i++ {
		if h := hashOf(w[i : i+size]); g.left[h] > 0 {
			if hit++; remove {
				g.left[h]--
			}
		}
	}
	return float64(hit) / float64(len(w)-size+1)
}

var grown = forest{rounds: 160, leaves: 6, rate: 0.075, least: 6, damp: 6, columns: 0.25, rows: 0.6}

// report prints the means by kind of page, and the mean weighted like the 511
// held-out pages of WCXB.
func report(lessons []*lesson, results [][3]float64) {
	share := map[string]float64{"article": 257, "documentation": 42, "service": 59, "forum": 51, "collection": 34,
		"listing": 40, "product": 28}
	mixed := 0.0
	for _, kind := range []string{"article", "documentation", "service", "forum", "collection", "listing", "product",
		""} {
		var p, r, f []float64
		for i, l := range lessons {
			if l.Kind == kind || kind == "" {
				p, r, f = append(p, results[i][0]), append(r, results[i][1]), append(f, results[i][2])
			}
		}
		mixed += share[kind] / 511 * pagetest.Average(f)
		fmt.Printf("%-14s n=%-4d P=%.3f R=%.3f F1=%.3f\n", kind, len(p), pagetest.Average(p), pagetest.Average(r),
			pagetest.Average(f))
	}
	fmt.Printf("mixed as WCXB's 511: F1=%.3f\n", mixed)
}

// TestTrain fits both stages of the model on the sample and writes them. First it
// cross-validates in folds, with all pages of a host in one fold, which estimates the
// result on unseen pages.
func TestTrain(t *testing.T) {
	if !*train {
		t.Skip("only with -train")
	}
	lessons := newLessons(pagetest.Samples(t, 1))
	c := newCourse(lessons)
	c.fitFirst()
	results := make([][3]float64, len(lessons))
	quality := make([]float64, len(lessons))
	atOnce(folds, func(f int) {
		_, odds := c.fitSecond(c.honest[f], c.without(f, f))
		for i, l := range lessons {
			if c.fold[i] == f {
				results[i], quality[i] = l.result(odds[c.starts[i]:c.starts[i+1]])
			}
		}
	})
	report(lessons, results)
	reportQuality(results, quality)
	if os.Getenv("TRY") == "" {
		everything := slices.Repeat([]bool{true}, len(lessons))
		first, _ := grown.fit(c.data, everything, seed)
		second, _ := c.fitSecond(c.seen(), everything)
		for name, m := range map[string]*fitted{"model.bin": first, "second.bin": second} {
			if err := os.WriteFile(name, m.append(nil), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// newLessons reads the pages, several at a time.
func newLessons(pages []pagetest.Sample) []*lesson {
	lessons := make([]*lesson, len(pages))
	atOnce(len(pages), func(i int) { lessons[i] = newLesson(pages[i]) })
	return lessons
}

// result returns precision, recall and F1 of a page for the log-odds of its blocks.
func (l *lesson) result(odds []float32) (scores [3]float64, quality float64) {
	wide := make([]float64, len(odds))
	for i := range odds {
		wide[i] = float64(odds[i])
	}
	keep, quality := l.s.decide(wide)
	p, r, f := pagetest.Score(l.Truth, l.text(keep))
	return [3]float64{p, r, f}, quality
}

// reportQuality compares the estimated F1 with the result.
func reportQuality(results [][3]float64, quality []float64) {
	for _, from := range []float64{0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95} {
		to := map[float64]float64{0: 0.3, 0.3: 0.5, 0.5: 0.6, 0.6: 0.7, 0.7: 0.8, 0.8: 0.9, 0.9: 0.95, 0.95: 1.01}[from]
		var f, q []float64
		for i := range results {
			if quality[i] >= from && quality[i] < to {
				f, q = append(f, results[i][2]), append(q, quality[i])
			}
		}
		fmt.Printf("quality %.3f: F1=%.3f n=%d\n", pagetest.Average(q), pagetest.Average(f), len(f))
	}
}

// foldsOf assigns hosts to folds.
func foldsOf(lessons []*lesson, folds int) []int {
	hosts := map[string]int{}
	fold := make([]int, len(lessons))
	for i, l := range lessons {
		f, ok := hosts[l.Host]
		if !ok {
			f = len(hosts) % folds
			hosts[l.Host] = f
		}
		fold[i] = f
	}
	return fold
}
