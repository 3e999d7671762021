package files

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"techo/tools"
)

// Edit changes parts of files.
var Edit = tools.Define(tools.Tool{
	Name:    "edit_file",
	Command: "fs edit",
	About:   tools.Say{EN: "Edit a file by replacing a specific string with a new string", JA: "ファイル内の特定の文字列を新しい文字列に置き換える"},
	More: tools.Say{
		EN: "Use this for targeted edits instead of rewriting the entire file. old_string must stand in the file to the letter and once only; when it does not, the answer says what is nearest, or where it stands, so that the next call can be right. Line ends are alike, and the file keeps its own; all else of it stays as it is, byte for byte. Several edits are made in order, all or none. fs undo takes the last one back.",
		JA: "ファイル全体を書き直す代わりに、必要な箇所だけを変更する場合に使用する。old_string はファイル内の文字列と完全に一致し、かつ一箇所だけでなければならない。一致しない場合は最も近い箇所、複数ある場合はその行番号を返す。改行の違いは無視され、ファイルの改行は保たれる。それ以外のバイトは一切変わらない。複数の編集は順に行い、全て成功するか何もしない。fs undo で直前の編集を取り消せる。",
	},
	Effect:    tools.Changes,
	Forbidden: forbiddenPath,
	Words:     []string{"path", "old_string", "new_string"},
	Examples: []tools.Example{
		{Does: tools.Say{EN: "Replace a text that stands there once", JA: "一箇所だけにある文字列を置き換える"}, Line: `fs edit notes.txt Hello "Hello, World"`},
		{Does: tools.Say{EN: "See first what would change", JA: "変更内容を先に確認する"}, Line: `fs edit notes.txt --old-string o --new-string 0 --replace-all --dry-run`},
		{Does: tools.Say{EN: "Edit two files, both or neither", JA: "2つのファイルを同時に編集する（両方か、どちらもしない）"}, Line: `fs edit --batch '[{"path":"notes.txt","old_string":"World","new_string":"Techo"},{"path":"list.txt","old_string":"milk","new_string":"tea"}]'`},
	},
}, editFile)

// EditIn is the input of edit_file.
type EditIn struct {
	Path             string     `json:"path" unless:"batch" en:"The path to the file to edit" ja:"編集するファイルのパス"`
	OldString        *string    `json:"old_string" unless:"edits,batch" en:"The exact string to find and replace" ja:"置き換え対象の文字列（完全一致）"`
	NewString        *string    `json:"new_string" unless:"edits,batch" en:"The string to replace old_string with" ja:"old_string を置き換える文字列"`
	ReplaceAll       bool       `json:"replace_all,omitempty" en:"Replace every occurrence" ja:"全ての出現箇所を置き換える"`
	Edits            []Exchange `json:"edits,omitempty" en:"Several edits, made in order, each on what the one before left" ja:"複数の編集。順に適用する"`
	ExpectedCount    *int       `json:"expected_count" min:"1" en:"How many occurrences there must be; all of them are replaced" ja:"あるべき出現数。その全てを置き換える"`
	ExpectedHash     string     `json:"expected_hash,omitempty" en:"The file's hash when it was read; if it has another by now, nothing is done" ja:"読み取り時のハッシュ。異なる場合は何もしない"`
	IgnoreWhitespace bool       `json:"ignore_whitespace,omitempty" en:"If it does not stand there to the letter: take any run of blanks for any other. It must be the only such place" ja:"完全一致がない場合に空白の違いを無視する。一箇所だけに一致する必要がある"`
	Encoding         string     `json:"encoding,omitempty" enum:"utf-8,utf-16le,utf-16be,shift_jis,euc-jp,gb18030,big5,euc-kr,windows-1252" en:"The file's encoding, when it is not found out" ja:"ファイルの文字コード（自動判定できない場合）"`
	DryRun           bool       `json:"dry_run,omitempty" en:"Change nothing; show what would change" ja:"変更せず、差分のみを表示する"`
	Batch            []Edited   `json:"batch,omitempty" en:"Edits of several files, all or none, in place of path and the strings" ja:"複数ファイルの編集（全て行うか、何もしない）。path などの代わりに指定する"`
}

