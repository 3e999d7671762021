package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// record identifies a record: "memo 4o7ad3in".
type record string

// records are the records of a store as listed, in JSON.
type records map[record]string

var lists = []struct{ kind, tool, input, field, id string }{
	{"memo", "list_memo", `{"limit":100000}`, "memos", "id"},
	{"memory", "list_memory", `{"limit":1000}`, "memories", "id"},
	{"event", "list_events", `{"date_from":"2026-01-01","date_to":"2026-12-31","limit":1000}`, "events", "event_id"},
	{"question", "list_questions", `{"status":"all","limit":1000}`, "questions", "question_id"},
}

// batch calls tools in one process. Each call must succeed.
func batch(t *testing.T, store string, lines []string) (docs []map[string]any) {
	t.Helper()
	c := command(t.Context(), store, "call", "--batch")
	c.Stdin = strings.NewReader(strings.Join(lines, ""))
	a := collect(c)
	for _, raw := range bytes.Split(bytes.TrimSpace(a.Out), []byte("\n")) {
		var doc map[string]any
		if err := json.Unmarshal(raw, &doc); err != nil || doc["error"] != nil {
			t.Errorf("%v: %s", err, raw)
			return docs
		}
		docs = append(docs, doc)
	}
	if len(docs) != len(lines) || a.Code != 0 || unclean(a.Stderr) {
		t.Errorf("%d answers to %d calls: exit %d, %s", len(docs), len(lines), a.Code, a.Stderr)
	}
	return docs
}

// recordsOf lists all records of a store, and the names of memos.
func recordsOf(t *testing.T, store string) records {
	t.Helper()
	var lines []string
	for _, l := range lists {
		lines = append(lines, fmt.Sprintf("{\"tool\":%q,\"input\":%s}\n", l.tool, l.input))
	}
	all := records{}
	for i, doc := range batch(t, store, lines) {
		l := lists[i]
		items, _ := doc[l.field].([]any)
		for _, item := range items {
			raw, err := json.Marshal(item)
			if err != nil {
				t.Error(err)
			}
			all[record(fmt.Sprint(l.kind, " ", item.(map[string]any)[l.id]))] = string(raw)
		}
	}
	return all
}

// lived is a store with the records after each of its changes.
type lived struct {
	dir    string
	bare   bool      // without key files, as of older versions
	states []records // the last is the current one
}

func (h *lived) now(t *testing.T) { h.states = append(h.states, recordsOf(t, h.dir)) }

func (h *lived) last() records { return h.states[len(h.states)-1] }

// had reports whether a record ever had a value.
func (h *lived) had(id record, as string) bool {
	return slices.ContainsFunc(h.states, func(s records) bool { return s[id] == as })
}

// newLived creates a store with records of four kinds; some are changed and
// removed later. With merges it has several sorted runs and a journal; otherwise
// only a journal.
func newLived(t *testing.T, r *rand.Rand, merges bool) *lived {
	t.Helper()
	h := &lived{dir: filepath.Join(t.TempDir(), "store")}
	n := 8
	if merges {
		n = 70
	}
	var ids []map[string]string
	var lines []string
	for i := range n {
		lines = append(lines,
			randomNote(r, r.IntN(300)).line(fmt.Sprintf("note-%03d", i)),
			batchLine("add_memory", map[string]any{"full_text": fmt.Sprintf("Bed %d has %x", i, r.Uint64()),
				"session": fmt.Sprint("s", i%5)}),
			batchLine("create_event", map[string]any{"title": fmt.Sprintf("meet %x", r.Uint64()),
				"start": fmt.Sprintf("2026-%02d-%02dT10:00", 1+i%12, 1+i%28)}))
	}
	for i, doc := range batch(t, h.dir, lines) {
		if i%3 == 0 {
			ids = append(ids, map[string]string{"note": fmt.Sprintf("note-%03d", i/3)})
			continue
		}
		for _, id := range []string{"id", "event_id"} {
			for _, of := range []string{"memory", "event"} {
				if item, _ := doc[of].(map[string]any); item[id] != nil {
					ids[i/3][of] = item[id].(string)
				}
			}
		}
	}
	for range 3 {
		if a := techo(t, h.dir, "ask", fmt.Sprintf("Is it %x?", r.Uint64()), "--wait", "0"); a.Code != 6 {
			t.Fatalf("%v", a)
		}
	}
	h.now(t)
	rounds := 1
	if merges {
		rounds = 4
	}
	for round := range rounds {
		h.change(t, r, ids, round)
	}
	mustTecho(t, h.dir, "ask", "cancel", "q2")
	h.now(t)
	return h
}

