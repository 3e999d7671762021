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
	"slices"
	"strings"
	"sync"
	"testing"
)

var train = flag.Bool("train", false, "fit the extractor's table anew and write it")

// sample is one page of the benchmark.
type sample struct {
	name, kind string
	host       string
	html       string
	truth      string
}

// dataDir is where the shared test data lies.
func dataDir() string {
	if dir := os.Getenv("TECHO_TEST_DATA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared", "data")
}

// samples reads the development sample of WCXB.
func samples(t testing.TB) (all []sample) {
	t.Helper()
	dir := filepath.Join(dataDir(), "extract", "wcxb", "dev")
	names, _ := filepath.Glob(filepath.Join(dir, "html", "*.html.gz"))
	if len(names) == 0 {
		t.Skipf("the sample of WCXB is not in %s: set TECHO_TEST_DATA", dir)
	}
	for _, name := range names {
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

// score is precision, recall and F1 by words, as the benchmark defines them.
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

// lesson is a page as the trees learn it.
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
	for i := range l.weights { // pages count alike, but for how much there is to get wrong
		l.weights[i] *= 30 / math.Sqrt(sum) / math.Sqrt(sum+0.01)
	}
	l.text = func(keep []bool) string {
		c := &Content{outliner: o, keep: keep}
		c.stand(around)
		return c.Text()
	}
	return l
}

// label says of each block how much of it is in the truth.
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
	shorts := map[string]int{} // how often the truth has a short text, against how often the page has
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
	// A word or two is in any long text by chance: believe it beside others.
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

// settings of the training.
type forest struct {
	rounds, leaves int
	rate           float64
	least          float64 // weight in a leaf
	damp           float64
	columns        float64 // share of the features that a tree may use
	rows           float64 // share of the pages that a tree sees
}

var grown = forest{rounds: 120, leaves: 6, rate: 0.08, least: 6, damp: 6, columns: 0.25, rows: 0.6}

// fit grows trees on the gradient of the logistic loss.
func (f forest) fit(lessons []*lesson, seed uint64) *model {
	random := func() float64 { // a small generator of its own, so that the table can be made again
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return float64(seed>>11) / (1 << 53)
	}
	var (
		x       []*vector
		y, w, o []float64
		page    []int
	)
	for n, l := range lessons {
		for i := range l.vectors {
			x, y, w, o, page = append(x, l.vectors[i]), append(y, l.labels[i]), append(w, l.weights[i]), append(o, l.priors[i]), append(page, n)
		}
	}
	bins, edges := quantize(x)
	m := &model{}
	for range f.rounds {
		use := make([]bool, features)
		for i := range use {
			use[i] = random() < f.columns
		}
		in := make([]bool, len(lessons))
		for i := range in {
			in[i] = random() < f.rows
		}
		g, h := make([]float64, len(x)), make([]float64, len(x))
		var rows []int
		for i := range x {
			p := sigmoid(o[i])
			g[i], h[i] = w[i]*(y[i]-p), w[i]*p*(1-p)
			if in[page[i]] {
				rows = append(rows, i)
			}
		}
		t := f.grow(bins, edges, use, rows, g, h, w)
		one := &model{trees: []tree{t}}
		for i := range x {
			o[i] += one.odds(x[i])
		}
		m.trees = append(m.trees, t)
	}
	return m
}

const binCount = 48

func quantize(x []*vector) (bins [][]uint8, edges [][]float32) {
	for f := range features {
		values := make([]float32, len(x))
		for i, v := range x {
			values[i] = v.at[f]
		}
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		distinct := slices.Compact(slices.Clone(sorted))
		var e []float32
		if len(distinct) <= binCount {
			for i := 0; i+1 < len(distinct); i++ {
				e = append(e, (distinct[i]+distinct[i+1])/2)
			}
		} else {
			for b := 1; b < binCount; b++ {
				e = append(e, sorted[len(sorted)*b/binCount])
			}
			e = slices.Compact(e)
		}
		column := make([]uint8, len(x))
		for i, v := range values {
			at, _ := slices.BinarySearch(e, v)
			column[i] = uint8(at)
		}
		bins, edges = append(bins, column), append(edges, e)
	}
	return bins, edges
}

// part is a leaf that may be split.
type part struct {
	rows         []int
	gain         float64
	feature, bin int
	owner        int // the node that points to it, -1 is the root
	right        bool
}

func (f forest) grow(bins [][]uint8, edges [][]float32, use []bool, rows []int, g, h, w []float64) tree {
	parts := []part{f.best(part{rows: rows, owner: -1}, bins, use, g, h, w)}
	var t tree
	for len(parts) < f.leaves {
		top := 0
		for i := range parts {
			if parts[i].gain > parts[top].gain {
				top = i
			}
		}
		p := parts[top]
		if p.gain <= 1e-6 {
			break
		}
		node := len(t.nodes)
		t.nodes = append(t.nodes, branch{feature: uint8(p.feature), threshold: edges[p.feature][p.bin]})
		t.link(p, uint8(node))
		var left, right []int
		for _, r := range p.rows {
			if int(bins[p.feature][r]) <= p.bin {
				left = append(left, r)
			} else {
				right = append(right, r)
			}
		}
		parts[top] = f.best(part{rows: left, owner: node}, bins, use, g, h, w)
		parts = append(parts, f.best(part{rows: right, owner: node, right: true}, bins, use, g, h, w))
	}
	for i, p := range parts {
		t.link(p, uint8(leafFrom+i))
		var sg, sh float64
		for _, r := range p.rows {
			sg, sh = sg+g[r], sh+h[r]
		}
		t.leaves = append(t.leaves, float32(f.rate*sg/(sh+f.damp)))
	}
	return t
}

func (t *tree) link(p part, to uint8) {
	switch {
	case p.owner < 0:
	case p.right:
		t.nodes[p.owner].right = to
	default:
		t.nodes[p.owner].left = to
	}
}

func (f forest) best(p part, bins [][]uint8, use []bool, g, h, w []float64) part {
	var tg, th, tw float64
	for _, r := range p.rows {
		tg, th, tw = tg+g[r], th+h[r], tw+w[r]
	}
	value := func(g, h float64) float64 { return g * g / (h + f.damp) }
	for feature := range bins {
		if !use[feature] {
			continue
		}
		var sg, sh, sw [256]float64
		top := uint8(0)
		for _, r := range p.rows {
			b := bins[feature][r]
			top = max(top, b)
			sg[b], sh[b], sw[b] = sg[b]+g[r], sh[b]+h[r], sw[b]+w[r]
		}
		var lg, lh, lw float64
		for b := 0; b < int(top); b++ {
			lg, lh, lw = lg+sg[b], lh+sh[b], lw+sw[b]
			if lw < f.least || tw-lw < f.least {
				continue
			}
			if gain := value(lg, lh) + value(tg-lg, th-lh) - value(tg, th); gain > p.gain {
				p.gain, p.feature, p.bin = gain, feature, b
			}
		}
	}
	return p
}

const seed = 88172645463325252

// report prints means by kind of page, and as the kinds are mixed among the
// 511 pages of WCXB that are kept back.
func report(lessons []*lesson, results [][3]float64) {
	share := map[string]float64{"article": 257, "documentation": 42, "service": 59, "forum": 51, "collection": 34, "listing": 40, "product": 28}
	mixed := 0.0
	for _, kind := range []string{"article", "documentation", "service", "forum", "collection", "listing", "product", ""} {
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

// TestTrain fits the table on the sample and writes it. Before, it fits tables
// on five sixths of the pages and scores them on the rest, which is what may
// be expected of pages that nobody has seen. Pages of a host stay together.
func TestTrain(t *testing.T) {
	if !*train {
		t.Skip("only with -train")
	}
	var lessons []*lesson
	for _, s := range samples(t) {
		lessons = append(lessons, newLesson(s))
	}
	const folds = 6
	fold := foldsOf(lessons, folds)
	results := make([][3]float64, len(lessons))
	var wait sync.WaitGroup
	for f := range folds {
		wait.Go(func() {
			var learn []*lesson
			for i, l := range lessons {
				if fold[i] != f {
					learn = append(learn, l)
				}
			}
			m := grown.fit(learn, seed)
			for i, l := range lessons {
				if fold[i] == f {
					results[i][0], results[i][1], results[i][2] = l.result(m)
				}
			}
		})
	}
	wait.Wait()
	report(lessons, results)
	if os.Getenv("TRY") == "" {
		m := grown.fit(lessons, seed)
		if err := os.WriteFile("model.bin", m.append(nil), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// extract returns the content of a page by trees that have not seen it, by
// none at all when m is nil.
func (l *lesson) extract(m *model) string {
	odds := slices.Clone(l.priors)
	if m != nil {
		for i := range odds {
			odds[i] += m.odds(l.vectors[i])
		}
	}
	keep, _ := l.s.decide(odds)
	return l.text(keep)
}

func (l *lesson) result(m *model) (p, r, f float64) { return score(l.truth, l.extract(m)) }

// foldsOf deals hosts out.
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
