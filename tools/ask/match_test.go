package ask

import (
	"slices"
	"strings"
	"testing"

	"techo/store/question"
)

// TestMatch finds options by their text in another case or width, by "y" and "n",
// and asks again where a text fits several.
func TestMatch(t *testing.T) {
	yesNo := []string{"Yes", "No"}
	japanese := []string{"はい", "いいえ", "あとで"}
	long := []string{"Yes, delete 3 files", "No, keep them", "ＣＳＶ  (new)"}
	for _, c := range []struct {
		options []string
		typed   string
		verdict verdict
		want    string // the option
	}{
		{yesNo, "yes", isAnswer, "Yes"},
		{yesNo, "YES", isAnswer, "Yes"},
		{yesNo, "ｙ", isAnswer, "Yes"},
		{yesNo, "n", isAnswer, "No"},
		{yesNo, "はい", isAnswer, "Yes"},
		{japanese, "y", isAnswer, "はい"},
		{japanese, "No", isAnswer, "いいえ"},
		{long, "y", isAnswer, long[0]},
		{long, "no", isAnswer, long[1]},
		{long, "csv (NEW)", isAnswer, long[2]},
		{long, "yes, delete 3 files", isAnswer, long[0]},
		{[]string{"Yes", "Yes, always", "No"}, "y", isAnswer, "Yes"},
		{[]string{"Yes, once", "Yes, always", "No"}, "y", isAmbiguous, ""},
		{[]string{"Yes", "はい"}, "y", isAmbiguous, ""},
		{[]string{"Yes", "y", "No"}, "y", isAnswer, "y"},
		{[]string{"main", "Main"}, "Main", isAnswer, "Main"},
		{[]string{"main", "Main"}, "MAIN", isAmbiguous, ""},
		{[]string{"Yesterday", "Nobody"}, "y", isAnswer, ""},
		{yesNo, "yes please", isAnswer, ""},
		{yesNo, "\x1b[B", isControl, ""},
		{yesNo, "Yes\u009b", isControl, ""},
	} {
		a, v := parse(question.Question{Options: c.options}, c.typed)
		picked := ""
		if a.Source == question.FromOption {
			picked = a.Texts[0]
		}
		if v != c.verdict || picked != c.want {
			t.Errorf("%q of %q: %v %q, want %v %q", c.typed, c.options, v, picked, c.verdict, c.want)
		}
	}
}

// TestMatchSeveral picks several options with blanks, commas and their texts.
func TestMatchSeveral(t *testing.T) {
	q := question.Question{Options: []string{"Red", "light green", "blue, or teal", "No"}, Multiple: true}
	for _, c := range []struct {
		typed   string
		verdict verdict
		indexes []int
		texts   string // joined by |; "" means the texts of the options
	}{
		{"1 3", isAnswer, []int{1, 3}, ""},
		{"3　１ 3", isAnswer, []int{3, 1}, ""},
		{"1-2 4", isAnswer, []int{1, 2, 4}, ""},
		{"1 2,4", isAnswer, []int{1, 2, 4}, ""},
		{"RED n", isAnswer, []int{1, 4}, ""},
		{"Light Green, red", isAnswer, []int{2, 1}, ""},
		{"blue, or teal", isAnswer, []int{3}, ""},
		{"1 5", isOutOfRange, nil, ""},
		{"1 2-9", isOutOfRange, nil, ""},
		{"0 1", isOutOfRange, nil, ""},
		{"red wine", isAnswer, nil, "red wine"},
		{"1, other words", isAnswer, []int{1}, "Red|other words"},
	} {
		a, v := parse(q, c.typed)
		texts := c.texts
		if texts == "" && v == isAnswer {
			var all []string
			for _, i := range c.indexes {
				all = append(all, q.Options[i-1])
			}
			texts = strings.Join(all, "|")
		}
		if v != c.verdict || !slices.Equal(a.Indexes, c.indexes) || strings.Join(a.Texts, "|") != texts {
			t.Errorf("%q: %v %v %q, want %v %v %q", c.typed, v, a.Indexes, a.Texts, c.verdict, c.indexes, texts)
		}
	}
}
