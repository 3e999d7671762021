package pattern

import "testing"

// TestForms checks that composed and decomposed texts find each other.
func TestForms(t *testing.T) {
	for _, test := range []struct {
		e, text string
		o       Options
		want    bool
		other   bool // the line is in the other form
	}{
		{"caf\u00e9", "cafe\u0301", Options{}, true, true},
		{"cafe\u0301", "caf\u00e9", Options{}, true, true},
		{"caf\u00e9", "caf\u00e9", Options{}, true, false},
		{"\u304c\u304e", "\u304b\u3099\u304d\u3099", Options{}, true, true},
		{"\u304c.*\u304e", "\u304b\u3099x\u304d\u3099", Options{}, true, true},
		{"\u304c\u304e", "\u304b\u3099\u304d\u3099", Options{Fixed: true, Word: true}, true, true},
		{"[\u00e9\u00e8]t", "e\u0301t", Options{}, true, true},
		{"CAF\u00c9", "cafe\u0301", Options{IgnoreCase: true}, true, true},
		{"\ud55c", "\u1112\u1161\u11ab", Options{}, true, true},
		{"caf\\x{e9}", "cafe\u0301", Options{}, false, false},
		{"cafe", "cafe\u0301", Options{}, true, false},
		{"a\n\u00e9", "a\ne\u0301", Options{Multiline: true}, true, true},
	} {
		p, err := Compile([]string{test.e}, test.o)
		if err != nil {
			t.Fatal(err)
		}
		ok := len(touched(p.Scanner(), []byte(test.text))) > 0
		if !p.Multiline() {
			_, ok = p.Scanner().Next([]byte(test.text), 0)
		}
		if ok != test.want || ok && p.InOtherForm([]byte(test.text)) != test.other {
			t.Errorf("%+q in %+q: %v", test.e, test.text, ok)
		}
	}
}
