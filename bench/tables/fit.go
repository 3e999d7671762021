package tables

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"techo/store/memory"
	index "techo/store/search"
)

// judged is the candidates of the questions of a set.
type judged struct {
	Name   string
	Groups []group
}

// group is the candidates of a question.
type group struct {
	Text      string
	Rows      []row
	Answers   int  // memories that answer it, also those that are no candidates
	Elsewhere bool // it is a message that needs no memory
}

// row is a candidate.
type row struct {
	X        index.Features
	Likeness float32
	Right    bool // it answers the question
	Past     bool // what it says has been replaced
	At       int64
}

// Columns of the features that choose the rows of a group: the best by each are kept.
const keptBy = 16

// matrix returns the candidates of all questions of some sets.
func matrix(all []set, dir string) (samples []judged, err error) {
	for _, s := range all {
		one := judged{Name: s.name}
		var hits []index.Hit
		err := s.each(dir, memory.Filter{Limit: 10, Observe: func(all []index.Hit) { hits = slices.Clone(all) }},
			func(q probe, ids map[string]string, _ memory.Found) {
				g := group{Text: q.text, Answers: len(q.answers), Elsewhere: q.elsewhere}
				for _, h := range hits {
					is := func(name string) bool { return ids[name] == h.ID }
					g.Rows = append(g.Rows, row{h.Features, h.Likeness, slices.ContainsFunc(q.answers, is), slices.ContainsFunc(q.past, is), h.At})
				}
				g.thin()
				one.Groups = append(one.Groups, g)
				hits = nil
			})
		if err != nil {
			return nil, err
		}
		samples = append(samples, one)
	}
	return samples, nil
}

// thin keeps the rows that answer, and the best by each feature: the others never come first.
func (g *group) thin() {
	keep := make([]bool, len(g.Rows))
	order := make([]int, len(g.Rows))
	for c := range (index.Features{}) {
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g.Rows[b].X[c], g.Rows[a].X[c]) })
		for _, i := range order[:min(keptBy, len(order))] {
			keep[i] = keep[i] || g.Rows[i].X[c] > 0
		}
	}
	var rows []row
	for i, r := range g.Rows {
		if keep[i] || r.Right {
			rows = append(rows, r)
		}
	}
	g.Rows = rows
}

// function is the weights of features, 0 for those that are not used, and what a probability needs beside them.
type function struct {
	w    index.Features
	need index.Need
	best float64 // mean of the most likeness of a candidate of a question
}

func (fn function) score(r row) (sum float64) {
	for i, w := range fn.w {
		sum += w * r.X[i]
	}
	return sum
}

const (
	ridge  = 1e-4 // of the squares of the weights
	rounds = 30
)

// calibrates is the set that probabilities are fitted to, but no weights: its 60 questions would weigh as much as the 1,018
// of LoCoMo, and sets that were left out are then ranked worse.
const calibrates = "words"

// ranked returns the sets that weights are fitted to.
func ranked(all []judged) []judged {
	return slices.DeleteFunc(slices.Clone(all), func(s judged) bool { return s.Name == calibrates })
}

// trained fits a function to some sets.
func trained(all []judged, use []int) function {
	fn := fitted(ranked(all), use)
	fn.need = needed(all)
	fn.best = bestLikeness(all)
	return fn
}

// fitted fits the weights of some features: of each pair of a candidate that answers a question and one that does
// not, the first shall score more. The loss is logistic. All questions of a set, and all sets, weigh the same.
func fitted(all []judged, use []int) function {
	n := len(use)
	w := make([]float64, n)
	at := math.Inf(1)
	for range rounds {
		loss, grad, hess := slope(all, use, w)
		move := solve(hess, grad)
		next := slices.Clone(w)
		for range rounds { // a shorter step, until it is one downwards
			for i := range w {
				next[i] = w[i] + move[i]
			}
			if at = lossOf(all, use, next); at <= loss {
				break
			}
			for i := range move {
				move[i] /= 2
			}
		}
		w = next
		if loss-at < 1e-6 {
			break
		}
	}
	var fn function
	for i, c := range use {
		fn.w[c] = w[i]
	}
	return fn
}

