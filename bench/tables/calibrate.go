package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"techo/internal/meaning"
	index "techo/store/search"
)

// # Calibration
//
// The score of a function says which candidate is better. How likely it is that a candidate answers is a logistic
// function of its part of all candidates' odds, of how like the best is, and of the need of the question: fitted on
// questions that the weights were not fitted on. People also ask what no memory knows, and most of what they say needs none. So of each
// set, answered questions weigh a half; a quarter is other questions without the candidates that answer them, and
// those that no memory of the set answers; a quarter is messages that need no memory.

// shown is how many candidates of a question are calibrated: the ones that a search shows.
const shown = 5

// verdict is the figures of a candidate, and whether it answers.
type verdict struct {
	figures index.OutlookFigures
	kind    kind
	share   float64 // its part of all verdicts
	right   bool
}

// kind is the kind of a question.
type kind int

const (
	answered kind = iota
	unanswered
	elsewhere
	kinds
)

// weightOf is the part of a kind.
var weightOf = [kinds]float64{.5, .25, .25}

// folds is the number of parts of each set: each is judged by a function that was fitted on the others.
const folds = 4

// fold returns the sets with the questions of one part, or with those of the others.
func fold(all []judged, part int, others bool) (sets []judged) {
	for _, s := range all {
		one := judged{Name: s.Name}
		for i, g := range s.Groups {
			if (i/2%folds == part) != others { // answered questions and others alternate
				one.Groups = append(one.Groups, g)
			}
		}
		sets = append(sets, one)
	}
	return sets
}

// verdicts returns those of all parts, each by a function that is fitted on the others.
func verdicts(all []judged, use []int) (v []verdict) {
	for part := range folds {
		others := fold(all, part, true)
		fn := trained(others, use)
		for _, s := range fold(all, part, false) {
			own := fn.verdicts(s)
			n := [kinds]float64{}
			for _, o := range own {
				n[o.kind]++
			}
			for i, o := range own {
				own[i].share = weightOf[o.kind] / (n[o.kind] * float64(len(all)*folds))
			}
			v = append(v, own...)
		}
	}
	return v
}

func (fn function) verdicts(s judged) (all []verdict) {
	for i, g := range s.Groups {
		of := answered
		switch {
		case g.Elsewhere:
			of = elsewhere
		case g.Answers == 0 || i%2 == 1:
			of = unanswered
			g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(r row) bool { return r.Right })
		}
		order, o := fn.order(g), fn.outlook(g)
		for _, r := range order[:min(shown, len(order))] {
			all = append(all, verdict{figures: o.Figures(fn.hit(r)), kind: of, right: r.Right})
		}
	}
	return all
}

// hit returns a candidate with its odds.
func (fn function) hit(r row) index.Hit {
	return index.Hit{Score: math.Exp(fn.score(r)), Likeness: r.Likeness}
}

// outlook is that of a group.
func (fn function) outlook(g group) index.Outlook {
	hits := make([]index.Hit, len(g.Rows))
	for i, r := range g.Rows {
		hits[i] = fn.hit(r)
	}
	return index.OutlookOf(fn.need.Of(g.Text), hits)
}

// bestLikeness returns the mean of the most likeness of a candidate of the questions that memories answer; all sets weigh
// the same.
func bestLikeness(all []judged) (mean float64) {
	for _, s := range all {
		n, sum := 0, 0.0
		for _, g := range s.Groups {
			if g.Answers > 0 && len(g.Rows) > 0 {
				best := slices.MaxFunc(g.Rows, func(a, b row) int { return cmp.Compare(a.Likeness, b.Likeness) })
				n, sum = n+1, sum+float64(best.Likeness)
			}
		}
		mean += sum / float64(max(n, 1)*len(all))
	}
	return mean
}

// needed returns the need of questions: a logistic function of the numbers of a meaning tells those that memories answer
// from messages that need none. Those messages weigh as much as all questions, and each set of questions the same.
func needed(all []judged) (need index.Need) {
	const ridge = 1e-3
	var examples []example
	var vecs []meaning.Vec
	add := func(g group, share float64) {
		vec := meaning.Vector(g.Text)
		e := example{x: make([]float64, meaning.Dimensions+1), share: share, right: !g.Elsewhere}
		for i, q := range vec.Q {
			e.x[i] = float64(q) * float64(vec.Scale)
		}
		e.x[meaning.Dimensions] = 1
		examples, vecs = append(examples, e), append(vecs, vec)
	}
	var messages []group
	for _, s := range all {
		var questions []group
		for _, g := range s.Groups {
			if index.IsLookup(g.Text) {
				continue
			} else if g.Elsewhere {
				messages = append(messages, g)
			} else if g.Answers > 0 {
				questions = append(questions, g)
			}
		}
		for _, g := range questions {
			add(g, .5/float64(len(questions)*len(all)))
		}
	}
	for _, g := range messages {
		add(g, .5/float64(len(messages)))
	}
	var x [meaning.Dimensions]float32
	for i, w := range regression(examples, ridge)[:meaning.Dimensions] {
		x[i] = float32(w)
	}
	need.Meaning = meaning.Direction(&x)
	for i, e := range examples {
		if e.right {
			need.Usual += 2 * e.share * float64(meaning.Likeness(&vecs[i], &need.Meaning))
		}
	}
	return need
}

