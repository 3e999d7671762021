package files

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"techo/internal/charset"
	"techo/store"
	"techo/tools"
)

const patchName = "apply_patch"

// Patch is the tool apply_patch: it changes several files at once.
var Patch = &tools.Tool{
	Name:    patchName,
	For:     tools.Agents,
	Command: "fs patch",
	About:   "Apply a patch to files, all of it or nothing",
	More: "Takes a unified diff, as git diff and diff -u print it, or a text from *** Begin Patch to *** End Patch. " +
		"It edits, creates, removes and renames files. Context and removed lines must match exactly, except for " +
		"line ends, which stay those of the file. A hunk whose lines are not at their place is applied elsewhere " +
		"only if they occur once. Paths lose the prefixes a/ and b/. techo fs undo undoes the whole patch.",
	Effect:    tools.Changes,
	Forbidden: forbiddenPatch,
	Words:     []string{"patch"},
	Examples: []tools.Example{
		{Does: "Apply the patch from standard input", Line: `fs patch - < change.diff`},
		{Does: "Preview a patch", Line: `fs patch --dry-run $'*** Begin Patch\n*** Add File: new.txt\n+Hello\n` +
			`*** End Patch'`},
	},
	Run: tools.Func[PatchIn, PatchOut](applyPatch),
}

// PatchIn is the input of apply_patch.
type PatchIn struct {
	Patch    string       `json:"patch" minLength:"1" doc:"The patch"`
	Encoding textEncoding `json:"encoding,omitempty" doc:"Of new files and those not in UTF-8 (default: detected)"`
	Parents  bool         `json:"parents" default:"true" doc:"Create missing folders"`
	DryRun   bool         `json:"dry_run,omitempty" doc:"Show what would change without changing it"`
}

// PatchOut is the result of apply_patch.
type PatchOut struct {
	Files    []PatchedFile `json:"files"`
	Diff     string        `json:"diff"`
	DiffCut  bool          `json:"diff_truncated,omitempty"`
	Folders  []string      `json:"created_folders,omitempty"`
	DryRun   bool          `json:"dry_run,omitempty"`
	Undoable bool          `json:"undoable"`
	Notes    []string      `json:"notes,omitempty"`
	Message  string        `json:"message"`
}

// PatchedFile is the result for one file of a patch.
type PatchedFile struct {
	Path         string `json:"path"`
	Action       string `json:"action"`         // "edited", "created", "removed" or "renamed"
	From         string `json:"from,omitempty"` // the former path of a renamed file
	Replacements int    `json:"replacements"`   // hunks
	Hash         string `json:"hash"`           // of the new content, "" for a removed file
}

// Text returns the message, the files, the notes and, in a dry run, the diff.
func (o PatchOut) Text(*tools.Env) string {
	lines := append([]string{o.Message}, folderLines(o.Folders)...)
	for _, f := range o.Files {
		lines = append(lines, f.Action+" "+f.Path)
	}
	lines = append(lines, o.Notes...)
	if o.DryRun {
		lines = append(lines, strings.TrimSuffix(o.Diff, "\n"))
	}
	return strings.Join(lines, "\n")
}

// patchedFile is one file of a patch with its changes: one, or two for a renamed file.
type patchedFile struct {
	filePatch
	old, new *target // old is nil for a created file, new for a removed one
}

