package vectors

import "testing"

// TestTongue: a question finds what says the same in the other language, though the model finds all
// texts of its own language more alike.
func TestTongue(t *testing.T) {
	vec := func(language float32, subject int) []float32 {
		v := make([]float32, 40)
		v[0], v[1], v[2+subject] = 3, language, 1
		return v
	}
	var unrelated [][]float32
	for i := range 24 {
		unrelated = append(unrelated, vec(float32(i/12*2-1), i))
	}
	s := ScaleOf(unrelated)
	for _, language := range []float32{-1, 1} {
		question := s.asked(vec(language, 30))
		same := s.likeness(question, s.encode(vec(-language, 30)))
		other := s.likeness(question, s.encode(vec(language, 31)))
		if same < other+.1 {
			t.Errorf("language %v: likeness %.2f across, %.2f to another subject", language, same, other)
		}
	}
}
