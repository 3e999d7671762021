package embed

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
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
	c := &client{http: server.Client(), at: server.URL, limit: 3 * time.Second, size: atFirst, most: atOnce}
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
