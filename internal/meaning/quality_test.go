package meaning

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// examples reads a file of tab-separated examples.
func examples(t testing.TB, name string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

// memories returns the vectors of all memories in the examples: those of name first.
func memories(t testing.TB, name string) (all []Vec) {
	t.Helper()
	for _, row := range examples(t, name) {
		all = append(all, Vector(row[0]))
	}
	for _, other := range []string{"paraphrase", "cross", "unseen_paraphrase", "unseen_cross", "pairs"} {
		if other == name {
			continue
		}
		for _, row := range examples(t, other) {
			if other == "pairs" {
				row = row[1:]
			}
			all = append(all, Vector(row[0]))
		}
	}
	return all
}

// TestQuestions asks for memories in other words and in the other language. The
// table's constants were chosen without the unseen examples.
func TestQuestions(t *testing.T) {
	right, asked := map[string]float64{}, map[string]float64{}
	for _, name := range []string{"paraphrase", "cross", "unseen_paraphrase", "unseen_cross"} {
		all := memories(t, name)
		for i, row := range examples(t, name) {
			for _, question := range row[1:] {
				kind := name + " " + language(question)
				asked[kind]++
				if among(all, i, question) < 5 {
					right[kind]++
				}
			}
		}
	}
	for kind, least := range map[string]float64{
		"paraphrase en": .80, "paraphrase ja": .85, "cross en": .90, "cross ja": .90,
		"unseen_paraphrase en": .80, "unseen_paraphrase ja": .70, "unseen_cross en": .85, "unseen_cross ja": .80,
	} {
		share := right[kind] / asked[kind]
		t.Logf("%s: %.2f of %.0f among five", kind, share, asked[kind])
		if share < least {
			t.Errorf("%s: %.2f among five, want %.2f", kind, share, least)
		}
	}
}

// among returns how many memories are more like the question than the memory i.
func among(all []Vec, i int, question string) (before int) {
	q := Vector(question)
	for j := range all {
		if Likeness(&q, &all[j]) > Likeness(&q, &all[i]) {
			before++
		}
	}
	return before
}

func language(text string) string {
	if strings.ContainsFunc(text, japanese) {
		return "ja"
	}
	return "en"
}

// TestPairs tells texts that say the same from texts that only look alike.
func TestPairs(t *testing.T) {
	like := map[string][]float32{}
	for _, row := range examples(t, "pairs") {
		a, b := Vector(row[1]), Vector(row[2])
		like[row[0]] = append(like[row[0]], Likeness(&a, &b))
	}
	wins, pairs := 0, 0
	for _, same := range like["restate"] {
		for _, other := range like["independent"] {
			pairs++
			if same > other {
				wins++
			}
		}
	}
	for kind := range like {
		slices.Sort(like[kind])
		t.Logf("%s: %.2f to %.2f, median %.2f", kind, like[kind][0], like[kind][len(like[kind])-1],
			like[kind][len(like[kind])/2])
	}
	if share := float64(wins) / float64(pairs); share < .98 {
		t.Errorf("in %.3f of comparisons the pair that says the same is more alike, want 0.98", share)
	}
}

// TestReadings finds Japanese words in their other spellings and in Latin letters.
func TestReadings(t *testing.T) {
	for _, pair := range [][2]string{
		{"ひざ", "膝"}, {"しめきり", "締切"}, {"珈琲", "コーヒー"}, {"林檎", "リンゴ"},
		{"旅券", "パスポート"}, {"Yamaguchi", "山口"}, {"デプロイ", "deploy"},
		{"ラーメン", "ramen"}, {"Sato", "佐藤"}, {"めがね", "眼鏡"}, {"ﾗｰﾒﾝ", "らーめん"},
	} {
		a, b := Vector(pair[0]), Vector(pair[1])
		if got := Likeness(&a, &b); got < .6 {
			t.Errorf("%s and %s: likeness %.2f, want 0.60", pair[0], pair[1], got)
		}
	}
}
