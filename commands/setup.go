package commands

import (
	"context"
	"slices"
	"strings"

	"techo/commands/catalogue"
	"techo/commands/hook"
	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/setup"
	"techo/tools"
	"techo/tools/person"
)

type setupIn struct {
	Client  *setup.Client     `json:"client" doc:"The client; with --check all clients if none is named"`
	Project bool              `json:"project,omitempty" doc:"For this folder's project, without machine paths"`
	Profile catalogue.Profile `json:"profile" default:"core" doc:"The tools that the server lists first"`
	Skill   bool              `json:"skill" default:"true" doc:"Install the skill"`
	Hooks   bool              `json:"hooks" default:"true" doc:"Install the hooks, if the client has hooks"`
	DryRun  bool              `json:"dry_run,omitempty" doc:"Change nothing, show a diff of each file"`
	Remove  bool              `json:"remove,omitempty" doc:"Remove what setup added"`
	Check   bool              `json:"check,omitempty" doc:"Report what is set up, missing, stale or broken"`
}

func setupCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "setup",
		About:   "Set up a client: the MCP server, a skill and hooks",
		More: "Adds the server to the client's configuration, with the core profile and the flags --user, --store, " +
			"--lang, --tz and --root, installs the skill, and adds hooks where a client has them: they add memos and " +
			"memories to the start of a session and keep the person's requests before a compaction (techo hook). " +
			"Comments, order and all other values of the files stay. Files are replaced as a whole or not at all, " +
			"and a copy of each is kept in $XDG_STATE_HOME/techo/setup. A file that cannot be parsed is not " +
			"changed. --remove takes out exactly what setup added. --check also asks a client that is installed; it " +
			"exits with 3 if nothing is set up, and with 5 if something is missing, stale or broken.",
		Effect: tools.Changes,
		Words:  []string{"client"},
		Examples: []tools.Example{
			{Does: "Show what would change", Line: "setup claude --dry-run -o text"},
			{Does: "Set up a client for all who share this folder", Line: "setup vscode --project"},
			{Does: "Take it out again", Line: "setup vscode --project --remove"},
		},
	}, func(ctx context.Context, env *tools.Env, in setupIn) (out setup.Out, err error) {
		defer func() {
			if err == nil && !in.Check && !in.Remove && !in.DryRun {
				out.Notes = append(out.Notes, person.Suggestion(env, "setup")...)
			}
		}()
		if e := in.check(s, env); e != nil {
			return out, e
		}
		names := setup.Client("").Enum()
		if in.Client != nil {
			names = []string{string(*in.Client)}
		}
		switch {
		case in.Check:
			out, err = setup.Check(ctx, s, names, func(client string) setup.Options {
				return setupOptions(s, in, client, true)
			})
			measureHooks(ctx, s, out.Clients)
			return out, err
		case in.Remove:
			return setup.Unset(s, setupOptions(s, in, names[0], true))
		}
		if e := run.CheckKept(s); e != nil && !in.Project { // the file of a project names no store
			return out, e
		}
		return setup.Set(s, setupOptions(s, in, names[0], false))
	})}
}

// measureHooks adds how much the hooks of the clients would add now.
func measureHooks(ctx context.Context, s *run.Run, clients []setup.Checked) {
	for i, c := range clients {
		hooked := func(f setup.File) bool { return f.IsHooks() && f.Status == setup.Current }
		if !slices.ContainsFunc(c.Files, hooked) {
			continue
		}
		for _, m := range hook.Measure(ctx, s, c.Client) {
			clients[i].Hooks = append(clients[i].Hooks, setup.Measured{Hook: m.Hook, Bytes: m.Added.Bytes,
				Limit: m.Limit, MS: m.Took.Milliseconds()})
		}
	}
}

// setupOptions returns what to set up for a client; all includes what the person left
// out.
func setupOptions(s *run.Run, in setupIn, client string, all bool) setup.Options {
	words := s.SettingWords()
	if in.Project {
		words = s.SharedWords()
	}
	o := setup.Options{Client: client, Project: in.Project, DryRun: in.DryRun, Hooks: all || in.Hooks,
		Args: slices.Concat([]string{"mcp"}, words, catalogue.Listing{Profile: in.Profile}.Flags(""))}
	for i := range words {
		if slices.Contains([]string{"--store", "--user", "--lang", "--tz"}, words[i]) {
			o.Settings = append(o.Settings, words[i], words[i+1])
		}
	}
	if all || in.Skill {
		o.Skills = skills(s)
	}
	return o
}

// skills returns the skill in all languages, the person's first.
func skills(s *run.Run) (all []string) {
	env := s.Env()
	offered, e := catalogue.Narrow(env, s.Offered, catalogue.Choice{Audience: tools.Agents})
	if e != nil {
		panic(e) // there are no names that could be wrong
	}
	for _, lang := range []tools.Lang{env.Lang, tools.English, tools.Japanese} {
		other := *env
		other.Lang = lang
		all = append(all, skill(&other, "claude", offered))
	}
	return all
}

// check returns an error for flags that cannot be combined, else nil.
func (in setupIn) check(s *run.Run, env *tools.Env) *tools.Error {
	var details []tools.Detail
	refuse := func(wrong bool, field string, reason tools.Text) {
		if wrong {
			details = append(details, tools.Detail{Path: "/" + field, Message: env.Localize(reason)})
		}
	}
	_, store := s.Given.Settings["store"]
	refuse(in.Client == nil && !in.Check, "client", "is required")
	refuse(in.Check && in.Remove, "remove", "does not go with --check")
	refuse(in.Check && in.DryRun, "dry_run", "does not go with --check")
	refuse(in.Project && store, "store", "does not go with --project: others share the file")
	refuse(in.Project && len(s.Given.Roots) > 0, "root", "does not go with --project: others share the file")
	if len(details) == 0 {
		return nil
	}
	e := tools.InvalidError(env, details)
	if in.Client == nil && !in.Check {
		e.Hint = env.Localize("Name a client: %s", strings.Join(setup.Client("").Enum(), ", "))
	}
	return e
}
