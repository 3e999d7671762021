package vectors

import (
	"slices"

	"techo/store/kv"
)

// Judge compares texts with a question by the vectors of a model.
type Judge struct {
	set      Set
	filled   uint32
	question []float32 // its direction
	seen     []byte    // it is encoded as texts are
	scale    Scale
}

// Judge returns the model with the most vectors among those with a vector of the question, nil
// for none. m may be nil.
func (m *Models) Judge(tx kv.Tx, index uint32, questions map[string][]float32) (*Judge, error) {
	best := m.best(questions)
	if best == nil {
		return nil, nil
	}
	set := best.Set(index)
	scale, err := set.scale(tx)
	if err != nil {
		return nil, err
	}
	question := scale.asked(questions[best.Name])
	return &Judge{set, best.Filled, question, scale.encode(question), scale}, nil
}

// Filled returns the number from which texts have no vector of the model. j may be nil.
func (j *Judge) Filled() uint32 {
	if j == nil {
		return 0
	}
	return j.filled
}

// Candidates returns the numbers of some texts that are most likely to be like the question, at
// most most. keep selects texts, nil selects all. j may be nil.
func (j *Judge) Candidates(tx kv.Tx, most int, keep func(num uint32) bool) ([]uint32, error) {
	if j == nil {
		return nil, nil
	}
	_, first, err := tx.ReadMany(nil, []kv.Range{j.set.First()})
	if err != nil {
		return nil, err
	}
	return j.set.Candidates(tx, FirstOf(first[0]), j.seen, most, keep)
}

// Split returns the texts that the model judges with their likeness to the question, and the
// others. j may be nil.
func (j *Judge) Split(tx kv.Tx, nums []uint32, use func(num uint32, likeness float32)) (others []uint32, err error) {
	if j == nil {
		return nums, nil
	}
	var own []uint32
	for _, num := range nums {
		if num < j.filled {
			own = append(own, num)
		} else {
			others = append(others, num)
		}
	}
	found, err := j.set.Get(tx, own)
	for i, vec := range found {
		use(own[i], j.scale.likeness(j.question, vec))
	}
	return others, err
}

// Part are the vectors by a model of the texts with the numbers From to Upto.
type Part struct {
	Model      string
	From, Upto uint32
	Nums       []uint32    // of the existing texts
	Vecs       [][]float32 // theirs
	Scale      Scale       // of a new model
}

// cleared is the number of keys of a replaced model that a transaction removes.
const cleared = 2048

// Fill adds vectors to an index with some number of texts. It changes nothing if another process
// was faster. Without vectors it only removes what replaced models have left. It reports whether
// it is worth calling again.
func (m *Models) Fill(tx kv.Tx, index uint32, texts int, p Part) (more bool, err error) {
	if len(p.Vecs) > 0 {
		if more, err = m.add(tx, index, texts, p); err != nil {
			return false, err
		}
	}
	for i, old := range m.All {
		if !old.Gone {
			continue
		}
		done, err := Clear(tx, keysOf(old.Set(index)), cleared)
		if err != nil {
			return false, err
		}
		if done {
			m.All = slices.Delete(m.All, i, i+1)
		}
		return more || slices.ContainsFunc(m.All, func(m Model) bool { return m.Gone }), nil
	}
	return more, nil
}

func (m *Models) add(tx kv.Tx, index uint32, texts int, p Part) (more bool, err error) {
	is := m.Of(p.Model)
	if is != nil && is.Dimensions != len(p.Vecs[0]) { // another model of the same name
		is.Gone, is = true, nil
	}
	if is == nil {
		if p.From != 0 || len(p.Scale.Centre) != len(p.Vecs[0]) {
			return true, nil
		}
		m.Last++
		m.All = append(m.All, Model{Name: p.Model, Number: m.Last, Dimensions: len(p.Vecs[0])})
		is = &m.All[len(m.All)-1]
		if err := tx.Put(is.Set(index).scaleKey(), p.Scale.record()); err != nil {
			return false, err
		}
	}
	if is.Filled != p.From {
		return true, nil
	}
	set := is.Set(index)
	scale, err := set.scale(tx)
	if err != nil {
		return false, err
	}
	var changes []Change
	for i, num := range p.Nums {
		if len(p.Vecs[i]) == is.Dimensions {
			changes = append(changes, Change{num, scale.encode(p.Vecs[i])})
		}
	}
	if err := change(tx, set, changes); err != nil {
		return false, err
	}
	is.Filled, is.Vectors = p.Upto, is.Vectors+len(changes)
	if is.Vectors < texts {
		return true, nil
	}
	for i := range m.All {
		m.All[i].Gone = m.All[i].Gone || m.All[i].Number != is.Number
	}
	return false, nil
}

// Remove removes the vectors of texts. m may be nil.
func (m *Models) Remove(tx kv.Tx, index uint32, nums []uint32) error {
	if m == nil {
		return nil
	}
	slices.Sort(nums)
	for i := range m.All {
		is := &m.All[i]
		var changes []Change
		for _, num := range nums {
			if num < is.Filled {
				changes = append(changes, Change{Num: num})
			}
		}
		is.Vectors -= len(changes)
		if err := change(tx, is.Set(index), changes); err != nil {
			return err
		}
	}
	return nil
}

// change reads what Apply wants and applies changes.
func change(tx kv.Tx, s Set, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	values, err := kv.GetMany(tx, s.Keys(changes))
	if err != nil {
		return err
	}
	return s.Apply(tx, changes, values)
}

// Check is the check of the models of an index.
type Check map[uint32]Tally // texts that must have a vector, by the number of the model

// Add adds a text that exists. m may be nil.
func (c Check) Add(m *Models, num uint32) {
	if m == nil {
		return
	}
	for _, is := range m.All {
		if num < is.Filled {
			t := c[is.Number]
			t.Add(num)
			c[is.Number] = t
		}
	}
}

// Done reads all vectors and compares. m may be nil.
func (c Check) Done(tx kv.Tx, m *Models, index uint32) error {
	if m == nil {
		return nil
	}
	for i := range m.All {
		if err := m.All[i].check(tx, index, c[m.All[i].Number]); err != nil {
			return err
		}
	}
	return nil
}
