package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// subjects are the words of what an endpoint of the tests understands.
var subjects = [][]string{
	{"retriever", "puppy", "hound", "犬"}, {"thunder", "lightning", "雷"}, {"vegetable", "tomato", "野菜"},
	{"旅券", "passport"},
}

// embedding returns a vector with the count of the words of each subject in a text. All
// have much in common.
func embedding(model, text string) []float32 {
	v := []float32{2, 0, 0, 0, 0, float32(len(text)%7) / 50}
	if model == "larger" {
		v = append(v, 0, 0)
	}
	for i, words := range subjects {
		for _, w := range words {
			v[1+i] += float32(strings.Count(strings.ToLower(text), w))
		}
	}
	return v
}

// serveEndpoint serves endpoints for meanings on the loopback and sets $EMBED to their address:
//
//	endpoint log
//
// $EMBED itself is good, $EMBED/MODE answers as its mode says. The last request of the good one is
// in the file log: key, model and number of texts.
func serveEndpoint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: endpoint log")
	}
	log := ts.MkAbs(args[0])
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, r *http.Request, of func(model, text string) []float32) {
		var in struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model == "gone" {
			http.Error(w, "secret of the server", http.StatusNotFound)
			return
		}
		type vector struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var out struct {
			Data []vector `json:"data"`
		}
		for i := range in.Input { // in any order
			i = len(in.Input) - 1 - i
			out.Data = append(out.Data, vector{i, of(in.Model, in.Input[i])})
		}
		line := fmt.Sprintf("%s %s %d\n", r.Header.Get("Authorization"), in.Model, len(in.Input))
		_ = os.WriteFile(log, []byte(line), 0o600)
		_ = json.NewEncoder(w).Encode(out)
	}
	mux.HandleFunc("POST /v1/embeddings", func(w http.ResponseWriter, r *http.Request) { answer(w, r, embedding) })
	mux.HandleFunc("POST /uneven/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(_, text string) []float32 { return make([]float32, 1+len(text)%5) })
	})
	mux.HandleFunc("POST /longer/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(model, text string) []float32 { return append(embedding("larger", text), 0) })
	})
	mux.HandleFunc("POST /short/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"data":[]}`)
	})
	mux.HandleFunc("POST /nan/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"data":[{"index":0,"embedding":[NaN,1]}]}`)
	})
	mux.HandleFunc("POST /zeros/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(model, text string) []float32 { return make([]float32, len(embedding(model, text))) })
	})
	mux.HandleFunc("POST /fails/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "secret of the server", http.StatusInternalServerError)
	})
	mux.HandleFunc("POST /moved/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/v1/embeddings", http.StatusTemporaryRedirect)
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("EMBED", server.URL)
}
