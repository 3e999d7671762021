package patch

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"techo/internal/charset"
	"techo/internal/confine"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

// tree is the files that a patch names, with what its parts make of them, one after the other. Nothing is
// written before all parts have been applied to it.
type tree struct {
	ctx      context.Context
	env      *tools.Env
	encoding document.Encoding

	fromBytes bool // the patch was read as bytes, some of which are not UTF-8
	files     []*file
	byPlace   map[string]*file
	done      []*applied
}

type file struct {
	*change.Target
	now     state
	takers  int  // later parts that move or remove the file that is on the disk
	arrived bool // its content came from another file, or was created, before that

	was, is string // the text before and after, for the diff
}

// state is the content of a file: bytes, and their text if hunks were applied.
type state struct {
	exists, link bool
	raw          []byte
	text         *text
	mode         change.Execution
	like         *paths.File // the file that it was copied or moved from
}

// applied is a part with its files, for the result.
type applied struct {
	part     *filePatch
	from, to *file
	action   string
	before   state
}

func newTree(ctx context.Context, env *tools.Env, parts []*filePatch, encoding document.Encoding) (*tree, error) {
	t := &tree{ctx: ctx, env: env, encoding: encoding, byPlace: map[string]*file{}}
	present := map[string]bool{} // what earlier parts made or removed
	for _, part := range parts {
		t.fromBytes = t.fromBytes || part.encoded
	}
	for _, part := range parts {
		if err := t.choose(part, present); err != nil {
			return nil, err
		}
		a := &applied{part: part}
		var err error
		if part.from != "" {
			if a.from, err = t.file(part.from, part.fromLink, part.git && part.moves); err != nil {
				return nil, err
			}
			if part.to == "" || part.moves && !part.copies {
				a.from.takers++
				present[part.from] = false
			}
		}
		switch {
		case part.to == "":
		case part.to == part.from:
			a.to = a.from
		default:
			if a.to, err = t.file(part.to, part.toLink, part.git); err != nil {
				return nil, err
			}
		}
		if part.to != "" {
			present[part.to] = true
		}
		for _, f := range []*file{a.from, a.to} {
			if f != nil {
				f.ModeOnly = f.ModeOnly && (len(part.hunks) == 0 && part.from == part.to || f == a.from && part.copies)
			}
		}
		t.done = append(t.done, a)
	}
	return t, nil
}

// choose decides between the names of a part that is about one file: the one that exists or, of two, the one
// that the part fits.
func (t *tree) choose(part *filePatch, present map[string]bool) error {
	exists := func(name string) bool {
		if there, known := present[name]; known {
			return there
		}
		p, err := t.locate(name, paths.Locate)
		return err == nil && p.Exists(p.Path)
	}
	for _, pair := range part.names {
		was, is := exists(pair[0]), exists(pair[1])
		switch {
		case was && is && pair[0] != pair[1]:
			was, is = t.fits(part, pair[0]), t.fits(part, pair[1])
			if was == is {
				e := t.env.Fail(tools.Conflict, "The patch names two files, %s and %s", pair[0], pair[1])
				return e.WithHint(t.env.Hint("Name the file that it changes in both lines, or rename one with " +
					"rename from and rename to"))
			}
			fallthrough
		case was != is:
			if is {
				pair[0] = pair[1]
			}
			part.from, part.to = pair[0], pair[0]
			return nil
		case was:
			part.from, part.to = pair[0], pair[1]
			return nil
		}
	}
	if len(part.names) > 0 && part.from != part.to {
		if h := part.hunks[0]; len(part.hunks) == 1 && h.insert && h.line == 0 {
			part.from = ""
		} else {
			part.to = part.from
		}
	}
	return nil
}

func (t *tree) fits(part *filePatch, name string) bool {
	f, err := t.file(name, false, false)
	if err != nil {
		return false
	}
	opened, err := f.Place.OpenFile(t.ctx, t.env, false)
	if err != nil || opened.Opened == nil {
		return false
	}
	defer opened.Close()
	raw, err := opened.Read(t.env)
	if err != nil {
		return false
	}
	w := *f.Target
	w.Change = &change.Change{File: opened, Before: raw}
	c, err := w.Charset(t.env)
	if err != nil {
		return false
	}
	p := &placing{env: t.env, w: &w, text: newText(&w, raw, c), part: part}
	return p.apply() == nil
}

