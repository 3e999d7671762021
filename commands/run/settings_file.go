package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"techo/commands/system"
	"techo/internal/nearest"
	"techo/internal/private"
	"techo/internal/regular"
	"techo/internal/splice"
	"techo/tools"
)

// SettingsFile is the name of a file with settings: the person's, in the folder for
// settings, and a project's, in its store.
const SettingsFile = "config.toml"

// MaxSettings bounds a file with settings, in bytes.
const MaxSettings = 64 << 10

// FileValues are the settings in files.
type FileValues struct {
	values   map[string]fileValue
	problems []tools.Detail
}

type fileValue struct{ value, path string }

// PersonFile returns the path of the person's settings, "" if it is unknown.
func PersonFile(sys system.System) string {
	if sys.Getenv == nil || sys.Config() == "" {
		return ""
	}
	return filepath.Join(sys.Config(), "techo", SettingsFile)
}

// AccountFile returns the path of the person's settings in the home folder of their account,
// "" if it is unknown. Only there settings count that no caller may choose (setting.File).
func AccountFile(sys system.System) string {
	path, _ := sys.Own(".config", "techo", SettingsFile)
	return path
}

// isAccountFile reports whether a file is the AccountFile, also by another path.
func isAccountFile(sys system.System, path string) bool {
	account := AccountFile(sys)
	if path == account { // which may be replaced between two looks
		return true
	}
	own, err := os.Stat(account)
	file, e := os.Stat(path)
	return err == nil && e == nil && os.SameFile(own, file)
}

// ProjectFile returns the path of the settings of the nearest workspace, "" without one.
func ProjectFile(sys system.System) string {
	if store := NearestWorkspace(sys); store != "" {
		return filepath.Join(store, SettingsFile)
	}
	return ""
}

// InFile reports whether a file may have the setting. The others belong to one call. A
// project's file has only settings that do no harm if a repository chooses them.
func (s *setting) InFile(project bool) bool {
	if project {
		return slices.Contains([]string{"lang", "output", "tz", "working-hours", "working-days", "event-buffer"}, s.Name)
	}
	return (s.Env != "" || s.File) && s.Name != "turn"
}

// FileSettings returns the names of the settings that a file may have.
func FileSettings(project bool) (names []string) {
	for i := range Settings {
		if s := &Settings[i]; s.InFile(project) {
			names = append(names, s.Name)
		}
	}
	return names
}

// readFiles reads the person's file and the project's, which takes precedence. A missing
// file costs one system call.
func readFiles(sys system.System, env *tools.Env) *FileValues {
	f := &FileValues{}
	if path := PersonFile(sys); path != "" {
		text, err := readSettings(path)
		f.add(env, path, false, text, err)
		f.addOwn(sys, env, path)
	}
	path := ProjectFile(sys)
	if path == "" {
		return f
	}
	if _, err := os.Lstat(path); err == nil && CheckTrust(sys, env, filepath.Dir(path)) == nil {
		text, err := readOfProject(filepath.Dir(path))
		f.add(env, path, true, text, err)
	}
	return f
}

// addOwn corrects the settings that only the AccountFile may have, if XDG_CONFIG_HOME or HOME
// leads to another file. Without those variables and settings it costs nothing.
func (f *FileValues) addOwn(sys system.System, env *tools.Env, path string) {
	own := &FileValues{}
	for i := range Settings {
		s := &Settings[i]
		_, has := f.values[s.Name]
		if !s.File || !has && sys.Getenv("XDG_CONFIG_HOME") == "" || isAccountFile(sys, path) {
			continue
		}
		if has {
			delete(f.values, s.Name)
			f.problems = append(f.problems, tools.Detail{Path: "/" + s.Name,
				Message: env.Localize("has no effect in %s, because the environment chose that file", path),
				Hint: env.Hint("Remove it there; to set it in the file of your account: %s",
					tools.Use("config set", s.Name, tools.Placeholder("VALUE")))})
		}
		if file := AccountFile(sys); file != "" && own.values == nil {
			text, err := readSettings(file)
			own.add(env, file, false, text, err)
		}
		if v, ok := own.values[s.Name]; ok {
			if f.values == nil {
				f.values = map[string]fileValue{}
			}
			f.values[s.Name] = v
		}
	}
}