// lossOf is the loss on some sets.
func lossOf(all []judged, use []int, w []float64) float64 {
	loss, _, _ := slope(all, use, w)
	return loss
}

// slope returns the loss on some sets, how it falls with each weight, and its second derivatives.
func slope(all []judged, use []int, w []float64) (loss float64, grad []float64, hess [][]float64) {
	n := len(use)
	grad, hess = make([]float64, n), make([][]float64, n)
	for i := range hess {
		hess[i] = make([]float64, n)
		grad[i] = -ridge * w[i]
		hess[i][i] = ridge
		loss += ridge / 2 * w[i] * w[i]
	}
	for _, s := range all {
		loss += s.slope(use, w, grad, hess)
	}
	for a := range use {
		for b := range a {
			hess[b][a] = hess[a][b]
		}
	}
	return loss, grad, hess
}

// slope adds what a set contributes, and returns its loss.
func (s judged) slope(use []int, w, grad []float64, hess [][]float64) (loss float64) {
	var groups []group
	for _, g := range s.Groups {
		if g.fits() {
			groups = append(groups, g)
		}
	}
	diff, mean := make([]float64, len(use)), make([]float64, len(use))
	for _, g := range groups {
		scores, most, right := make([]float64, len(g.Rows)), math.Inf(-1), 0
		for i, r := range g.Rows {
			for k, c := range use {
				scores[i] += w[k] * r.X[c]
			}
			if r.Right {
				right++
			} else {
				most = max(most, scores[i])
			}
		}
		for i, r := range g.Rows {
			if !r.Right {
				continue
			}
			// The loss of a pair is logistic; those of all pairs of one that answers count as their soft maximum.
			top := max(most, scores[i])
			total := math.Exp(scores[i] - top)
			for j, o := range g.Rows {
				if !o.Right {
					total += math.Exp(scores[j] - top)
				}
			}
			share := 1 / float64(len(groups)*right)
			loss += share * (math.Log(total) + top - scores[i])
			clear(mean)
			for j, o := range g.Rows {
				p := math.Exp(scores[j]-top) / total
				if o.Right || p < 1e-6 {
					continue
				}
				for k, c := range use {
					diff[k] = r.X[c] - o.X[c]
					mean[k] += p * diff[k]
					grad[k] += share * p * diff[k]
				}
				if p < 1e-3 {
					continue
				}
				for a := range use {
					for b := 0; b <= a; b++ {
						hess[a][b] += share * p * diff[a] * diff[b]
					}
				}
			}
			for a := range use {
				for b := 0; b <= a; b++ {
					hess[a][b] -= share * mean[a] * mean[b]
				}
			}
		}
	}
	return loss
}

// fits reports whether a group has a candidate that answers and one that does not.
func (g group) fits() bool {
	is := func(r row) bool { return r.Right }
	return slices.ContainsFunc(g.Rows, is) && slices.ContainsFunc(g.Rows, func(r row) bool { return !r.Right })
}

