package commands

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestModels checks that exactly the tools that say so ask the model of the person.
func TestModels(t *testing.T) {
	var asked atomic.Int32
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var in struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		var data []string
		for range in.Input {
			data = append(data, `{"index":`+string(rune('0'+len(data)))+`,"embedding":[1,0]}`)
		}
		_, _ = w.Write([]byte(`{"data":[` + strings.Join(data, ",") + `]}`))
	}))
	defer model.Close()
	w := newWorld(t)
	id := w.run("memory", "add", "Tanaka likes ramen").ok()["memory"].(map[string]any)["id"].(string)
	w.env["TECHO_EMBED_URL"], w.env["TECHO_EMBED_MODEL"] = model.URL, "m"
	for _, line := range []string{
		"memory add|Sato likes soba", "memory edit|ID|--content|Tanaka likes udon", "memory confirm|ID",
		"memory search|noodles", "memory context|What noodles?", "memory list", "memory get|ID",
		"memory timeline|--at|today", "memory supersede|ID|Tanaka likes rice", "memory remove|ID",
	} {
		asked.Store(0)
		command, rest, _ := strings.Cut(strings.ReplaceAll(line, "ID", id), "|")
		args := strings.Split(command, " ")
		if rest != "" {
			args = append(args, strings.Split(rest, "|")...)
		}
		w.run(args...).ok()
		for _, c := range w.app().Commands() {
			if c.Tool.Command == command && (asked.Load() > 0) != c.Tool.Models {
				t.Errorf("%s: asked %d times, says %v", command, asked.Load(), c.Tool.Models)
			}
		}
	}
}
