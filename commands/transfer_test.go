package commands

import (
	"bytes"
	"fmt"
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
