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

// Files with ignore rules. A .ignore file applies everywhere and takes precedence.
// A .gitignore file applies within its repository; a nested repository starts
// without the outer one's rules. After them come the repository's info/exclude and
// the user's core.excludesFile.
const (
	ignoreFile    = ".ignore"
	gitignoreFile = ".gitignore"
	gitFolder     = ".git"
)

// maxRules is the size limit of a file with rules, in bytes.
const maxRules = 4 << 20

// ruleSet has the rules that apply in a folder, those with precedence first.
// Folders share it, so it is immutable.
type ruleSet struct {
	ignoreRules, gitRules []scopedRules
	inRepository          bool
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
		now = now.withGitignore(r.start.rulesAt(dir+gitignoreFile), cut)
	}
	return now.withIgnore(r.start.rulesAt(dir+ignoreFile), cut)
}

// exists reports whether a path exists, relative to the place's root or absolute.
func (p place) exists(path string) bool {
	var err error
	if p.root == nil {
		_, err = os.Lstat(path)
	} else {
		_, err = p.root.Lstat(path)
	}
	return err == nil
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

func (p place) rulesAt(path string) *ignore.Rules { return ignore.Parse(p.readRules(path)) }

// withIgnore adds the rules of a .ignore file, with precedence.
func (r *ruleSet) withIgnore(own *ignore.Rules, cut int) *ruleSet {
	if own.Empty() {
		return r
	}
	return &ruleSet{append([]scopedRules{{own, cut}}, r.ignoreRules...), r.gitRules, r.inRepository}
}

// withGitignore adds the rules of a .gitignore file, with precedence over other
// Git rules.
func (r *ruleSet) withGitignore(git *ignore.Rules, cut int) *ruleSet {
	if git.Empty() {
		return r
	}
	return &ruleSet{r.ignoreRules, append([]scopedRules{{git, cut}}, r.gitRules...), r.inRepository}
}

// repository starts the rules of a Git repository at dir, which ends in a slash.
func (r *ruleFinder) repository(above *ruleSet, dir string) *ruleSet {
	now := &ruleSet{ignoreRules: above.ignoreRules, inRepository: true}
	cut := len(strings.TrimPrefix(dir, "/"))
	git := r.gitDir(dir + gitFolder)
	for _, one := range []*ignore.Rules{r.userRules(git), r.start.rulesAt(git + "/info/exclude")} {
		now = now.withGitignore(one, cut)
	}
	return now
}

// gitDir returns the folder with a repository's data. In a linked work tree, .git
// is a file that names a folder, and commondir in that folder names the shared
// one.
func (r *ruleFinder) gitDir(at string) string {
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

// userRules reads the user's rules: the file named by core.excludesFile, or else
// Git's default path.
func (r *ruleFinder) userRules(git string) *ignore.Rules {
	unconfined := place{}
	if text := r.start.readRules(git + "/config"); text != nil {
		if file, ok := ignore.ExcludesFile(text, r.env.Home); ok {
			return r.start.rulesAt(file)
		}
	}
	if r.env.Home == "" {
		return nil
	}
	for _, config := range []string{filepath.Join(r.env.Home, ".gitconfig"),
		filepath.Join(r.env.Config, "git", "config"), "/etc/gitconfig"} {
		if text := unconfined.readRules(config); text != nil {
			if file, ok := ignore.ExcludesFile(text, r.env.Home); ok {
				return unconfined.rulesAt(file)
			}
		}
	}
	return unconfined.rulesAt(filepath.Join(r.env.Config, "git", "ignore"))
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
		now = now.withGitignore(parseEntry(f, git), cut)
	}
	if own.Kind == walk.File {
		now = now.withIgnore(parseEntry(f, own), cut)
	}
	return now
}

// rootPath returns a folder's path relative to the start's root, with a trailing
// slash.
func (r *ruleFinder) rootPath(f *walk.Folder) string {
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
