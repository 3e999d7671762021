package tables

import (
	"fmt"
	"math"
	"slices"

	index "techo/store/search"
)

// # Calibration
//
// The score of a function says which candidate is better. How likely it is that a candidate answers is a logistic
// function of its part of all candidates' odds, and of how well the best of them do: fitted on questions that the
// weights were not fitted on. People also ask what no memory knows, and most of what they say needs none. So of each
// set, answered questions weigh a half; a quarter is other questions without the candidates that answer them, and
// those that no memory of the set answers; a quarter is messages that need no memory.

// shown is how many candidates of a question are calibrated: the ones that a search shows.
const shown = 5

// verdict is the figures of a candidate, and whether it answers.
type verdict struct {
	figures [4]float64
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
		fn := fitted(fold(all, part, true), use)
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
			all = append(all, verdict{figures: o.Figures(fn.odds(r)), kind: of, right: r.Right})
		}
	}
	return all
}

func (fn function) odds(r row) float64 { return math.Exp(fn.score(r)) }

// outlook is that of all candidates of a group.
func (fn function) outlook(g group) index.Outlook {
	hits := make([]index.Hit, len(g.Rows))
	for i, r := range g.Rows {
		hits[i] = index.Hit{Score: fn.odds(r), Features: r.X, Likeness: r.Likeness}
	}
	return index.OutlookOf(hits)
}

// logistic is the weights of figures: the probability is 1/(1+exp(-their weighted sum)).
type logistic [4]float64

func (l logistic) of(figures [4]float64) float64 {
	sum := 0.0
	for i, w := range l {
		sum += w * figures[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

// calibrated fits a logistic function to verdicts.
func calibrated(all []verdict) (l logistic) {
	for range 50 {
		grad, hess := make([]float64, len(l)), make([][]float64, len(l))
		for i := range hess {
			hess[i] = make([]float64, len(l))
			hess[i][i] = 1e-9
		}
		for _, v := range all {
			p := l.of(v.figures)
			d := -p
			if v.right {
				d++
			}
			for i, x := range v.figures {
				grad[i] += v.share * d * x
				for k, y := range v.figures {
					hess[i][k] += v.share * p * (1 - p) * x * y
				}
			}
		}
		most := 0.0
		move := solve(hess, grad)
		for _, x := range move {
			most = max(most, math.Abs(x))
		}
		for i, x := range move {
			l[i] += x * min(1, 2/most) // far away a step may be too long
		}
		if most < 1e-9 {
			break
		}
	}
	return l
}

// bins compares probabilities with what is true.
func (l logistic) bins(all []verdict) (rows [][]string) {
	rows = [][]string{{"probability from", "candidates", "mean", "answer"}}
	limits := []float64{0, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1.01}
	for i := range limits[1:] {
		n, mean, right, weight := 0, 0.0, 0.0, 0.0
		for _, v := range all {
			if p := l.of(v.figures); p >= limits[i] && p < limits[i+1] {
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
func (l logistic) offers(s judged, fn function, least float64) []string {
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
			if l.of(o.Figures(fn.odds(r))) < least {
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
