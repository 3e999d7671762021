package files

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"techo/internal/ignore"
	"techo/internal/walk"
	"techo/tools"
	"techo/tools/files/hostfiles"
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
	start   place
	above   string   // path of the start relative to the topmost folder, with a trailing slash, or ""
	atStart *ruleSet // rules of the folders above the start
}

// newRuleFinder reads the rules of the folders above a start. With a root it does
// not leave the root.
func newRuleFinder(env *tools.Env, start place) *ruleFinder {
	r := &ruleFinder{env: env, start: start, atStart: &ruleSet{}}
	full := filepath.ToSlash(start.path)
	if full == "." || full == "/" {
		return r // no folder above
	}
	steps := strings.Split(strings.TrimPrefix(full, "/"), "/")
	r.above = strings.TrimSuffix(strings.TrimPrefix(full, "/"), "/") + "/"
	cut := 0
	for i := range len(steps) {
		dir := full[:len(full)-len(strings.Join(steps[i:], "/"))]
		if dir != "" || start.root != nil { // otherwise the path is above a drive
			r.atStart = r.folder(dir, cut)
		}
		cut += len(steps[i]) + 1
	}
	return r
}

// folder reads the rules of a folder above the start. dir ends in a slash.
func (r *ruleFinder) folder(dir string, cut int) *ruleSet {
	now := r.atStart
	if r.start.exists(dir + gitFolder) {
		now = r.repository(now, dir)
	}
	if now.inRepository {
		if path := dir + gitignoreFile; !isLink(r.start, path) { // git does not follow one
			now = now.withGitignore(r.start.rulesAt(path, now.ignoreCase), cut)
		}
	}
	return now.withIgnore(r.start.rulesAt(dir+ignoreFile, false), cut)
}

// exists reports whether a path exists, relative to the place's root or absolute.
func (p place) exists(path string) bool {
	_, err := lstat(p, path)
	return err == nil
}

// isLink reports whether a path is a symbolic link.
func isLink(p place, path string) bool {
	info, err := lstat(p, path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func lstat(p place, path string) (fs.FileInfo, error) {
	if p.root == nil {
		return os.Lstat(path)
	}
	return p.root.Lstat(path)
}

// readRules reads a file with rules. It returns nil if the file is missing,
// unreadable or too large.
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

func (p place) rulesAt(path string, ignoreCase bool) *ignore.Rules {
	return ignore.Parse(p.readRules(path), ignoreCase)
}

// withIgnore adds the rules of a .ignore file, with precedence.
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
	return now.withGitignore(user, cut).withGitignore(r.start.rulesAt(git+"/info/exclude", ignoreCase), cut)
}

// gitDirs returns the folders with a repository's data. In a linked work tree, .git
// is a file that names the work tree's own folder, and commondir in that folder names
// the shared one. Otherwise the two are the same.
func (r *ruleFinder) gitDirs(at string) (own, shared string) {
	name, isFile := strings.CutPrefix(strings.TrimSpace(string(r.start.readRules(at))), "gitdir: ")
	if !isFile {
		return at, at
	}
	if !path.IsAbs(name) {
		name = path.Join(path.Dir(at), name)
	}
	if common := strings.TrimSpace(string(r.start.readRules(name + "/commondir"))); common != "" {
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
	unconfined := place{}
	branch, _ := strings.CutPrefix(strings.TrimSpace(string(r.start.readRules(own+"/HEAD"))), "ref: refs/heads/")
	reader := ignore.ConfigReader{Home: hostfiles.Of(r.env).Home, GitDir: absolute(r.start, own), Branch: branch,
		Read: unconfined.readRules}
	var c ignore.Config
	for _, file := range hostfiles.Of(r.env).GitConfig {
		c.Add(file, reader)
	}
	from, users := unconfined, c.ExcludesFile
	reader.Read = r.start.readRules // a repository must not lead out of the roots
	if c.Add(shared+"/config", reader); c.ExcludesFile != users {
		from = r.start
	}
	switch {
	case !c.Excludes && hostfiles.Of(r.env).Config != "":
		path := filepath.Join(hostfiles.Of(r.env).Config, "git", "ignore")
		return unconfined.rulesAt(path, c.IgnoreCase), c.IgnoreCase
	case c.ExcludesFile == "":
		return nil, c.IgnoreCase
	case !filepath.IsAbs(c.ExcludesFile): // relative to the work tree
		from, c.ExcludesFile = r.start, path.Join(dir, c.ExcludesFile)
	}
	return from.rulesAt(c.ExcludesFile, c.IgnoreCase), c.IgnoreCase
}

// absolute returns an absolute path, for one relative to the place's root or absolute.
func absolute(p place, name string) string {
	if p.root == nil || path.IsAbs(name) {
		return name
	}
	return path.Join(filepath.ToSlash(p.root.Name()), name)
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
	return strings.TrimPrefix(path.Join(filepath.ToSlash(r.start.path), f.Path)+"/", "./")
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
