package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// farWorld returns a client of a server that has a token of a user, and the server.
func farWorld(t *testing.T, flags ...string) (near, far *world, s *served) {
	t.Helper()
	near, far = newWorld(t), newWorld(t)
	near.env["TECHO_TOKEN"] = far.token("tanaka", flags...)
	far.env["TECHO_TOKEN"] = "owner"
	s = far.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet")
	near.useServer(s.Base)
	return near, far, s
}

// TestTransferSame: imports and exports through a server have the same results, exit codes
// and files as with a store on this machine.
func TestTransferSame(t *testing.T) {
	t.Parallel()
	near, far, _ := farWorld(t)
	here := newWorld(t)
	var memories, memos strings.Builder
	const count = 100
	for i := range count {
		fmt.Fprintf(&memories, `{"full_text":"Memory %d of Tanaka %s?","created_at":"2025-01-02T03:%02d:00Z"}`+"\n", i,
			strings.Repeat("long ", 8000*(i%2)), i%60)
		fmt.Fprintf(&memos, `{"name":"memo %d","content":"x","priority":%d,"tags":["a"]}`+"\n", i, i%5+1)
	}
	memories.WriteString("no JSON\n" + `{"caption":"no text"}` + "\n")
	memos.WriteString(`{"name":"memo 1","content":"another","priority":1}` + "\n")
	for _, w := range []*world{near, here} {
		w.put("memories.jsonl", memories.String())
		w.put("memos.jsonl", memos.String())
		w.put("notes/one.md", "# A note\n\nTanaka likes soba\n")
		at := time.Date(2025, 1, 2, 4, 0, 0, 0, time.UTC) // a memory of a note has the time of its file
		if err := os.Chtimes(filepath.Join(w.dir, "notes", "one.md"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"import memories memories.jsonl", "import memories memories.jsonl", "import memories notes",
		"import memories memories.jsonl --strict", "import memos memos.jsonl --strict", "import memos memos.jsonl",
		"import memos none.jsonl", "export memos --to memos.out", "export memories --to -",
		"export memories --to memories.out", "export memories --to - --since 2025-01-02T03:30:00Z",
		"export memories --to - --since never", "import memories memories.out --strict", "memory list -o text",
	} {
		want, got := here.run(strings.Fields(line)...), near.run(strings.Fields(line)...)
		text := func(a answer, w *world) string { return strings.ReplaceAll(a.out, w.dir, "DIR") }
		if text(got, near) != text(want, here) || got.code != want.code {
			t.Errorf("%s\nhere %d %.1000s\nthrough the server %d %.1000s", line, want.code, want.out, got.code, got.out)
		}
	}
	for _, name := range []string{"memos.out", "memories.out"} {
		want, err1 := os.ReadFile(filepath.Join(here.dir, name))
		got, err2 := os.ReadFile(filepath.Join(near.dir, name))
		want, got = bytes.ReplaceAll(want, []byte(here.dir), nil), bytes.ReplaceAll(got, []byte(near.dir), nil)
		if err1 != nil || err2 != nil || string(got) != string(want) || len(got) < 1000 {
			t.Errorf("%s: %v, %v, %d and %d bytes", name, err1, err2, len(want), len(got))
		}
	}
	if total := far.run("memory", "list", "--user", "tanaka").ok()["total"]; total != float64(count+1) {
		t.Errorf("%v memories", total)
	}
}

// decided are memories with all that a review and repeated statements leave: two that were kept
// though they contradict each other, one that was merged and superseded others, and one to decide.
const decided = `{"full_text":"The office is in Berlin.","session":"a","created_at":"2025-01-02T00:00:00Z",` +
	`"updated_at":"2025-03-01T00:00:00Z","source":"message:1","confirmed_at":"2025-03-01T00:00:00Z"}
{"full_text":"The office moved to Munich.","created_at":"2025-02-02T00:00:00Z",` +
	`"updated_at":"2025-03-01T00:00:00Z","source":"https://example.com/x","confirmed_at":"2025-03-01T00:00:00Z"}
{"full_text":"The name of Tanaka's dog is Max.","topic":"dog","created_at":"2025-01-05T00:00:00Z",` +
	`"supersedes":[{"id":"mem_iv4jox7i","caption":"Tanaka's dog is called Max.","full_text":"Tanaka's dog is ` +
	`called Max.","created_at":"2025-03-02T00:00:00Z","session":"b","source":"message:2"}],` +
	`"source":"message:3","confirmed_at":"2025-03-02T00:00:00Z"}
{"full_text":"会議は月曜の10時。","created_at":"2025-01-06T00:00:00Z","source":"file:notes/one.md"}
{"full_text":"会議は木曜の15時に変更になった。","created_at":"2025-02-06T00:00:00Z"}
`

// TestTransferDecided: sources, former statements and decisions survive an export and an import, here
// and through a server.
func TestTransferDecided(t *testing.T) {
	near, _, _ := farWorld(t)
	here, copied := newWorld(t), newWorld(t)
	for _, w := range []*world{near, here} {
		w.put("decided.jsonl", decided)
		w.put("notes/one.md", "会議は月曜の10時。\n")
	}
	waits := "memory review --kind unconfirmed --fields items.memories.full_text,total"
	for _, line := range []string{
		"import memories decided.jsonl --strict", "import memories decided.jsonl", "export memories --to all.out",
		"memory list --fields memories.source,memories.confirmed_at",
		"memory get mem_iv4jox7i",
	} {
		want, got := here.run(strings.Fields(line)...), near.run(strings.Fields(line)...)
		text := func(a answer, w *world) string { return strings.ReplaceAll(a.out, w.dir, "DIR") }
		if text(got, near) != text(want, here) || got.code != 0 || want.code != 0 {
			t.Errorf("%s\nhere %d %.1000s\nthrough the server %d %.1000s", line, want.code, want.out, got.code, got.out)
		}
	}
	text, err := os.ReadFile(filepath.Join(near.dir, "all.out"))
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{
		`"source":"message:1","confirmed_at":"2025-03-01T00:00:00Z"`, `"source":"https://example.com/x"`,
		`"session":"b","source":"message:2"`, `"source":"file:notes/one.md`,
	} {
		if !strings.Contains(string(text), field) {
			t.Errorf("the export lacks %s:\n%s", field, text)
		}
	}
	copied.put("all.out", string(text))
	copied.run("import", "memories", "all.out", "--strict").ok()
	if again := copied.run("export", "memories", "--to", "-"); again.out != string(text) {
		t.Errorf("exported again: %s\nwant %s", again.out, text)
	}
	want, got := here.run(strings.Fields(waits)...), copied.run(strings.Fields(waits)...)
	if got.out != want.out || !strings.Contains(got.out, "木曜") || strings.Contains(got.out, "Berlin") {
		t.Errorf("waits: %s\nwant %s", got.out, want.out)
	}
}

// TestTransferAllowed: a token allows imports and exports as it allows other tools, and
// reaches the memories of its user only.
func TestTransferAllowed(t *testing.T) {
	near, far, s := farWorld(t, "--read-only", "--only", "memory")
	near.put("m.jsonl", `{"full_text":"x"}`+"\n")
	far.run("memory", "add", "A secret of Bob", "--user", "bob").ok()
	for line, want := range map[string]string{
		"import memories m.jsonl":             "--read-only",
		"export memos --to -":                 "--only",
		"export memories --to - --user bob":   "forbidden",
		"export memos --to-dir dir":           "--only",
		"import memories m.jsonl --all-users": "acts for one user, whom the token decides",
		"cal export --to -":                   "--only",
	} {
		if a := near.run(strings.Fields(line)...); a.code != 4 || !strings.Contains(a.out, want) {
			t.Errorf("%s: %d %s", line, a.code, a.out)
		}
	}
	if a := near.run("export", "memories", "--to", "-"); a.code != 0 || a.out != "" {
		t.Errorf("%d %s", a.code, a.out)
	}
	s.Want(401, "unavailable", "POST", "/transfer/export_memories", "{}")
	s.Want(404, "not_found", "POST", "/transfer/add_memory", "{}", bearer("owner"))
	s.Want(400, `"path":"/records"`, "POST", "/transfer/import_memories", "{}", bearer("owner"))
}

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
	for i := range 100 { // two pages
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
		{"export_memories", 100, func(first json.RawMessage) {
			var m struct{ ID string }
			_ = json.Unmarshal(first, &m)
			w.run("memory", "remove", m.ID).ok()
		}},
		{"export_memos", 100, func(first json.RawMessage) {
			var m struct{ Name string }
			_ = json.Unmarshal(first, &m)
			w.run("memo", "remove", m.Name).ok()
			w.run("memo", "edit", "no099", "--priority", "5").ok()
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

// filesIn returns the files of an export by path, without the manifest, which has times and
// the id of the store.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".techo-export" {
			return err
		}
		b, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// icsFile returns a calendar with events, a series with a changed occurrence, a to-do, and
// a part that cannot be read.
func icsFile() string {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n")
	for i := range 16 {
		long := strings.Repeat("\n "+strings.Repeat("long ", 14), i%2*7500)
		fmt.Fprintf(&b, "BEGIN:VEVENT\nUID:e%d\nDTSTART:202401%02dT090000Z\nDTEND:202401%02dT100000Z\n"+
			"SUMMARY:Event %d 会議\nDESCRIPTION:%s\nX-EXTRA;A=\"b\":c\nEND:VEVENT\n", i, i%28+1, i%28+1, i, long)
	}
	b.WriteString("BEGIN:VEVENT\nUID:s\nDTSTART;TZID=Asia/Tokyo:20240105T090000\nRRULE:FREQ=WEEKLY;COUNT=4\n" +
		"SUMMARY:Series\nATTENDEE;CN=A:mailto:a@example.com\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT10M\n" +
		"END:VALARM\nEND:VEVENT\nBEGIN:VEVENT\nUID:s\nRECURRENCE-ID;TZID=Asia/Tokyo:20240112T090000\n" +
		"DTSTART;TZID=Asia/Tokyo:20240113T090000\nSUMMARY:Moved\nEND:VEVENT\n")
	b.WriteString("BEGIN:VTODO\nUID:t\nSUMMARY:To do\nDUE;VALUE=DATE:20240120\nPRIORITY:3\nEND:VTODO\n" +
		"BEGIN:VEVENT\nUID:bad\nDTSTART:never\nEND:VEVENT\nEND:VCALENDAR\n")
	return b.String()
}

// TestTransferFiles: .ics files and folders are the same through a server as from a store
// on this machine, and so are the results and exit codes.
func TestTransferFiles(t *testing.T) {
	t.Parallel()
	near, far := newWorld(t), newWorld(t)
	near.env["TECHO_TOKEN"] = far.token("tanaka")
	near.useServer(far.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet", "--enable-memory",
		"--memory-context").Base)
	here := newWorld(t)
	here.env["TECHO_USER"] = "tanaka"
	for _, w := range []*world{near, here} {
		w.put("work.ics", icsFile())
		w.put("none.ics", "no calendar")
		w.put("memories.jsonl",
			`{"full_text":"Old","id":"mem_old","created_at":"2023-01-02T03:04:05Z","topic":"t"}`+"\n"+
				`{"full_text":"New\n\n## Detail","id":"mem_new","created_at":"2024-01-02T03:04:05Z","session":"s"}`)
		w.put("memos.jsonl", `{"name":"a memo","content":"x","detail":"y","priority":3,"tags":["a,b","c"]}`+"\n")
	}
	for _, line := range []string{
		"cal import work.ics --calendar work", "cal import work.ics --calendar work --strict",
		"cal import work.ics --calendar work -o text", "cal import none.ics", "cal import missing.ics",
		"cal import work.ics --space nowhere", "cal import work.ics --me a@example.com", "cal list 2024-01-05",
		"cal export --to out.ics --calendar work", "cal export --to -", "cal export --to - --calendar nowhere",
		"cal export --to none/out.ics", "cal export --to out.ics --lang ja",
		"export calendar --to-dir events --calendar work", "export calendar --to-dir events --calendar work",
		"export calendar --to-dir events --calendar nowhere", "import memories memories.jsonl",
		"import memos memos.jsonl", "export memories --to-dir memories --since 2024-01-01",
		"memory investigate mem_old mem_none mem_new --to-dir found",
		"memory investigate mem_none --to-dir found -o text",
		"memory investigate mem_old --to-dir memories/INDEX.md --turn 2",
		"memory investigate mem_old --to-dir found --fields count --turn 2",
		"export memories --to-dir memories", "memory remove mem_old", "export memories --to-dir memories",
		"export memos --to-dir memos", "export memos --to-dir memories",
		"export memories --to-dir memories --since never",
		"export memories --to-dir x --space nowhere", "import memos memos", "import memories memories",
	} {
		want, got := here.run(strings.Fields(line)...), near.run(strings.Fields(line)...)
		text := func(a answer, w *world) string { return strings.ReplaceAll(a.out, w.dir, "DIR") }
		if text(got, near) != text(want, here) || got.code != want.code {
			t.Errorf("%s\nhere %d %.1500s\nthrough the server %d %.1500s", line, want.code, want.out, got.code, got.out)
		}
	}
	for _, name := range []string{"events", "memories", "memos", "found"} {
		want, got := filesIn(t, filepath.Join(here.dir, name)), filesIn(t, filepath.Join(near.dir, name))
		if len(got) != len(want) || len(got) == 0 {
			t.Errorf("%s: %d and %d files", name, len(want), len(got))
		}
		for file, text := range want {
			if got[file] != text {
				t.Errorf("%s%s: %.500q and %.500q", name, file, text, got[file])
			}
		}
	}
	want, err1 := os.ReadFile(filepath.Join(here.dir, "out.ics"))
	got, err2 := os.ReadFile(filepath.Join(near.dir, "out.ics"))
	if err1 != nil || err2 != nil || string(got) != string(want) || len(got) < 1000 {
		t.Errorf("out.ics: %v, %v, %d and %d bytes", err1, err2, len(want), len(got))
	}
}