// Edited is one file of a batch.
type Edited struct {
	Path             string     `json:"path" min:"1" en:"The path to the file to edit" ja:"編集するファイルのパス"`
	OldString        *string    `json:"old_string" unless:"edits" en:"The exact string to find and replace" ja:"置き換え対象の文字列（完全一致）"`
	NewString        *string    `json:"new_string" unless:"edits" en:"The string to replace old_string with" ja:"old_string を置き換える文字列"`
	ReplaceAll       bool       `json:"replace_all,omitempty" en:"Replace every occurrence" ja:"全ての出現箇所を置き換える"`
	Edits            []Exchange `json:"edits,omitempty" en:"Several edits" ja:"複数の編集"`
	ExpectedCount    *int       `json:"expected_count" min:"1" en:"How many occurrences there must be" ja:"あるべき出現数"`
	ExpectedHash     string     `json:"expected_hash,omitempty" en:"The file's hash when it was read" ja:"読み取り時のハッシュ"`
	IgnoreWhitespace bool       `json:"ignore_whitespace,omitempty" en:"Take any run of blanks for any other" ja:"空白の違いを無視する"`
	Encoding         string     `json:"encoding,omitempty" enum:"utf-8,utf-16le,utf-16be,shift_jis,euc-jp,gb18030,big5,euc-kr,windows-1252" en:"The file's encoding" ja:"文字コード"`
}

// Exchange is one edit of a file.
type Exchange struct {
	OldString  string `json:"old_string" min:"1" en:"The exact string to find and replace" ja:"置き換え対象の文字列（完全一致）"`
	NewString  string `json:"new_string" en:"The string to replace old_string with" ja:"old_string を置き換える文字列"`
	ReplaceAll bool   `json:"replace_all,omitempty" en:"Replace every occurrence" ja:"全ての出現箇所を置き換える"`
}

// EditOut is the result of edit_file.
type EditOut struct {
	Path         string     `json:"path"` // "" for a batch
	Replacements int        `json:"replacements"`
	Diff         string     `json:"diff"`
	DiffCut      bool       `json:"diff_truncated,omitempty"`
	Hash         string     `json:"hash"` // of what the file holds now; "" for a batch
	DryRun       bool       `json:"dry_run,omitempty"`
	Undoable     bool       `json:"undoable"`
	Files        []FileDone `json:"files,omitempty"` // of a batch
	Notes        []string   `json:"notes,omitempty"`
	Message      string     `json:"message"`
}

// FileDone is what became of one file of a batch.
type FileDone struct {
	Path         string `json:"path"`
	Replacements int    `json:"replacements"`
	Hash         string `json:"hash"`
}

// Text is the sentence of the specification, and what else there is to know.
func (o EditOut) Text(*tools.Env) string {
	lines := append([]string{o.Message}, o.Notes...)
	if o.DryRun {
		lines = append(lines, strings.TrimSuffix(o.Diff, "\n"))
	}
	return strings.Join(lines, "\n")
}

// work is one file with what is to be done to it.
type work struct {
	Edited
	at string // JSON pointer to it in the input
	n  int    // replacements
	*change
	notes []string

	diff    []byte
	diffCut bool // it would have been too much
}

func editFile(ctx context.Context, env *tools.Env, in EditIn) (out EditOut, err error) {
	all, err := in.works(env)
	if err != nil {
		return out, in.forbidden(env, err)
	}
	defer closeAll(all)
	if err := openAll(ctx, env, all, !in.DryRun); err != nil {
		return out, err
	}
	if err := prepareAll(env, all); err != nil {
		return out, err
	}
	out = edited(env, in, all)
	if in.DryRun {
		return out, nil
	}
	var changes []*change
	for _, w := range all {
		changes = append(changes, w.change)
	}
	kept := keepEdit(ctx, env, "edit_file", changes)
	out.Notes = append(out.Notes, kept.notes...)
	out.Undoable = kept.kept
	if err := apply(env, changes); err != nil {
		kept.forget(ctx, err)
		return out, err
	}
	for _, c := range changes {
		if c.reason != (tools.Say{}) {
			out.Notes = append(out.Notes, env.Say(c.reason, c.shown))
		}
	}
	return out, nil
}

// works lists the files of an input with their edits, or says what the schema
// cannot about the input.
func (in EditIn) works(env *tools.Env) (all []*work, err error) {
	var wrong []tools.Detail
	fault := func(at string, message tools.Say) {
		wrong = append(wrong, tools.Detail{Path: at, Message: env.Say(message)})
	}
	given := func(s *string) bool { return s != nil && *s != "" }
	if len(in.Batch) == 0 {
		all = []*work{{Edited: Edited{in.Path, in.OldString, in.NewString, in.ReplaceAll, in.Edits, in.ExpectedCount, in.ExpectedHash, in.IgnoreWhitespace, in.Encoding}}}
		if in.Path == "" {
			fault("/path", tools.Say{EN: "must not be empty", JA: "空にできません"})
		}
	} else if in.Path != "" || given(in.OldString) || given(in.NewString) || in.ReplaceAll || len(in.Edits) > 0 ||
		in.ExpectedHash != "" || in.ExpectedCount != nil || in.IgnoreWhitespace || in.Encoding != "" {
		fault("/batch", tools.Say{EN: "has the paths, strings and options of its own", JA: "を使う場合、path や文字列などは batch の中に書いてください"})
	}
	for i, f := range in.Batch {
		all = append(all, &work{Edited: f, at: fmt.Sprintf("/batch/%d", i)})
	}
	for _, w := range all {
		switch {
		case len(w.Edits) == 0 && w.OldString != nil && *w.OldString == "":
			fault(w.at+"/old_string", tools.Say{EN: "must not be empty; to make a new file use write_file", JA: "空にできません。新しいファイルには write_file を使ってください"})
		case given(w.OldString) && w.NewString == nil:
			fault(w.at+"/new_string", tools.Say{EN: "is required", JA: "必須です"})
		case w.IgnoreWhitespace && (w.ReplaceAll || slices.ContainsFunc(w.Edits, func(e Exchange) bool { return e.ReplaceAll })):
			fault(w.at+"/ignore_whitespace", tools.Say{EN: "does not go with replace_all", JA: "replace_all と同時に指定できません"})
		}
	}
	if len(wrong) > 0 {
		return nil, faults(env, wrong)
	}
	return all, nil
}

