package files

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"techo/internal/charset"
	"techo/store"
	"techo/tools"
)

// target is a file that a call changes, and what is known of the change for the result.
type target struct {
	given        string       // the path as the caller wrote it, or as the file's name has it
	asked        textEncoding // the encoding that the caller asked for
	expectedHash string

	at      string // JSON pointer to the file in the input
	n       int    // replacements
	patched bool   // the file is one of a patch
	*change
	guessed  bool // the file's encoding is only a guess
	modeOnly bool // the content stays, so that the file may be read-only
	notes    []string
	loose    relaxation // what matching ignored
	anyForm  bool       // the path may have another Unicode form than the file's name

	diff    []byte
	diffCut bool // the diff was too large
}

// openAll opens and locks the files in the order of their paths. The same order in
// all processes prevents deadlocks.
func openAll(ctx context.Context, env *tools.Env, all []*target, change bool) error {
	var ordered []*target
	for _, w := range all {
		p, err := locate(env, w.given)
		if err != nil {
			return err
		}
		if other, found := inOtherForm(env, p); found && w.anyForm {
			p, w.given = other, other.shown
			w.loose |= relaxPath
			w.notes = append(w.notes, env.Localize("%s: the name is in another Unicode form (NFC or NFD)", p.shown))
		}
		w.change = newChange(p)
		ordered = append(ordered, w)
	}
	slices.SortFunc(ordered, func(a, b *target) int { return strings.Compare(a.full(), b.full()) })
	for i, w := range ordered {
		if i > 0 && w.full() == ordered[i-1].full() {
			return twice(env, w)
		}
	}
	for i, w := range ordered {
		if change && sameAsOne(w, ordered[:i]) { // locking it a second time would wait forever
			return twice(env, w)
		}
		f, err := w.place.openAs(ctx, env, change, change && !w.modeOnly)
		if err != nil {
			return err
		}
		w.change.file = f
	}
	return nil
}

// guessedOnly is the error for a change that needs to know the encoding of the file.
func (w *target) guessedOnly(env *tools.Env, c *charset.Charset) *tools.Error {
	at := w.at + "/encoding"
	if w.patched {
		at = "/encoding"
	}
	e := tools.InvalidField(env, at, "is required: the encoding of %s can only be guessed", w.shown)
	if c.Stateful() {
		return e.WithHint(env.Hint("It looks like %s, which can be read but not edited; write the whole file "+
			"with techo fs write and the encoding utf-8", c.Name()))
	}
	return e.WithHint(env.Hint("It looks like %s; if that is right, set --encoding to %s", c.Name(), c.Name()))
}

// encode encodes a new text, which comes from a field of the input, for the file.
func (w *target) encode(env *tools.Env, c *charset.Charset, text, field string) ([]byte, *tools.Error) {
	b, err := c.Encode(text)
	switch bad := new(charset.UnencodableError); {
	case err == nil:
		return b, nil
	case !errors.As(err, &bad):
		return nil, tools.AsError(env, err)
	case w.guessed: // the guess may be the reason
		return nil, w.guessedOnly(env, c)
	default:
		return nil, unencodable(env, field, bad)
	}
}

// compare adds the diff of the text before and after the change.
func (w *target) compare(before, after string) {
	w.diff, w.diffCut = unified(w.shown, before, after)
}

func twice(env *tools.Env, w *target) error {
	return tools.InvalidField(env, w.at, "names the same file as an earlier entry: combine their edits")
}

func closeAll(all []*target) {
	for _, w := range all {
		if w.change != nil {
			w.close()
		}
	}
}

func newChange(p place) *change { return &change{file: &file{place: p}} }

// sameAsOne reports whether the target is the same file as one of others.
func sameAsOne(w *target, others []*target) bool {
	info, err := os.Stat(w.full())
	return err == nil && slices.ContainsFunc(others,
		func(o *target) bool { return o.change.file.file != nil && os.SameFile(info, o.info) })
}

// load reads the file and checks its hash.
func (w *target) load(env *tools.Env) (err error) {
	if w.change.file.file == nil {
		return w.missing(env)
	}
	if w.before, err = w.read(env); err != nil {
		return err
	}
	return checkHash(env, w.change, w.expectedHash)
}

// checkHash refuses a file that changed since the caller read it.
func checkHash(env *tools.Env, c *change, expected string) error {
	if expected == "" || strings.EqualFold(strings.TrimPrefix(expected, "sha256:"), hashOf(c.before)) {
		return nil
	}
	e := env.Fail(tools.Conflict, "%s changed since it was read", c.shown).
		WithHint(env.Hint("Read it again; its hash is %s now", hashOf(c.before)))
	return e
}

// charset returns the requested encoding, or else the detected one.
func (w *target) charset(env *tools.Env) (*charset.Charset, error) {
	if w.asked != "" {
		return w.asked.charset(), nil
	}
	if c, guessed := charset.Detect(w.before); c != nil {
		w.guessed = guessed
		return c, nil
	}
	at := w.at + "/path"
	if w.patched {
		at = w.at
	}
	e := tools.InvalidField(env, at, "is a binary file: %s", w.shown)
	return nil, e.WithHint(env.Hint("If it is a text file, set its encoding with --encoding"))
}

// mayEdit refuses an edit that removes or inserts anything but ASCII if the encoding
// was only guessed. The splices apply to raw.
func (w *target) mayEdit(env *tools.Env, c *charset.Charset, raw []byte, s step) *tools.Error {
	if !w.guessed {
		return nil
	}
	plain := !c.Stateful()
	for _, p := range s {
		plain = plain && charset.IsASCII(p.With) && charset.IsASCII(raw[p.Offset:p.Offset+p.Length])
	}
	if plain {
		return nil
	}
	return w.guessedOnly(env, c)
}

// allDiffs joins the diffs of all files, up to maxDiff bytes.
func allDiffs(all []*target) (text string, cut bool) {
	var b strings.Builder
	for _, w := range all {
		b.Write(w.diff)
		cut = cut || w.diffCut
	}
	if text = b.String(); len(text) <= maxDiff {
		return text, cut
	}
	return text[:strings.LastIndexByte(text[:maxDiff], '\n')+1], true
}

// commitAll makes the prepared changes of files and records how to undo them.
func commitAll(ctx context.Context, env *tools.Env, e store.FileEdit, all []*target) (recordedEdit, error) {
	changes := changesOf(all)
	kept := recordEdit(ctx, env, e, changes)
	return kept, applyRecorded(ctx, env, &kept, changes)
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
	kept.notes = append(kept.notes, notesOf(env, changes)...)
	return nil
}

// notesOf reports what was different about changes that were made.
func notesOf(env *tools.Env, changes []*change) (notes []string) {
	for _, c := range changes {
		if c.reason != "" {
			notes = append(notes, env.Localize(c.reason, c.shown))
		}
		if c.mode.refused {
			notes = append(notes, env.Localize(noteMode, c.shown))
		}
	}
	return notes
}
