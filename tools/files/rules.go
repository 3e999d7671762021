package files

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"

	"techo/internal/ignore"
	"techo/internal/walk"
	"techo/tools"
)

// The files of rules: .ignore counts everywhere and before all others,
// .gitignore within a repository and up to its top, where a repository in
// another begins anew. Behind them come the repository's own info/exclude and
// the person's core.excludesFile.
const (
	ownRules  = ".ignore"
	gitRules  = ".gitignore"
	gitFolder = ".git"
)

// maxRules is how much of a file of rules is read, in bytes.
const maxRules = 4 << 20

// rules are what holds in one folder, those that decide first in front. They
// are never changed, so that folders share them.
type rules struct {
	own, git []placedRules
	inGit    bool
}

// placedRules are those of one file. cut is how much of a path is above them,
// from the highest folder that has any.
type placedRules struct {
	*ignore.Rules
	cut int
}

// ruling finds the rules of folders on a walk.
type ruling struct {
	env   *tools.Env
	start place
	above string // the start's path below the highest folder, with a slash behind it, or ""
	first *rules // of the folders above the start
}

// newRuling reads the rules of the folders above a start, in its root only
// where there is one.
func newRuling(env *tools.Env, start place) *ruling {
	r := &ruling{env: env, start: start, first: &rules{}}
	full := filepath.ToSlash(start.path)
	if full == "." || full == "/" {
		return r // nothing is above
	}
	steps := strings.Split(strings.TrimPrefix(full, "/"), "/")
	r.above = strings.TrimSuffix(strings.TrimPrefix(full, "/"), "/") + "/"
	cut := 0
	for i := range len(steps) {
		dir := full[:len(full)-len(strings.Join(steps[i:], "/"))]
		if dir != "" || start.root != nil { // else it is above a drive
			r.first = r.folder(dir, cut)
		}
		cut += len(steps[i]) + 1
	}
	return r
}

// folder reads the rules of a folder above the start, given with a slash behind
// it.
func (r *ruling) folder(dir string, cut int) *rules {
	now := r.first
	if r.start.exists(dir + gitFolder) {
		now = r.repository(now, dir)
	}
	if now.inGit {
		now = now.withGit(r.start.rulesAt(dir+gitRules), cut)
	}
	return now.withOwn(r.start.rulesAt(dir+ownRules), cut)
}

// exists reports whether there is something at a path, in the place's root or
// absolute.
func (p place) exists(path string) bool {
	var err error
	if p.root == nil {
		_, err = os.Lstat(path)
	} else {
		_, err = p.root.Lstat(path)
	}
	return err == nil
}

// readRules reads a file of rules, nil when there is none.
func (p place) readRules(path string) []byte {
	var text []byte
	var err error
	if p.root == nil {
		text, err = os.ReadFile(path)
	} else {
		text, err = p.root.ReadFile(path)
	}
	if err != nil || len(text) > maxRules {
		return nil
	}
	return text
}

func (p place) rulesAt(path string) *ignore.Rules { return ignore.Parse(p.readRules(path)) }

// withOwn puts the rules of a folder's .ignore in front.
func (r *rules) withOwn(own *ignore.Rules, cut int) *rules {
	if own.Empty() {
		return r
	}
	return &rules{append([]placedRules{{own, cut}}, r.own...), r.git, r.inGit}
}

// withGit puts the rules of a folder's .gitignore in front.
func (r *rules) withGit(git *ignore.Rules, cut int) *rules {
	if git.Empty() {
		return r
	}
	return &rules{r.own, append([]placedRules{{git, cut}}, r.git...), r.inGit}
}

// repository begins a repository at a folder, given with a slash behind it.
func (r *ruling) repository(above *rules, dir string) *rules {
	now := &rules{own: above.own, inGit: true}
	cut := len(strings.TrimPrefix(dir, "/"))
	git := r.gitDir(dir + gitFolder)
	for _, one := range []*ignore.Rules{r.personal(git), r.start.rulesAt(git + "/info/exclude")} {
		now = now.withGit(one, cut)
	}
	return now
}

// gitDir finds a repository's own folder: a work tree has a file that names
// it, and that folder one that names the one with what all work trees share.
func (r *ruling) gitDir(at string) string {
	name, isFile := strings.CutPrefix(strings.TrimSpace(string(r.start.readRules(at))), "gitdir: ")
	if !isFile {
		return at
	}
	if !path.IsAbs(name) {
		name = path.Join(path.Dir(at), name)
	}
	if common := strings.TrimSpace(string(r.start.readRules(name + "/commondir"))); common != "" {
		if path.IsAbs(common) {
			return common
		}
		return path.Join(name, common)
	}
	return name
}

// personal reads the person's own rules: where core.excludesFile says, else in
// the usual place.
func (r *ruling) personal(git string) *ignore.Rules {
	unconfined := place{}
	if text := r.start.readRules(git + "/config"); text != nil {
		if file, ok := ignore.ExcludesFile(text, r.env.Home); ok {
			return r.start.rulesAt(file)
		}
	}
	if r.env.Home == "" {
		return nil
	}
	for _, config := range []string{filepath.Join(r.env.Home, ".gitconfig"), filepath.Join(r.env.Config, "git", "config"), "/etc/gitconfig"} {
		if text := unconfined.readRules(config); text != nil {
			if file, ok := ignore.ExcludesFile(text, r.env.Home); ok {
				return unconfined.rulesAt(file)
			}
		}
	}
	return unconfined.rulesAt(filepath.Join(r.env.Config, "git", "ignore"))
}

// enter finds the rules of a folder by those above it and what is in it.
func (r *ruling) enter(f *walk.Folder) *rules {
	now, ok := f.Data.(*rules)
	if !ok {
		now = r.first
	}
	cut := len(r.above) + len(f.Path)
	if f.Path != "" {
		cut++
	}
	var own, git walk.Entry
	for _, e := range f.Entries {
		name := f.Name(e)
		switch {
		case len(name) < len(gitFolder) || name[0] != '.' || name[1] != 'g' && name[1] != 'i':
		case string(name) == gitFolder && e.Kind != walk.Link:
			now = r.repository(now, r.pathOf(f))
		case e.Kind != walk.File:
		case string(name) == gitRules:
			git = e
		case string(name) == ownRules:
			own = e
		}
	}
	if git.Kind == walk.File && now.inGit {
		now = now.withGit(parseEntry(f, git), cut)
	}
	if own.Kind == walk.File {
		now = now.withOwn(parseEntry(f, own), cut)
	}
	return now
}

// pathOf is the path of a folder for the start's root, with a slash behind it.
func (r *ruling) pathOf(f *walk.Folder) string {
	return path.Join(filepath.ToSlash(r.start.path), f.Path) + "/"
}

func parseEntry(f *walk.Folder, e walk.Entry) *ignore.Rules {
	o, err := f.Open(e)
	if err != nil {
		return nil
	}
	defer o.Close()
	var b bytes.Buffer
	buf := make([]byte, 16<<10)
	for b.Len() < maxRules {
		n, err := o.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			break
		}
	}
	return ignore.Parse(b.Bytes())
}

// says is what the rules say of a path below the highest folder.
func (r *rules) says(path, name []byte, folder bool) ignore.Verdict {
	for _, chain := range [][]placedRules{r.own, r.git} {
		for _, one := range chain {
			if v := one.Match(path[one.cut:], name, folder); v != ignore.Silent {
				return v
			}
		}
	}
	return ignore.Silent
}
