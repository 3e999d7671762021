package server

import (
	"context"
	"log/slog"
	"runtime"
	"strconv"
	"time"

	"techo/commands/system"
	"techo/internal/metrics"
	"techo/store/ledger"
	"techo/tools"
)

// Metrics are the figures of a server for Prometheus. They have no labels for users
// or tokens, so that they reveal nothing about anyone's data.
type Metrics struct {
	metrics.Registry

	calls        *metrics.Counter
	seconds      *metrics.Histogram
	requests     *metrics.Counter
	waits        *metrics.Histogram
	transactions *metrics.Histogram
}

func (h *Host) newMetrics() *Metrics {
	m := &Metrics{}
	one := func() float64 { return 1 }
	m.Gauge("techo_build_info", "Version of techo and of Go, as labels", one,
		"version", system.Version, "go", runtime.Version())
	m.Gauge("process_start_time_seconds", "When the server started, in seconds since 1970", started(time.Now()))
	m.calls = m.Counter("techo_calls_total", "Calls that have ended, by tool and error code", "tool", "code")
	m.seconds = m.Histogram("techo_call_seconds", "Time of a call with its waits, by tool", metrics.Seconds, "tool")
	m.Gauge("techo_calls_running", "Calls that hold a slot", func() float64 {
		return float64(len(h.pool.short) + len(h.pool.long))
	})
	m.Gauge("techo_questions_waiting", "Calls that wait for an answer", func() float64 {
		return float64(len(h.waiting))
	})
	m.requests = m.Counter("techo_requests_total", "HTTP requests that have ended, by route and status",
		"route", "status")
	m.waits = m.Histogram("techo_store_wait_seconds", "Time that a transaction of the store waited for others, "+
		"its turn or a connection", metrics.Seconds, "mode")
	m.transactions = m.Histogram("techo_store_transaction_seconds", "Time of a transaction of the store with its wait",
		metrics.Seconds, "mode")
	m.Gauge("go_goroutines", "Goroutines", func() float64 { return float64(runtime.NumGoroutine()) })
	m.Gauge("techo_heap_bytes", "Memory of live and not yet freed objects", heapBytes)
	return m
}

func started(at time.Time) func() float64 {
	return func() float64 { return float64(at.UnixMilli()) / 1000 }
}

func heapBytes() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// Request counts an HTTP request. The route is the pattern that matched, so that
// clients cannot add labels.
func (m *Metrics) Request(route string, status int) {
	if m != nil {
		m.requests.Inc(route, strconv.Itoa(status))
	}
}

func (m *Metrics) call(tool, code string, took time.Duration) {
	if m != nil {
		m.calls.Inc(tool, code)
		m.seconds.Observe(took.Seconds(), tool)
	}
}

func (m *Metrics) transaction(t ledger.Transaction) {
	mode := "read"
	if t.Write {
		mode = "write"
	}
	m.waits.Observe(t.Waited.Seconds(), mode)
	m.transactions.Observe(t.Took.Seconds(), mode)
}

// record counts a call and logs it. The line has nothing of its input or result.
func (h *Host) record(ctx context.Context, env *tools.Env, t *tools.Tool, took time.Duration, e *tools.Error) {
	code := "ok"
	if e != nil {
		code = string(e.Code)
	}
	h.Metrics.call(t.Name, code, took)
	if h.Log == nil {
		return
	}
	h.Log.LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "call",
		slog.String("tool", t.Name), slog.String("code", code), slog.String("user", env.User),
		slog.String("client", env.Caller.Client), slog.String("turn", env.Caller.Turn),
		slog.Float64("ms", float64(took.Microseconds())/1000))
}
