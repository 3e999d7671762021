package document

import (
	"bytes"
	"testing"
)

// FuzzSteps decodes arbitrary undo records. Valid ones must survive a round trip.
func FuzzSteps(f *testing.F) {
	f.Add([]byte("some text"), []byte("some other text"))
	f.Add([]byte{0, 1, 1, 0, 0, 200}, bytes.Repeat([]byte("x"), 5000))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if steps, err := decodeSteps(before); err == nil {
			for _, s := range steps {
				if s.validFor(len(after)) {
					s.Apply(after)
				}
			}
		}
		s := ReplaceMiddle(after, before)
		steps, err := decodeSteps(EncodeSteps([]Step{s}))
		if err != nil || len(steps) != 1 || !steps[0].validFor(len(after)) {
			t.Fatalf("%v, %v", steps, err)
		}
		if got, back := steps[0].Apply(after); !bytes.Equal(got, before) {
			t.Fatalf("%q, want %q", got, before)
		} else if again, _ := back.Apply(got); !bytes.Equal(again, after) {
			t.Fatalf("and back %q, want %q", again, after)
		}
	})
}
