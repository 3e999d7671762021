package nearest

import (
	"slices"
	"testing"

	"techo/internal/testenv"
)

// naive computes the distance by its recursive definition.
func naive(a, b []rune) int {
	i, j := len(a), len(b)
	if i == 0 || j == 0 {
		return i + j
	}
	cost := 1
	if a[i-1] == b[j-1] {
		cost = 0
	}
	d := min(naive(a[:i-1], b)+1, naive(a, b[:j-1])+1, naive(a[:i-1], b[:j-1])+cost)
	if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
		d = min(d, naive(a[:i-2], b[:j-2])+1)
	}
	return d
}

// TestDistance compares Distance with its definition on short, similar words.
func TestDistance(t *testing.T) {
	r := testenv.Random(t)
	letters := []rune("abcéメ😀")
	word := func() []rune {
		w := make([]rune, r.IntN(7))
		for i := range w {
			w[i] = letters[r.IntN(len(letters))]
		}
		return w
	}
	stopped := 0
	for range 5000 {
		a, b := word(), word()
		if r.IntN(2) == 0 && len(a) > 1 {
			b = slices.Clone(a)
			i := r.IntN(len(b) - 1)
			b[i], b[i+1] = b[i+1], b[i]
		}
		want, most := naive(a, b), r.IntN(7)
		got := Distance(string(a), string(b), most)
		if want <= most && got != want || want > most && got <= most {
			t.Fatalf("Distance(%q, %q, %d) is %d, want %d", string(a), string(b), most, got, want)
		}
		if want > most {
			stopped++
		}
		if back := Distance(string(b), string(a), 99); back != want {
			t.Fatalf("Distance(%q, %q) is %d, the other way round %d", string(b), string(a), back, want)
		}
		if (want == 0) != (string(a) == string(b)) {
			t.Fatalf("Distance(%q, %q) is %d", string(a), string(b), want)
		}
	}
	if stopped < 500 || stopped > 4500 {
		t.Errorf("%d of 5000 exceeded the limit", stopped)
	}
}

// TestDistanceKinds checks the cost of each kind of edit.
func TestDistanceKinds(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"tag", "tag", 0},
		{"tag", "tags", 1},
		{"tags", "tag", 1},
		{"tag", "tug", 1},
		{"tag", "tga", 1},
		{"tag", "", 3},
		{"メモ", "モメ", 1},
		{"ca", "abc", 3}, // swapped characters are not edited again
		{"content", "conetnt", 1},
		{"priority", "prority", 1},
	} {
		if got := Distance(test.a, test.b, 9); got != test.want {
			t.Errorf("Distance(%q, %q) is %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

// TestOf checks which names are suggested.
func TestOf(t *testing.T) {
	fields := []string{"name", "content", "priority", "tags", "detail", "new_name", "memo_name"}
	for _, test := range []struct {
		name       string
		candidates []string
		want       []string
	}{
		{"nmae", fields, []string{"name"}},
		{"Name", fields, []string{"name"}},
		{"NAME", fields, []string{"name"}},
		{"tag", fields, []string{"tags"}},
		{"prio", fields, []string{"priority"}}, // a prefix
		{"pri", fields, []string{"priority"}},
		{"pr", fields, nil},                               // too short for a prefix
		{"tagslist", fields, []string{"tags"}},            // the candidate is a prefix
		{"in_name", []string{"in", "in_file"}, nil},       // "in" is a prefix of too many words
		{"contents", fields, []string{"content"}},         // one letter more
		{"newname", fields, []string{"new_name"}},         // one letter less
		{"memoname", fields, []string{"memo_name"}},       //
		{"zzzz", fields, nil},                             // similar to no candidate
		{"text", fields, nil},                             // at most a third of the letters may differ
		{"name", nil, nil},                                //
		{"メモ名", []string{"メモの名", "タグ"}, []string{"メモの名"}}, // characters, not bytes
		{"abcdef", []string{"abcdxy", "abcdex", "abcdef", "abcdfe"}, []string{"abcdef", "abcdex", "abcdfe"}},
		{"abcdef", []string{"abcdxy", "abcxyz"}, []string{"abcdxy"}},
		{"abcd", []string{"abcx", "abcy", "abcz", "abcd"}, []string{"abcd", "abcx", "abcy"}}, // ties keep their order
	} {
		candidates := slices.Clone(test.candidates)
		if got := Of(test.name, candidates); !slices.Equal(got, test.want) {
			t.Errorf("Of(%q, %q) is %q, want %q", test.name, test.candidates, got, test.want)
		}
		if !slices.Equal(candidates, test.candidates) {
			t.Errorf("Of(%q) changed the candidates into %q", test.name, candidates)
		}
	}
}

// TestOfRandom checks that a candidate with one wrong letter is always found, and
// that at most three names are suggested.
func TestOfRandom(t *testing.T) {
	r := testenv.Random(t)
	names := []string{"list_memo", "get_memo", "add_memo", "edit_memo", "remove_memo", "list_memo_tags", "memo_context"}
	for range 2000 {
		meant := names[r.IntN(len(names))]
		slip := []rune(meant)
		switch i := r.IntN(len(slip) - 1); r.IntN(3) {
		case 0:
			slip = slices.Delete(slip, i, i+1)
		case 1:
			slip[i], slip[i+1] = slip[i+1], slip[i]
		default:
			slip[i] = 'z'
		}
		got := Of(string(slip), names)
		if !slices.Contains(got, meant) || len(got) > 3 {
			t.Fatalf("Of(%q) is %q, without %q", string(slip), got, meant)
		}
	}
}

// TestShortNames checks that a name is not taken for one without a common
// character.
func TestShortNames(t *testing.T) {
	for _, c := range []struct {
		name string
		want []string
	}{{"z", nil}, {"A", []string{"a"}}, {"ac", []string{"a"}}, {"xy", nil}} {
		if got := Of(c.name, []string{"a"}); !slices.Equal(got, c.want) {
			t.Errorf("Of(%q) is %q, want %q", c.name, got, c.want)
		}
	}
}
