package vectors

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"techo/store/kv"
)

// Model is the model of an endpoint, and how far an index has its vectors. A text keeps its
// number and a new one gets a larger number, so one number parts the texts with a vector
// from the others.
type Model struct {
	Name       string `json:"name"`
	Number     uint32 `json:"number"` // from 1, in the keys
	Dimensions int    `json:"dimensions"`
	Filled     uint32 `json:"filled"`         // the texts with lower numbers have a vector
	Vectors    int    `json:"vectors"`        // number of those
	Gone       bool   `json:"gone,omitempty"` // another model has replaced it; the vectors are being removed
}

// Models are the models of an index, the oldest first.
type Models struct {
	All  []Model `json:"all"`
	Last uint32  `json:"last"` // number of the last model
}

// Of returns the model with a name, nil for none. m may be nil.
func (m *Models) Of(name string) *Model {
	if m != nil {
		for i := range m.All {
			if m.All[i].Name == name && !m.All[i].Gone {
				return &m.All[i]
			}
		}
	}
	return nil
}

// Clone returns a copy that may be changed.
func (m *Models) Clone() *Models {
	if m == nil {
		return nil
	}
	return &Models{slices.Clone(m.All), m.Last}
}

// Meanwhile returns the name of the model that has more vectors than the one with a name, "" for
// none. m may be nil.
func (m *Models) Meanwhile(name string) (other string) {
	most := 0
	if own := m.Of(name); own != nil {
		most = own.Vectors
	}
	if m != nil {
		for _, is := range m.All {
			if is.Vectors > most && !is.Gone {
				other, most = is.Name, is.Vectors
			}
		}
	}
	return other
}

// best returns the model with the most vectors among those with a vector for the question.
// m may be nil.
func (m *Models) best(questions map[string][]float32) *Model {
	var best *Model
	if m == nil {
		return nil
	}
	for i := range m.All {
		one := &m.All[i]
		if !one.Gone && one.Vectors > 0 && len(questions[one.Name]) == one.Dimensions &&
			(best == nil || one.Vectors > best.Vectors) {
			best = one
		}
	}
	return best
}

// Set returns the vectors of an index by the model.
func (m *Model) Set(index uint32) Set { return Set{index, m.Number, m.Dimensions} }

// Scale puts the likeness of a model's vectors on the scale of the built-in table, for which the
// thresholds of a search were chosen. Models differ: unrelated texts have a likeness of 0.1 by one
// and of 0.8 by another. The vectors of some unrelated texts give the scale.
//
// The likeness of a question and a text is the product of the question's direction and the text's
// as seen from the centre. It is their cosine, less the cosine of the question and the centre: texts
// are in the order of the cosine, and what all texts have in common counts for none.
type Scale struct {
	Centre []float32 // which texts are seen from; zero if they have little in common
	Tongue []float32 // from English to Japanese, with the length 1; zero if both look alike
	Mean   float32   // of the likeness of unrelated texts
	Factor float32   // by which likeness differs more for the built-in table
}

// The likeness of unrelated texts by the built-in table is 0.046 with a deviation of 0.106. Models
// tell more: their likeness counts as if it had twice the deviation.
const (
	tableMean      = 0.046
	tableDeviation = 0.106
	spread         = 0.22
)

// ByTable returns what a likeness by a model would be if that differed as little as by the built-in table.
func ByTable(likeness float64) float64 { return tableMean + (likeness-tableMean)*tableDeviation/spread }

const (
	// inCommon is the mean likeness of unrelated texts from which vectors are seen from their centre.
	// With less, the centre of a few texts says more about them than about the model.
	inCommon = 0.25

	leastFactor, mostFactor = 0.8, 16
	leastDeviation          = 1e-5
)

// ScaleOf returns the scale of a model by its vectors, of one length, of unrelated texts: the first half
// in English, the others in Japanese.
func ScaleOf(unrelated [][]float32) Scale {
	s := Scale{Centre: make([]float32, len(unrelated[0])), Factor: 1}
	s.Tongue = tongue(unrelated)
	mean, _ := s.unlike(unrelated)
	if mean >= inCommon {
		for _, v := range unrelated {
			for i, x := range direction(v) {
				s.Centre[i] += x / float32(len(unrelated))
			}
		}
	}
	mean, deviation := s.unlike(unrelated)
	if s.Mean = float32(mean); deviation > leastDeviation {
		s.Factor = float32(min(max(spread/deviation, leastFactor), mostFactor))
	}
	return s
}

// tongue returns the direction from the English half of some texts to the Japanese half.
func tongue(texts [][]float32) []float32 {
	to := make([]float32, len(texts[0]))
	for i, v := range texts {
		for k, x := range direction(v) {
			if i < len(texts)/2 {
				x = -x
			}
			to[k] += x
		}
	}
	return direction(to)
}

