package tables

import (
	"slices"
	"strings"
	"testing"
)

// TestYear makes the year twice: it is the same, has the sizes of its table, and each question has
// one present answer.
func TestYear(t *testing.T) {
	y, again := inventYear(1), inventYear(1)
	kinds := map[string]int{}
	for i, s := range y.said {
		if s.text != again.said[i].text || !s.at.Equal(again.said[i].at) {
			t.Fatalf("%q and then %q", s.text, again.said[i].text)
		}
		if i > 0 && s.at.Before(y.said[i-1].at) || strings.ContainsAny(s.text, "{}") {
			t.Errorf("out of order or unfilled: %s", s.text)
		}
		switch {
		case s.changes:
			kinds["changes"]++
		case s.repeats:
			kinds["repetitions"]++
		default:
			kinds["facts"]++
		}
		if s.fact.file != "" {
			kinds["files"]++
		}
	}
	if kinds["facts"] != 2000 || kinds["changes"] != 400 || kinds["repetitions"] != 300 || kinds["files"] != 100 {
		t.Errorf("%v", kinds)
	}
	if len(y.asked) != 300 {
		t.Errorf("%d questions", len(y.asked))
	}
	for _, q := range y.asked {
		if !slices.ContainsFunc(q.fact.said, func(s *yearStatement) bool { return !s.outdated }) {
			t.Errorf("no present answer: %s", q.text)
		}
		if q.fact.english() == strings.ContainsFunc(q.text, isJapanese) {
			t.Errorf("another language: %s", q.text)
		}
	}
}
