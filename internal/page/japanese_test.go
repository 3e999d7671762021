package page

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/charset"
	"techo/internal/page/pagetest"
)

var update = flag.Bool("update", false, "write the texts of the Japanese pages into the golden files")

// TestJapanese reads 30 pages in five encodings, mostly declared late,
// wrongly or not at all. A .want file holds the lines of the content, a .golden
// file the current result.
func TestJapanese(t *testing.T) {
	names, err := filepath.Glob("testdata/japanese/*.html")
	if err != nil || len(names) != 30 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	var all []float64
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			base := strings.TrimSuffix(name, ".html")
			text, encoding := charset.DecodePage(body, "")
			if want := filepath.Ext(base)[1:]; encoding != want {
				t.Errorf("encoding %s, want %s", encoding, want)
			}
			got := Parse(text).Content().Text() + "\n"
			want, err := os.ReadFile(base + ".want")
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, overlap(string(want), got))
			if *update {
				if err := os.WriteFile(base+".golden", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			golden, err := os.ReadFile(base + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			if got != string(golden) {
				t.Errorf("got\n%s\nwant\n%s", got, golden)
			}
		})
	}
	t.Logf("F1 by characters: %.3f", pagetest.Average(all))
	if pagetest.Average(all) < 0.9 {
		t.Errorf("F1 by characters is %.3f, want 0.9", pagetest.Average(all))
	}
}

// overlap returns the F1 score of two texts, by pairs of characters.
func overlap(want, got string) float64 {
	pairs := func(text string) (map[string]int, int) {
		runes := []rune(strings.Join(strings.Fields(text), ""))
		all := map[string]int{}
		for i := 0; i+1 < len(runes); i++ {
			all[string(runes[i:i+2])]++
		}
		return all, max(len(runes)-1, 0)
	}
	w, nw := pairs(want)
	g, ng := pairs(got)
	hit := 0
	for pair, n := range g {
		hit += min(n, w[pair])
	}
	if nw+ng == 0 {
		return 1
	}
	return 2 * float64(hit) / float64(nw+ng)
}
