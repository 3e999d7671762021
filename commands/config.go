package commands

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"techo/commands/line"
	"techo/commands/remote"
	"techo/commands/run"
	"techo/export"
	"techo/internal/nearest"
	"techo/internal/regular"
	"techo/internal/splice"
	"techo/store"
	"techo/tools"
	"techo/tools/person"
)

type configOut struct {
	Settings []configSetting `json:"settings"`
	Message  string          `json:"message"`
}

type configSetting struct {
	Name  string     `json:"name"`
	Value string     `json:"value"` // as given, without a password; "" without a default
	From  run.Source `json:"from"`
	File  string     `json:"file,omitempty"` // if it is from a file
}

// Text lists the settings.
func (o configOut) Text(*tools.Env) string {
	text := o.Message
	for _, s := range o.Settings {
		from := string(s.From)
		if s.File != "" {
			from = s.File
		}
		text += "\n" + s.Name + " = " + s.Value + " (" + from + ")"
	}
	return text
}

// configMore explains the files with settings.
func configMore() tools.Text {
	return "A flag takes precedence over the environment, the environment over the file of the project, and that " +
		"over the person's file, techo/config.toml in $XDG_CONFIG_HOME or ~/.config. The project's file is " +
		"config.toml in .techo; it is read only if the store there is trusted, and has only settings that do no " +
		"harm: lang, output, tz, working-hours, working-days, event-buffer. Secrets and settings of one call, " +
		"such as --fields, " +
		"are not kept. You confirm a setting that decides what agents can do, such as root, at a terminal, by your " +
		"secret if you have one (techo ask secret)."
}

type configNameIn struct {
	Name string `json:"name" doc:"The setting: the name of its flag" record:"setting"`
}

type configUnsetIn struct {
	Name    string `json:"name" doc:"The setting: the name of its flag" record:"setting"`
	Project bool   `json:"project,omitempty" doc:"In the file of the project"`
}

type configSetIn struct {
	Name    string `json:"name" doc:"The setting: the name of its flag" record:"setting"`
	Value   string `json:"value" minLength:"1" maxLength:"4000" doc:"The value, as for the flag"`
	Project bool   `json:"project,omitempty" doc:"In the file of the project"`
}

func configCommands(s *run.Run) []*line.Command {
	return []*line.Command{
		{Tool: tools.Define(tools.Tool{
			Command: "config list", About: "List the settings and where each is from", More: configMore(),
			Effect:   tools.Reads,
			Examples: []tools.Example{{Does: "List them", Line: "config list -o text"}},
		}, func(_ context.Context, env *tools.Env, _ struct{}) (configOut, error) {
			out := configOut{Message: env.Localize("Settings: %d", len(run.FileSettings(false)))}
			for _, name := range run.FileSettings(false) {
				out.Settings = append(out.Settings, settingOf(s, name))
			}
			return out, nil
		})},
		{Tool: tools.Define(tools.Tool{
			Command: "config get", About: "Show a setting and where it is from", More: configMore(),
			Effect: tools.Reads, Words: []string{"name"},
			Examples: []tools.Example{{Does: "Show the time zone", Line: "config get tz"}},
		}, func(_ context.Context, env *tools.Env, in configNameIn) (configOut, error) {
			in.Name = run.Spelled(in.Name)
			if e := checkSetting(env, in.Name, false); e != nil {
				return configOut{}, e
			}
			set := settingOf(s, in.Name)
			return configOut{[]configSetting{set}, env.Localize("%s is %q", in.Name, set.Value)}, nil
		})},
		{Tool: tools.Define(tools.Tool{
			Command: "config set", About: "Keep a setting in a file", More: configMore(),
			Effect: tools.Changes, Words: []string{"name", "value"},
			Examples: []tools.Example{
				{Does: "Keep the time zone", Line: "config set tz Asia/Tokyo"},
				{Does: "Answer in Japanese", Line: "config set lang ja"},
			},
		}, func(ctx context.Context, env *tools.Env, in configSetIn) (configOut, error) {
			return setConfig(ctx, s, env, in)
		})},
		{Tool: tools.Define(tools.Tool{
			Command: "config unset", About: "Remove a setting from a file", More: configMore(),
			Effect: tools.Changes, Words: []string{"name"},
			Examples: []tools.Example{{Does: "Use the zone of the system again", Line: "config unset tz"}},
		}, func(ctx context.Context, env *tools.Env, in configUnsetIn) (configOut, error) {
			return unsetConfig(ctx, s, env, in)
		})},
	}
}

