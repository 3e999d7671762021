package change

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"techo/internal/charset"
	"techo/store/edit"
	"techo/tools"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

// Target is a file that a call changes, and what is known of the change for the result.
type Target struct {
	Given        string            // the path as the caller wrote it, or as the file's name has it
	Encoding     document.Encoding // the encoding that the caller asked for
	ExpectedHash string

	At      string // JSON pointer to the file in the input
	Count   int    // replacements
	Patched bool   // the file is one of a patch
	*Change
	Guessed  bool // the file's encoding is only a guess
	ModeOnly bool // the content stays, so that the file may be read-only
	Itself   bool // a link is changed itself, not the file behind it
	Kinds    bool // the place may be a folder, or in a file, that other targets remove
	Skip     bool // it turned out that nothing changes
	Notes    []string
	Loose    document.Relaxation // what matching ignored

	diff    []byte
	diffCut bool // the diff was too large
}

// OpenAll opens and locks the files in the order of their paths. The same order in
// all processes prevents deadlocks.
func OpenAll(ctx context.Context, env *tools.Env, all []*Target, change bool) error {
	for _, w := range all {
		if w.Change == nil {
			if err := w.Locate(env); err != nil {
				return err
			}
		}
		if w.Normalized {
			w.Loose |= document.RelaxPath
			w.Note(env, "%s: the name is in another Unicode form (NFC or NFD)", w.Shown)
		}
	}
	ordered := slices.Clone(all)
	slices.SortFunc(ordered, func(a, b *Target) int { return strings.Compare(a.Full(), b.Full()) })
	for i, w := range ordered {
		if i > 0 && w.Full() == ordered[i-1].Full() {
			return twice(env, w)
		}
	}
	for i, w := range ordered {
		if w.WasLink {
			if err := w.openLink(env); err != nil {
				return err
			}
			continue
		}
		if w.Late = w.Kinds && w.IsBlocked(); w.Late {
			continue
		}
		if change && w.sameAsOne(ordered[:i]) { // locking it a second time would wait forever
			return twice(env, w)
		}
		f, err := w.Place.OpenAs(ctx, env, change, change && !w.ModeOnly)
		if err != nil {
			return err
		}
		w.File = f
	}
	return nil
}

// Locate finds the place of the file. A path in another Unicode form than the file's name becomes that name.
func (w *Target) Locate(env *tools.Env) error {
	find := paths.Locate
	if w.Itself {
		find = paths.LocateEntry
	}
	p, err := find(env, w.Given)
	if err != nil {
		return err
	}
	if w.Change = New(p); p.Normalized {
		w.Given = p.Shown
	}
	w.WasLink = w.Itself && w.IsLinkThere()
	return nil
}

// Note adds a note to the result.
func (w *Target) Note(env *tools.Env, text tools.Text, args ...any) {
	w.Notes = append(w.Notes, env.Localize(text, args...))
}

// NoteRelaxed reports the differences that matching ignored in a line.
func (w *Target) NoteRelaxed(env *tools.Env, line int, ignored document.Relaxation) {
	w.Loose |= ignored
	w.Note(env, "%s, line %d: matched apart from %s", w.Shown, line, strings.Join(ignored.Names(), ", "))
}

// GuessedOnly is the error for a change that needs to know the encoding of the file.
func (w *Target) GuessedOnly(env *tools.Env, c *charset.Charset) *tools.Error {
	at := w.At + "/encoding"
	if w.Patched {
		at = "/encoding"
	}
	e := tools.InvalidField(env, at, "is required: the encoding of %s can only be guessed", w.Shown)
	if c.Stateful() {
		return e.WithHint(env.Hint("It looks like %s, which can be read but not edited; write the whole file with "+
			"%s and the encoding utf-8", c.Name(), tools.Use("fs write")))
	}
	return e.WithHint(env.Hint("It looks like %s; if that is right, set %s to %s",
		c.Name(), tools.Field("encoding"), c.Name()))
}

// Encode encodes a new text, which comes from a field of the input, for the file.
func (w *Target) Encode(env *tools.Env, c *charset.Charset, text, field string) ([]byte, *tools.Error) {
	b, err := c.Encode(text)
	switch bad := new(charset.UnencodableError); {
	case err == nil:
		return b, nil
	case !errors.As(err, &bad):
		return nil, tools.AsError(env, err)
	case w.Guessed: // the guess may be the reason
		return nil, w.GuessedOnly(env, c)
	default:
		return nil, tools.InvalidField(env, field, "contains %q, which the file's encoding %s does not have",
			string(bad.Rune), bad.Charset)
	}
}

// Compare adds the diff of the text before and after the change.
func (w *Target) Compare(before, after string) {
	w.diff, w.diffCut = document.Diff(w.Shown, before, after)
}

