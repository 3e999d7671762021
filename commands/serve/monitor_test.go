package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"

	"techo/commands/server"
	"techo/internal/testenv"
	"techo/store/token"
)

// scrape reads /metrics, and returns the value of each series without buckets.
func scrape(t *testing.T, c *testenv.Client) map[string]float64 {
	t.Helper()
	answer, err := c.HTTP.Get(c.Base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got := answer.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") {
		t.Error("Content-Type:", got)
	}
	all, err := new(expfmt.TextParser).TextToMetricFamilies(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for name, family := range all {
		for _, m := range family.Metric {
			series := name
			for _, l := range m.Label {
				series += " " + l.GetValue()
			}
			values[series] = m.GetCounter().GetValue() + m.GetGauge().GetValue() +
				float64(m.GetHistogram().GetSampleCount())
		}
	}
	return values
}

// TestMetrics compares the figures with the requests that were made.
func TestMetrics(t *testing.T) {
	_, c := setup{}.start(t)
	c.Want(200, ``, "POST", "/tools/add_memo", `{"name":"a","content":"x","priority":1}`)
	for range 3 {
		c.Want(404, ``, "POST", "/tools/get_memo", `{"memo_name":"nope"}`)
	}
	c.Want(404, ``, "GET", "/etc/passwd", "")
	c.Want(400, ``, "POST", "/tools/secret", "")
	got := scrape(t, c)
	for series, want := range map[string]float64{
		"techo_calls_total add_memo ok":               1,
		"techo_calls_total get_memo not_found":        3,
		"techo_call_seconds get_memo":                 3,
		"techo_requests_total POST /tools/{name} 404": 3,
		"techo_requests_total POST /tools/{name} 400": 1,
		"techo_requests_total none 404":               1,
		"techo_store_wait_seconds write":              1,
		"techo_store_transaction_seconds write":       1,
		"techo_calls_running":                         0,
		"techo_questions_waiting":                     0,
		"techo_requests_total GET /metrics 200":       0, // not yet ended
	} {
		if got[series] != want {
			t.Errorf("%s = %v, want %v", series, got[series], want)
		}
	}
	for series := range got {
		if strings.Contains(series, "secret") || strings.Contains(series, "passwd") {
			t.Errorf("a client made the label %s", series)
		}
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(got)), func(series string) bool {
		return strings.HasPrefix(series, "techo_build_info ") && got[series] == 1
	}) {
		t.Error("no techo_build_info")
	}
	if got["process_start_time_seconds"] < 1e9 || got["go_goroutines"] < 1 || got["techo_heap_bytes"] < 1 {
		t.Error(got)
	}
}

// TestMetricsAllowed: the owner and tokens for the metrics read them; other tokens
// do not, and tokens for the metrics call no tool.
func TestMetricsAllowed(t *testing.T) {
	srv, c := setup{}.start(t)
	st, err := srv.host.Run.Open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{}
	for name, only := range map[string][]string{"all": nil, "memo": {"memo"}, "monitor": {server.MetricsOnly}} {
		secrets[name] = NewToken()
		if _, err := st.AddToken(t.Context(), secrets[name], token.Token{User: "u", Only: only}); err != nil {
			t.Fatal(err)
		}
	}
	srv.access = access{secret: "owner", find: st.FindToken}
	bearer := func(secret string) string { return "Authorization: Bearer " + secret }
	c.Want(200, "techo_calls_total", "GET", "/metrics", "", bearer("owner"))
	c.Want(200, "techo_calls_total", "GET", "/metrics", "", bearer(secrets["monitor"]))
	c.Want(403, "not for /metrics", "GET", "/metrics", "", bearer(secrets["memo"]))
	c.Want(403, "/metrics 用ではありません", "GET", "/metrics", "", bearer(secrets["all"]), "Techo-Lang: ja")
	c.Want(401, "unavailable", "GET", "/metrics", "")
	c.Want(403, "--only", "POST", "/tools/list_memo", "", bearer(secrets["monitor"]))
}

// TestReady: a server is ready while its store can be read and it is not stopping.
func TestReady(t *testing.T) {
	srv, c := setup{}.start(t)
	srv.access = access{secret: "owner"}
	c.Want(200, "techo is ready", "GET", "/ready", "")
	srv.drainRequests()
	c.Want(503, "サーバーは停止中です", "GET", "/ready", "", "Techo-Lang: ja")
	c.Want(200, "techo is running", "GET", "/health", "")
}