// solve solves a symmetric positive system of equations.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	x := slices.Clone(b)
	for i := range n {
		for k := i + 1; k < n; k++ {
			m := a[k][i] / a[i][i]
			for j := i; j < n; j++ {
				a[k][j] -= m * a[i][j]
			}
			x[k] -= m * x[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x
}

// measure measures a function on a set.
func (fn function) measure(s judged) (p places) {
	for _, g := range s.Groups {
		order := fn.order(g)
		hits := make([]bool, len(order))
		for i, r := range order {
			hits[i] = r.Right
		}
		p.add(hits, g.Answers, len(order) > 0 && order[0].Past)
	}
	return p
}

// order sorts the candidates of a group.
func (fn function) order(g group) []row {
	order := slices.Clone(g.Rows)
	slices.SortStableFunc(order, func(a, b row) int {
		return cmp.Or(cmp.Compare(fn.score(b), fn.score(a)), cmp.Compare(b.At, a.At))
	})
	return order
}

// without leaves a set out, with those of the same memories: their names begin alike.
func without(all []judged, i int) []judged {
	same, _, _ := strings.Cut(all[i].Name, ",")
	return slices.DeleteFunc(slices.Clone(all), func(s judged) bool { return strings.HasPrefix(s.Name, same) })
}

// crossed is the mean reciprocal rank on sets that were not fitted on: each set is left out once.
func crossed(all []judged, use []int) (mean float64, each []places) {
	for i, s := range all {
		p := fitted(without(all, i), use).measure(s)
		each = append(each, p)
		mean += p.reciprocal / float64(p.questions) / float64(len(all))
	}
	return mean, each
}

// Fit fits the weights of the features, prints what they are worth and writes store/search/weights.go.
func Fit() error {
	own, _, err := sets()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fit, err := matrix(own, dir)
	if err != nil {
		return err
	}
	use := make([]int, len(index.Features{}))
	for i := range use {
		use[i] = i
	}
	fn := trained(fit, use)
	v := verdicts(fit, use)
	l := calibrated(v)
	if err := fn.write(l, len(own) == allSets); err != nil {
		return err
	}
	fit = ranked(fit)
	mean, each := crossed(fit, use)
	rows := [][]string{head}
	for i, s := range fit {
		rows = append(rows, named(s.Name+", left out", each[i]), named(s.Name, fn.measure(s)))
	}
	table("Ranking", rows...)
	rows = [][]string{{"without the feature", "mean reciprocal rank of sets left out"}, {"none", fmt.Sprintf("%.4f", mean)}}
	for i := range use {
		m, _ := crossed(fit, slices.Concat(use[:i:i], use[i+1:]))
		rows = append(rows, []string{fmt.Sprint(i), fmt.Sprintf("%.4f", m)})
	}
	table("Features", rows...)
	table("Calibration, on questions that were not fitted on", l.bins(v)...)
	offers := [][]string{{"set", "from", "lines that answer", "questions with an answer offered", "unanswered without a line", "elsewhere without a line"}}
	for _, s := range fit {
		for _, least := range []float64{.05, .1, .15, .2, .25, .3, .4, .5} {
			offers = append(offers, l.offers(s, fn, least))
		}
	}
	table("Offers", offers...)
	return nil
}

// allSets is the number of sets that the figures in the source are fitted on.
const allSets = 8

// write prints the weights as source, and writes them if they were fitted on all sets.
func (fn function) write(l certainty, complete bool) error {
	var b strings.Builder
	b.WriteString("// Made by \"go -C bench run . fit\". Do not edit.\n\npackage search\n\nimport \"techo/internal/meaning\"\n\n")
	b.WriteString("// certainty is the weights of the figures of an outlook, in their order.\nvar certainty = OutlookFigures{\n")
	for _, w := range l {
		fmt.Fprintf(&b, "\t%.3f,\n", w)
	}
	b.WriteString("}\n\n")
	fmt.Fprintf(&b, "// usualLikeness is the mean of the most likeness of a candidate of a question.\nconst usualLikeness = %.3f\n\n", fn.best)
	b.WriteString("// need is that of the questions, rather than of messages that need none.\n")
	fmt.Fprintf(&b, "var need = Need{Usual: %.3f, Meaning: meaning.Vec{Scale: %g, Q: [meaning.Dimensions]int8{", fn.need.Usual,
		fn.need.Meaning.Scale)
	for i, q := range fn.need.Meaning.Q {
		if i%16 == 0 {
			b.WriteString("\n\t")
		} else {
			b.WriteString(" ")
		}
		fmt.Fprintf(&b, "%d,", q)
	}
	b.WriteString("\n}}}\n\n")
	b.WriteString("// weights are those of the features, in their order.\nvar weights = Features{\n")
	for _, w := range fn.w {
		fmt.Fprintf(&b, "\t%.3f,\n", w)
	}
	b.WriteString("}\n")
	fmt.Println("\n" + b.String())
	if !complete {
		return errors.New("fit: nothing is written without all sets")
	}
	return os.WriteFile(filepath.Join("..", "store", "search", "weights.go"), []byte(b.String()), 0o644)
}

func named(name string, p places) []string { return append([]string{name}, p.row()...) }

var head = []string{"set", "questions", "first", "in five", "in ten", "R@10", "MRR", "outdated first"}
