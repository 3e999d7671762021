package files

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"techo/store"
	"techo/tools"
)

// Undo takes the last change back.
var Undo = tools.Define(tools.Tool{
	Name:    "undo_edit",
	Command: "fs undo",
	About:   tools.Say{EN: "Take back the last edit or write of a file", JA: "ファイルへの直前の編集や書き込みを取り消す"},
	More: tools.Say{
		EN: "The last one that was made from this folder or, with a path, the last one of that file. A batch is taken back as a whole, and a file that was created is removed. A file that was changed since by anything else is left alone. Again takes back the one before.",
		JA: "このフォルダから行った直前の変更、path を指定した場合はそのファイルへの直前の変更を取り消す。複数ファイルの編集はまとめて取り消し、作成されたファイルは削除する。その後に別の変更があったファイルには触れない。繰り返すと、さらに前の変更を取り消す。",
	},
	Effect:    tools.Changes,
	Forbidden: forbiddenPath,
	Words:     []string{"path"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Take back the last change", JA: "直前の変更を取り消す"}, Line: `fs undo`},
		{Does: tools.Say{EN: "See what the last change of a file would be again", JA: "取り消した場合の差分を確認する"}, Line: `fs undo notes.txt --dry-run`},
	},
}, undoEdit)

// UndoIn is the input of undo_edit.
type UndoIn struct {
	Path   string `json:"path,omitempty" en:"The file whose last change is meant" ja:"対象のファイル（省略時はこのフォルダからの直前の変更）"`
	DryRun bool   `json:"dry_run,omitempty" en:"Change nothing; show what would change" ja:"変更せず、差分のみを表示する"`
}