// settingOf returns a setting with its value or default, without a password.
func settingOf(s *run.Run, name string) configSetting {
	value, from, path := run.SettingOf(s, name)
	if from == run.FromDefault {
		value = run.DefaultOf(s, name)
		if address, err := s.ServerAddress(); name == "store" && err == nil && address != "" { // of a login
			value, from, path = address, run.FromFile, remote.LoginsPath(s.System.State())
		}
	}
	if store.HasPassword(value) {
		value = store.Shown(value)
	}
	return configSetting{name, value, from, path}
}

// secretName matches names that look like secrets.
func secretName() *regexp.Regexp { return regexp.MustCompile(`(?i)token|pass|secret|credential|key`) }

func checkSetting(env *tools.Env, name string, project bool) *tools.Error {
	set := run.FindSetting(name)
	detail := tools.Detail{Path: "/name", Named: true}
	switch {
	case set != nil && set.Name == name && set.InFile(project):
		return nil
	case set != nil && set.Name == name && set.InFile(false):
		detail.Message = env.Localize("%s is not a setting for the file of a project", name)
		detail.Hint = env.Hint("Keep it in your own file: %s",
			tools.Use("config set", name, tools.Placeholder("VALUE")))
	case set != nil && set.Name == name:
		detail.Message = env.Localize("%s is not kept: give it with each call", name)
		detail.Hint = env.Hint("Use the flag: --%s", name)
	case secretName().MatchString(name):
		detail.Message = env.Localize("%s is not a setting, and secrets are not kept in the file", name)
		detail.Hint = env.Hint("Keep a token with %s, or in TECHO_TOKEN", tools.Use("login"))
	default:
		detail.Message = env.Localize("There is no setting %q", name)
		detail.Hint = env.Hint("See %s", tools.Use("config list"))
		if near := nearest.Of(name, run.FileSettings(project)); len(near) > 0 {
			detail.Hint = env.Hint("Did you mean %s?", "'"+near[0]+"'")
		}
	}
	return tools.InvalidError(env, []tools.Detail{detail})
}

func setConfig(ctx context.Context, s *run.Run, env *tools.Env, in configSetIn) (out configOut, err error) {
	in.Name = run.Spelled(in.Name)
	if e := checkSetting(env, in.Name, in.Project); e != nil {
		return out, e
	}
	value, e := configValue(s, env, in)
	if e != nil {
		return out, e
	}
	path, err := configFile(s, env, in.Name, in.Project)
	if err != nil {
		return out, err
	}
	note, err := confirmSetting(ctx, env, in.Name)
	if err != nil {
		return out, err
	}
	err = editConfig(env, path, in.Project, func(text []byte) ([]byte, error) {
		if other := strings.ReplaceAll(in.Name, "-", "_"); other != in.Name {
			var err error
			if text, _, err = removeSetting(text, other); err != nil {
				return text, err
			}
		}
		return splice.TOML{}.Set(text, []string{in.Name}, value)
	})
	if err != nil {
		return out, err
	}
	note()
	return configured(s, in.Name, env.Localize("%s is %q in %s", in.Name, in.Value, path)), nil
}

// configValue returns the value to write. It must be valid as the flag's value, and has
// no secret.
func configValue(s *run.Run, env *tools.Env, in configSetIn) (any, *tools.Error) {
	g := run.Given{Settings: map[string]string{in.Name: in.Value}}
	list := filepath.SplitList(in.Value)
	if in.Name == "root" {
		g = run.Given{Roots: list}
	}
	_, problems := run.Parse(s.System, g)
	for _, p := range problems {
		if p.Path == "/"+in.Name {
			p.Path = "/value"
			return nil, tools.InvalidError(env, []tools.Detail{p})
		}
	}
	u, err := url.Parse(in.Value)
	if err == nil && u.User != nil {
		if _, secret := u.User.Password(); secret || store.HasPassword(in.Value) {
			return nil, tools.InvalidField(env, "/value", "must not contain a password")
		}
	}
	switch {
	case in.Name == "browser" && in.Value != "auto" && !filepath.IsAbs(in.Value):
		return nil, tools.InvalidField(env, "/value", "must be auto or an absolute path, not %q", in.Value)
	case in.Name == "root":
		for i := range list {
			list[i] = s.System.Path(list[i])
		}
		return list, nil
	case in.Name == "store" && (err != nil || u.Scheme == ""):
		return s.System.Path(in.Value), nil
	}
	if n, err := strconv.Atoi(in.Value); err == nil && strconv.Itoa(n) == in.Value {
		return n, nil
	}
	if in.Value == "true" || in.Value == "false" {
		return in.Value == "true", nil
	}
	return in.Value, nil
}

