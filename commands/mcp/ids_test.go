package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"techo/internal/mcptest"
)

// exactlyKept are ids that an answer must contain unchanged, refusedIDs those that
// are refused.
var (
	exactlyKept = []string{"9007199254740993", "-9007199254740993", "123456789012345678901234567890", "0", "-1",
		`"a"`, `""`, `"\u00e9<"`, "2.0"}
	refusedIDs = []string{"1.5", "1e2", "null", "true", "[1]", "{}", `"` + strings.Repeat("x", maxID) + `"`}
)

const ping = `{"jsonrpc":"2.0","id":%s,"method":"ping"}` + "\n"

// TestPipeIDs answers each request over stdin under its exact id.
func TestPipeIDs(t *testing.T) {
	start := strings.Replace(mcptest.Hello, `"id":1`, `"id":"hello"`, 1)
	check := func(id, answerID, part string) {
		got := converse(t, newHost(t), start+fmt.Sprintf(ping, id))
		if !strings.Contains(got[answerID], part) || strings.Count(got[answerID], "\n") != 1 || len(got) != 2 {
			t.Errorf("%.100s: %q", id, got)
		}
	}
	for _, id := range exactlyKept {
		check(id, id, `"result":{}`)
	}
	for _, id := range refusedIDs {
		answerID := id
		if len(id) > maxID {
			answerID = "null"
		}
		check(id, answerID, "-32600")
	}
}

// TestHTTPIDs answers each request over HTTP under its exact id.
func TestHTTPIDs(t *testing.T) {
	web := httptest.NewServer(Handler(newHost(t)))
	t.Cleanup(web.Close)
	post := func(version, body string) (status int, answer string) {
		r, err := http.NewRequestWithContext(t.Context(), "POST", web.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {version},
			"Accept": {"application/json, text/event-stream"}}
		response, err := web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		b, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(b)
	}
	for _, id := range exactlyKept {
		if status, got := post("2025-06-18", fmt.Sprintf(ping, id)); status != 200 ||
			!strings.Contains(got, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`) {
			t.Errorf("%s: %d %s", id, status, got)
		}
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"none"}}`, id)
		if _, got := post("2025-06-18", call); !strings.Contains(got, `{"jsonrpc":"2.0","id":`+id+`,"error":`) {
			t.Errorf("%s: %s", id, got)
		}
	}
	for _, id := range refusedIDs {
		status, got := post("2025-06-18", fmt.Sprintf(ping, id))
		if status != 400 || !strings.Contains(got, `"id":null`) {
			t.Errorf("%.100s: %d %s", id, status, got)
		}
	}
	batch := `[{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`
	status, got := post("2025-03-26", batch) // the last version with batches
	if status != 200 || !strings.Contains(got, `"id":9007199254740993,"result":{}`) ||
		!strings.Contains(got, `"id":1,"result":{}`) {
		t.Errorf("a batch: %d %s", status, got)
	}
}

// TestInFlight checks that a second request with the id of an open call is refused, and
// that a cancelled call is not answered.
func TestInFlight(t *testing.T) {
	for _, id := range []string{"5", `"a"`, "9007199254740993"} {
		started, ended := make(chan bool, 1), make(chan bool, 1)
		tool := waiting(func(ctx context.Context) { started <- true; <-ctx.Done(); ended <- true })
		p := startPipe(t, newHost(t, tool))
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"wait","arguments":{}}}`+
			"\n", id)
		p.send(t, mcptest.Hello+call)
		select {
		case <-started:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: the call did not start: %s", id, &p.out)
		}
		p.send(t, call+fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled",`+
			`"params":{"requestId":%s,"reason":"no"}}`+"\n", id))
		<-ended
		p.send(t, fmt.Sprintf(ping, `"last"`))
		got := p.end(t)
		if strings.Count(got[id], "\n") != 1 || !strings.Contains(got[id], "-32600") ||
			!strings.Contains(got[`"last"`], `"result":{}`) {
			t.Errorf("%s: %q", id, got)
		}
	}
}

// TestRestoreID checks that only messages in the encoding of the library are changed.
func TestRestoreID(t *testing.T) {
	raw := json.RawMessage("9007199254740993")
	id, err := libraryID(raw)
	if err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"\u0000` + string(raw) + `","result":{}}`: `{"jsonrpc":"2.0","id":` + string(raw) +
			`,"result":{}}`,
		`{"id":1}`: `{"id":1}`,
	} {
		if got := string(restoreID([]byte(message), id, raw)); got != want {
			t.Errorf("%s: %s", message, got)
		}
	}
}
