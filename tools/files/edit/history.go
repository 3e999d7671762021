package edit

import (
	"context"
	"errors"
	"slices"

	"techo/store"
	editstore "techo/store/edit"
	"techo/store/history"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

// History is what the family of the history needs of this one: the content of
// files is not in the store.
type History struct{}

// Diff returns a unified diff of two texts, shortened if it is long.
func (History) Diff(name, before, after string) string {
	out, _ := document.Diff(name, before, after)
	if len(out) > document.MaxDiff {
		out = out[:document.MaxDiff]
	}
	return string(out)
}

// Visible returns what reports whether the caller may use the files of a change, nil if they may use all files. It looks
// at each file once: most of the changes of a history are of the same few.
func (History) Visible(env *tools.Env) func(ledger.Change) bool {
	if roots, err := tools.Roots(env); err == nil && len(roots) == 0 {
		return nil
	}
	outside := map[string]bool{}
	return func(c ledger.Change) bool {
		return !slices.ContainsFunc(c.Records, func(r ledger.ChangedRecord) bool {
			if r.Kind != ledger.KindFile {
				return false
			}
			if _, known := outside[r.ID]; !known {
				_, err := paths.Locate(env, r.ID)
				outside[r.ID] = err != nil
			}
			return outside[r.ID]
		})
	}
}

// Show returns the diff from the files before a change to the files after it. It
// fails if the files changed since.
func (History) Show(ctx context.Context, env *tools.Env, st *store.Store, c ledger.Change) (string, error) {
	e, err := editstore.Of(ctx, st.Ledger, c)
	if err != nil {
		return "", err
	}
	if isMove(e) {
		return moveDiff(paths.Relative(env, e.Files[0].Path), paths.Relative(env, e.Files[1].Path)), nil
	}
	var all []*change.Target
	for _, f := range e.Files {
		w, err := recorded(env, e, f)
		if err != nil {
			return "", err
		}
		all = append(all, w)
	}
	defer change.CloseAll(all)
	if err := change.OpenAll(ctx, env, all, false); err != nil {
		return "", err
	}
	for i, w := range all {
		w.Shown = paths.Relative(env, w.Given)
		if _, err := planUndo(env, w, e.Files[i]); err != nil {
			return "", err
		}
		if c, err := w.Charset(env); err == nil {
			w.Compare(c.Decode(w.After).String, c.Decode(w.Before).String)
		}
	}
	diff, _ := change.Diffs(all)
	return diff, nil
}

// Undo undoes a change of files.
func (History) Undo(ctx context.Context, env *tools.Env, st *store.Store, c ledger.Change) error {
	e, err := editstore.Of(ctx, st.Ledger, c)
	if err != nil {
		return err
	}
	_, err = revert(ctx, env, st, e, false)
	if conflict := new(tools.Error); errors.As(err, &conflict) && conflict.Code == tools.Conflict {
		for _, f := range e.Files {
			newer := new(history.NewerChangeError)
			if errors.As(history.Of(st.Ledger).NewerChange(ctx, c, f.Path), &newer) && newer.Newer != 0 {
				return newer
			}
		}
	}
	return err
}