// example is figures, and what a logistic function of them shall say.
type example struct {
	x     []float64
	share float64 // its weight
	right bool
}

// regression fits the weights of a logistic function: it is 1/(1+exp(-their weighted sum)).
func regression(all []example, ridge float64) []float64 {
	w := make([]float64, len(all[0].x))
	for range 50 {
		grad, hess := make([]float64, len(w)), make([][]float64, len(w))
		for i := range hess {
			grad[i] = -ridge * w[i]
			hess[i] = make([]float64, len(w))
			hess[i][i] = ridge
		}
		for _, e := range all {
			p := logistic(w, e.x)
			d := -p
			if e.right {
				d++
			}
			for i, x := range e.x {
				grad[i] += e.share * d * x
				for k := range i + 1 {
					hess[i][k] += e.share * p * (1 - p) * x * e.x[k]
				}
			}
		}
		for i := range w {
			for k := range i {
				hess[k][i] = hess[i][k]
			}
		}
		most := 0.0
		move := solve(hess, grad)
		for _, x := range move {
			most = max(most, math.Abs(x))
		}
		for i, x := range move {
			w[i] += x * min(1, 2/most) // far away a step may be too long
		}
		if most < 1e-9 {
			break
		}
	}
	return w
}

// logistic returns the value of the function with some weights.
func logistic(weights, figures []float64) float64 {
	sum := 0.0
	for i, w := range weights {
		sum += w * figures[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

// certainty is the weights of the figures of an outlook.
type certainty []float64

// calibrated fits them to verdicts.
func calibrated(all []verdict) certainty {
	examples := make([]example, len(all))
	for i, v := range all {
		examples[i] = example{v.figures[:], v.share, v.right}
	}
	return regression(examples, 1e-9)
}

// of returns the probability that figures give.
func (c certainty) of(figures index.OutlookFigures) float64 { return logistic(c, figures[:]) }

// bins compares probabilities with what is true.
func (c certainty) bins(all []verdict) (rows [][]string) {
	rows = [][]string{{"probability from", "candidates", "mean", "answer"}}
	limits := []float64{0, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1.01}
	for i := range limits[1:] {
		n, mean, right, weight := 0, 0.0, 0.0, 0.0
		for _, v := range all {
			if p := c.of(v.figures); p >= limits[i] && p < limits[i+1] {
				n++
				weight += v.share
				mean += v.share * p
				if v.right {
					right += v.share
				}
			}
		}
		rows = append(rows, []string{fmt.Sprintf("%.2f", limits[i]), fmt.Sprint(n),
			fmt.Sprintf("%.3f", mean/max(weight, 1e-12)), fmt.Sprintf("%.3f", right/max(weight, 1e-12))})
	}
	return rows
}

// offers is what is offered from a probability on: which part of the lines answers, to which part of the questions
// an answer is offered, and which part of the unanswered ones and of the messages that need no memory gets nothing.
func (c certainty) offers(s judged, fn function, least float64) []string {
	var lines, right, helped int
	var silent, asked [kinds]int
	for _, g := range s.Groups {
		of := answered
		switch {
		case g.Elsewhere:
			of = elsewhere
		case g.Answers == 0:
			of = unanswered
		}
		asked[of]++
		order, o := fn.order(g), fn.outlook(g)
		any, some := false, false
		for _, r := range order[:min(shown, len(order))] {
			if c.of(o.Figures(fn.hit(r))) < least {
				break
			}
			some = true
			if of == answered {
				lines++
			}
			if r.Right {
				right++
				any = true
			}
		}
		if any {
			helped++
		}
		if !some {
			silent[of]++
		}
	}
	part := func(n, of int) string { return fmt.Sprintf("%.3f", float64(n)/float64(max(of, 1))) }
	return []string{s.Name, fmt.Sprint(least), part(right, lines), part(helped, asked[answered]),
		part(silent[unanswered], asked[unanswered]), part(silent[elsewhere], asked[elsewhere])}
}
