package search

import (
	"context"
	"path"
	"time"

	"techo/internal/sorting"
	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/paths"
)

// A search without results gets a second, short search through the entries that it
// skipped, to hint at hidden or ignored matches. After a fast search it may take
// maxHintTime. After a slow one it takes at most a tenth of the first search's
// time, but at least minHintTime.
const (
	maxHintTime = 150 * time.Millisecond
	fastSearch  = 100 * time.Millisecond
	minHintTime = 30 * time.Millisecond
)

// hintTime returns the limit of the second search after a first one of the given
// duration.
func hintTime(took time.Duration) time.Duration {
	if took < fastSearch {
		return maxHintTime
	}
	return min(max(minHintTime, took/10), maxHintTime)
}

// hintSkipped searches the skipped entries and records where the pattern would
// have matched. It leaves out .git folders.
func (s *lineSearch) hintSkipped(ctx context.Context, p paths.Place, t *tree, also map[string]AlsoIn) {
	again := &lineSearch{pattern: s.pattern, mode: modeFiles, multiline: s.multiline, selected: s.selected,
		stopAfter: func(string) {}}
	t.searchSkipped(ctx, func(passed skippedEntry, sub *tree) []string {
		again.searchBinary = passed.why == isBinary
		again.found = nil
		if sub != nil {
			s.selected.applyTo(sub)
			again.searchTree(ctx, sub)
		} else if f, err := s.reopen(p, t, passed.path); err == nil {
			again.searchOpen(ctx, &tree{}, f, 0)
			f.Close()
		}
		var found []string
		for _, f := range again.found {
			found = append(found, path.Join(passed.path, f.path))
		}
		return found
	}, p.Shown, also)
}

// hintEncoded searches files in encodings other than UTF-8 and UTF-16, and records
// where the pattern would have matched.
func (s *lineSearch) hintEncoded(ctx context.Context, env *tools.Env, in GrepIn, p paths.Place,
	also map[string]AlsoIn) {
	again := &lineSearch{pattern: s.pattern, mode: modeFiles, multiline: s.multiline, selected: s.selected,
		stopAfter: func(string) {}, encoding: autoEncoding, onlyEncoded: true, stdin: s.stdin}
	if t, err := openTree(env, p, in.Hidden, in.NoIgnore); err == nil {
		s.selected.applyTo(t)
		again.searchTree(ctx, t)
		t.root.Close()
	} else if again.searchFile(ctx, p, &tree{}) != nil {
		return // the file was removed in the meantime
	}
	if len(again.found) > 0 {
		also["encoding"] = AlsoIn{Files: len(again.found), First: displayPath(p.Shown, again.found[0].path),
			Partial: ctx.Err() != nil}
	}
}

// searchSkipped calls look for every skipped entry, files first, and records the
// results in also. A folder comes with an open tree. look returns the paths of
// matches below the entry.
func (t *tree) searchSkipped(ctx context.Context, look func(passed skippedEntry, sub *tree) []string, given string,
	also map[string]AlsoIn) {
	names := map[reason]string{isIgnored: "ignored", isHidden: "hidden", isBinary: "binary"}
	sorting.By(t.skippedEntries, func(a, b skippedEntry) int { return walk.Compare(a.path, b.path) })
	first := map[reason]string{}
	for _, folders := range []bool{false, true} {
		for _, one := range t.skippedEntries {
			name := names[one.why]
			if name == "" || path.Base(one.path) == gitFolder {
				continue
			}
			isFolder := false
			if t.root != nil {
				st, err := t.root.Lstat(one.path)
				if err != nil {
					continue
				}
				isFolder = st.IsDir()
			}
			if isFolder != folders {
				continue
			}
			found := t.searchOneSkipped(one, isFolder, look)
			if len(found) == 0 && ctx.Err() == nil {
				continue
			}
			a := also[name]
			a.Files += len(found)
			a.Partial = a.Partial || ctx.Err() != nil
			for _, p := range found {
				if p == "" {
					continue // counts as a match, but has no path to show
				}
				if old, ok := first[one.why]; !ok || walk.Compare(p, old) < 0 {
					first[one.why] = p
				}
			}
			a.First = displayPath(given, first[one.why])
			if a.Files > 0 {
				also[name] = a
			}
			if ctx.Err() != nil {
				return
			}
		}
	}
}

func (t *tree) searchOneSkipped(one skippedEntry, isFolder bool, look func(skippedEntry, *tree) []string) []string {
	if !isFolder {
		return look(one, nil)
	}
	root, err := t.root.OpenRoot(one.path)
	if err != nil {
		return nil // already counted as skipped
	}
	defer root.Close()
	return look(one, &tree{root: root, hidden: true, noIgnore: true, base: one.path + "/"})
}

// AlsoIn describes skipped files that would have matched.
type AlsoIn struct {
	Files   int    `json:"files"`
	First   string `json:"first"`
	Partial bool   `json:"partial,omitempty"` // the time limit ended the search for more
}
