//go:build linux && amd64

package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// restored returns the notes of a stage before and after the restore.
func (s *powerStages) restored(stage string) func(done []bool) notes {
	return func(done []bool) notes {
		if done[0] {
			return s.held["other"]
		}
		return s.held[stage]
	}
}

// holds checks that a store has the results of all answered calls and, of each other
// call, all or nothing; that the next write works; and that the store verifies.
func (s *powerStages) holds(after func(done []bool) notes) func(*testing.T, string, []bool) []string {
	return func(t *testing.T, dir string, done []bool) []string {
		return storeHolds(t, filepath.Join(dir, "store"), after, done)
	}
}

func storeHolds(t *testing.T, store string, after func(done []bool) notes, done []bool) []string {
	candidates := possible(after, done)
	known := notes{}
	for _, c := range candidates {
		maps.Copy(known, c)
	}
	got, wrong := contentOf(t, store, slices.Sorted(maps.Keys(known)))
	if wrong != "" {
		return []string{wrong}
	}
	if !slices.ContainsFunc(candidates, func(c notes) bool { return maps.Equal(c, got) }) {
		names := slices.Sorted(maps.Keys(got))
		return []string{fmt.Sprintf("answered %v: holds %q, which no order of the calls leaves", done, names)}
	}
	if v := techo(t, store, "store", "verify"); v.Code != 0 {
		return []string{v.String()}
	}
	return nil
}

// possible returns the possible contents: each call without an answer was done or
// not.
func possible(after func(done []bool) notes, done []bool) (all []notes) {
	for set := range 1 << len(done) {
		now := make([]bool, len(done))
		lost := false
		for i := range done {
			now[i] = set>>i&1 == 1
			lost = lost || done[i] && !now[i]
		}
		if !lost {
			all = append(all, after(now))
		}
	}
	return all
}

// contentOf reads the memos with some names, then adds a memo and reads it.
func contentOf(t *testing.T, store string, names []string) (got notes, wrong string) {
	lines := batchLine("list_memo", map[string]any{"limit": 1 << 20})
	for _, name := range names {
		lines += batchLine("get_memo", map[string]any{"memo_name": name})
	}
	next := note{"works", "", 3}
	lines += next.line("next") + batchLine("get_memo", map[string]any{"memo_name": "next"})
	c := command(t.Context(), store, "call", "--batch")
	c.Stdin = strings.NewReader(lines)
	a := collect(c)
	docs := bytes.Split(bytes.TrimSpace(a.Out), []byte("\n"))
	if len(docs) != len(names)+3 || a.Code < 0 || unclean(a.Stderr) {
		return nil, a.String()
	}
	got = notes{}
	var list document
	for i, raw := range docs {
		var d document
		switch err := json.Unmarshal(raw, &d); {
		case err != nil:
			return nil, string(raw)
		case i > 0 && i <= len(names) && d.Error.Code == "not_found":
		case d.Error.Code != "":
			return nil, string(raw)
		case i == 0:
			list = d
		case i <= len(names):
			got[names[i-1]] = d.Memo.note()
		case i == len(names)+2 && d.Memo.note() != next:
			return nil, string(raw)
		}
	}
	var l look
	got.compareList(&l, list)
	return got, strings.Join(l.Wrong, "\n")
}

// restores checks a restore over a store. The old store is kept beside the new one.
func (s *powerStages) restores(t *testing.T, dir string, done []bool) []string {
	wrong := storeHolds(t, filepath.Join(dir, "store"), s.restored("due"), done)
	if len(wrong) > 0 || !done[0] {
		return wrong
	}
	old := func([]bool) notes { return s.held["due"] }
	return storeHolds(t, filepath.Join(dir, "store.before-1"), old, nil)
}

// backs checks a backup: the file is complete, or missing and not acknowledged.
func (s *powerStages) backs(t *testing.T, dir string, done []bool) []string {
	file, store := filepath.Join(dir, "made.backup"), filepath.Join(dir, "restored")
	if _, err := os.Stat(file); err != nil {
		if done[0] {
			return []string{err.Error()}
		}
		return storeHolds(t, filepath.Join(dir, "store"), s.plus("due"), nil)
	}
	if a := techo(t, store, "store", "restore", file); a.Code != 0 {
		return []string{a.String()}
	}
	return storeHolds(t, store, s.plus("due"), nil)
}
