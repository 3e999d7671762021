package page

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestSystems extracts pages in the markup of common content management systems.
// [[+40]] stands for 40 words of content, [[-40]] for 40 words of something else;
// a tilde asks for Japanese text of as many characters.
func TestSystems(t *testing.T) {
	names, err := filepath.Glob("testdata/cms/*.html")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	mark := regexp.MustCompile(`\[\[(~?)([+-])(\d+)\]\]`)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".html"), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var keep, drop []string
			source := mark.ReplaceAllStringFunc(string(raw), func(m string) string {
				part := mark.FindStringSubmatch(m)
				size, _ := strconv.Atoi(part[3])
				text := filler(len(keep)+len(drop), size, part[1] != "")
				if part[2] == "+" {
					keep = append(keep, text)
				} else {
					drop = append(drop, text)
				}
				return text
			})
			got := strings.Join(strings.Fields(Parse(source).Content().Text()), " ")
			for _, text := range keep {
				if !strings.Contains(got, text) {
					t.Errorf("content is missing: %.60q", text)
				}
			}
			for _, text := range drop {
				if strings.Contains(got, text) {
					t.Errorf("furniture in the content: %.60q", text)
				}
			}
		})
	}
}

// filler returns a unique text of the given number of words or characters.
func filler(n, size int, japanese bool) string {
	if japanese {
		text := "朝の道を歩いていると風が吹いてきて、木の葉が揺れていた。" +
			"しばらくして空が明るくなり、鳥の声も聞こえる。"
		runes := []rune(strings.Repeat(text, 2+size/40))
		at := n * 7 % 40
		return strings.TrimRight(string(runes[at:at+size]), "、。") + "番" + strconv.Itoa(100+n)
	}
	words := strings.Fields("the old road along the river was closed when water rose over its banks, and people of " +
		"the town had to walk around the hill. Nobody knew how long it would take until a bridge could be built " +
		"again, so they asked for help from their neighbours.")
	var b strings.Builder
	fmt.Fprintf(&b, "Part%d", 100+n)
	for i := 1; i < size; i++ {
		b.WriteByte(' ')
		b.WriteString(words[(n*11+i)%len(words)])
	}
	if size >= 12 {
		b.WriteByte('.')
	}
	return b.String()
}