// locate returns the place of a path, by one of the functions of package paths. It does not follow a link that the
// patch removes.
func (t *tree) locate(path string, find func(*tools.Env, string) (paths.Place, error)) (paths.Place, error) {
	given := paths.Show(literal(path))
	for i := range path {
		if path[i] != '/' || i == 0 {
			continue
		}
		p, err := paths.LocateEntry(t.env, paths.Show(literal(path[:i])))
		if err != nil {
			continue
		}
		if f := t.byPlace[p.Full()]; f != nil && f.WasLink && f.takers > 0 && filepath.IsLocal(path[i+1:]) {
			p.Path, p.Shown = filepath.Join(p.Path, path[i+1:]), paths.Show(path)
			return p, nil
		}
	}
	return find(t.env, given)
}

// literal keeps a path of a patch from being expanded as one of a command line.
func literal(path string) string {
	if strings.HasPrefix(path, "~") {
		return "./" + path
	}
	return path
}

// file returns the file at a path. A link is one itself if the patch says so, or if it moves what is there.
func (t *tree) file(path string, link, mayBeLink bool) (*file, error) {
	entry, err := t.locate(path, paths.LocateEntry)
	if err == nil {
		if f := t.byPlace[entry.Full()]; f != nil && (f.WasLink || link) {
			return f, nil
		}
		if info, e := entry.Lstat(entry.Path); e == nil && info.Mode()&fs.ModeSymlink != 0 && (link || mayBeLink) ||
			link && e != nil {
			return t.add(path, entry), nil
		}
	} else if link {
		return nil, err
	}
	p, err := t.locate(path, paths.Locate)
	if err != nil {
		return nil, err
	}
	return t.add(path, p), nil
}

func (t *tree) add(path string, p paths.Place) *file {
	f := t.byPlace[p.Full()]
	if f == nil {
		f = &file{Target: &change.Target{Given: paths.Show(path), Encoding: t.encoding, At: "/patch", Patched: true,
			ModeOnly: true, Kinds: true, Change: change.New(p)}}
		f.WasLink = f.IsLinkThere()
		t.byPlace[p.Full()] = f
		t.files = append(t.files, f)
	}
	return f
}

// targets returns the files for opening them.
func (t *tree) targets() (all []*change.Target) {
	for _, f := range t.files {
		all = append(all, f.Target)
	}
	return all
}

// apply applies all parts to the tree. It reports the problems of all files.
func (t *tree) apply() error {
	for _, f := range t.files {
		if f.Opened != nil {
			if err := f.Load(t.env); err != nil {
				return err
			}
		}
		f.now = f.onDisk()
	}
	var problems []*tools.Error
	for _, a := range t.done {
		if err := t.applyPart(a); err != nil {
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
	if len(problems) > 0 {
		return change.Join(problems)
	}
	for _, f := range t.files {
		if err := t.plan(f); err != nil {
			return err
		}
	}
	return t.check()
}

// onDisk returns the state in which the patch found the file.
func (f *file) onDisk() state {
	return state{exists: f.Opened != nil || f.WasLink, link: f.WasLink, raw: f.Before}
}

func (t *tree) applyPart(a *applied) error {
	part, env := a.part, t.env
	if part.fromLink != part.toLink && part.from != "" && part.from == part.to {
		return t.fault(part, "makes a link of a file, or the reverse, which takes two parts")
	}
	if part.from == "" {
		return t.create(a)
	}
	from := a.from
	s := t.source(a)
	if !s.exists {
		if from.Late { // it is a folder, or in a file
			if _, err := from.Place.OpenFile(t.ctx, env, false); err != nil {
				return err
			}
		}
		return from.Missing(env)
	}
	if part.fromLink && !s.link {
		return env.Fail(tools.Conflict, "%s is not a symbolic link", from.Shown)
	}
	a.before = s
	if len(part.hunks) > 0 {
		if err := t.applyHunks(a, &s); err != nil {
			return err
		}
	}
	if part.to == "" {
		if len(part.hunks) > 0 && len(s.text.lines) > 0 {
			return env.Fail(tools.Conflict, "The patch removes %s, but not all of its lines", from.Shown).
				WithHint(env.Hint("Read the file again and make a new patch"))
		}
		a.action = "removed"
		from.leave()
		return nil
	}
	if part.mode != change.KeepExecution {
		s.mode = part.mode
	}
	if a.to == a.from {
		a.action = "edited"
		from.now = s
		return nil
	}
	if a.to.now.exists && a.to.takers == 0 {
		return env.Fail(tools.AlreadyExists, "%s already exists", a.to.Shown)
	}
	if s.link {
		if err := t.mayLink(a.to, string(s.bytes(t.env))); err != nil {
			return err
		}
	} else if s.like == nil {
		s.like = from.File
	}
	if a.action = "copied"; !part.copies {
		a.action = "renamed"
		from.leave()
	}
	a.to.arrive(s)
	a.to.was = from.was
	return nil
}

// leave takes the file away, unless another one has its place already.
func (f *file) leave() {
	f.takers--
	if !f.arrived || f.takers < 0 {
		f.now = state{}
	}
	f.arrived = false
}

func (f *file) arrive(s state) {
	f.arrived = f.now.exists
	f.now = s
}

// source returns what a part is applied to. All parts of one git diff that move a file mean the one on the disk;
// others mean what the earlier parts left.
func (t *tree) source(a *applied) state {
	disk, now := a.from.onDisk(), a.from.now
	if a.part.moves && a.part.git && disk.exists {
		edited := now.exists && now.text != nil
		if a.part.isOf(disk.raw) || !(edited && (a.part.isOf(now.bytes(t.env)) || !a.part.copies && a.part.blob == "")) {
			now = disk
		}
	}
	if now.text != nil {
		copied := *now.text
		now.text = &copied
	}
	return now
}

// isOf reports whether the part is for a content, by the hash that git gives it.
func (p *filePatch) isOf(content []byte) bool {
	if len(p.blob) < 7 || strings.Trim(p.blob, "0") == "" {
		return false
	}
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...))
	return strings.HasPrefix(hex.EncodeToString(sum[:]), p.blob)
}

