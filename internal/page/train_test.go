package page

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

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

var wordPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\p{L}\p{N}_]+`) })

func wordsOf(text string) []string { return wordPattern().FindAllString(strings.ToLower(text), -1) }

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
		c.useMetadata(around)
		return c.Text()
	}
	return l
}

// label returns the share of each block that is in the ground truth.
func label(blocks []block, truth string) []float64 {
	const n = 4
	key := func(words []string) string { return strings.Join(words, " ") }
	t := wordsOf(truth)
	grams := map[string]bool{}
	for size := 1; size <= n; size++ {
		for i := 0; i+size <= len(t); i++ {
			grams[key(t[i:i+size])] = true
		}
	}
	shorts := map[string]int{} // occurrences of short texts in the ground truth and on the page
	for i := range blocks {
		if w := wordsOf(blocks[i].text); len(w) < n {
			shorts[key(w)]++
		}
	}
	joined := " " + key(t) + " "
	labels := make([]float64, len(blocks))
	for i := range blocks {
		w := wordsOf(blocks[i].text)
		if len(w) == 0 {
			continue
		}
		if len(w) < n {
			if k := key(w); grams[k] {
				labels[i] = min(1, float64(strings.Count(joined, " "+k+" "))/float64(shorts[k]))
			}
			continue
		}
		hit := 0
		for j := 0; j+n <= len(w); j++ {
			if grams[key(w[j:j+n])] {
				hit++
			}
		}
		labels[i] = float64(hit) / float64(len(w)-n+1)
	}
	// One or two words occur in any long text by chance: count them only next to other
	// matches.
	for i := range blocks {
		if blocks[i].words < n && labels[i] > 0 {
			near := 0.0
			for j := max(0, i-3); j < min(len(blocks), i+4); j++ {
				if j != i && blocks[j].words >= n {
					near = max(near, labels[j])
				}
			}
			if near < 0.5 {
				labels[i] *= 0.3
			}
		}
	}
	return labels
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

// TestTrain fits the model on the sample and writes it. First it cross-validates
// in folds, with all pages of a host in one fold, which estimates the result
// on unseen pages.
func TestTrain(t *testing.T) {
	if !*train {
		t.Skip("only with -train")
	}
	lessons := newLessons(samples(t, 1))
	d := newDataset(lessons)
	for _, l := range lessons {
		l.vectors = nil
	}
	const folds = 6
	fold := foldsOf(lessons, folds)
	results := make([][3]float64, len(lessons))
	quality := make([]float64, len(lessons))
	var wait sync.WaitGroup
	for f := range folds {
		wait.Go(func() {
			learn := make([]bool, len(lessons))
			for i := range learn {
				learn[i] = fold[i] != f
			}
			_, odds := grown.fit(d, learn, seed)
			at := 0
			for i, l := range lessons {
				if mine := odds[at : at+len(l.labels)]; fold[i] == f {
					results[i], quality[i] = l.result(mine)
				}
				at += len(l.labels)
			}
		})
	}
	wait.Wait()
	report(lessons, results)
	reportQuality(results, quality)
	if os.Getenv("TRY") == "" {
		m, _ := grown.fit(d, slices.Repeat([]bool{true}, len(lessons)), seed)
		if err := os.WriteFile("model.bin", m.append(nil), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// newLessons reads the pages, several at a time.
func newLessons(pages []sample) []*lesson {
	lessons := make([]*lesson, len(pages))
	var wait sync.WaitGroup
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	for i := range pages {
		slots <- true
		wait.Go(func() { lessons[i] = newLesson(pages[i]); <-slots })
	}
	wait.Wait()
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