// TestNotReady: a store that cannot be read is an error that names no path.
func TestNotReady(t *testing.T) {
	var log testenv.Buffer
	srv, c := setup{Options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}.start(t)
	c.Want(200, ``, "POST", "/tools/add_memo", `{"name":"a","content":"x","priority":1}`)
	path, err := srv.host.Run.StorePath()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "journal"), []byte("damage"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Want(503, `"The store cannot be read"`, "GET", "/ready", "")
	if answer, err := c.HTTP.Get(c.Base + "/ready"); err == nil {
		defer answer.Body.Close()
		if body, _ := io.ReadAll(answer.Body); bytes.Contains(body, []byte(path)) {
			t.Errorf("names a path: %s", body)
		}
	}
	if got := log.String(); strings.Count(got, `msg="not ready" error=`) != 1 {
		t.Error("the log does not name the reason once:", got)
	}
}

// TestLog: each call and each request is a line of JSON, without what was said.
func TestLog(t *testing.T) {
	var out testenv.Buffer
	_, c := setup{Options: Options{Log: slog.New(slog.NewJSONHandler(&out, nil))}}.start(t)
	c.Want(200, ``, "POST", "/tools/add_memo", `{"name":"hidden","content":"hidden","priority":1}`,
		"Techo-User: tanaka", "Techo-Turn: t1")
	testenv.Eventually(t, func() bool { return strings.Count(out.String(), "\n") == 2 })
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var call, request map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &call); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(lines[1]), &request); err != nil {
		t.Fatal(err)
	}
	if call["msg"] != "call" || call["tool"] != "add_memo" || call["code"] != "ok" || call["user"] != "tanaka" ||
		call["client"] != "http" || call["turn"] != "t1" {
		t.Error(lines[0])
	}
	if request["msg"] != "request" || request["status"] != 200.0 || request["path"] != "/tools/add_memo" ||
		request["method"] != http.MethodPost {
		t.Error(lines[1])
	}
	if strings.Contains(out.String(), "hidden") {
		t.Error("the log contains what was said:", out.String())
	}
}

// TestLogFields: the lines have the fields that docs/serving.md lists, and contain no token
// and no query.
func TestLogFields(t *testing.T) {
	var out testenv.Buffer
	srv, c := setup{Options: Options{Log: slog.New(slog.NewJSONHandler(&out, nil))}}.start(t)
	srv.access.secret = "hidden-token"
	c.Want(200, ``, "POST", "/tools/list_memo", `{}`, "Authorization: Bearer hidden-token")
	c.Want(400, ``, "GET", "/memories/full?ids=hidden-id", "", "Authorization: Bearer hidden-token")
	c.Want(401, ``, "POST", "/tools/list_memo", `{}`, "Authorization: Bearer hidden-guess")
	testenv.Eventually(t, func() bool { return strings.Count(out.String(), "\n") == 4 })
	if strings.Contains(out.String(), "hidden") {
		t.Error("the log contains a secret:", out.String())
	}
	fields := map[string]string{
		"call":    "client code level ms msg time tool turn user",
		"request": "bytes from level method ms msg path status time",
	}
	for line := range strings.Lines(out.String()) {
		var l map[string]any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(l)), " "); got != fields[l["msg"].(string)] {
			t.Errorf("%v: %s", l["msg"], got)
		}
	}
}

// TestLogMonitors: what monitors ask each second is not in the log, unless they are refused.
func TestLogMonitors(t *testing.T) {
	var out testenv.Buffer
	srv, c := setup{Options: Options{Log: slog.New(slog.NewTextHandler(&out, nil))}}.start(t)
	c.Want(200, ``, "GET", "/metrics", "")
	srv.access = access{secret: "owner"}
	for range 3 {
		c.Want(200, ``, "GET", "/health", "")
		c.Want(200, ``, "GET", "/ready", "")
	}
	srv.drainRequests()
	c.Want(503, ``, "GET", "/ready", "")
	c.Want(401, ``, "GET", "/metrics", "")
	c.Want(405, ``, "POST", "/ready", "")
	testenv.Eventually(t, func() bool { return strings.Count(out.String(), "\n") >= 2 })
	if got := out.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "path=/metrics status=401") ||
		!strings.Contains(got, "method=POST path=/ready status=405") {
		t.Error(got)
	}
}