// bytes returns the content, up to a character that its encoding does not have.
func (s state) bytes(env *tools.Env) []byte {
	if s.text == nil {
		return s.raw
	}
	steps, _ := s.text.step(env)
	b, _ := steps.Apply(s.text.raw)
	return b
}

func (t *tree) applyHunks(a *applied, s *state) error {
	w := a.from.Target
	if s.text == nil {
		w.Encoding = t.encoding
		if c, guessed := charset.Detect(s.raw); c != nil && !guessed && !a.part.encoded {
			w.Encoding = "" // the encoding is for the other files
		}
		c, err := w.CharsetOf(t.env, s.raw)
		if err != nil {
			return err
		}
		s.text = newText(w, s.raw, c)
		a.from.was = c.Decode(s.raw).String
	}
	a.part.verbatim = a.part.blob != "" && a.part.isOf(s.bytes(t.env))
	p := &placing{env: t.env, w: w, text: s.text, part: a.part}
	return p.apply()
}

func (t *tree) create(a *applied) error {
	f, env := a.to, t.env
	if f.now.exists && f.takers == 0 {
		return env.Fail(tools.AlreadyExists, "%s already exists", f.Shown).
			WithHint(env.Hint("Give the lines of it that change, or remove it first"))
	}
	var b strings.Builder
	for _, h := range a.part.hunks {
		for _, l := range h.lines {
			if l.op != '+' {
				return env.Fail(tools.NotFound, "File not found: %s", f.Shown).
					WithHint(paths.LookForIt(env))
			}
			b.WriteString(l.text)
			if !l.noEnd {
				b.WriteByte('\n')
			}
		}
	}
	s := state{exists: true, link: a.part.toLink, mode: a.part.mode}
	if s.link {
		if s.raw = []byte(b.String()); len(s.raw) == 0 {
			return t.fault(a.part, "makes a link without a target")
		}
		if err := t.mayLink(f, b.String()); err != nil {
			return err
		}
	} else {
		f.Encoding = t.encoding
		if t.fromBytes && !a.part.encoded {
			f.Encoding = "" // the part has the bytes of the file
		}
		raw, e := t.encodeNew(f.Target, b.String())
		if e != nil {
			return e
		}
		s.raw = raw
	}
	a.action = "created"
	f.arrive(s)
	return nil
}

func (t *tree) encodeNew(w *change.Target, text string) ([]byte, error) {
	if w.Encoding == "" {
		return []byte(text), nil
	}
	c := w.Encoding.Charset()
	marked := strings.HasPrefix(string(w.Encoding), "utf-16")
	if marked {
		text = strings.TrimPrefix(text, mark)
	}
	b, e := w.Encode(t.env, c, text, "/patch")
	if e != nil {
		return nil, e
	}
	if marked {
		b = append(slices.Clone(c.BOM()), b...)
	}
	return b, nil
}

