package search

import (
	"context"
	"path"
	"strings"

	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/paths"
)

// nothingSearched names the rules that left no file to search. It walks through the folder
// again, without the selection; if the time is up before, it names none.
func nothingSearched(ctx context.Context, s *lineSearch, env *tools.Env, in GrepIn, p paths.Place,
	skipped Skipped) []string {
	t, err := openTree(env, p, in.Hidden, in.NoIgnore)
	if err != nil {
		return nil
	}
	defer t.root.Close()
	var files, included, typed, kept int
	count := func(n *int, holds bool) {
		if holds {
			*n++
		}
	}
	visit := func(_ int, f *walk.Folder, e walk.Entry) {
		file := f.Join(e)
		files++
		count(&included, len(s.selected.include) == 0 || anyMatches(s.selected.include, file, path.Base(file)))
		count(&typed, len(s.selected.types) == 0 || anyMatches(s.selected.types, file, path.Base(file)))
		count(&kept, !s.selected.excludes(file))
	}
	walk.New(walk.Options{Workers: 1, Enter: t.enter, Failed: t.failed, Visit: visit}).Run(ctx, t.root)
	if ctx.Err() != nil {
		return nil
	}
	if files == 0 {
		return unseenFiles(env, t.countSkipped(""))
	}
	var notes, all []string
	for _, rule := range []struct {
		name, value string
		passed      int
		none        tools.Text
	}{
		{"include", in.Include, included, "no file matches include %q"},
		{"type", in.Type, typed, "no file is of type %q"},
		{"exclude", in.Exclude, kept, "exclude %q leaves no file"},
	} {
		if rule.value == "" {
			continue
		}
		all = append(all, rule.name)
		if rule.passed == 0 {
			notes = append(notes, env.Localize(rule.none, rule.value))
			if rule.name != "type" {
				notes = append(notes, braces(env, rule.value)...)
			}
		}
	}
	if len(notes) == 0 {
		notes = append(notes, env.Localize("no file passes all of %s", strings.Join(all, ", ")))
	}
	if skipped.Ignored > 0 {
		notes = append(notes, env.Hint(lookIgnored, skipped.Ignored, tools.Field("no_ignore")))
	}
	return notes
}

const (
	lookIgnored = tools.Text("ignored: %d; use %s")
	lookHidden  = tools.Text("hidden: %d; use %s")
)

// unseenFiles explains a folder without a file that is neither ignored nor hidden.
func unseenFiles(env *tools.Env, skipped Skipped) []string {
	notes := []string{env.Localize("the folder has no files to search")}
	if skipped.Ignored > 0 {
		notes = append(notes, env.Hint(lookIgnored, skipped.Ignored, tools.Field("no_ignore")))
	}
	if skipped.Hidden > 0 {
		notes = append(notes, env.Hint(lookHidden, skipped.Hidden, tools.Field("hidden")))
	}
	return notes
}

// braces shows how to write a glob with commas that was meant as several, nil for others.
func braces(env *tools.Env, glob string) []string {
	if !strings.Contains(glob, ",") || strings.ContainsAny(glob, `{}[]\`) {
		return nil
	}
	return []string{env.Localize("for several: %s", "{"+glob+"}")}
}

// excludes reports whether a file or a folder above it is excluded.
func (s *selection) excludes(file string) bool {
	if anyMatches(s.exclude, file, path.Base(file)) {
		return true
	}
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		if s.excludesFolder(folder, path.Base(folder)) {
			return true
		}
	}
	return false
}