// add adds the settings in the text of a file. A later file takes precedence.
func (f *FileValues) add(env *tools.Env, path string, project bool, text []byte, err error) {
	if err == nil && text == nil {
		return
	}
	var all any
	if err == nil {
		all, _, err = splice.TOML{}.Get(text, nil)
	}
	if err != nil {
		f.problems = append(f.problems, tools.Detail{Message: env.Localize("The settings in %s cannot be read: %v",
			path, err), Hint: env.Hint("Correct the file, or remove it")})
		return
	}
	if f.values == nil {
		f.values = map[string]fileValue{}
	}
	values, _ := all.(map[string]any)
	for key, v := range values {
		name := Spelled(key)
		s := FindSetting(name)
		separator := string(filepath.ListSeparator)
		if name == "secret-patterns" { // they may have any character but a line feed
			separator = "\n"
		}
		value, ok := settingText(v, separator)
		_, twice := values[name]
		switch {
		case name == "answer": // of earlier versions; it has no effect
		case key != name && twice:
			f.problems = append(f.problems, tools.Detail{Path: "/" + key,
				Message: env.Localize("%s has %s twice", path, name), Hint: env.Hint("Remove %s", key)})
		case s == nil || s.Name != name || !s.InFile(false):
			detail := tools.Detail{Path: "/" + name, Message: env.Localize("%s has no setting %q", path, name)}
			if near := nearest.Of(name, FileSettings(project)); len(near) > 0 {
				detail.Hint = env.Hint("Did you mean %s?", "'"+near[0]+"'")
			}
			f.problems = append(f.problems, detail)
		case !s.InFile(project):
			f.problems = append(f.problems, tools.Detail{Path: "/" + name,
				Message: env.Localize("%s is not a setting for the file of a project (%s)", name, path)})
		case !ok:
			f.problems = append(f.problems, tools.Detail{Path: "/" + name,
				Message: env.Localize("%s: %s must be a text, a number, a boolean or a list of texts", path, name)})
		default:
			f.values[name] = fileValue{value, path}
		}
	}
}

// readOfProject reads the file in a store. Nothing in a store is read through a link.
func readOfProject(store string) ([]byte, error) {
	folder, err := private.OpenFolderItself(store)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.ReadFile(SettingsFile, MaxSettings)
}

// readSettings reads a file that only the user may write to; nil if it is missing, or
// in a folder that the user cannot enter.
func readSettings(path string) ([]byte, error) {
	file, st, err := regular.Open(path)
	if errors.Is(err, regular.ErrNotFile) {
		return nil, &private.NotFileError{Path: path}
	}
	if err != nil {
		if _, e := os.Lstat(path); e != nil {
			return nil, nil // such as the home folder of another user, or a file in its place
		}
		return nil, err
	}
	defer file.Close()
	err = private.CheckOwner(path, st)
	if err == nil && private.Modes && st.Mode().Perm()&0o022 != 0 {
		err = &private.Error{Path: path, Reason: private.Writable}
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, MaxSettings+1))
	if err == nil && len(text) > MaxSettings {
		err = fmt.Errorf("it has more than %d bytes", MaxSettings)
	}
	return append([]byte{}, text...), err
}

// settingText returns the value of a setting as a variable of the environment has it. A list is joined by a separator.
func settingText(v any, separator string) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case []any:
		var words []string
		for _, w := range v {
			word, ok := w.(string)
			if !ok {
				return "", false
			}
			words = append(words, word)
		}
		return strings.Join(words, separator), true
	}
	return "", false
}

// Source is where the value of a setting is from.
type Source string

// The sources, in the order of precedence.
const (
	FromFlag        Source = "flag"
	FromEnvironment Source = "environment"
	FromFile        Source = "file"
	FromDefault     Source = "default"
)

// SettingOf returns the value of a setting as it was given, where it is from, and the path
// of the file.
func SettingOf(s *Run, name string) (value string, from Source, path string) {
	p := &parser{sys: s.System, flags: s.Given.Settings, files: s.Given.Files}
	value, source := p.get(name)
	if name == "root" && len(s.Given.Roots) > 0 {
		return strings.Join(s.Given.Roots, string(filepath.ListSeparator)), FromFlag, ""
	}
	switch {
	case source == "--"+name:
		return value, FromFlag, ""
	case value == "":
		return "", FromDefault, ""
	case source == FindSetting(name).Env:
		return value, FromEnvironment, ""
	}
	return value, FromFile, strings.TrimSuffix(source, ": "+name)
}
