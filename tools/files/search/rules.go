package search

import (
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"techo/internal/ignore"
	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/paths"
)

// Files with ignore rules. A .ignore file applies everywhere and takes precedence.
// A .gitignore file applies within its repository; a nested repository starts
// without the outer one's rules. After them come the repository's info/exclude and
// the user's core.excludesFile.
const (
	ignoreFile    = ".ignore"
	gitignoreFile = ".gitignore"
	gitFolder     = ".git"
)

// maxRules is the size limit of a file with rules, in bytes. A larger file is left out
// as a whole, because part of a rule could match too much.
const maxRules = 4 << 20

// ruleSet has the rules that apply in a folder, those with precedence first.
// Folders share it, so it is immutable.
type ruleSet struct {
	ignoreRules, gitRules []scopedRules
	inRepository          bool
	ignoreCase            bool // in gitRules
}

// scopedRules has the rules of one file. cut is the length of the folder's path,
// which their patterns do not see, relative to the topmost folder with rules.
type scopedRules struct {
	*ignore.Rules
	cut int
}

// ruleFinder finds the rules of folders during a walk.
type ruleFinder struct {
	env     *tools.Env
	start   paths.Place
	above   string   // path of the start relative to the topmost folder, with a trailing slash, or ""
	atStart *ruleSet // rules of the folders above the start
}

// newRuleFinder reads the rules of the folders above a start. With a root it does
// not leave the root.
func newRuleFinder(env *tools.Env, start paths.Place) *ruleFinder {
	r := &ruleFinder{env: env, start: start, atStart: &ruleSet{}}
	full := filepath.ToSlash(start.Path)
	if full == "." || full == "/" {
		return r // no folder above
	}
	steps := strings.Split(strings.TrimPrefix(full, "/"), "/")
	r.above = strings.TrimSuffix(strings.TrimPrefix(full, "/"), "/") + "/"
	cut := 0
	for i := range len(steps) {
		dir := full[:len(full)-len(strings.Join(steps[i:], "/"))]
		if dir != "" || start.Root != nil { // otherwise the path is above a drive
			r.atStart = r.folder(dir, cut)
		}
		cut += len(steps[i]) + 1
	}
	return r
}

// folder reads the rules of a folder above the start. dir ends in a slash.
func (r *ruleFinder) folder(dir string, cut int) *ruleSet {
	now := r.atStart
	if r.start.Exists(dir + gitFolder) {
		now = r.repository(now, dir)
	}
	if now.inRepository {
		if path := dir + gitignoreFile; !isLink(r.start, path) { // git does not follow one
			now = now.withGitignore(rulesAt(r.start, path, now.ignoreCase), cut)
		}
	}
	return now.withIgnore(rulesAt(r.start, dir+ignoreFile, false), cut)
}

