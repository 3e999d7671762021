package page

import "testing"

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

func BenchmarkContent(b *testing.B) {
	pages := samples(b)
	for b.Loop() {
		for _, s := range pages {
			Parse(s.html).Content().Text()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(pages)), "µs/page")
}
