package page

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"techo/internal/testenv"
)

var train = flag.Bool("train", false, "fit the extractor's table anew and write it")

// sample is a page of the benchmark.
type sample struct {
	name, kind string
	host       string
	html       string
	truth      string
}

// samples reads the development pages of WCXB: all for every=1, each tenth for
// every=10.
func samples(t testing.TB, every int) (all []sample) {
	t.Helper()
	dir := testenv.Data(t, "extract", "wcxb", "dev")
	names, _ := filepath.Glob(filepath.Join(dir, "html", "*.html.gz"))
	if len(names) == 0 {
		testenv.Missing(t, "the pages of WCXB in "+dir)
	}
	for i, name := range names {
		if i%every != 0 {
			continue
		}
		id := strings.TrimSuffix(filepath.Base(name), ".html.gz")
		packed, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		source, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(dir, "ground-truth", id+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var truth struct {
			URL   string `json:"url"`
			Truth struct {
				Content string `json:"main_content"`
			} `json:"ground_truth"`
			Internal struct {
				Type struct {
					Primary string `json:"primary"`
				} `json:"page_type"`
			} `json:"_internal"`
		}
		if err := json.Unmarshal(raw, &truth); err != nil {
			t.Fatal(err)
		}
		host := ""
		if u, err := url.Parse(truth.URL); err == nil {
			host = strings.TrimPrefix(u.Host, "www.")
		}
		all = append(all, sample{id, truth.Internal.Type.Primary, host, string(source), truth.Truth.Content})
	}
	return all
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// score returns precision, recall and F1 by words, as defined by the benchmark.
func score(want, got string) (p, r, f float64) {
	w := map[string]int{}
	wanted := wordsOf(want)
	for _, x := range wanted {
		w[x]++
	}
	hit, all := 0, 0
	for _, x := range wordsOf(got) {
		all++
		if w[x] > 0 {
			w[x]--
			hit++
		}
	}
	if all > 0 {
		p = float64(hit) / float64(all)
	} else if len(wanted) == 0 {
		p = 1
	}
	r = 1
	if len(wanted) > 0 {
		r = float64(hit) / float64(len(wanted))
	}
	if p+r > 0 {
		f = 2 * p * r / (p + r)
	}
	return p, r, f
}

// lesson is a page as training data.
type lesson struct {
	sample
	blocks  []block
	vectors []*vector
	priors  []float64
	labels  []float64
	weights []float64
	text    func(keep []bool) string
	o       *outliner
	s       *surroundings
}

func newLesson(s sample) *lesson {
	o := Parse(s.html).outline()
	l := &lesson{sample: s, blocks: o.blocks, labels: label(o.blocks, s.truth)}
	l.o = o
	around := o.survey()
	l.s, l.priors = around, around.prior
	total := float64(max(len(wordsOf(s.truth)), 20))
	for i := range o.blocks {
		v := new(vector)
		around.describe(v, i)
		l.vectors = append(l.vectors, v)
		l.weights = append(l.weights, math.Pow(max(o.blocks[i].words, 1)/total, 0.75))
	}
	sum := 0.0
	for _, w := range l.weights {
		sum += w
	}
	for i := range l.weights { // pages have similar weight; large pages a little more
		l.weights[i] *= 30 / math.Sqrt(sum) / math.Sqrt(sum+0.01)
	}
	l.text = func(keep []bool) string {
		c := &Content{outliner: o, keep: keep}
		if len(o.blocks) == 0 {
			c.descriptions = describe(o.page)
		}
		c.useMetadata(around)
		return c.Text()
	}
	return l
}

// label returns the share of each block that is in the ground truth. If a text is
// more often on the page than there, the copies beside other matches have it.
func label(blocks []block, truth string) []float64 {
	g := grams{left: map[uint64]int{}}
	g.each(truth, func(h uint64) { g.left[h]++ })
	labels := make([]float64, len(blocks))
	for i := range blocks {
		labels[i] = g.share(blocks[i].text, false)
	}
	order := make([]int, len(blocks))
	near := make([]int, len(blocks))
	for i := range blocks {
		order[i], near[i] = i, int(5*nearby(blocks, labels, i, 8))
	}
	slices.SortStableFunc(order, func(a, b int) int { return near[b] - near[a] })
	for _, i := range order {
		labels[i] = g.share(blocks[i].text, true)
	}
	// One or two words occur in any long text by chance: count them only next to other
	// matches.
	for i := range blocks {
		if blocks[i].words < gramSize && labels[i] > 0 && nearby(blocks, labels, i, 3) < 0.5 {
			labels[i] *= 0.3
		}
	}
	return labels
}

// nearby returns the mean label of the other blocks of at least gramSize words within a distance.
func nearby(blocks []block, labels []float64, i, reach int) float64 {
	sum, weight := 0.0, 0.0
	for j := max(0, i-reach); j < min(len(blocks), i+reach+1); j++ {
		if j != i && blocks[j].words >= gramSize {
			sum, weight = sum+labels[j]*blocks[j].words, weight+blocks[j].words
		}
	}
	return sum / max(weight, 1)
}

const gramSize = 4

// grams counts the sequences of up to four words of the ground truth.
type grams struct{ left map[uint64]int }

func (g *grams) each(text string, do func(uint64)) {
	w := wordsOf(text)
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
	w := wordsOf(text)
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
			if l.kind == kind || kind == "" {
				p, r, f = append(p, results[i][0]), append(r, results[i][1]), append(f, results[i][2])
			}
		}
		mixed += share[kind] / 511 * average(f)
		fmt.Printf("%-14s n=%-4d P=%.3f R=%.3f F1=%.3f\n", kind, len(p), average(p), average(r), average(f))
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
	lessons := newLessons(samples(t, 1))
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
		for name, m := range map[string]*model{"model.bin": first, "second.bin": second} {
			if err := os.WriteFile(name, m.append(nil), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// newLessons reads the pages, several at a time.
func newLessons(pages []sample) []*lesson {
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
	p, r, f := score(l.truth, l.text(keep))
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
		fmt.Printf("quality %.3f: F1=%.3f n=%d\n", average(q), average(f), len(f))
	}
}

// foldsOf assigns hosts to folds.
func foldsOf(lessons []*lesson, folds int) []int {
	hosts := map[string]int{}
	fold := make([]int, len(lessons))
	for i, l := range lessons {
		f, ok := hosts[l.host]
		if !ok {
			f = len(hosts) % folds
			hosts[l.host] = f
		}
		fold[i] = f
	}
	return fold
}

func average(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}