// mayLink refuses a link that leads out of where the patch may reach: later calls would follow it.
func (t *tree) mayLink(f *file, target string) error {
	full := confine.Under(filepath.Dir(f.Full()), target)
	roots, err := tools.Roots(t.env)
	if err != nil {
		return err
	}
	real, err := confine.Follow(full)
	if errors.Is(err, syscall.ELOOP) || err != nil && strings.Contains(err.Error(), "too many links") {
		real, err = filepath.Clean(full), nil // it leads nowhere
	}
	if root, _ := confine.Find(roots, real); err == nil && root != nil {
		return nil
	}
	return t.env.Fail(tools.Forbidden, "%s would be a link to %s, which is outside of the allowed folders", f.Shown,
		paths.Show(target)).WithHint(t.env.Hint("Make the link by hand if it is meant"))
}

func (t *tree) fault(part *filePatch, message tools.Text) error {
	return tools.InvalidField(t.env, "/patch", "line %d: %s", part.line+1, t.env.Localize(message))
}

// plan turns what the parts made of a file into its change.
func (t *tree) plan(f *file) error {
	disk, now := f.onDisk(), f.now
	f.IsLink = now.link
	f.Mode.Execution = now.mode
	if now.text != nil {
		f.is = strings.TrimPrefix(now.text.String(), mark)
	}
	switch {
	case !now.exists && !disk.exists: // made and removed again
		f.Skip = true
		return nil
	case !now.exists:
		f.Delete()
		if slices.ContainsFunc(t.done, func(a *applied) bool { return a.from == f && a.action == "removed" }) {
			f.Compare(f.was, "")
		}
		return nil
	case now.like != nil && now.like != f.File:
		if f.Like = now.like; disk.exists && f.Like.Info != nil {
			f.Mode.Perm = f.Like.Info.Mode().Perm()
		}
	}
	if now.text == nil {
		f.Replace(now.raw)
		if !disk.exists && now.like == nil && !now.link {
			f.is = string(now.raw)
			if f.Encoding != "" {
				f.is = f.Encoding.Charset().Decode(now.raw).String
			}
		}
	} else {
		s, e := now.text.step(t.env)
		if e == nil {
			e = now.text.w.MayEdit(t.env, now.text.charset, now.text.raw, s)
		}
		if e != nil {
			return e
		}
		after, back := s.Apply(now.text.raw)
		if f.Replace(after); disk.exists && bytes.Equal(now.text.raw, f.Before) {
			f.Undo = []document.Step{back}
		}
	}
	f.Compare(f.was, f.is)
	f.Skip = disk.exists && disk.link == now.link && string(f.After) == string(f.Before) && !f.changesMode()
	return nil
}

func (f *file) changesMode() bool {
	if f.Info == nil || f.IsLink {
		return false
	}
	return f.Mode.Changes(f.Info.Mode())
}

// check refuses a tree in which a file is in the way of a folder, and a patch that changes nothing.
func (t *tree) check() error {
	hunks, changes := false, false
	for _, f := range t.files {
		changes = changes || !f.Skip
		if !f.now.exists {
			continue
		}
		for path := filepath.Dir(f.Path); path != filepath.Dir(path); path = filepath.Dir(path) {
			above := t.byPlace[f.With(path).Full()]
			if above != nil && above.now.exists {
				return t.env.Fail(tools.Conflict, "%s cannot be created: %s is a file, not a folder", f.Shown, above.Shown)
			}
		}
	}
	for _, a := range t.done {
		hunks = hunks || len(a.part.hunks) > 0
	}
	if hunks && !changes {
		return tools.InvalidField(t.env, "/patch", "changes nothing: its old and new lines are the same")
	}
	return change.CheckKinds(t.env, t.changed())
}

func (t *tree) changed() (all []*change.Target) {
	for _, f := range t.files {
		if !f.Skip {
			all = append(all, f.Target)
		}
	}
	return all
}

// results returns what the patch did to each file, once for a file that several parts edit.
func (t *tree) results() []PatchedFile {
	all, edited := []PatchedFile{}, map[*file]int{}
	for _, a := range t.done {
		one := PatchedFile{Action: a.action, Replacements: len(a.part.hunks)}
		switch a.action {
		case "removed":
			one.Path = a.from.Shown
		default:
			one.Path, one.Mode = a.to.Shown, a.part.mode.String()
			if one.Hash = a.to.Hash(); a.to.Remove {
				one.Hash = ""
			}
		}
		if a.from != nil && a.part.moves {
			one.From = a.from.Shown
		}
		if i, again := edited[a.to]; again && a.action == "edited" {
			all[i].Replacements += one.Replacements
			continue
		}
		if a.action != "removed" {
			edited[a.to] = len(all)
		}
		all = append(all, one)
	}
	return all
}
