package stem

import (
	"slices"
	"strings"
	"testing"
)

// TestOf uses the examples of Porter's paper. The paper lists the result of single
// steps; the table lists the result of all.
func TestOf(t *testing.T) {
	for word, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "caress": "caress", "cats": "cat",
		"feed": "feed", "agreed": "agre", "plastered": "plaster", "bled": "bleed", "motoring": "motor", "sing": "sing",
		"conflated": "conflat", "troubled": "troubl", "sized": "size", "hopping": "hop", "tanned": "tan",
		"falling": "fall",
		"hissing": "hiss", "fizzed": "fizz", "failing": "fail", "filing": "file",
		"happy": "happi", "sky": "sky",
		"relational": "relat", "conditional": "condit", "rational": "ration", "valenci": "valenc", "digitizer": "digit",
		"conformabli": "conform", "radicalli": "radic", "differentli": "differ", "vileli": "vile",
		"analogousli":    "analog",
		"vietnamization": "vietnam", "predication": "predic", "operator": "oper", "feudalism": "feudal",
		"decisiveness": "decis",
		"hopefulness":  "hope", "callousness": "callous", "formaliti": "formal", "sensitiviti": "sensit",
		"sensibiliti": "sensibl",
		"triplicate":  "triplic", "formative": "form", "formalize": "formal", "electriciti": "electr",
		"electrical": "electr",
		"revival":    "reviv", "allowance": "allow", "inference": "infer", "airliner": "airlin",
		"gyroscopic": "gyroscop",
		"adjustable": "adjust", "defensible": "defens", "irritant": "irrit", "replacement": "replac",
		"adjustment": "adjust",
		"dependent":  "depend", "adoption": "adopt", "homologou": "homolog", "communism": "commun", "activate": "activ",
		"angulariti": "angular", "homologous": "homolog", "effective": "effect", "bowdlerize": "bowdler",
		"probate": "probat", "rate": "rate", "cease": "ceas", "controll": "control", "roll": "roll",
		"went": "go", "gone": "go", "goes": "go", "going": "go", "bought": "bui", "buying": "bui", "children": "child",
		"mice": "mous",
		"is":   "is", "a": "a", "v2": "v2", "über": "über", "": "",
	} {
		if got := Of(word); got != want {
			t.Errorf("Of(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestIrregular(t *testing.T) {
	if !slices.IsSortedFunc(irregular[:], func(a, b [2]string) int { return strings.Compare(a[0], b[0]) }) {
		t.Error("not in the order of the letters")
	}
	for _, e := range irregular {
		if lemma(e[1]) != e[1] {
			t.Errorf("%s: the base form %s is irregular itself", e[0], e[1])
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("relational")
	f.Fuzz(func(t *testing.T, word string) {
		if got := Of(word); len(got) > len(word)+8 {
			t.Errorf("Of(%q) = %q", word, got)
		}
	})
}