// UndoOut is the result of undo_edit.
type UndoOut struct {
	Files    []Undone `json:"files"`
	Tool     string   `json:"tool"`      // that had made the change
	EditedAt string   `json:"edited_at"` // when it had been made
	Diff     string   `json:"diff"`
	DiffCut  bool     `json:"diff_truncated,omitempty"`
	DryRun   bool     `json:"dry_run,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	Message  string   `json:"message"`
}

// Undone is what became of one file.
type Undone struct {
	Path  string `json:"path"`
	State string `json:"state"` // "restored", "removed", or "unchanged" when the change was not there
	Hash  string `json:"hash"`  // of what it holds now, "" when it is not there
}

// Text is the message, and what else there is to know.
func (o UndoOut) Text(*tools.Env) string {
	lines := append([]string{o.Message}, o.Notes...)
	if o.DryRun {
		lines = append(lines, strings.TrimSuffix(o.Diff, "\n"))
	}
	return strings.Join(lines, "\n")
}

func undoEdit(ctx context.Context, env *tools.Env, in UndoIn) (out UndoOut, err error) {
	st, e, err := findEdit(ctx, env, in)
	if err != nil {
		return out, err
	}
	var all []*work
	for _, f := range e.Files {
		all = append(all, &work{Edited: Edited{Path: f.Path}})
	}
	defer closeAll(all)
	if err := openAll(ctx, env, all, !in.DryRun); err != nil {
		return out, err
	}
	out = UndoOut{Files: []Undone{}, Tool: e.Tool, EditedAt: env.Time(e.Time), DryRun: in.DryRun}
	var changes []*change
	var paths []string
	for i, w := range all {
		w.shown = near(env, w.Path)
		done, err := w.backwards(env, e.Files[i])
		if err != nil {
			return out, err
		}
		if done.State != "unchanged" {
			changes = append(changes, w.change)
		}
		out.Files = append(out.Files, done)
		paths = append(paths, w.shown)
	}
	out.Diff, out.DiffCut = allDiffs(all)
	list := strings.Join(paths, ", ")
	if in.DryRun {
		out.Message = env.Say(tools.Say{EN: "Dry run: the last change of %s would be taken back", JA: "試行: %s への直前の変更を取り消します（未実行）"}, list)
		return out, nil
	}
	if err := apply(env, changes); err != nil {
		return out, err
	}
	for _, c := range changes {
		if c.reason != (tools.Say{}) {
			out.Notes = append(out.Notes, env.Say(c.reason, c.shown))
		}
	}
	out.Message = env.Say(tools.Say{EN: "Took back the last change of %s", JA: "%s への直前の変更を取り消しました"}, list)
	if len(changes) == 0 {
		out.Message = env.Say(tools.Say{EN: "The last change of %s is not there any more: nothing to take back", JA: "%s への直前の変更は既に元に戻っています"}, list)
	}
	return out, st.RemoveFileEdit(ctx, e.ID)
}

// findEdit finds the change that is to be taken back.
func findEdit(ctx context.Context, env *tools.Env, in UndoIn) (*store.Store, store.FileEdit, error) {
	here := workingFolder(env)
	wanted := func(e store.FileEdit) bool { return e.Dir == here }
	if in.Path != "" {
		p, err := locate(env, in.Path)
		if err != nil {
			return nil, store.FileEdit{}, err
		}
		full := p.full()
		wanted = func(e store.FileEdit) bool {
			return slices.ContainsFunc(e.Files, func(f store.EditedFile) bool { return f.Path == full })
		}
	}
	effect := tools.Changes
	if in.DryRun {
		effect = tools.Reads
	}
	st, err := env.Store(ctx, effect)
	if err != nil {
		return nil, store.FileEdit{}, err
	}
	e, err := st.LastFileEdit(ctx, wanted)
	if missing := new(store.NotFoundError); errors.As(err, &missing) {
		if in.Path != "" {
			return nil, e, env.Fail(tools.NotFound, tools.Say{EN: "No change of %s is there to take back", JA: "%s への取り消せる変更はありません"}, in.Path)
		}
		return nil, e, env.Fail(tools.NotFound, tools.Say{EN: "No change made from this folder is there to take back", JA: "このフォルダから行った、取り消せる変更はありません"}).
			WithHint(env.Say(tools.Say{EN: "Name the file: techo fs undo PATH", JA: "ファイルを指定してください: techo fs undo PATH"}))
	}
	if err == nil && e.Lost {
		err = env.Fail(tools.LimitExceeded, tools.Say{EN: "The last change of %s was too large to be kept, and cannot be taken back", JA: "%s への直前の変更は大きすぎて記録されておらず、取り消せません"}, near(env, e.Files[0].Path)).
			WithHint(env.Say(tools.Say{EN: "To take back an earlier change of another file, name it: techo fs undo PATH", JA: "別のファイルへの以前の変更を取り消すには、ファイルを指定してください: techo fs undo PATH"}))
	}
	return st, e, err
}

// backwards works out what a file was before a change.
func (w *work) backwards(env *tools.Env, f store.EditedFile) (done Undone, err error) {
	done = Undone{Path: w.shown, State: "unchanged", Hash: f.Before}
	now := ""
	if w.change.file.file != nil {
		if w.before, err = w.read(env); err != nil {
			return done, err
		}
		now = hashOf(w.before)
	}
	switch {
	case now == f.Before:
		return done, nil
	case now != f.After:
		return done, env.Fail(tools.Conflict, tools.Say{EN: "%s changed since that edit; nothing was taken back", JA: "%s はその編集の後に変更されています。何も取り消していません"}, w.shown).
			WithHint(env.Say(tools.Say{EN: "Take the later change back first, or edit the file by hand", JA: "後の変更を先に戻すか、手動で編集してください"}))
	case f.Before == "":
		w.remove, done.State = true, "removed"
	default:
		done.State = "restored"
		steps, err := unpackSteps(f.Way)
		if err != nil {
			return done, err
		}
		w.after = w.before
		for _, s := range steps {
			if !s.fits(len(w.after)) {
				return done, errWay
			}
			w.after, _ = s.do(w.after)
		}
		if hashOf(w.after) != f.Before {
			return done, errWay
		}
	}
	if c, err := w.encoding(env); err == nil {
		w.diff, w.diffCut = unified(w.shown, c.Decode(w.before).String, c.Decode(w.after).String)
	}
	return done, nil
}

// near writes an absolute path as one relative to the working folder, when it
// is in there.
func near(env *tools.Env, path string) string {
	if short, err := filepath.Rel(workingFolder(env), path); err == nil && filepath.IsLocal(short) {
		return short
	}
	return path
}
