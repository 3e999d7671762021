package commands

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filesIn returns the contents of all files of a folder by path.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
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
		if len(got) != len(want) || len(got) < 2 {
			t.Errorf("%s: %d and %d files", name, len(want), len(got))
		}
		for file, text := range want {
			if got[file] != text && file != "/.techo-export" { // which has times and the id of the store
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