func isLink(p paths.Place, path string) bool {
	info, err := p.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// readRules reads a file with rules. It returns nil if the file is missing,
// unreadable, too large or no regular file.
func readRules(p paths.Place, path string) []byte {
	text, err := p.With(path).Read(maxRules)
	if err != nil {
		return nil
	}
	return text
}

func rulesAt(p paths.Place, path string, ignoreCase bool) *ignore.Rules {
	return ignore.Parse(readRules(p, path), ignoreCase)
}

func (r *ruleSet) withIgnore(own *ignore.Rules, cut int) *ruleSet {
	if own.Empty() {
		return r
	}
	added := *r
	added.ignoreRules = append([]scopedRules{{own, cut}}, r.ignoreRules...)
	return &added
}

// withGitignore adds the rules of a .gitignore file, with precedence over other
// Git rules.
func (r *ruleSet) withGitignore(git *ignore.Rules, cut int) *ruleSet {
	if git.Empty() {
		return r
	}
	added := *r
	added.gitRules = append([]scopedRules{{git, cut}}, r.gitRules...)
	return &added
}

// repository starts the rules of a Git repository at dir, which ends in a slash.
func (r *ruleFinder) repository(above *ruleSet, dir string) *ruleSet {
	cut := len(strings.TrimPrefix(dir, "/"))
	own, git := r.gitDirs(dir + gitFolder)
	user, ignoreCase := r.userRules(dir, own, git)
	now := &ruleSet{ignoreRules: above.ignoreRules, inRepository: true, ignoreCase: ignoreCase}
	return now.withGitignore(user, cut).withGitignore(rulesAt(r.start, git+"/info/exclude", ignoreCase), cut)
}

// gitDirs returns the folders with a repository's data. In a linked work tree, .git
// is a file that names the work tree's own folder, and commondir in that folder names
// the shared one. Otherwise the two are the same.
func (r *ruleFinder) gitDirs(at string) (own, shared string) {
	name, isFile := strings.CutPrefix(strings.TrimSpace(string(readRules(r.start, at))), "gitdir: ")
	if !isFile {
		return at, at
	}
	if !path.IsAbs(name) {
		name = path.Join(path.Dir(at), name)
	}
	if common := strings.TrimSpace(string(readRules(r.start, name+"/commondir"))); common != "" {
		if path.IsAbs(common) {
			return name, common
		}
		return name, path.Join(name, common)
	}
	return name, name
}

// userRules reads the user's rules for the repository in a folder: the file named by
// core.excludesFile, or else Git's default path. It also returns core.ignoreCase. own
// and shared are the folders with the repository's data.
func (r *ruleFinder) userRules(dir, own, shared string) (rules *ignore.Rules, ignoreCase bool) {
	unconfined := paths.Place{}
	branch, _ := strings.CutPrefix(strings.TrimSpace(string(readRules(r.start, own+"/HEAD"))), "ref: refs/heads/")
	reader := ignore.ConfigReader{Home: r.env.Host.Home, GitDir: absolute(r.start, own), Branch: branch,
		Read: func(path string) []byte { return readRules(unconfined, path) }}
	var c ignore.Config
	for _, file := range r.env.Host.GitConfig {
		c.Add(file, reader)
	}
	from, users := unconfined, c.ExcludesFile
	// A repository must not lead out of the roots.
	reader.Read = func(path string) []byte { return readRules(r.start, path) }
	if c.Add(shared+"/config", reader); c.ExcludesFile != users {
		from = r.start
	}
	switch {
	case !c.Excludes && r.env.Host.Config != "":
		return rulesAt(unconfined, filepath.Join(r.env.Host.Config, "git", "ignore"),
			c.IgnoreCase), c.IgnoreCase
	case c.ExcludesFile == "":
		return nil, c.IgnoreCase
	case !filepath.IsAbs(c.ExcludesFile): // relative to the work tree
		from, c.ExcludesFile = r.start, path.Join(dir, c.ExcludesFile)
	}
	return rulesAt(from, c.ExcludesFile, c.IgnoreCase), c.IgnoreCase
}

// absolute returns an absolute path, for one relative to the place's root or absolute.
func absolute(p paths.Place, name string) string {
	if p.Root == nil || path.IsAbs(name) {
		return name
	}
	return path.Join(filepath.ToSlash(p.Root.Name()), name)
}

// enter returns the rules of a folder, from its parent's rules and its own files.
func (r *ruleFinder) enter(f *walk.Folder) *ruleSet {
	now, ok := f.Data.(*ruleSet)
	if !ok {
		now = r.atStart
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
			now = r.repository(now, r.rootPath(f))
		case e.Kind != walk.File:
		case string(name) == gitignoreFile:
			git = e
		case string(name) == ignoreFile:
			own = e
		}
	}
	if git.Kind == walk.File && now.inRepository {
		now = now.withGitignore(parseEntry(f, git, now.ignoreCase), cut)
	}
	if own.Kind == walk.File {
		now = now.withIgnore(parseEntry(f, own, false), cut)
	}
	return now
}

// rootPath returns a folder's path relative to the start's root, with a trailing
// slash, or "" for the root itself.
func (r *ruleFinder) rootPath(f *walk.Folder) string {
	return strings.TrimPrefix(path.Join(filepath.ToSlash(r.start.Path), f.Path)+"/", "./")
}

func parseEntry(f *walk.Folder, e walk.Entry, ignoreCase bool) *ignore.Rules {
	o, err := f.Open(e)
	if err != nil {
		return nil
	}
	defer o.Close()
	var b bytes.Buffer
	buf := make([]byte, 16<<10)
	for b.Len() <= maxRules {
		n, err := o.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return ignore.Parse(b.Bytes(), ignoreCase)
		}
	}
	return nil
}

// match returns the verdict of the rules on a path relative to the topmost folder.
func (r *ruleSet) match(path, name []byte, folder bool) ignore.Verdict {
	for _, chain := range [][]scopedRules{r.ignoreRules, r.gitRules} {
		for _, one := range chain {
			if v := one.Match(path[one.cut:], name, folder); v != ignore.Silent {
				return v
			}
		}
	}
	return ignore.Silent
}
