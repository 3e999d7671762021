package patch

import (
	"errors"
	"slices"
	"strings"

	"techo/internal/charset"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

// patchedFile is one file of a patch with its changes: one, or two for a renamed file.
type patchedFile struct {
	filePatch
	old, new *change.Target // old is nil for a created file, new for a removed one
}

// planPatch returns the files of a patch, and all their targets.
func planPatch(parts []filePatch, encoding document.Encoding) (all []*patchedFile, targets []*change.Target) {
	add := func(path string) *change.Target {
		w := &change.Target{Given: path, Encoding: encoding, At: "/patch", Patched: true}
		targets = append(targets, w)
		return w
	}
	for _, part := range parts {
		p := &patchedFile{filePatch: part}
		if part.from != "" {
			p.old = add(part.from)
			p.old.ModeOnly = part.to == part.from && len(part.hunks) == 0
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
	return change.Join(problems)
}

// prepare computes the new content of a file.
func (p *patchedFile) prepare(env *tools.Env) error {
	if p.old == nil {
		return p.create(env)
	}
	w := p.old
	if err := w.Load(env); err != nil {
		return err
	}
	after, back := w.Before, []document.Step(nil)
	var was, is string
	if len(p.hunks) > 0 {
		var e error
		if after, back, was, is, e = p.applyHunks(env); e != nil {
			return e
		}
	}
	switch {
	case p.new == nil:
		if len(p.hunks) > 0 && len(after) > 0 {
			return env.Fail(tools.Conflict, "The patch removes %s, but not all of its lines", w.Shown).
				WithHint(env.Hint("Read the file again and make a new patch"))
		}
		w.Delete()
		w.Count = len(p.hunks)
	case p.new == w:
		w.After, w.Undo, w.Count, w.Mode.Execution = after, back, len(p.hunks), p.mode
	default:
		return p.rename(env, after, was, is)
	}
	w.Compare(was, is)
	return nil
}

// create plans a new file.
func (p *patchedFile) create(env *tools.Env) error {
	w := p.new
	if w.Opened != nil {
		return env.Fail(tools.AlreadyExists, "%s already exists", w.Shown).
			WithHint(env.Hint("Give the lines of it that change, or remove it first"))
	}
	var b strings.Builder
	for _, h := range p.hunks {
		for _, l := range h.lines {
			if l.op != '+' {
				return env.Fail(tools.NotFound, "File not found: %s", w.Shown).
					WithHint(paths.LookForIt(env))
			}
			b.WriteString(l.text)
			if !l.noEnd {
				b.WriteByte('\n')
			}
		}
	}
	after, e := encodeNew(env, w, b.String())
	if e != nil {
		return e
	}
	w.Replace(after)
	w.Mode.Execution, w.Count = p.mode, len(p.hunks)
	w.Compare("", b.String())
	return nil
}

// rename plans to write the content to another path.
func (p *patchedFile) rename(env *tools.Env, after []byte, was, is string) error {
	from, to := p.old, p.new
	if to.Opened != nil {
		return env.Fail(tools.AlreadyExists, "%s already exists", to.Shown)
	}
	from.Delete()
	to.Replace(after)
	to.Like, to.Count, to.Mode.Execution = from.File, len(p.hunks), p.mode
	to.Compare(was, is)
	return nil
}

// result returns what the patch did to the file.
func (p *patchedFile) result() PatchedFile {
	switch {
	case p.old == nil:
		return PatchedFile{p.to, "created", "", p.new.Count, p.new.Hash(), p.mode.String()}
	case p.new == nil:
		return PatchedFile{p.from, "removed", "", p.old.Count, "", ""}
	case p.old != p.new:
		return PatchedFile{p.to, "renamed", p.from, p.new.Count, p.new.Hash(), p.mode.String()}
	}
	return PatchedFile{p.to, "edited", "", p.new.Count, p.new.Hash(), p.mode.String()}
}

// applyHunks returns the content after the hunks, the steps back, and the texts before and after.
func (p *patchedFile) applyHunks(env *tools.Env) (after []byte, back []document.Step, was, is string, err error) {
	w := p.old
	if c, guessed := charset.Detect(w.Before); c != nil && !guessed {
		w.Encoding = "" // the encoding is for the other files
	}
	c, err := w.Charset(env)
	if err != nil {
		return nil, nil, "", "", err
	}
	together := [][]hunk{p.hunks}
	if p.ordered {
		together = slices.Collect(slices.Chunk(p.hunks, 1))
	}
	after = w.Before
	var text *patchText
	moved := func(line int) int { return line } // a line of the file, in the text after the hunks so far
	for _, hunks := range together {
		if near := &hunks[0].near; *near > 0 {
			*near = moved(*near)
		}
		was := text
		text = newPatchText(document.New(after, c))
		takePlain(text, was)
		s, at, e := placeHunks(env, w, text, hunks)
		if e == nil {
			e = w.MayEdit(env, c, after, s)
		}
		if e != nil {
			return nil, nil, "", "", e
		}
		var one document.Step
		after, one = s.Apply(after)
		back = append([]document.Step{one}, back...)
		moved = hunks[0].moving(moved, at)
	}
	return after, back, c.Decode(w.Before).String, c.Decode(after).String, nil
}

// moving returns where a line is after a hunk in line at, of which before gives the place before it.
func (h hunk) moving(before func(int) int, at int) func(int) int {
	return func(line int) int {
		if line = before(line); line > at+1 {
			line += h.count('+') - h.count('-')
		}
		return line
	}
}

// count counts the lines of a kind.
func (h hunk) count(op byte) (n int) {
	for _, l := range h.lines {
		if l.op == op {
			n++
		}
	}
	return n
}

// encodeNew returns the content of a new file.
func encodeNew(env *tools.Env, w *change.Target, text string) ([]byte, error) {
	if w.Encoding == "" {
		return []byte(text), nil
	}
	c := w.Encoding.Charset()
	b, e := w.Encode(env, c, text, "/patch")
	if e != nil {
		return nil, e
	}
	if strings.HasPrefix(c.Name(), "utf-16") {
		b = append(slices.Clone(c.BOM()), b...)
	}
	return b, nil
}
