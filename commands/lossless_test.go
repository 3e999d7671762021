package commands

import (
	"fmt"
	"path/filepath"
	"testing"

	"techo/internal/testenv"
)

// fillForExport adds memories and memos with every field, and hostile texts.
func fillForExport(t *testing.T, w *world) {
	t.Helper()
	r := testenv.Random(t)
	id := func(a map[string]any) string { return a["memory"].(map[string]any)["id"].(string) }
	for i := range 30 {
		args := []string{"memory", "add", "--full-text", fmt.Sprint(hostileText(r), i), "--caption", hostileText(r)}
		if i%2 == 0 {
			args = append(args, "--session", fmt.Sprint("s: \"", i%3), "--created-at", "2025-06-07T08:09:10.123Z")
		}
		w.run(args...).ok()
	}
	w.run("memory", "add", "The build is red.", "--topic", "build", "--scope", "project", "--expires-at",
		"2031-01-01").ok()
	w.run("memory", "add", "The build is green.", "--topic", "build", "--scope", "project").ok()
	home := "田中さんは東京に住んでいる。\n## Full Content\n"
	old := id(w.run("memory", "add", home, "--topic", "\"home\" ").ok())
	next := id(w.run("memory", "supersede", old, "田中さんは大阪に住んでいる。").ok())
	w.run("memory", "supersede", next, "田中さんは京都に住んでいる。").ok()
	edited := id(w.run("memory", "add", "Dr. Sato is a dentist.", "--expires-at", "2032-02-03T04:05:06Z").ok())
	w.env["TECHO_NOW"] = "2030-01-02T03:04:05.678Z"
	w.run("memory", "edit", edited, "--session", "later").ok()
	w.feed(`{"type":"relation","from":"Ann","to":"Acme, \"Inc\"","relationType":"works at"}`+"\n",
		"import", "memories", "-").ok()
	for i := range 12 {
		w.run("memo", "add", fmt.Sprint("memo ", i), "--content", hostileText(r), "--detail", hostileText(r),
			"--priority", fmt.Sprint(1+i%5), "--tag", fmt.Sprint("t,", i%4), "--tag", `b\`).ok()
	}
}

// TestLossless exports, imports into another store and exports again: the bytes are
// the same, as JSON Lines and as folders, for one user and for all.
func TestLossless(t *testing.T) {
	w := newWorld(t)
	fillForExport(t, w)
	w.run("memory", "add", "Suzuki likes tea.", "--user", "suzuki/x").ok()
	for _, c := range []struct {
		kind, form string
		add        []string // to both commands
		all        []string // to the import
	}{
		{"memories", "--to", []string{"--user", "tanaka"}, nil},
		{"memories", "--to-dir", []string{"--user", "tanaka"}, nil},
		{"memories", "--to", nil, []string{"--all-users"}}, {"memories", "--to-dir", nil, []string{"--all-users"}},
		{"memos", "--to", nil, nil}, {"memos", "--to-dir", nil, nil},
	} {
		name := fmt.Sprint(c.kind, c.form, len(c.add))
		first, second := name+".1", name+".2"
		w.run(append([]string{"export", c.kind, c.form, first}, c.add...)...).ok()
		other := newWorld(t)
		other.env["TECHO_NOW"] = "2033-01-01T00:00:00Z"
		in := append([]string{"import", c.kind, filepath.Join(w.dir, first), "--strict"}, c.add...)
		other.run(append(in, c.all...)...).ok()
		other.run("store", "verify").ok()
		other.run(append([]string{"export", c.kind, c.form, second}, c.add...)...).ok()
		a, b := filesIn(t, filepath.Join(w.dir, first)), filesIn(t, filepath.Join(other.dir, second))
		if len(a) == 0 || len(a) != len(b) {
			t.Errorf("%s: %d files, then %d", name, len(a), len(b))
		}
		for file, text := range a {
			if b[file] != text {
				t.Errorf("%s%s:\n%q\nthen\n%q", name, file, text, b[file])
			}
		}
	}
}