func applyPatch(ctx context.Context, env *tools.Env, in PatchIn) (out PatchOut, err error) {
	confined, done, err := confinePatch(env)
	if err != nil {
		return out, err
	}
	defer done()
	r, err := readPatch(env, in.Patch)
	if e := r.outside(env, confined); e != nil {
		return out, e
	}
	if err != nil {
		return out, err
	}
	env = confined
	var made newFolders
	defer func() {
		if err != nil {
			made.remove(env)
		}
	}()
	parts, notes := r.files, r.notes
	all, targets := planPatch(parts, in.Encoding)
	defer closeAll(targets)
	if err := made.makeForAll(env, all, in); err != nil {
		return out, err
	}
	if err := openAll(ctx, env, targets, !in.DryRun); err != nil {
		return out, err
	}
	if err := preparePatch(env, all); err != nil {
		return out, err
	}
	out = PatchOut{Files: []PatchedFile{}, Folders: made.shown(env), DryRun: in.DryRun, Notes: notes}
	for _, p := range all {
		out.Files = append(out.Files, p.result())
	}
	for _, w := range targets {
		out.Notes = append(out.Notes, w.notes...)
	}
	out.Diff, out.DiffCut = allDiffs(targets)
	files := env.Count(len(all), "%d file", "%d files")
	if in.DryRun {
		out.Message = env.Localize("Dry run: the patch would change %s", files)
		return out, nil
	}
	out.Message = env.Localize("Successfully applied the patch to %s", files)
	changes := changesOf(targets)
	kept := recordFileEdit(ctx, env, store.FileEdit{Dir: workingFolder(env), Tool: patchName, Folders: made}, changes)
	err = applyRecorded(ctx, env, &kept, changes)
	out.Undoable, out.Notes = kept.ok, append(out.Notes, kept.notes...)
	out.Message += kept.suffix
	return out, err
}

// commitAll makes the prepared changes of files and records how to undo them.
func commitAll(ctx context.Context, env *tools.Env, tool string, all []*target) (kept recordedEdit, err error) {
	changes := changesOf(all)
	kept = recordEdit(ctx, env, tool, changes)
	return kept, applyRecorded(ctx, env, &kept, changes)
}

// makeForAll creates the missing folders of the files that a patch creates.
func (n *newFolders) makeForAll(env *tools.Env, all []*patchedFile, in PatchIn) error {
	for _, p := range all {
		if p.new == nil || p.new == p.old {
			continue
		}
		if err := n.makeFor(env, p.to, in.DryRun || !in.Parents); err != nil {
			return err
		}
		if len(*n) > 0 && !in.Parents {
			*n = nil
			return missingFolder(env, p.to)
		}
	}
	return nil
}

// changesOf returns the changes of targets.
func changesOf(all []*target) (changes []*change) {
	for _, w := range all {
		changes = append(changes, w.change)
	}
	return changes
}

// applyRecorded makes changes that were recorded. It adds notes about files that
// were written in place.
func applyRecorded(ctx context.Context, env *tools.Env, kept *recordedEdit, changes []*change) error {
	if err := apply(env, changes); err != nil {
		kept.forget(ctx, err)
		if errors.Is(err, errCreatedMeanwhile) {
			err = changedMeanwhile(env, changes[0].shown)
		}
		return err
	}
	for _, c := range changes {
		if c.reason != "" {
			kept.notes = append(kept.notes, env.Localize(c.reason, c.shown))
		}
	}
	return nil
}

// planPatch returns the files of a patch, and all their targets.
func planPatch(parts []filePatch, encoding textEncoding) (all []*patchedFile, targets []*target) {
	add := func(path string) *target {
		w := &target{Edited: Edited{Path: path}, at: "/patch", patched: true}
		w.Encoding = encoding
		targets = append(targets, w)
		return w
	}
	for _, part := range parts {
		p := &patchedFile{filePatch: part}
		if part.from != "" {
			p.old = add(part.from)
			p.new = p.old
		}
		if part.to != part.from {
			p.new = nil
			if part.to != "" {
				p.new = add(part.to)
			}
		}
		all = append(all, p)
	}
	return all, targets
}