func removeSetting(text []byte, name string) ([]byte, bool, error) {
	_, found, err := splice.TOML{}.Get(text, []string{name})
	if err != nil || !found {
		return text, false, err
	}
	text, err = splice.TOML{}.Remove(text, []string{name})
	return text, true, err
}

// unsetConfig removes a setting from a file, also one that is unknown.
func unsetConfig(ctx context.Context, s *run.Run, env *tools.Env, in configUnsetIn) (out configOut, err error) {
	path, err := configFile(s, env, in.Name, in.Project)
	if err != nil {
		return out, err
	}
	note, err := confirmSetting(ctx, env, run.Spelled(in.Name))
	if err != nil {
		return out, err
	}
	gone := false
	err = editConfig(env, path, in.Project, func(text []byte) ([]byte, error) {
		var err error
		for _, name := range []string{in.Name, run.Spelled(in.Name), strings.ReplaceAll(in.Name, "-", "_")} {
			if text, gone, err = removeSetting(text, name); err != nil || gone {
				return text, err
			}
		}
		return text, nil
	})
	switch {
	case err != nil:
		return out, err
	case gone:
		note()
		return configured(s, run.Spelled(in.Name), env.Localize("%s was removed from %s", in.Name, path)), nil
	}
	in.Name = run.Spelled(in.Name)
	if e := checkSetting(env, in.Name, false); e != nil {
		return out, e
	}
	return configured(s, in.Name, env.Localize("%s is not set in %s", in.Name, path)), nil
}

// confirmSetting lets the person confirm the change of a setting that gives agents more reach. note
// records it in the history when it was made.
func confirmSetting(ctx context.Context, env *tools.Env, name string) (note func(), err error) {
	if set := run.FindSetting(name); set == nil || !set.Widens {
		return func() {}, nil
	}
	assurance, err := person.Confirm(ctx, env, env.Localize("Change the setting %s, which decides what agents can do",
		name))
	return func() { person.Note(ctx, env, name, assurance) }, err
}

// configured returns the result of a change of a setting, with its value from now on.
func configured(s *run.Run, name, message string) configOut {
	s.Configure(s.Given)
	out := configOut{Settings: []configSetting{}, Message: message}
	if slices.Contains(run.FileSettings(false), name) {
		out.Settings = append(out.Settings, settingOf(s, name))
	}
	return out
}

// configFile returns the path of the person's settings, or the project's.
func configFile(s *run.Run, env *tools.Env, name string, project bool) (string, error) {
	if !project {
		path := run.PersonFile(s.System)
		if set := run.FindSetting(name); set != nil && set.File {
			path = run.AccountFile(s.System)
		}
		if path != "" {
			return path, nil
		}
		return "", env.Fail(tools.Unavailable, "HOME is not set").WithHint(env.Hint("Set HOME or XDG_CONFIG_HOME"))
	}
	path := run.ProjectFile(s.System)
	if path == "" {
		return "", env.Fail(tools.NotFound, "There is no project here").
			WithHint(env.Hint("To create one: %s", tools.Use("init")))
	}
	return path, run.CheckTrust(s.System, env, filepath.Dir(path))
}

func editConfig(env *tools.Env, path string, project bool, edit func([]byte) ([]byte, error)) error {
	if real, err := filepath.EvalSymlinks(path); err == nil && !project {
		path = real
	} else if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
		return env.Fail(tools.Forbidden, "%s is a link, which techo does not follow", path).
			WithHint(env.Hint("Replace the link by a file"))
	}
	old, err := regular.Read(path, run.MaxSettings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := edit(old)
	if err != nil {
		return env.Fail(tools.Conflict, "%s was not changed, because it cannot be parsed", path).
			WithHint(env.Hint("Correct the file and run it again: %v", err))
	}
	if string(text) == string(old) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return export.Private(path, text)
}