// change edits one record of each kind, removes some and adds some.
func (h *lived) change(t *testing.T, r *rand.Rand, ids []map[string]string, round int) {
	t.Helper()
	var lines []string
	for i, id := range ids {
		text := fmt.Sprintf("changed %x", r.Uint64())
		switch {
		case i%8 == round:
			lines = append(lines,
				batchLine("remove_memo", map[string]any{"memo_name": id["note"]}),
				batchLine("remove_memory", map[string]any{"ids": []string{id["memory"]}}),
				batchLine("delete_event", map[string]any{"event_id": id["event"]}))
		case i%8 >= 4:
			lines = append(lines,
				batchLine("edit_memo", map[string]any{"memo_name": id["note"], "content": text}),
				batchLine("edit_memory", map[string]any{"id": id["memory"], "full_text": text}),
				batchLine("update_event", map[string]any{"event_id": id["event"], "title": text}))
		}
	}
	for i := range 5 {
		lines = append(lines, randomNote(r, 100).line(fmt.Sprintf("late-%d-%d", round, i)))
	}
	batch(t, h.dir, lines)
	h.now(t)
}

// strip removes the key files and the copy of the manifest, which older versions did
// not write.
func (h *lived) strip(t *testing.T) {
	t.Helper()
	h.bare = true
	for _, pattern := range []string{"*.keys", "tables/*.keys", "tables/*.copy"} {
		found, err := filepath.Glob(filepath.Join(h.dir, pattern))
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range found {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// files returns the files of the store by kind. Kinds are equally likely, except that
// files that only a rescue reads are a third as likely.
func (h *lived) files(t *testing.T) (kinds [][]string) {
	t.Helper()
	byKind := map[string][]string{}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "lock" && d.Name() != "queue" {
			kind := strings.Map(func(c rune) rune {
				if '0' <= c && c <= '9' {
					return -1
				}
				return c
			}, d.Name())
			rel, _ := filepath.Rel(h.dir, path)
			byKind[kind] = append(byKind[kind], rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for kind, files := range byKind {
		kinds = append(kinds, files)
		if !strings.HasSuffix(kind, ".keys") && !strings.HasSuffix(kind, ".copy") {
			kinds = append(kinds, files, files) // damage to other kinds cannot lose records
		}
	}
	slices.SortFunc(kinds, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return kinds
}

// TestRescueNames repairs damaged stores. No record gets a value that it never had,
// and each record that is lost, old or back is named.
func TestRescueNames(t *testing.T) {
	r := testenv.Random(t)
	tries := testenv.Pick(8, 40)
	if testenv.Long() {
		tries = 300
	}
	damageAll(t, r, tries, []*lived{newLived(t, r, false), newLived(t, r, true), newLived(t, r, true)})
}

// TestRescueWithoutKeys is TestRescueNames for stores without key files, where doctor
// may report that it cannot name all records.
func TestRescueWithoutKeys(t *testing.T) {
	r := testenv.Random(t)
	tries := testenv.Pick(4, 15)
	if testenv.Long() {
		tries = 100
	}
	h := newLived(t, r, true)
	h.strip(t)
	damageAll(t, r, tries, []*lived{h})
}

func damageAll(t *testing.T, r *rand.Rand, tries int, stores []*lived) {
	t.Helper()
	var c tally
	seed, damages := r.Uint64(), testenv.Damages()
	each(tries, func(i int) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := stores[i%len(stores)]
		kinds := h.files(t)
		files, damage := kinds[r.IntN(len(kinds))], damages[r.IntN(len(damages))]
		file := files[r.IntN(len(files))]
		top := t.TempDir()
		defer os.RemoveAll(top)
		dir := filepath.Join(top, "store")
		if err := copyTree(h.dir, dir); err != nil {
			t.Error(err)
			return
		}
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), damage.Apply(r, b), 0o600)
		}
		if err != nil {
			t.Error(err)
			return
		}
		h.repaired(t, &c, dir, fmt.Sprintf("try %d, %s of %s", i, damage.Name, file))
	})
	t.Logf("%d damages: %v", tries, c.of)
}

// repaired repairs a damaged copy and compares the records.
func (h *lived) repaired(t *testing.T, c *tally, dir, what string) {
	t.Helper()
	before := filesOf(t, dir)
	a := techo(t, dir, "doctor", "--repair")
	switch {
	case a.errorCode() == "corrupt": // it refuses to install an empty store
		if !maps.Equal(filesOf(t, dir), before) || !strings.Contains(string(a.Out), "no record can be read") {
			t.Errorf("%s: %v", what, a)
		}
		c.count("refused")
		return
	case a.Code != 0:
		t.Errorf("%s: %v", what, a)
		return
	case a.Doc["repaired"] == false:
		h.compare(t, c, dir, what, a)
		c.count("harmless")
		return
	}
	c.count("repaired")
	if aside, _ := a.Doc["aside"].(string); !maps.Equal(filesOf(t, aside), before) {
		t.Errorf("%s: the damaged store was not kept as it was", what)
	}
	if v := techo(t, dir, "store", "verify", "--deep"); v.Code != 0 {
		t.Errorf("%s: %v", what, v)
	}
	h.compare(t, c, dir, what, a)
}

// compare compares the records with the earlier ones and with the report of doctor.
func (h *lived) compare(t *testing.T, c *tally, dir, what string, a answer) {
	t.Helper()
	want, got := h.last(), recordsOf(t, dir)
	states := map[record]string{}
	for id, as := range want {
		switch now, there := got[id]; {
		case !there:
			states[id] = "lost"
		case now != as:
			states[id] = "rolled_back"
		}
	}
	for id, as := range got {
		if _, there := want[id]; !there {
			states[id] = "resurrected"
		}
		if !h.had(id, as) {
			t.Errorf("%s: %s was never %s", what, id, as)
		}
	}
	named := map[record]string{}
	changes, _ := a.Doc["changes"].([]any)
	for _, change := range changes {
		m := change.(map[string]any)
		id := record(fmt.Sprint(m["kind"], " ", m["id"]))
		if m["id"] == nil { // of a memo only the name is known
			for of, as := range want {
				if strings.HasPrefix(string(of), "memo ") && strings.Contains(as, fmt.Sprintf(`"name":%q`, m["name"])) {
					id = of
				}
			}
		}
		named[id] = m["state"].(string)
		if kind, _, _ := strings.Cut(string(id), " "); m["certain"] == true && states[id] == "" && kind != "calendar" {
			t.Errorf("%s: %s is as it was, and is named as %v", what, id, m)
		}
	}
	left, _ := a.Doc["changes_left_out"].(float64)
	unnamed, _ := a.Doc["unnamed"].(float64)
	for id, state := range states {
		c.count(state)
		if named[id] != state && left == 0 {
			if unnamed > 0 && h.bare {
				c.count("not named")
				continue
			}
			t.Errorf("%s: %s is %s, named %q\n%s", what, id, state, named[id], a.Out)
		}
	}
	if left > 0 && int(left)+len(changes) < len(states) {
		t.Errorf("%s: %d changed, %d named, %v left out", what, len(states), len(changes), left)
	}
	if complete := a.Doc["complete"] == true; complete && len(states) > 0 {
		t.Errorf("%s: called complete, and %d have changed", what, len(states))
	}
	if unnamed > 0 && !h.bare {
		t.Errorf("%s: %v places are not named: %s", what, unnamed, a.Out)
	}
}
