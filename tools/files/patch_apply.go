package files

import (
	"errors"
	"slices"
	"strings"

	"techo/internal/charset"
	"techo/tools"
)

// patchedFile is one file of a patch with its changes: one, or two for a renamed file.
type patchedFile struct {
	filePatch
	old, new *target // old is nil for a created file, new for a removed one
}

// planPatch returns the files of a patch, and all their targets.
func planPatch(parts []filePatch, encoding textEncoding) (all []*patchedFile, targets []*target) {
	add := func(path string) *target {
		w := &target{given: path, asked: encoding, at: "/patch", patched: true}
		targets = append(targets, w)
		return w
	}
	for _, part := range parts {
		p := &patchedFile{filePatch: part}
		if part.from != "" {
			p.old = add(part.from)
			p.old.modeOnly = part.to == part.from && len(part.hunks) == 0
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
		var e error
		if after, back, was, is, e = p.applyHunks(env); e != nil {
			return e
		}
	}
	switch {
	case p.new == nil:
		if len(p.hunks) > 0 && len(after) > 0 {
			return env.Fail(tools.Conflict, "The patch removes %s, but not all of its lines", w.shown).
				WithHint(env.Hint("Read the file again and make a new patch"))
		}
		w.delete()
		w.n = len(p.hunks)
	case p.new == w:
		w.after, w.undo, w.n, w.mode.execution = after, back, len(p.hunks), p.mode
	default:
		return p.rename(env, after, was, is)
	}
	w.compare(was, is)
	return nil
}

// create plans a new file.
func (p *patchedFile) create(env *tools.Env) error {
	w := p.new
	if w.change.file.file != nil {
		return env.Fail(tools.AlreadyExists, "%s already exists", w.shown).
			WithHint(env.Hint("Give the lines of it that change, or remove it first"))
	}
	var b strings.Builder
	for _, h := range p.hunks {
		for _, l := range h.lines {
			if l.op != '+' {
				return env.Fail(tools.NotFound, "File not found: %s", w.shown).
					WithHint(lookForIt(env))
			}
			b.WriteString(l.text)
			if !l.noEnd {
				b.WriteByte('\n')
			}
		}
	}
	after, e := encodeNew(env, b.String(), w.asked)
	if e != nil {
		return e
	}
	w.replace(after)
	w.mode.execution, w.n = p.mode, len(p.hunks)
	w.compare("", b.String())
	return nil
}

// rename plans to write the content to another path.
func (p *patchedFile) rename(env *tools.Env, after []byte, was, is string) error {
	from, to := p.old, p.new
	if to.change.file.file != nil {
		return env.Fail(tools.AlreadyExists, "%s already exists", to.shown)
	}
	from.delete()
	to.replace(after)
	to.like, to.n, to.mode.execution = from.change.file, len(p.hunks), p.mode
	to.compare(was, is)
	return nil
}

// result returns what the patch did to the file.
func (p *patchedFile) result() PatchedFile {
	switch {
	case p.old == nil:
		return PatchedFile{p.to, "created", "", p.new.n, p.new.hash(), p.mode.String()}
	case p.new == nil:
		return PatchedFile{p.from, "removed", "", p.old.n, "", ""}
	case p.old != p.new:
		return PatchedFile{p.to, "renamed", p.from, p.new.n, p.new.hash(), p.mode.String()}
	}
	return PatchedFile{p.to, "edited", "", p.new.n, p.new.hash(), p.mode.String()}
}

// applyHunks returns the content after the hunks, the steps back, and the texts before and after.
func (p *patchedFile) applyHunks(env *tools.Env) (after []byte, back []step, was, is string, err error) {
	w := p.old
	if c, guessed := charset.Detect(w.before); c != nil && !guessed {
		w.asked = "" // the encoding is for the other files
	}
	c, err := w.charset(env)
	if err != nil {
		return nil, nil, "", "", err
	}
	together := [][]hunk{p.hunks}
	if p.ordered {
		together = slices.Collect(slices.Chunk(p.hunks, 1))
	}
	after = w.before
	var text *patchText
	moved := func(line int) int { return line } // a line of the file, in the text after the hunks so far
	for _, hunks := range together {
		if near := &hunks[0].near; *near > 0 {
			*near = moved(*near)
		}
		was := text
		text = newPatchText(newDocument(after, c))
		takePlain(text, was)
		s, at, e := placeHunks(env, w, text, hunks)
		if e == nil {
			e = w.mayEdit(env, c, after, s)
		}
		if e != nil {
			return nil, nil, "", "", e
		}
		var one step
		after, one = s.apply(after)
		back = append([]step{one}, back...)
		moved = hunks[0].moving(moved, at)
	}
	return after, back, c.Decode(w.before).String, c.Decode(after).String, nil
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
func encodeNew(env *tools.Env, text string, as textEncoding) ([]byte, error) {
	if as == "" {
		return []byte(text), nil
	}
	c := as.charset()
	b, err := c.Encode(text)
	if bad := new(charset.UnencodableError); errors.As(err, &bad) {
		return nil, unencodable(env, "/patch", bad)
	}
	if strings.HasPrefix(c.Name(), "utf-16") {
		b = append(slices.Clone(c.BOM()), b...)
	}
	return b, err
}
