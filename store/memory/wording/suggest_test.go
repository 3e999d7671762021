package wording

import (
	"strings"
	"testing"
)

// TestSuggest: words are suggested if they are like the question in meaning, in any language.
func TestSuggest(t *testing.T) {
	texts := []string{"The café on Königstraße opens at 8.",
		"node.js 20 runs the weather page", "雷雨が来ると犬が眠れない",
		"My passport is in the drawer", "The umbrella broke"}
	for question, want := range map[string]string{
		"thunderstorms": "雷雨 weather umbrella", "珈琲": "café", "旅券": "passport",
		"qwxyz": "", "zebra": "", "？": "", "volleyball": "",
	} {
		if got := strings.Join(Suggest(question, texts, 8), " "); got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
	if got := Suggest("thunderstorms", texts, 1); len(got) != 1 {
		t.Errorf("%q, want one", got)
	}
}
