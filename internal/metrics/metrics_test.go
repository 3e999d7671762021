package metrics_test

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/common/expfmt"

	"techo/internal/metrics"
)

// TestWriteTo reads what a registry writes with the parser of Prometheus.
func TestWriteTo(t *testing.T) {
	var r metrics.Registry
	calls := r.Counter("calls_total", "Calls\nby \\ tool", "tool", "code")
	seconds := r.Histogram("seconds", "Time of a call", []float64{.1, 1}, "tool")
	plain := r.Histogram("wait_seconds", "Time of a wait", metrics.Seconds)
	r.Counter("errors_total", "Errors")
	r.Gauge("running", "Running calls", func() float64 { return 2.5 }, "version", `"1\0"`)
	r.Gauge("cpu_seconds", "CPU time", func() float64 { return 1e-7 })
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			calls.Inc("a", "ok")
			calls.Inc("b\n", `"`)
			seconds.Observe(.1, "a")
			seconds.Observe(7, "a")
			plain.Observe(.02)
		})
	}
	all.Wait()
	var out bytes.Buffer
	n, err := r.WriteTo(&out)
	if err != nil || n != int64(out.Len()) {
		t.Fatal("wrote", n, "bytes of", out.Len(), err)
	}
	var parser expfmt.TextParser
	got, err := parser.TextToMetricFamilies(strings.NewReader(out.String()))
	if err != nil {
		t.Fatal(err, "\n", out.String())
	}
	if f := got["calls_total"]; len(f.Metric) != 2 || f.Metric[0].Counter.GetValue() != 50 ||
		f.Metric[1].Label[0].GetValue() != "b\n" || f.Metric[1].Label[1].GetValue() != `"` ||
		f.GetHelp() != "Calls\nby \\ tool" {
		t.Error("calls_total:", f)
	}
	h := got["seconds"].Metric[0].Histogram
	if h.GetSampleCount() != 100 || math.Abs(h.GetSampleSum()-355) > 1e-6 || h.Bucket[0].GetCumulativeCount() != 50 ||
		h.Bucket[1].GetCumulativeCount() != 50 || h.Bucket[2].GetCumulativeCount() != 100 {
		t.Error("seconds:", h)
	}
	if h := got["wait_seconds"].Metric[0]; h.Histogram.GetSampleCount() != 50 || len(h.Label) != 0 {
		t.Error("wait_seconds:", h)
	}
	if v := got["errors_total"].Metric[0].Counter.GetValue(); v != 0 {
		t.Error("errors_total:", v)
	}
	if m := got["running"].Metric[0]; m.Gauge.GetValue() != 2.5 || m.Label[0].GetValue() != `"1\0"` {
		t.Error("running:", m)
	}
	if v := got["cpu_seconds"].Metric[0].Gauge.GetValue(); v != 1e-7 {
		t.Error("cpu_seconds:", v)
	}
}

// TestLabels checks that a wrong number of labels is a fault of the program.
func TestLabels(t *testing.T) {
	var r metrics.Registry
	c := r.Counter("calls_total", "Calls", "tool")
	defer func() {
		if recover() == nil {
			t.Error("two values for one label")
		}
	}()
	c.Inc("a", "b")
}
