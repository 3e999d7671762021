package content

import (
	"runtime"
	"slices"
	"sync"
)

// corrected are the parameters of the second stage.
var corrected = forest{rounds: 100, leaves: 6, rate: 0.1, least: 20, damp: 20, columns: 0.3, rows: 0.6}

const folds = 6

// course is the training of both stages in folds. All pages of a host are in one fold.
type course struct {
	lessons []*lesson
	data    *dataset // for the first stage
	fold    []int    // of each lesson
	starts  []int    // the first row of each lesson, then the number of rows

	// honest has the log-odds of all rows for each fold, by models of the first stage
	// that saw neither that fold nor the fold of the row.
	honest [][]float32
}

func newCourse(lessons []*lesson) *course {
	c := &course{lessons: lessons, data: newDataset(lessons, features), fold: foldsOf(lessons, folds), starts: []int{0}}
	for i, l := range lessons {
		l.vectors = nil
		c.starts = append(c.starts, c.starts[i]+len(l.labels))
	}
	for range folds {
		c.honest = append(c.honest, make([]float32, len(c.data.label)))
	}
	return c
}

// without returns which lessons are in neither of two folds.
func (c *course) without(a, b int) []bool {
	learn := make([]bool, len(c.lessons))
	for i, f := range c.fold {
		learn[i] = f != a && f != b
	}
	return learn
}

// fitFirst fits the first stage without each pair of folds, and without each fold.
func (c *course) fitFirst() {
	atOnce(folds*folds, func(pair int) {
		a, b := pair/folds, pair%folds
		if a > b {
			return
		}
		_, odds := grown.fit(c.data, c.without(a, b), seed)
		for i, f := range c.fold {
			from, to := c.starts[i], c.starts[i+1]
			if f == b {
				copy(c.honest[a][from:to], odds[from:to])
			} else if f == a {
				copy(c.honest[b][from:to], odds[from:to])
			}
		}
	})
}

// seen returns the log-odds of all rows by models of the first stage that did not see
// the row.
func (c *course) seen() []float32 {
	odds := make([]float32, len(c.data.label))
	for i, f := range c.fold {
		copy(odds[c.starts[i]:c.starts[i+1]], c.honest[f][c.starts[i]:])
	}
	return odds
}

// fitSecond fits the second stage on some lessons, given the log-odds of the first. It
// returns the corrected log-odds of all rows, as reconsider does. It learns from small
// pages too.
func (c *course) fitSecond(odds []float32, learn []bool) (*fitted, []float32) {
	var rows []int // considered by the second stage
	var parts []*lesson
	for k, l := range c.lessons {
		part, wide := &lesson{}, make([]float64, len(l.labels))
		for i := range wide {
			wide[i] = float64(odds[c.starts[k]+i])
		}
		j := l.s.judge(wide)
		for i, o := range wide {
			if !isUncertain(o) {
				continue
			}
			v := new(vector)
			j.describe(v, i)
			rows = append(rows, c.starts[k]+i)
			part.vectors, part.priors = append(part.vectors, v), append(part.priors, o)
			part.labels, part.weights = append(part.labels, l.labels[i]), append(part.weights, l.weights[i])
		}
		parts = append(parts, part)
	}
	m, better := corrected.fit(newDataset(parts, secondFeatures), learn, seed)
	all := slices.Clone(odds)
	for i, row := range rows {
		if c.lessons[c.data.pages[row]].s.words >= smallPage {
			all[row] = better[i]
		}
	}
	return m, all
}

// atOnce calls a function for each number below n, several at a time.
func atOnce(n int, do func(i int)) {
	var wait sync.WaitGroup
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	for i := range n {
		slots <- true
		wait.Go(func() { do(i); <-slots })
	}
	wait.Wait()
}
