package schema

import (
	"strings"
	"testing"

	"techo/tools/message"
)

// TestWholeNumbers checks that the spellings of integers allowed by JSON Schema
// are accepted.
func TestWholeNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"0e999": "0", "-0.0E+99999": "0", "5." + strings.Repeat("0", 500): "5", "5.0": "5", "5e2": "500", "1e-1": "",
		"5.5": "", "1e999999999": "", "9" + strings.Repeat("9", 200): "",
	} {
		i, ok := wholeNumber(text)
		if ok != (want != "") || ok && i.String() != want {
			t.Errorf("%.20s: %v, %v", text, i, ok)
		}
	}
}

// TestTextLength checks that texts are accepted if the advertised schema accepts
// them, or if their composed form is short enough.
func TestTextLength(t *testing.T) {
	s := &Schema{Kind: Object, Properties: []Property{{Name: "a", Schema: &Schema{Kind: String, MaxLength: 32}}}}
	for text, ok := range map[string]bool{
		strings.Repeat("\u0958", 32): true, strings.Repeat("\u0958", 33): false, strings.Repeat("e\u0301", 32): true,
		strings.Repeat("x", 33): false,
	} {
		_, problems := Validate(message.English, s, []byte(`{"a":"`+text+`"}`))
		if (len(problems) == 0) != ok {
			t.Errorf("%q: %v", text, problems)
		}
	}
}
