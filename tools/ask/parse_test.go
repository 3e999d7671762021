package ask

import (
	"slices"
	"strings"
	"testing"

	"techo/store/question"
)

func parse(q question.Question, line string) (question.Answer, verdict) {
	return newReader(q).read(line)
}

func TestParse(t *testing.T) {
	one := question.Question{Options: []string{"はい", "いいえ", "2"}}
	several := question.Question{Options: []string{"a", "b", "c", "d"}, Multiple: true}
	open := question.Question{}
	closed := question.Question{Options: one.Options, Closed: true}
	closedSeveral := question.Question{Options: several.Options, Multiple: true, Closed: true}
	for _, c := range []struct {
		q       question.Question
		line    string
		verdict verdict
		texts   string // joined by |
		indexes []int
	}{
		{one, "1", isAnswer, "はい", []int{1}},
		{one, "  ３ ", isAnswer, "2", []int{3}},
		// A number picks by position, even if an option is labelled with it.
		{one, "2", isAnswer, "いいえ", []int{2}},
		{one, "+2", isAnswer, "いいえ", []int{2}},
		{one, "いいえ", isAnswer, "いいえ", []int{2}},
		{one, "いい", isAnswer, "いい", nil},
		{one, "4", isOutOfRange, "", nil},
		{one, "0", isOutOfRange, "", nil},
		{one, "-1", isOutOfRange, "", nil},
		{one, "99999999999999999999", isOutOfRange, "", nil},
		{one, "1.5", isAnswer, "1.5", nil},
		{one, "1 2", isAnswer, "1 2", nil},
		{one, "--1", isAnswer, "--1", nil},
		{one, "", isEmpty, "", nil},
		{one, " \t\u200b\u3000", isEmpty, "", nil},
		{open, "1", isAnswer, "1", nil},
		{open, "", isEmpty, "", nil},
		{several, "1,3", isAnswer, "a|c", []int{1, 3}},
		{several, "3、1，3", isAnswer, "c|a", []int{3, 1}},
		{several, "2-4", isAnswer, "b|c|d", []int{2, 3, 4}},
		{several, "１〜２", isAnswer, "a|b", []int{1, 2}},
		{several, "b, other", isAnswer, "b|other", []int{2}},
		{several, "one, or two", isAnswer, "one, or two", nil},
		{several, "1,5", isOutOfRange, "", nil},
		{several, "1-9", isOutOfRange, "", nil},
		{several, "3-1", isAnswer, "3-1", nil},
		{several, "1-1000000000", isOutOfRange, "", nil},
		{several, ",", isEmpty, "", nil},
		{closed, "1", isAnswer, "はい", []int{1}},
		{closed, "いいえ", isAnswer, "いいえ", []int{2}},
		{closed, "たぶん", isOutOfRange, "", nil},
		{closed, "1.5", isOutOfRange, "", nil}, // looks like a number
		{closed, "", isEmpty, "", nil},
		{closedSeveral, "1,3", isAnswer, "a|c", []int{1, 3}},
		{closedSeveral, "1,other", isOutOfRange, "", nil},
	} {
		a, v := parse(c.q, c.line)
		if v != c.verdict || strings.Join(a.Texts, "|") != c.texts || !slices.Equal(a.Indexes, c.indexes) {
			t.Errorf("%q: %v %q %v, want %v %q %v", c.line, v, a.Texts, a.Indexes, c.verdict, c.texts, c.indexes)
		}
	}
}

// FuzzParse checks that each answer is not empty, and that picks are options with
// their texts.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"1", "1,2", "1-3", "x", "", "９９", "-", "1-", "-1", "a、1"} {
		f.Add(line, true)
		f.Add(line, false)
	}
	f.Fuzz(func(t *testing.T, line string, multiple bool) {
		q := question.Question{Options: []string{"a", "b", "c"}, Multiple: multiple}
		a, v := parse(q, line)
		if v != isAnswer {
			return
		}
		if len(a.Texts) == 0 || slices.Contains(a.Texts, "") || a.Source == "" {
			t.Fatalf("%q: %+v", line, a)
		}
		for _, i := range a.Indexes {
			if i < 1 || i > 3 || !slices.Contains(a.Texts, q.Options[i-1]) {
				t.Fatalf("%q: %+v", line, a)
			}
		}
	})
}
