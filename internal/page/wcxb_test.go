package page

import (
	"slices"
	"testing"
	"time"
)

// TestSample holds the extractor to what it reaches on the development sample
// of WCXB, by which its table was made.
func TestSample(t *testing.T) {
	var all, articles []float64
	for _, s := range samples(t) {
		_, _, f := score(s.truth, Parse(s.html).Content().Text())
		all = append(all, f)
		if s.kind == "article" {
			articles = append(articles, f)
		}
	}
	t.Logf("F1: %.3f over %d pages, %.3f over %d articles", average(all), len(all), average(articles), len(articles))
	if average(all) < 0.80 || average(articles) < 0.94 {
		t.Errorf("F1 is %.3f, want 0.80; of articles %.3f, want 0.94", average(all), average(articles))
	}
}

// BenchmarkContent reads each page of the sample, and tells what one takes at
// the median and at p95 by its quickest reading.
func BenchmarkContent(b *testing.B) {
	pages := samples(b)
	quickest := make([]time.Duration, len(pages))
	for b.Loop() {
		for i, s := range pages {
			began := time.Now()
			Parse(s.html).Content().Text()
			if took := time.Since(began); quickest[i] == 0 || took < quickest[i] {
				quickest[i] = took
			}
		}
	}
	slices.Sort(quickest)
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pages)), "µs/page")
	b.ReportMetric(float64(quickest[len(quickest)/2].Microseconds()), "µs-median")
	b.ReportMetric(float64(quickest[len(quickest)*95/100].Microseconds()), "µs-p95")
}
