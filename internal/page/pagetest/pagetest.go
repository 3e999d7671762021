// Package pagetest has the pages of WCXB (Murrough-Foley, CC BY 4.0) for the tests of the
// packages around it, and the score by which the benchmark compares extractors.
package pagetest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"techo/internal/testenv"
)

// Sample is a page of the benchmark.
type Sample struct {
	Name, Kind string
	Host       string
	HTML       string // the source
	Truth      string // the main content
}

// Samples reads the development pages of WCXB: all for every=1, each tenth for
// every=10.
func Samples(t testing.TB, every int) (all []Sample) {
	t.Helper()
	dir := testenv.Data(t, "extract", "wcxb", "dev")
	names, _ := filepath.Glob(filepath.Join(dir, "html", "*.html.gz"))
	if len(names) == 0 {
		testenv.Missing(t, "the pages of WCXB in "+dir)
	}
	for i, name := range names {
		if i%every != 0 {
			continue
		}
		id := strings.TrimSuffix(filepath.Base(name), ".html.gz")
		packed, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		source, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(dir, "ground-truth", id+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var truth struct {
			URL   string `json:"url"`
			Truth struct {
				Content string `json:"main_content"`
			} `json:"ground_truth"`
			Internal struct {
				Type struct {
					Primary string `json:"primary"`
				} `json:"page_type"`
			} `json:"_internal"`
		}
		if err := json.Unmarshal(raw, &truth); err != nil {
			t.Fatal(err)
		}
		host := ""
		if u, err := url.Parse(truth.URL); err == nil {
			host = strings.TrimPrefix(u.Host, "www.")
		}
		all = append(all, Sample{id, truth.Internal.Type.Primary, host, string(source), truth.Truth.Content})
	}
	return all
}

// WordsOf returns the words of a text in lower case.
func WordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// Score returns precision, recall and F1 by words, as defined by the benchmark.
func Score(want, got string) (p, r, f float64) {
	w := map[string]int{}
	wanted := WordsOf(want)
	for _, x := range wanted {
		w[x]++
	}
	hit, all := 0, 0
	for _, x := range WordsOf(got) {
		all++
		if w[x] > 0 {
			w[x]--
			hit++
		}
	}
	if all > 0 {
		p = float64(hit) / float64(all)
	} else if len(wanted) == 0 {
		p = 1
	}
	r = 1
	if len(wanted) > 0 {
		r = float64(hit) / float64(len(wanted))
	}
	if p+r > 0 {
		f = 2 * p * r / (p + r)
	}
	return p, r, f
}

// Average returns the mean of values, 0 of none.
func Average(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1))
}