func twice(env *tools.Env, w *Target) error {
	return tools.InvalidField(env, w.At, "names the same file as an earlier entry: combine their edits")
}

// CloseAll closes the files that OpenAll opened.
func CloseAll(all []*Target) {
	for _, w := range all {
		if w.Change != nil {
			w.Close()
		}
	}
}

// New returns a change of the file at a place, which is not open yet.
func New(p paths.Place) *Change { return &Change{File: &paths.File{Place: p}} }

func (w *Target) sameAsOne(others []*Target) bool {
	info, err := os.Stat(w.Full())
	return err == nil && slices.ContainsFunc(others,
		func(o *Target) bool { return o.Opened != nil && os.SameFile(info, o.Info) })
}

// Load reads the file. It refuses a file that changed since the caller read it.
func (w *Target) Load(env *tools.Env) (err error) {
	if w.Opened == nil {
		return w.Missing(env)
	}
	if w.Before, err = w.Read(env); err != nil {
		return err
	}
	expected, hash := strings.TrimPrefix(w.ExpectedHash, "sha256:"), paths.Hash(w.Before)
	if expected == "" || strings.EqualFold(expected, hash) {
		return nil
	}
	return env.Fail(tools.Conflict, "%s changed since it was read", w.Shown).
		WithHint(env.Hint("Read it again; its hash is %s now", hash))
}

// Charset returns the requested encoding, or else the detected one.
func (w *Target) Charset(env *tools.Env) (*charset.Charset, error) { return w.CharsetOf(env, w.Before) }

// CharsetOf is Charset for a content that the file gets or had.
func (w *Target) CharsetOf(env *tools.Env, content []byte) (*charset.Charset, error) {
	if w.Encoding != "" {
		return w.Encoding.Charset(), nil
	}
	if c, guessed := charset.Detect(content); c != nil {
		w.Guessed = guessed
		return c, nil
	}
	at := w.At + "/path"
	if w.Patched {
		at = w.At
	}
	e := tools.InvalidField(env, at, "is a binary file: %s", w.Shown)
	return nil, e.WithHint(env.Hint("If it is a text file, set its encoding with %s", tools.Field("encoding")))
}

// MayEdit refuses an edit that removes or inserts anything but ASCII if the encoding
// was only guessed. The splices apply to raw.
func (w *Target) MayEdit(env *tools.Env, c *charset.Charset, raw []byte, s document.Step) *tools.Error {
	if !w.Guessed {
		return nil
	}
	plain := !c.Stateful()
	for _, p := range s {
		plain = plain && charset.IsASCII(p.With) && charset.IsASCII(raw[p.Offset:p.Offset+p.Length])
	}
	if plain {
		return nil
	}
	return w.GuessedOnly(env, c)
}

// Join returns the first of several errors with the details of all, or nil.
func Join(all []*tools.Error) error {
	if len(all) == 0 {
		return nil
	}
	for _, e := range all[1:] {
		all[0].Details = append(all[0].Details, e.Details...)
	}
	return all[0]
}

// Diffs joins the diffs of all files, up to MaxDiff bytes.
func Diffs(all []*Target) (text string, cut bool) {
	var b strings.Builder
	for _, w := range all {
		b.Write(w.diff)
		cut = cut || w.diffCut
	}
	if text = b.String(); len(text) <= document.MaxDiff {
		return text, cut
	}
	return text[:strings.LastIndexByte(text[:document.MaxDiff], '\n')+1], true
}

// Commit makes the prepared changes of files and records how to undo them.
func Commit(ctx context.Context, env *tools.Env, e edit.Edit, all []*Target) (Record, error) {
	changes := Changes(all)
	kept := RecordEdit(ctx, env, e, changes)
	return kept, kept.Apply(ctx, env, changes)
}

// Changes returns the changes of targets.
func Changes(all []*Target) (changes []*Change) {
	for _, w := range all {
		changes = append(changes, w.Change)
	}
	return changes
}

// Apply makes the changes that were recorded. It adds notes about files that
// were written in place.
func (k *Record) Apply(ctx context.Context, env *tools.Env, changes []*Change) error {
	if err := Apply(env, changes); err != nil {
		k.Forget(ctx, err)
		return err
	}
	k.Notes = append(k.Notes, Notes(env, changes)...)
	return nil
}

// Notes reports what was different about changes that were made.
func Notes(env *tools.Env, changes []*Change) (notes []string) {
	for _, c := range changes {
		if c.reason != "" {
			notes = append(notes, env.Localize(c.reason, c.Shown))
		}
		if c.Mode.refused {
			notes = append(notes, env.Localize(noteMode, c.Shown))
		}
	}
	return notes
}
