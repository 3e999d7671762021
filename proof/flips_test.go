//go:build linux && amd64

package proof

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"techo/internal/testenv"
)

// rotten is a store in one of the states in which files may rot.
type rotten struct {
	dir   string
	notes notes
	old   notes    // before some were changed
	files []string // all files, relative
}

// rottenStores makes
//
//	journal    a few memos, never merged, closed
//	closed     merged several times, closed
//	crashed    killed in the middle of a merge
//	compacted  one run of tables, and a few memos in the journal
func rottenStores(t *testing.T, r *rand.Rand) map[string]*rotten {
	t.Helper()
	all := map[string]*rotten{}
	for _, state := range []string{"journal", "closed", "crashed", "compacted"} {
		s := &rotten{dir: filepath.Join(t.TempDir(), "store"), notes: notes{}}
		s.notes.write(t, s.dir, some(r, "first", 40), false)
		if state != "journal" {
			s.notes.write(t, s.dir, some(r, "second", 200), false)
			s.notes.write(t, s.dir, notes{"large": randomNote(r, 600<<10)}, false)
		}
		if state != "journal" {
			s.change(t, r)
		}
		switch state {
		case "closed":
			s.notes.write(t, s.dir, some(r, "third", 30), false)
		case "crashed":
			s.notes.write(t, s.dir, some(r, "third", 200), true)
			s.dieMerging(t, r)
		case "compacted":
			mustTecho(t, s.dir, "store", "compact")
			s.notes.write(t, s.dir, some(r, "third", 5), false)
		}
		s.notes.mustHold(t, s.dir)
		s.list(t)
		t.Logf("%s: %v", state, s.files)
		all[state] = s
	}
	return all
}

// change edits and removes memos of the tables. Their old versions must not come
// back.
func (s *rotten) change(t *testing.T, r *rand.Rand) {
	t.Helper()
	s.old = maps.Clone(s.notes)
	for i := range 15 {
		name := fmt.Sprintf("first-%03d", i)
		if i%3 == 0 {
			mustTecho(t, s.dir, "memo", "remove", name)
			delete(s.notes, name)
			continue
		}
		n := s.notes[name]
		n.Content = fmt.Sprintf("edited %x", r.Uint64())
		mustTecho(t, s.dir, "memo", "edit", name, "--content", n.Content)
		s.notes[name] = n
	}
}

// dieMerging kills a call during its merge, which leaves files that no manifest
// lists.
func (s *rotten) dieMerging(t *testing.T, r *rand.Rand) {
	t.Helper()
	s.list(t)
	before := len(s.files)
	for range 100 {
		dir, calls, at := filepath.Join(t.TempDir(), "store"), 0, 40+r.IntN(260)
		if err := copyTree(s.dir, dir); err != nil {
			t.Fatal(err)
		}
		tracer := &tracer{under: dir, decide: func(string, string) syscall.Errno {
			if calls++; calls == at {
				return killed
			}
			return 0
		}}
		a, err := tracer.run(t, command(t.Context(), dir, "memo", "add", "last", "one", "--priority", "1"), "")
		if err != nil {
			t.Fatal(err)
		}
		crashed := &rotten{dir: dir}
		if crashed.list(t); a.Signal == syscall.SIGKILL && len(a.Docs) == 1 && len(crashed.files) > before {
			s.dir, s.notes["last"] = dir, note{"one", "", 1}
			return
		}
	}
	t.Fatal("no call died in the middle of its merge")
}

