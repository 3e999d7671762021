//go:build linux && amd64

package proof

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// powerStages are the stores on which the scenes play.
type powerStages struct {
	t      *testing.T
	random *rand.Rand
	root   string
	held   map[string]notes
	extra  notes
}

func newPowerStages(t *testing.T) *powerStages {
	r := testenv.Random(t)
	root := memoryFolder(t)
	s := &powerStages{t, r, root, map[string]notes{"none": {}}, some(r, "extra", 3)}
	for _, name := range []string{"few", "due", "other"} {
		s.held[name] = notes{}
		store := filepath.Join(root, name, "store")
		if err := os.Mkdir(filepath.Dir(store), 0o700); err != nil {
			t.Fatal(err)
		}
		s.held[name].write(t, store, some(r, name, 6), name == "few")
		switch name {
		case "due": // merged once, and the next write merges again
			mustTecho(t, store, "store", "compact")
			s.held[name].write(t, store, notes{"large": randomNote(r, 200<<10)}, true)
			s.held[name].write(t, store, some(r, "more", 6), true)
		case "other":
			mustTecho(t, store, "store", "backup", filepath.Join(root, "other.backup"))
		}
	}
	return s
}

// memoryFolder creates a folder in memory, if possible. The states of the disk are
// computed and do not depend on the disk of the test.
func memoryFolder(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "techo-power")
	if err != nil {
		dir, err = filepath.EvalSymlinks(t.TempDir())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// prepare returns a function that copies a stage and the backup of another store.
func (s *powerStages) prepare(stage string) func(dir string) {
	return func(dir string) {
		s.t.Helper()
		err := os.Mkdir(dir, 0o700)
		if err == nil && stage != "none" {
			err = copyTree(filepath.Join(s.root, stage), dir)
		}
		var data []byte
		if err == nil {
			data, err = os.ReadFile(filepath.Join(s.root, "other.backup"))
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "other.backup"), data, 0o600)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *powerStages) add(name string, killed bool) cutCall {
	n := s.extra[name]
	words := []string{"memo", "add", name, n.Content, "--priority", fmt.Sprint(n.Priority), "--detail", n.Detail}
	return cutCall{words: words, docs: 1, killed: killed}
}

// plus returns the notes of a stage and the notes of extra whose calls are done.
func (s *powerStages) plus(stage string) func(done []bool) notes {
	return func(done []bool) notes {
		all := maps.Clone(s.held[stage])
		for i, name := range slices.Sorted(maps.Keys(s.extra)) {
			if i < len(done) && done[i] {
				all[name] = s.extra[name]
			}
		}
		return all
	}
}

func (s *powerStages) blackouts() []blackout {
	names := slices.Sorted(maps.Keys(s.extra))
	batch := ""
	for _, name := range names {
		batch += s.extra[name].line(name)
	}
	edited := func(done []bool) notes {
		all := s.plus("none")(done[:2])
		if n, ok := all[names[0]]; ok && done[2] {
			all[names[0]] = note{"edited", n.Detail, n.Priority}
		}
		return all
	}
	batched := cutCall{words: []string{"call", "--batch"}, stdin: batch, docs: len(names)}
	edit := cutCall{words: []string{"memo", "edit", names[0], "--content", "edited"}, docs: 1}
	restore := cutCall{words: []string{"store", "restore", "DIR/other.backup"}, docs: 1}
	replace := cutCall{words: append(slices.Clone(restore.words), "--force"), docs: 1}
	compact := cutCall{words: []string{"store", "compact"}, docs: 1}
	backup := cutCall{words: []string{"store", "backup", "DIR/made.backup"}, docs: 1}
	adds := func(n int) (calls []cutCall) {
		for _, name := range names[:n] {
			calls = append(calls, s.add(name, false))
		}
		return calls
	}
	return []blackout{
		{"one-shot", s.prepare("none"), append(adds(2), edit), s.holds(edited)},
		{"killed", s.prepare("few"), []cutCall{s.add(names[0], true), s.add(names[1], false)}, s.holds(s.plus("few"))},
		{"killed-first", s.prepare("none"), []cutCall{s.add(names[0], true), s.add(names[1], false)},
			s.holds(s.plus("none"))},
		{"batch", s.prepare("few"), []cutCall{batched}, s.holds(s.plus("few"))},
		{"merge", s.prepare("due"), adds(2), s.holds(s.plus("due"))},
		{"compact", s.prepare("due"), append([]cutCall{compact}, adds(1)...), s.holds(func(done []bool) notes {
			return s.plus("due")(done[1:])
		})},
		{"restore", s.prepare("none"), []cutCall{restore}, s.holds(s.restored("none"))},
		{"restore-force", s.prepare("due"), []cutCall{replace}, s.restores},
		{"backup", s.prepare("due"), []cutCall{backup}, s.backs},
		s.export("export", false), s.export("export-again", true), s.repair(),
	}
}

// export is a scene that exports memories into a new folder or, with again, into the
// folder of an earlier run. Afterwards each file has its complete old or new
// content, and the next run updates all files.
func (s *powerStages) export(name string, again bool) blackout {
	words := func(dir string) []string {
		return []string{"export", "memories", "--user", "tanaka", "--to-dir", filepath.Join(dir, "folder")}
	}
	old, now := map[string]string{}, map[string]string{}
	prepare := func(dir string) {
		s.prepare("none")(dir)
		store := filepath.Join(dir, "store")
		s.memories(store, 0, 8, "as it was")
		if again {
			mustTecho(s.t, store, words(dir)...)
			old = contents(s.t, filepath.Join(dir, "folder"))
			s.memories(store, 5, 8, "as it is now")
			mustTecho(s.t, store, "memory", "remove", "mem_1", "--user", "tanaka")
		}
		mustTecho(s.t, store, words(filepath.Join(s.root, name+"-whole"))...)
		now = contents(s.t, filepath.Join(s.root, name+"-whole", "folder"))
	}
	return blackout{name, prepare, []cutCall{{words: words("DIR"), docs: 1}},
		func(t *testing.T, dir string, done []bool) []string {
			folder := filepath.Join(dir, "folder")
			got := contents(t, folder)
			if done[0] && !maps.Equal(got, now) {
				return []string{fmt.Sprintf("answered, and the folder holds %.200q", got)}
			}
			for file := range all(old, now, got) {
				_, was := old[file]
				_, is := now[file]
				text, there := got[file]
				if there && text != old[file] && text != now[file] || !there && was && is {
					return []string{fmt.Sprintf("%s: there %v, %q", file, there, text)}
				}
			}
			a := techo(t, filepath.Join(dir, "store"), words(dir)...)
			if got := contents(t, folder); a.Code != 0 || !maps.Equal(got, now) {
				return []string{fmt.Sprintf("after a second run: %.300q, %v", got, a)}
			}
			return nil
		}}
}

// all yields the keys of maps.
func all(of ...map[string]string) map[string]bool {
	keys := map[string]bool{}
	for _, m := range of {
		for key := range m {
			keys[key] = true
		}
	}
	return keys
}

// memories adds or changes the memories with the numbers from to to-1.
func (s *powerStages) memories(store string, from, to int, text string) {
	s.t.Helper()
	lines := ""
	for n := from; n < to; n++ {
		input := map[string]any{"id": fmt.Sprint("mem_", n),
			"full_text": strings.Repeat(fmt.Sprint(n, " ", text, ". "), 1+s.random.IntN(200))}
		lines += batchLine("edit_memory", input)
	}
	if from == 0 {
		file := filepath.Join(s.t.TempDir(), "memories.jsonl")
		made := ""
		for n := range to {
			made += fmt.Sprintf("{\"id\":\"mem_%d\",\"full_text\":\"Fact %d.\"}\n", n, n)
		}
		if err := os.WriteFile(file, []byte(made), 0o600); err != nil {
			s.t.Fatal(err)
		}
		mustTecho(s.t, store, "import", "memories", file, "--user", "tanaka")
	}
	c := command(s.t.Context(), store, "call", "--batch", "--user", "tanaka")
	c.Stdin = strings.NewReader(lines)
	if a := collect(c); a.Code != 0 || strings.Contains(string(a.Out), `"error"`) {
		s.t.Fatal(a)
	}
}

// repair is a scene that repairs a damaged store. Afterwards the store is repaired,
// or still damaged and can be repaired with the same result.
func (s *powerStages) repair() blackout {
	want := notes{}
	repair := []string{"doctor", "--repair"}
	prepare := func(dir string) {
		s.prepare("other")(dir)
		s.damage(filepath.Join(dir, "store"))
		once := dir + "-once"
		if err := copyTree(dir, once); err != nil {
			s.t.Fatal(err)
		}
		techo(s.t, filepath.Join(once, "store"), repair...)
		got, wrong := contentOf(s.t, filepath.Join(once, "store"), slices.Sorted(maps.Keys(s.held["other"])))
		if wrong != "" {
			s.t.Fatal(wrong)
		}
		maps.Copy(want, got)
	}
	return blackout{"repair", prepare, []cutCall{{words: repair, docs: 1}},
		func(t *testing.T, dir string, done []bool) []string {
			store := filepath.Join(dir, "store")
			if !done[0] {
				techo(t, store, repair...)
			}
			return storeHolds(t, store, func([]bool) notes { return want }, nil)
		}}
}

// damage changes a byte of one of the last transactions of the journal.
func (s *powerStages) damage(store string) {
	s.t.Helper()
	path := filepath.Join(store, "journal")
	data, err := os.ReadFile(path)
	if err == nil {
		data[len(data)-200] ^= 1
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}