// forbidden returns an error in whose place a path is forbidden, if one is.
func (in EditIn) forbidden(env *tools.Env, err error) error {
	for _, f := range append(in.Batch, Edited{Path: in.Path}) {
		if _, e := locate(env, f.Path); f.Path != "" && e != nil {
			return e
		}
	}
	return err
}

// exchanges are all edits of a file, with their places in the input.
func (w *work) exchanges() (all []Exchange, at []string) {
	if w.OldString != nil && *w.OldString != "" {
		// So many are expected that all are meant.
		every := w.ReplaceAll || w.ExpectedCount != nil && *w.ExpectedCount > 1 && len(w.Edits) == 0
		all, at = append(all, Exchange{*w.OldString, *w.NewString, every}), append(at, w.at)
	}
	for i, e := range w.Edits {
		all, at = append(all, e), append(at, fmt.Sprintf("%s/edits/%d", w.at, i))
	}
	return all, at
}

// openAll opens the files in the order of their paths, so that those who wait
// for each other's locks always wait in the same order.
func openAll(ctx context.Context, env *tools.Env, all []*work, change bool) error {
	var ordered []*work
	for _, w := range all {
		p, err := locate(env, w.Path)
		if err != nil {
			return err
		}
		w.change = newChange(p)
		ordered = append(ordered, w)
	}
	slices.SortFunc(ordered, func(a, b *work) int { return strings.Compare(a.full(), b.full()) })
	for i, w := range ordered {
		if i > 0 && w.full() == ordered[i-1].full() {
			return twice(env, w)
		}
	}
	for i, w := range ordered {
		if change && sameAsOne(w, ordered[:i]) { // its lock would be waited for in vain
			return twice(env, w)
		}
		f, err := w.place.openFile(ctx, env, change)
		if err != nil {
			return err
		}
		w.change.file = f
	}
	return nil
}

func twice(env *tools.Env, w *work) error {
	return invalid(env, w.at, tools.Say{EN: "names a file that is named before: put its edits into one", JA: "同じファイルが二重に指定されています。編集を一つにまとめてください"})
}

func closeAll(all []*work) {
	for _, w := range all {
		if w.change != nil {
			w.close()
		}
	}
}

// prepareAll works out what the files are to become. What is wrong with any of
// them is told at once.
func prepareAll(env *tools.Env, all []*work) error {
	var first *tools.Error
	for _, w := range all {
		err := w.prepare(env)
		if err == nil {
			continue
		}
		e, ok := err.(*tools.Error)
		switch {
		case !ok:
			return err
		case len(all) > 1 && len(e.Details) == 0:
			e.Details = []tools.Detail{{Path: w.at, Message: e.Message, Hint: e.Hint}}
		}
		if first == nil {
			first = e
		} else {
			first.Details = append(first.Details, e.Details...)
		}
	}
	if first != nil {
		return first
	}
	return nil
}

// edited is the result of edits that are done, or could be.
func edited(env *tools.Env, in EditIn, all []*work) EditOut {
	out := EditOut{DryRun: in.DryRun}
	var paths []string
	for _, w := range all {
		done := FileDone{w.Path, w.n, w.hash()}
		paths = append(paths, w.Path)
		out.Replacements += w.n
		out.Notes = append(out.Notes, w.notes...)
		if len(in.Batch) > 0 {
			out.Files = append(out.Files, done)
		} else {
			out.Path, out.Hash = done.Path, done.Hash
		}
	}
	out.Diff, out.DiffCut = allDiffs(all)
	out.Message = env.Say(tools.Say{EN: "Successfully edited %s", JA: "%s を編集しました"}, strings.Join(paths, ", "))
	if in.DryRun {
		out.Message = env.Say(tools.Say{EN: "Dry run: %s would be edited", JA: "試行: %s を編集します（未実行）"}, strings.Join(paths, ", "))
	}
	return out
}