// list records the existing files.
func (s *rotten) list(t *testing.T) {
	s.files = nil
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var rel string
			rel, err = filepath.Rel(s.dir, path)
			s.files = append(s.files, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// damage is a way to damage a file. It returns false if it does not apply.
type damage struct {
	name string
	do   func(r *rand.Rand, data []byte) (after []byte, applies bool)
}

var damages = []damage{
	{"bit", func(r *rand.Rand, data []byte) ([]byte, bool) {
		if len(data) == 0 {
			return nil, false
		}
		data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		return data, true
	}},
	{"page", func(r *rand.Rand, data []byte) ([]byte, bool) {
		if len(data) == 0 {
			return nil, false
		}
		at := r.IntN((len(data)+4095)/4096) * 4096
		page := data[at:min(at+4096, len(data))]
		applies := false
		for i := range page {
			applies = applies || page[i] != 0
			page[i] = 0
		}
		return data, applies
	}},
	{"cut", func(r *rand.Rand, data []byte) ([]byte, bool) {
		if len(data) == 0 {
			return nil, false
		}
		return data[:r.IntN(len(data))], true
	}},
	{"emptied", func(_ *rand.Rand, data []byte) ([]byte, bool) { return nil, len(data) > 0 }},
	{"removed", nil},
}

// times returns how often a damage is tried on a file.
func (d damage) times() int {
	switch {
	case d.name == "removed" || d.name == "emptied":
		return 1
	case d.name == "bit":
		return 100
	}
	return 20
}

// TestRot damages every file of a store in every way; ordinary runs take a random
// sample. Then either verify reports corruption or all reads are right. In both
// cases no read returns wrong data or misses a memo.
func TestRot(t *testing.T) {
	needTracer(t)
	r := testenv.Random(t)
	for state, s := range rottenStores(t, r) {
		for _, d := range damages {
			t.Run(state+"/"+d.name, func(t *testing.T) { s.rot(t, r, d) })
		}
		t.Run(state+"/groups", s.lackGroups)
		t.Run(state+"/rescued", func(t *testing.T) { s.rescueAll(t, r) })
	}
}

func (s *rotten) rot(t *testing.T, r *rand.Rand, d damage) {
	type try struct {
		file string
		seed uint64
	}
	var tries []try
	for _, file := range s.files {
		for range d.times() {
			tries = append(tries, try{file, r.Uint64()})
		}
	}
	if !testenv.Long() {
		r.Shuffle(len(tries), func(i, j int) { tries[i], tries[j] = tries[j], tries[i] })
		tries = tries[:min(testenv.Pick(1, 3), len(tries))]
	}
	var c tally
	each(len(tries), func(i int) {
		c.count(s.rotOnce(t, tries[i].file, d, tries[i].seed))
	})
	t.Logf("%d files, %d damages: %v", len(s.files), len(tries), c.of)
}

// rotOnce damages a copy of the store and returns the outcome.
func (s *rotten) rotOnce(t *testing.T, file string, d damage, seed uint64) string {
	top := t.TempDir()
	defer os.RemoveAll(top)
	dir := filepath.Join(top, "store")
	applies, err := s.damaged(dir, file, d, rand.New(rand.NewPCG(seed, 2)))
	if err != nil {
		t.Error(err)
	}
	if !applies {
		return "no change"
	}
	what := fmt.Sprintf("%s of %s, seed %d", d.name, file, seed)
	sound := s.honest(t, dir, what)
	s.backsUp(t, dir, what, sound)
	// Rewriting everything must neither drop what it cannot read nor give it
	// a good checksum.
	if c := techo(t, dir, "store", "compact"); c.Code != 0 {
		deep := techo(t, dir, "store", "verify", "--deep") // only --deep reads hidden records
		if c.errorCode() != "corrupt" || deep.errorCode() != "corrupt" {
			t.Errorf("%s: %v\n%v", what, c, deep)
		}
	}
	if after := s.honest(t, dir, what+", compacted"); after != sound {
		t.Errorf("%s: sound %v, once compacted %v", what, sound, after)
	}
	switch {
	case !sound:
		return "corrupt"
	case file == "lock" || file == "queue":
		return "harmless, a lock's"
	}
	return "harmless"
}

// honest checks that verify reports corruption or all reads are right, and that no
// read is wrong in either case. It reports whether verify found the store sound.
func (s *rotten) honest(t *testing.T, dir, what string) (sound bool) {
	t.Helper()
	v := techo(t, dir, "store", "verify")
	l := s.notes.read(t, dir, "corrupt")
	if sound = v.Code == 0; len(l.Wrong) > 0 || sound && l.Refused > 0 || !sound &&
		(v.Code != 1 || v.errorCode() != "corrupt") {
		t.Errorf("%s: verify: exit %d %.300s\n%d reads refused, %d wrong: %.1000s", what,
			v.Code, v.Out, l.Refused, len(l.Wrong), strings.Join(l.Wrong[:min(2, len(l.Wrong))], "\n"))
	}
	return sound
}

// backsUp checks that a backup of the store is complete or refused.
func (s *rotten) backsUp(t *testing.T, dir, what string, sound bool) {
	t.Helper()
	file, restored := dir+".backup", dir+".restored"
	defer os.RemoveAll(restored)
	a := techo(t, dir, "store", "backup", file)
	if a.Code != 0 {
		if sound || a.errorCode() != "corrupt" {
			t.Errorf("%s: %v", what, a)
		}
		return
	}
	if a := techo(t, restored, "store", "restore", file); a.Code != 0 {
		t.Errorf("%s: %v", what, a)
	}
	if l := s.notes.read(t, restored, ""); len(l.Wrong) > 0 {
		t.Errorf("%s: a backup of it lacks %d: %.1000s", what, len(l.Wrong), l.Wrong[0])
	}
}

// damaged copies the store and damages one file.
func (s *rotten) damaged(dir, file string, d damage, r *rand.Rand) (applies bool, err error) {
	if err := copyTree(s.dir, dir); err != nil {
		return false, err
	}
	path := filepath.Join(dir, file)
	if d.do == nil {
		return true, os.Remove(path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	after, applies := d.do(r, data)
	return applies, os.WriteFile(path, after, 0o600)
}

// rescueAll damages a store until it is corrupt. doctor alone changes nothing;
// doctor --repair makes a sound store without records that never existed, and
// keeps the damaged store unchanged.
func (s *rotten) rescueAll(t *testing.T, r *rand.Rand) {
	tries := testenv.Pick(1, 3)
	if testenv.Long() {
		tries = 100
	}
	var c tally
	seed := r.Uint64()
	files := slices.DeleteFunc(slices.Clone(s.files), func(f string) bool { return f == "lock" || f == "queue" })
	each(tries, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), seed))
		file, d := files[i%len(files)], damages[r.IntN(3)]
		top := t.TempDir()
		defer os.RemoveAll(top)
		dir := filepath.Join(top, "store")
		if _, err := s.damaged(dir, file, d, r); err != nil {
			t.Error(err)
		}
		if techo(t, dir, "store", "verify").Code == 0 {
			c.count("sound")
			return
		}
		c.count(s.rescued(t, dir, fmt.Sprintf("%s of %s, try %d", d.name, file, i)))
	})
	t.Logf("%d damages: %v", tries, c.of)
}

