package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSlowEndpoint asks an endpoint that answers for three texts in time and for more not at all.
func TestSlowEndpoint(t *testing.T) {
	const most = 3
	var hung atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		if len(in.Input) > most {
			hung.Add(1)
			<-r.Context().Done()
			return
		}
		var out answer
		for i := range in.Input {
			out.Data = append(out.Data, struct {
				Index     int       `json:"index"`
				Embedding []float32 `json:"embedding"`
			}{i, []float32{float32(len(in.Input[i])), 1}})
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	defer server.Close()
	c := newTestClient(server, 3*time.Second)
	var texts []string
	for i := range 50 {
		texts = append(texts, fmt.Sprintf("%0*d", i+1, i))
	}
	all, err := c.Encode(t.Context(), texts)
	if err != nil || len(all) != len(texts) || hung.Load() != 1 {
		t.Fatalf("%d vectors, %d requests hung: %v", len(all), hung.Load(), err)
	}
	for i := range all {
		if int(all[i][0]) != len(texts[i]) {
			t.Fatalf("vector %d is %v", i, all[i])
		}
	}
}

// newTestClient returns a client of a server of the tests, without the guard of addresses.
func newTestClient(server *httptest.Server, limit time.Duration) *client {
	return &client{http: server.Client(), at: server.URL, key: once(nil), limit: limit, size: atFirst, most: atOnce}
}

// TestWrongAnswers: each fault of an endpoint is one sentence, without a word of its answer.
func TestWrongAnswers(t *testing.T) {
	const soon, head = 100 * time.Millisecond, `{"data":[{"index":0,"embedding":[1,2]},`
	for _, c := range []struct{ answer, want string }{
		{"<html>secret</html>", "the answer is not one of /v1/embeddings"},
		{`{"error":"secret"}`, "the answer has another number of vectors than there are texts"},
		{head + `{"index":7,"embedding":[1,2]}]}`, "the answer numbers its vectors wrongly"},
		{head + `{"index":1,"embedding":[1]}]}`,
			"the answer has vectors of different lengths, or of more than 8192 numbers"},
		{head + strings.Repeat(" ", mostBytes), "the answer has more than 33554432 bytes"},
		{"", "it took too long"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if c.answer == "" { // it begins, and does not end
				_, _ = w.Write([]byte(head))
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}
			_, _ = w.Write([]byte(c.answer))
		}))
		limit := time.Minute
		if c.answer == "" {
			limit = soon
		}
		all, err := newTestClient(server, limit).Encode(t.Context(), []string{"a", "b"})
		if all != nil || err == nil || err.Error() != c.want {
			t.Errorf("%v, %v; want %s", all, err, c.want)
		}
		server.Close()
	}
}

// TestKeyOnce: the command that prints the key runs once, and again after it failed.
func TestKeyOnce(t *testing.T) {
	asked := 0
	key := once(func(context.Context) (string, error) {
		if asked++; asked == 1 {
			return "", errors.New("locked")
		}
		return "sesame", nil
	})
	if _, err := key(t.Context()); err == nil {
		t.Error("the error was lost")
	}
	for range 3 {
		if got, err := key(t.Context()); got != "sesame" || err != nil {
			t.Error(got, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}
