package commands

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/tools"
)

// packed returns a ZIP archive of files, and of some with headers of their own.
func packed(t *testing.T, files map[string]string, headers ...zip.FileHeader) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		headers = append(headers, zip.FileHeader{Name: name, Comment: files[name]})
	}
	for _, h := range headers {
		text := h.Comment
		h.Comment, h.Method, h.Modified = "", zip.Deflate, time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)
		f, err := w.CreateHeader(&h)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestImportArchive imports each kind of folder, and the archive of it, with and without the folder
// itself: the memories are the same, and after the folder there is nothing to add.
func TestImportArchive(t *testing.T) {
	kinds := map[string]map[string]string{"chatgpt": {"conversations.json": exported(t, chatGPT("en", 1, 9))}}
	kinds["claude"] = map[string]string{
		"conversations.json": exported(t, claude("ja", 1, 9)),
		"memories.json":      `[{"conversations_memory":"**Work**\n\nI am a nurse."}]`,
		"projects/a.json":    `{"uuid":"a","name":"P","prompt_template":"I use metric units.","docs":[]}`,
		"users.json":         "[]",
	}
	for name, vault := range vaults {
		kinds[name], _, _ = vault("ja", 1, 20)
	}
	for name, files := range kinds {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			inside := map[string]string{"__MACOSX/" + name + "/._x.md": "junk", name + "/.obsidian/x.md": "hidden"}
			for file, text := range files {
				w.put(path.Join(name, file), text)
				inside[path.Join(name, file)] = text
			}
			w.put("flat/"+name+".zip", packed(t, files))
			w.put("export.ZIP", packed(t, inside))
			list := func(user string) string {
				var said []string
				for line := range strings.Lines(w.run("export", "memories", "--to", "-", "--user", user).out) {
					var m object
					mustDecode(t, []byte(line), &m)
					said = append(said, fmt.Sprintln(m["full_text"], m["topic"], m["session"], m["relation"]))
				}
				slices.Sort(said)
				return strings.Join(said, "")
			}
			for i, from := range []string{name, "flat/" + name + ".zip", "export.ZIP"} {
				user := fmt.Sprint("u", i)
				got := w.run("import", "memories", from, "--user", user).ok()
				if got["skipped"] != 0.0 || got["imported"] == 0.0 {
					t.Errorf("%s: %v", from, got)
				}
				if i > 0 && list(user) != list("u0") {
					t.Errorf("%s: %.2000s\nwant %.2000s", from, list(user), list("u0"))
				}
				if got := w.run("import", "memories", from, "--user", "u0").ok(); got["imported"] != 0.0 {
					t.Errorf("%s again: %v", from, got)
				}
			}
		})
	}
}

// exported returns an invented export as JSON.
func exported(t *testing.T, m moved) string {
	t.Helper()
	b, err := json.Marshal(m.document)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestImportArchiveHostile imports archives that want to write elsewhere, that are damaged, or that
// unpack to far more than a person has said. No file appears outside the store.
func TestImportArchiveHostile(t *testing.T) {
	w := newWorld(t)
	link := zip.FileHeader{Name: "link.md", Comment: "/etc/passwd"}
	link.SetMode(0o777 | fs.ModeSymlink)
	sjis := zip.FileHeader{Name: "\x82\xa8\x92\x83\x82\xcc\x98b.md", NonUTF8: true, Comment: "I drink sencha."}
	w.put("names.zip", packed(t, map[string]string{"../../outside.md": "I live in Nara.", "/root.md": "I like the sea.",
		`C:\Users\x.md`: "I play the koto.", "a/../same.md": "I have a cat."}, link, sjis,
		zip.FileHeader{Name: "same.md", Comment: "The second one."}))
	got := w.run("import", "memories", "names.zip", "--fields", "imported,skipped,left_out").ok()
	want := object{"imported": 5, "skipped": 0,
		"left_out": []object{{"why": "a second file of the same name", "count": 1}}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	topics := w.run("memory", "list", "--fields", "memories.topic").out
	if !strings.Contains(topics, "names/お茶の話") || strings.Contains(topics, "..") {
		t.Error(topics)
	}
	if found, _ := os.ReadDir(w.dir); len(found) > 3 {
		t.Errorf("%v", found)
	}
	whole := packed(t, map[string]string{"conversations.json": "[" + strings.Repeat(" ", 20<<20) + "]"})
	notes := map[string]string{}
	for i := range 40 {
		notes[fmt.Sprint(i, ".md")] = strings.Repeat("a", 1<<20)
	}
	small := packed(t, map[string]string{"a.md": "I like tea very much, every single day."})
	entry := strings.Index(small, "PK\x01\x02")
	changed := func(at int, to byte) string {
		b := []byte(small)
		b[entry+at] = to
		return string(b)
	}
	for name, c := range map[string]struct {
		archive string
		code    tools.Code
		text    string
	}{
		"bomb":   {whole, tools.LimitExceeded, "would unpack to more than 200 times its size"},
		"many":   {packed(t, notes), tools.LimitExceeded, "would unpack to more than 200 times its size"},
		"cut":    {small[:len(small)-9], tools.InvalidInput, "is a damaged zip archive"},
		"locked": {changed(8, small[entry+8]|1), "", "a.md: cannot be read: it is encrypted"},
		"method": {changed(10, 9), "", "a.md: cannot be read: it is compressed in an unknown way"},
		"larger": {changed(24, 9), "", "a.md: cannot be read: it is damaged"},
		"short":  {changed(24, 200), "", "a.md: cannot be read: it is damaged"},
		"sum":    {changed(16, 0), "", "a.md: cannot be read: it is damaged"},
		"other":  {"x" + small, tools.InvalidInput, "neither JSON nor Markdown"},
		"none":   {packed(t, nil), "", "Imported 0 memories"},
	} {
		w.put(name+".zip", c.archive)
		a := w.run("import", "memories", name+".zip", "-o", "text")
		if !strings.Contains(a.out, c.text) || (c.code != "") != (a.code != 0) {
			t.Errorf("%s: %d %s", name, a.code, a.out)
		}
	}
	w.feed(small, "import", "memories", "-").fails(tools.InvalidInput)
	w.run("import", "memories", "bomb.zip", "--format", "jsonl").fails(tools.InvalidInput)
	w.run("import", "memories", "locked.zip", "--all-users").fails(tools.InvalidInput)
}

// TestImportArchiveClock imports a note whose time has no zone: it is of the person's.
func TestImportArchiveClock(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	f, err := z.Create("a.md")
	if err == nil {
		_, err = io.WriteString(f, "I live in Nara.")
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	b := archive.Bytes()
	copy(b[bytes.Index(b, []byte("PK\x01\x02"))+12:], "\x00\x40\x25\x5c") // 2026-01-05 08:00
	w := newWorld(t)
	w.put("clock.zip", string(b))
	w.run("import", "memories", "clock.zip", "--tz", "Asia/Tokyo").ok()
	out := w.run("memory", "list", "--fields", "memories.created_at").out
	if !strings.Contains(out, `"created_at":"2026-01-04T23:00:00`) {
		t.Error(out)
	}
}
