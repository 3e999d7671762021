package page

import (
	"slices"
	"testing"
	"time"

	"techo/internal/testenv"
)

// The model was trained on the 1,497 development pages of WCXB. With hosts kept
// apart in folds it scores 0.882, and 0.960 on articles (TestTrain); on its own
// training pages a little more.
const (
	minimumF1         = 0.88
	minimumArticlesF1 = 0.95
)

// TestSample checks that the extractor keeps its score on the development pages of
// WCXB.
func TestSample(t *testing.T) {
	var all, articles []float64
	for _, s := range samples(t, testenv.Pick(15, 1)) {
		_, _, f := score(s.truth, Parse(s.html).Content().Text())
		all = append(all, f)
		if s.kind == "article" {
			articles = append(articles, f)
		}
	}
	t.Logf("F1: %.3f over %d pages, %.3f over %d articles", average(all), len(all), average(articles), len(articles))
	if average(all) < minimumF1 || average(articles) < minimumArticlesF1 {
		t.Errorf("F1 is %.3f, want %.3f; on articles %.3f, want %.3f",
			average(all), minimumF1, average(articles), minimumArticlesF1)
	}
}

// BenchmarkContent extracts each page of the sample and reports the median and p95
// of the fastest times.
func BenchmarkContent(b *testing.B) {
	pages := samples(b, 1)
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
