package files

import (
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"techo/internal/walk"
	"techo/tools"
)

// secondLook is how long a search that found nothing looks into what it passed
// over; one that took longer than quick for less, so that it is not made dearer
// by much.
const (
	secondLook = 150 * time.Millisecond
	quick      = 100 * time.Millisecond
	leastLook  = 30 * time.Millisecond
)

// lookFor is how long a search that took so long looks again.
func lookFor(took time.Duration) time.Duration {
	if took < quick {
		return secondLook
	}
	return min(max(leastLook, took/10), secondLook)
}

// lookAgain searches what was passed over, and notes where it would have
// matched. The repository's own folder is nobody's business.
func (s *search) lookAgain(ctx context.Context, p place, t *tree, also map[string]AlsoIn) {
	again := &search{pattern: s.pattern, mode: onlyFiles, multiline: s.multiline, selected: s.selected, limit: func(string) {}}
	t.again(ctx, func(passed passedOver, sub *tree) []string {
		again.binary = passed.why == isBinary
		again.found = nil
		if sub != nil {
			s.selected.narrow(sub)
			again.goThrough(ctx, sub)
		} else if f, err := s.reopen(p, t, passed.path); err == nil {
			again.searchOne(ctx, &tree{}, f, 0)
			f.Close()
		}
		var found []string
		for _, f := range again.found {
			found = append(found, path.Join(passed.path, f.path))
		}
		return found
	}, p.shown, also)
}

// lookEncoded searches once more for what only shows in files that are in other
// encodings than UTF-8 and UTF-16, and notes where it would have matched.
func (s *search) lookEncoded(ctx context.Context, env *tools.Env, in GrepIn, p place, also map[string]AlsoIn) {
	again := &search{pattern: s.pattern, mode: onlyFiles, multiline: s.multiline, selected: s.selected, limit: func(string) {}, encoding: autoEncoding, encoded: true}
	if t, err := openTree(env, p, in.Hidden, in.NoIgnore); err == nil {
		s.selected.narrow(t)
		again.goThrough(ctx, t)
		t.root.Close()
	} else if again.single(ctx, p, &tree{}) != nil {
		return // it is gone by now
	}
	if len(again.found) > 0 {
		also["encoding"] = AlsoIn{Files: len(again.found), First: shown(p.shown, again.found[0].path), Partial: ctx.Err() != nil}
	}
}

// again has everything that was passed over looked into, files first: look
// returns what it found below the start. Folders come as trees of their own.
func (t *tree) again(ctx context.Context, look func(passed passedOver, sub *tree) []string, given string, also map[string]AlsoIn) {
	names := map[reason]string{isIgnored: "ignored", isHidden: "hidden", isBinary: "binary"}
	slices.SortFunc(t.passed, func(a, b passedOver) int { return walk.Compare(a.path, b.path) })
	first := map[reason]string{}
	for _, folders := range []bool{false, true} {
		for _, one := range t.passed {
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
			found := t.lookInto(one, isFolder, look)
			if len(found) == 0 && ctx.Err() == nil {
				continue
			}
			a := also[name]
			a.Files += len(found)
			a.Partial = a.Partial || ctx.Err() != nil
			for _, p := range found {
				if p == "" {
					continue // it only counts
				}
				if old, ok := first[one.why]; !ok || walk.Compare(p, old) < 0 {
					first[one.why] = p
				}
			}
			a.First = shown(given, first[one.why])
			if a.Files > 0 {
				also[name] = a
			}
			if ctx.Err() != nil {
				return
			}
		}
	}
}

func (t *tree) lookInto(one passedOver, isFolder bool, look func(passedOver, *tree) []string) []string {
	if !isFolder {
		return look(one, nil)
	}
	root, err := t.root.OpenRoot(one.path)
	if err != nil {
		return nil // it is counted as passed over all the same
	}
	defer root.Close()
	return look(one, &tree{root: root, hidden: true, noIgnore: true, base: one.path + "/"})
}

// timedOut reports whether the time that was given ran out; err is another end.
func timedOut(ctx context.Context) (out bool, err error) {
	switch {
	case ctx.Err() == nil:
		return false, nil
	case errors.Is(context.Cause(ctx), tools.ErrTimeout), errors.Is(ctx.Err(), context.DeadlineExceeded):
		return true, nil
	}
	return false, context.Cause(ctx)
}