// preparePatch computes the new contents. It reports the problems of all files.
func preparePatch(env *tools.Env, all []*patchedFile) error {
	var problems []*tools.Error
	for _, p := range all {
		if err := p.prepare(env); err != nil {
			e := new(tools.Error)
			if !errors.As(err, &e) {
				return err
			}
			if len(e.Details) == 0 {
				e.Details = []tools.Detail{{Path: "/patch", Message: e.Message, Hint: e.Hint}}
			}
			problems = append(problems, e)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	first := problems[0]
	for _, e := range problems[1:] {
		first.Details = append(first.Details, e.Details...)
	}
	return first
}

// prepare computes the new content of a file.
func (p *patchedFile) prepare(env *tools.Env) error {
	if p.old == nil {
		return p.create(env)
	}
	w := p.old
	if err := w.load(env); err != nil {
		return err
	}
	after, back := w.before, []step(nil)
	var was, is string
	if len(p.hunks) > 0 {
		if c, guessed := charset.Detect(w.before); c != nil && !guessed {
			w.Encoding = "" // the encoding is for the other files
		}
		c, err := w.encoding(env)
		if err != nil {
			return err
		}
		d := newDocument(w.before, c)
		s, e := placeHunks(env, w, d, p.hunks)
		if e == nil {
			e = mayEdit(env, w, c, w.before, s)
		}
		if e != nil {
			return e
		}
		var one step
		after, one = s.apply(w.before)
		back = []step{one}
		was, is = d.text.String, c.Decode(after).String
	}
	switch {
	case p.new == nil:
		if len(p.hunks) > 0 && len(after) > 0 {
			return env.Fail(tools.Conflict, "The patch removes %s, but not all of its lines", w.shown).
				WithHint(env.Hint("Read the file again and make a new patch"))
		}
		w.remove, w.undo = true, []step{replaceMiddle(nil, w.before)}
		w.n = len(p.hunks)
	case p.new == w:
		w.after, w.undo, w.n = after, back, len(p.hunks)
	default:
		return p.rename(env, after, was, is)
	}
	w.diff, w.diffCut = unified(w.shown, was, is)
	return nil
}

// create plans a new file.
func (p *patchedFile) create(env *tools.Env) error {
	w := p.new
	if w.change.file.file != nil {
		return env.Fail(tools.AlreadyExists, "%s already exists", w.shown).
			WithHint(env.Hint("Change it with a hunk, or remove it first"))
	}
	var b strings.Builder
	for _, h := range p.hunks {
		for _, l := range h.lines {
			if l.op != '+' {
				return env.Fail(tools.NotFound, "File not found: %s", w.shown).
					WithHint(env.Hint("Look for it with techo fs glob"))
			}
			b.WriteString(l.text)
			if !l.noEnd {
				b.WriteByte('\n')
			}
		}
	}
	after, e := encodeNew(env, b.String(), w.Encoding)
	if e != nil {
		return e
	}
	w.after, w.mode, w.n = after, p.mode, len(p.hunks)
	w.undo = []step{replaceMiddle(w.after, nil)}
	w.diff, w.diffCut = unified(w.shown, "", b.String())
	return nil
}

// rename plans to write the content to another path.
func (p *patchedFile) rename(env *tools.Env, after []byte, was, is string) error {
	from, to := p.old, p.new
	if to.change.file.file != nil {
		return env.Fail(tools.AlreadyExists, "%s already exists", to.shown)
	}
	from.remove, from.undo = true, []step{replaceMiddle(nil, from.before)}
	to.after, to.like, to.n = after, from.change.file, len(p.hunks)
	to.undo = []step{replaceMiddle(after, nil)}
	to.diff, to.diffCut = unified(to.shown, was, is)
	return nil
}

// result returns what the patch did to the file.
func (p *patchedFile) result() PatchedFile {
	switch {
	case p.old == nil:
		return PatchedFile{p.to, "created", "", p.new.n, p.new.hash()}
	case p.new == nil:
		return PatchedFile{p.from, "removed", "", p.old.n, ""}
	case p.old != p.new:
		return PatchedFile{p.to, "renamed", p.from, p.new.n, p.new.hash()}
	}
	return PatchedFile{p.to, "edited", "", p.new.n, p.new.hash()}
}

// filePatch is the part of a patch about one file.
type filePatch struct {
	from, to string // "" for a file that is created or removed
	mode     fs.FileMode
	hunks    []hunk
	line     int // of the patch, where the part begins
}
