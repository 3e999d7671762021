package wording

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestEndless cuts texts with words that do not end: nothing panics, and what is cut stays UTF-8 and within
// its bounds.
func TestEndless(t *testing.T) {
	var all []string
	for _, unit := range []string{"a", "あ", "漢", "ア", "ー", "。", ".", "?", "\"", "é", "e\u0301", "🦊", "\xff", "\xe3", "1",
		"_", "-", "'", "’", ":", "：", " ", "\n", "#", "* ", "mem_", "a。", "a. ", "Dr. ", "はい"} {
		for _, n := range []int{1, 2, 79, 80, 81, 240, 500, 700, 3000} {
			word := strings.Repeat(unit, n)
			all = append(all, word, "x "+word, word+" x", "Anna: "+word, word+"。次の文。"+word, word+". Next. "+word)
		}
	}
	for i, text := range all {
		caption := CaptionOf(text)
		if said := strings.ContainsFunc(text, unicode.IsLetter); said && caption == "" && utf8.ValidString(text) {
			t.Errorf("no caption of %.40q", text)
		}
		if utf8.RuneCountInString(caption) > maxCaption || !utf8.ValidString(caption) {
			t.Errorf("caption of %.40q: %q", text, caption)
		}
		for _, s := range Sentences(text) {
			if !utf8.ValidString(s) || !strings.Contains(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "), s) {
				t.Fatalf("sentence of %.40q: %.80q", text, s)
			}
		}
		other := all[(i*7+3)%len(all)]
		Repeats(caption, other)
		StaleCaption(caption, text, other)
		Turn(text, true)
		Suggest(other, []string{caption}, 8)
		q := Question{Text: caption}
		q.Crossed(.1, func() []string { return []string{other} })
		if joined := Joined([]string{text, text, other}); len(joined) > 2*len(text)+len(other)+8 {
			t.Errorf("joined from %.40q: %d bytes", text, len(joined))
		}
	}
}

// TestJoined keeps every sentence once, in the order of the texts.
func TestJoined(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"A is b. C is d.", "E is f. a IS b!"}, "A is b. C is d.\nE is f."},
		{[]string{"鍵は金庫にある。", "鍵は金庫にある。番号は４４１１。"}, "鍵は金庫にある。\n番号は４４１１。"},
		{[]string{"It is -5 degrees.", "It is 5 degrees."}, "It is -5 degrees.\nIt is 5 degrees."},
		{[]string{"We use C.", "We use C++."}, "We use C.\nWe use C++."},
		{[]string{"One.\nTwo.", "Two.\nThree."}, "One.\nTwo.\nThree."},
	} {
		if got := Joined(c.texts); got != c.want {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
	}
}