// rescued repairs a damaged store and returns how much was lost.
func (s *rotten) rescued(t *testing.T, dir, what string) string {
	before := folder(t, dir)
	if a := techo(t, dir, "doctor"); a.errorCode() != "corrupt" || !maps.Equal(before, folder(t, dir)) {
		t.Errorf("%s: %v", what, a)
	}
	a := techo(t, dir, "doctor", "--repair")
	if a.errorCode() == "corrupt" && strings.Contains(string(a.Out), "no record can be read") {
		if !maps.Equal(before, folder(t, dir)) {
			t.Errorf("%s: changed, though it was refused", what)
		}
		return "refused"
	}
	aside, _ := a.Doc["aside"].(string)
	if a.Code != 0 || aside == "" {
		t.Errorf("%s: %v", what, a)
		return "not repaired"
	}
	defer os.RemoveAll(aside)
	kept := folder(t, aside)
	for path, data := range before {
		if kept[aside+strings.TrimPrefix(path, dir)] != data {
			t.Errorf("%s: %s was not kept as it was", what, path)
		}
	}
	if v := techo(t, dir, "store", "verify", "--deep"); v.Code != 0 {
		t.Errorf("%s: %v", what, v)
	}
	return s.lost(t, dir, what)
}

// lost returns how much of the store is missing. It fails the test for records that
// never existed.
func (s *rotten) lost(t *testing.T, dir, what string) string {
	list := techo(t, dir, "memo", "list", "--limit", "100000")
	var d document
	if err := json.Unmarshal(list.Out, &d); err != nil || list.Code != 0 {
		t.Errorf("%s: %v", what, list)
	}
	right := 0
	for _, m := range d.Memos {
		same := func(n note) bool { return m.Content == n.Content && m.Priority == n.Priority }
		switch {
		case same(s.notes[m.Name]):
			right++
		case !same(s.old[m.Name]):
			t.Errorf("%s: %+v was never there", what, m)
		}
	}
	switch n := len(s.notes) - right; {
	case n == 0:
		return "nothing lost"
	case n <= len(s.notes)/4:
		return "lost up to a quarter"
	}
	return "lost more"
}