// unlike returns the mean likeness of unrelated texts and its standard deviation.
func (s Scale) unlike(unrelated [][]float32) (mean, deviation float64) {
	texts := make([][]byte, len(unrelated))
	for i, v := range unrelated {
		texts[i] = s.encode(v)
	}
	n, sum, squares := 0.0, 0.0, 0.0
	for i, v := range unrelated {
		question := s.asked(v)
		for k := range texts {
			if i != k {
				l := float64(product(question, texts[k]))
				n, sum, squares = n+1, sum+l, squares+l*l
			}
		}
	}
	n = max(n, 1)
	return sum / n, math.Sqrt(max(squares/n-sum*sum/n/n, 0))
}

// foreign is how much of the direction of a language counts: a model finds two texts of one language
// more alike than two that say the same in different ones.
const foreign = 0.25

// asked returns the direction of a question with less of what its language adds.
func (s Scale) asked(question []float32) []float32 {
	q, along := direction(question), float32(0)
	for i, x := range s.Tongue {
		along += q[i] * x
	}
	for i, x := range s.Tongue {
		q[i] -= (1 - foreign) * along * x
	}
	return direction(q)
}

// likeness returns the likeness of a question's direction and an encoded text on the scale of the
// built-in table, 0 if the text has no vector.
func (s Scale) likeness(question []float32, text []byte) float32 {
	if zero(text) {
		return 0
	}
	return min(max(tableMean+(product(question, text)-s.Mean)*s.Factor, -1), 1)
}

const scalePrefix = "sc"

func (s Set) scaleKey() []byte {
	b := binary.BigEndian.AppendUint32([]byte(scalePrefix), s.index)
	return binary.BigEndian.AppendUint32(b, s.model)
}

// record encodes a scale: little-endian float32s.
func (s Scale) record() (b []byte) {
	for _, x := range slices.Concat([]float32{s.Mean, s.Factor}, s.Centre, s.Tongue) {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// scale reads the scale of a model.
func (s Set) scale(tx kv.Tx) (scale Scale, err error) {
	values, err := kv.GetMany(tx, [][]byte{s.scaleKey()})
	if err != nil {
		return scale, err
	}
	b := values[0]
	if len(b) == 4*(2+s.dimensions) { // without the tongue, as it was
		b = append(bytes.Clone(b), make([]byte, 4*s.dimensions)...)
	}
	if len(b) != 4*(2+2*s.dimensions) {
		return scale, kv.Reason{Code: IllFormed}
	}
	all := make([]float32, 2+2*s.dimensions)
	for i := range all {
		all[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return Scale{all[2:][:s.dimensions], all[2+s.dimensions:], all[0], all[1]}, nil
}

// direction returns a vector with the length 1.
func direction(v []float32) []float32 {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	length, to := max(math.Sqrt(square), 1e-12), make([]float32, len(v))
	for i, x := range v {
		to[i] = float32(float64(x) / length)
	}
	return to
}

// encode returns the direction of a vector as seen from the centre: a step, a little-endian
// float32, and the number of steps in each dimension, one byte each.
func (s Scale) encode(v []float32) []byte {
	from, most := direction(v), float32(0)
	for i := range from {
		from[i] -= s.Centre[i]
		most = max(most, from[i], -from[i])
	}
	step := max(most, 1e-6) / 127
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(v)), math.Float32bits(step))
	for _, x := range from {
		b = append(b, byte(int8(math.RoundToEven(float64(x/step)))))
	}
	return b
}

// product returns the scalar product of a vector and an encoded one.
func product(v []float32, text []byte) (sum float32) {
	for i, steps := range text[4:] {
		sum += v[i] * float32(int8(steps))
	}
	return sum * math.Float32frombits(binary.LittleEndian.Uint32(text))
}

// keysOf returns the beginnings of all keys of a set.
func keysOf(s Set) [][]byte { return [][]byte{s.prefix(sketches), s.prefix(vecs), s.scaleKey()} }

// Clear removes up to most keys with some prefixes. It reports whether none is left.
func Clear(tx kv.Tx, prefixes [][]byte, most int) (cleared bool, err error) {
	var keys [][]byte
	for _, prefix := range prefixes {
		if len(keys) > most {
			break
		}
		for item, err := range tx.Scan(kv.Range{Prefix: prefix, Limit: most - len(keys) + 1, KeysOnly: true}) {
			if err != nil {
				return false, err
			}
			keys = append(keys, bytes.Clone(item.Key))
		}
	}
	cleared = len(keys) <= most
	for _, key := range keys[:min(most, len(keys))] {
		if err := tx.Delete(key); err != nil {
			return false, err
		}
	}
	return cleared, nil
}

// check checks the vectors of a model: exactly the texts of there have one.
func (m *Model) check(tx kv.Tx, index uint32, there Tally) error {
	if m.Gone {
		return nil
	}
	set := m.Set(index)
	found, err := set.Check(tx)
	if err == nil {
		_, err = set.scale(tx)
	}
	if err == nil && (found != there || m.Vectors != there.Texts) {
		err = kv.Reason{Code: WrongCount, Args: []any{found.Texts, there.Texts}}
	}
	return err
}
