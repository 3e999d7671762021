package commands

import (
	"context"
	"slices"
	"strings"

	"techo/commands/run"
	"techo/tools"
	"techo/tools/person"
)

// An agent may have opened the page itself. So the page changes only the settings of the person's
// file that a project may choose too, because they do no harm.

type pageSettings struct {
	Settings []pageSetting `json:"settings"`
	File     string        `json:"file"`
	Secret   bool          `json:"secret"` // the person has set a secret
	Message  string        `json:"message"`
}

type pageSetting struct {
	configSetting

	About    string   `json:"about"`
	Variable string   `json:"variable,omitempty"` // of the environment
	Editable bool     `json:"editable"`           // on the page
	Choices  []string `json:"choices,omitempty"`  // if there are few values
}

type pageSettingIn struct {
	Name string `json:"name" doc:"The setting: the name of its flag"`
}

type pageSetIn struct {
	pageSettingIn

	Value string `json:"value" minLength:"1" maxLength:"4000" doc:"The value, as for the flag"`
}

func settingsForPage(s *run.Run) map[string]*tools.Tool {
	return map[string]*tools.Tool{
		"list_settings": tools.Define(tools.Tool{Command: "config list", About: "List the settings",
			Effect: tools.Reads},
			func(_ context.Context, env *tools.Env, _ struct{}) (pageSettings, error) {
				return listForPage(env, present(s)), nil
			}),
		"set_setting": tools.Define(tools.Tool{Command: "config set", About: "Keep a setting", Effect: tools.Changes},
			func(ctx context.Context, env *tools.Env, in pageSetIn) (configOut, error) {
				if e := pageMayChange(env, in.Name); e != nil {
					return configOut{}, e
				}
				return setConfig(ctx, present(s), env, configSetIn{Name: in.Name, Value: in.Value})
			}),
		"unset_setting": tools.Define(tools.Tool{Command: "config unset", About: "Remove a setting",
			Effect: tools.Changes},
			func(ctx context.Context, env *tools.Env, in pageSettingIn) (configOut, error) {
				if e := pageMayChange(env, in.Name); e != nil {
					return configOut{}, e
				}
				return unsetConfig(ctx, present(s), env, configUnsetIn{Name: in.Name})
			}),
	}
}

// present returns a run with the present settings. The page itself keeps its first ones.
func present(s *run.Run) *run.Run {
	now := run.New(s.System, nil)
	now.Configure(s.Given) // problems of the present settings are no problem of a change
	return now
}

func listForPage(env *tools.Env, s *run.Run) pageSettings {
	out := pageSettings{Settings: []pageSetting{}, File: run.PersonFile(s.System)}
	for i := range run.Settings {
		set := &run.Settings[i]
		if !set.InFile(false) {
			continue
		}
		shown := pageSetting{configSetting: settingOf(s, set.Name), About: env.Localize(set.About), Variable: set.Env,
			Editable: set.InFile(true)}
		if choices := strings.Split(set.Value, "|"); shown.Editable && len(choices) > 1 {
			shown.Choices = choices
		}
		out.Settings = append(out.Settings, shown)
	}
	out.Secret, _ = person.HasSecret(env) // a page that cannot tell offers to set one
	out.Message = env.Localize("Settings: %d", len(out.Settings))
	return out
}

func pageMayChange(env *tools.Env, name string) *tools.Error {
	if slices.Contains(run.FileSettings(true), name) {
		return nil
	}
	if e := checkSetting(env, name, false); e != nil {
		return e
	}
	return env.Fail(tools.Forbidden, "The page does not change the setting %s", name).
		WithHint(env.Hint("At a terminal: %s", tools.Use("config set", name, tools.Placeholder("VALUE"))))
}
