package commands

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

type exportPage struct {
	Records []json.RawMessage
	Last    bool
	Next    string
}

// pageOf asks a server for a page of an export, behind a place.
func pageOf(t *testing.T, s *served, tool, after string) (page exportPage) {
	t.Helper()
	body := s.Want(200, `"records":[`, "POST", "/transfer/"+tool, fmt.Sprintf(`{"after":%q}`, after), bearer("owner"))
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	return page
}

// TestTransferChanging: records that others remove or edit between two pages of an export hide
// no other record.
func TestTransferChanging(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env["TECHO_TOKEN"] = "owner"
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet")
	var memories, memos strings.Builder
	for i := range 200 {
		long := strings.Repeat("long ", 10_000)
		fmt.Fprintf(&memories, `{"full_text":"Memory no%03d %s","created_at":"2025-01-02T03:%02d:00Z"}`+"\n", i, long,
			i/10)
		fmt.Fprintf(&memos, `{"name":"no%03d","content":"x","priority":%d,"detail":%q}`+"\n", i, i%5+1, long)
	}
	w.put("memories.jsonl", memories.String())
	w.put("memos.jsonl", memos.String())
	w.put("work.ics", icsFile())
	w.run("import", "memories", "memories.jsonl").ok()
	w.run("import", "memos", "memos.jsonl").ok()
	w.run("cal", "import", "work.ics").ok()
	for _, c := range []struct {
		tool   string
		want   int // records
		change func(first json.RawMessage)
	}{
		{"export_memories", 200, func(first json.RawMessage) {
			var m struct{ ID string }
			_ = json.Unmarshal(first, &m)
			w.run("memory", "remove", m.ID).ok()
		}},
		{"export_memos", 200, func(first json.RawMessage) {
			var m struct{ Name string }
			_ = json.Unmarshal(first, &m)
			w.run("memo", "remove", m.Name).ok()
			w.run("memo", "edit", "no199", "--priority", "5").ok()
		}},
		{"export_calendar", 19, func(first json.RawMessage) {
			var r struct{ Event struct{ ID string } }
			_ = json.Unmarshal(first, &r)
			w.run("cal", "delete", r.Event.ID).ok()
		}},
	} {
		page := pageOf(t, s, c.tool, "")
		if page.Last || len(page.Records) < 2 {
			t.Fatalf("%s: %d records on the first page, last: %v", c.tool, len(page.Records), page.Last)
		}
		c.change(page.Records[0])
		all := map[string]bool{}
		for {
			for _, r := range page.Records {
				all[string(r)] = true
			}
			if page.Last {
				break
			}
			page = pageOf(t, s, c.tool, page.Next)
		}
		if len(all) != c.want {
			t.Errorf("%s: %d records, want %d", c.tool, len(all), c.want)
		}
	}
}

// TestTransferVersions: the pages of an earlier or later version are an error, rather than the
// end of the export.
func TestTransferVersions(t *testing.T) {
	w := newWorld(t)
	w.env["TECHO_TOKEN"] = "owner"
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet")
	s.Want(400, `"path":"/from"`, "POST", "/transfer/export_memos", `{"from":3}`, bearer("owner"))
	s.Want(400, `"path":"/after"`, "POST", "/transfer/export_memories", `{"after":"x"}`, bearer("owner"))
}
