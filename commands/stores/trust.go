package stores

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"techo/commands/line"
	"techo/commands/run"
	"techo/store"
	"techo/tools"
	"techo/tools/person"
)

type trustIn struct {
	Dir    string `json:"dir,omitempty" doc:"The store, or the folder around it (default: the nearest .techo)"`
	List   bool   `json:"list,omitempty" doc:"List the trusted stores"`
	Revoke bool   `json:"revoke,omitempty" doc:"Revoke the trust in a store"`
}

type trustOut struct {
	Trusted []store.Trusted `json:"trusted"` // all, after the change
	Message string          `json:"message"`
}

// Text writes a line for each trusted store.
func (o trustOut) Text(*tools.Env) string {
	text := o.Message
	for _, s := range o.Trusted {
		text += "\n- " + s.Path + " (" + s.ID + ")"
	}
	return text
}

// storeTrustCommand trusts a store that techo finds in a parent folder. It is for
// persons only: no tool for agents does this.
func storeTrustCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "store trust",
		About:   "Trust a .techo folder that was found, so that techo uses it",
		More: "A .techo in this folder or a parent is used only if techo init created it or you trusted it: " +
			"its content goes into prompts, and a cloned project may contain one. Trust covers the path and " +
			"the id of the store, so another store at the same path is not trusted. You confirm it at a terminal, " +
			"by your secret if you have one (techo ask secret). It is recorded in " +
			"$XDG_STATE_HOME/techo. A store that another user owns or may write to cannot be trusted. Stores " +
			"named by --store or TECHO_STORE, and the one in $XDG_DATA_HOME/techo, need no trust.",
		Effect: tools.Changes,
		Words:  []string{"dir"},
		Examples: []tools.Example{
			{Does: "Trust the store of this project", Line: "store trust"},
			{Does: "List the trusted stores", Line: "store trust --list"},
		},
	}, func(ctx context.Context, env *tools.Env, in trustIn) (out trustOut, err error) {
		state, err := run.StateFolder(s.System, env)
		if err != nil {
			return out, err
		}
		switch {
		case in.List && (in.Revoke || in.Dir != ""):
			return out, env.Fail(tools.InvalidInput, "--list cannot be combined with other arguments")
		case in.List:
		case in.Revoke:
			out.Message, err = revoke(s, env, state, in.Dir)
		default:
			out.Message, err = trust(ctx, s, env, in.Dir)
		}
		if err != nil {
			return out, err
		}
		if out.Trusted, err = store.TrustIn(state).All(); err != nil {
			return out, run.TrustRecordError(env, state, err)
		}
		if in.List {
			out.Message = env.Localize("Trusted stores: %d", len(out.Trusted))
		}
		return out, nil
	})}
}

// trust trusts the store at or in a folder, or the nearest one.
func trust(ctx context.Context, s *run.Run, env *tools.Env, dir string) (message string, err error) {
	path, err := trustPath(s, env, dir)
	if err != nil {
		return "", err
	}
	if err := run.CheckUsable(env, run.ResolveStore(path)); err != nil {
		return "", err
	}
	about := env.Localize("Trust the store at %s: its content goes into prompts", path)
	assurance, err := person.Confirm(ctx, env, about)
	if err != nil {
		return "", err
	}
	kept, err := run.TrustStore(s.System, env, path)
	if err != nil {
		return "", err
	}
	person.Note(ctx, env, kept.Path, assurance)
	return env.Localize("The store at %s is trusted", kept.Path), nil
}

func trustPath(s *run.Run, env *tools.Env, dir string) (string, error) {
	path := run.NearestWorkspace(s.System)
	switch {
	case dir == "" && s.Options.Store != "":
		path = s.System.Path(s.Options.Store)
	case dir != "":
		path = s.System.Path(dir)
	}
	if dir != "" && filepath.Base(path) != run.WorkspaceFolder {
		path = filepath.Join(path, run.WorkspaceFolder)
	}
	st, err := os.Lstat(path)
	switch {
	case path == "", errors.Is(err, fs.ErrNotExist):
		if path == "" {
			path = filepath.Join(s.System.Dir, run.WorkspaceFolder)
		}
		return "", env.Fail(tools.NotFound, "There is no store at %s", path).
			WithHint(env.Hint("To create one: %s", tools.Use("init")))
	case err != nil:
		return "", err
	case filepath.Base(path) != run.WorkspaceFolder:
		return "", env.Fail(tools.InvalidInput, "Only a folder named .techo needs trust, not %s",
			path).
			WithHint(env.Hint("To use it: %s", tools.Flag("store", path)))
	case !st.IsDir() && st.Mode()&fs.ModeSymlink == 0:
		return "", env.Fail(tools.InvalidInput, "The store is a file, not a folder: %s", path)
	}
	return path, nil
}

// revoke removes the trust in the store at or in a folder. The store need not
// exist.
func revoke(s *run.Run, env *tools.Env, state, dir string) (message string, err error) {
	path := run.NearestWorkspace(s.System)
	switch {
	case dir != "":
		path = s.System.Path(dir)
	case s.Options.Store != "":
		path = s.System.Path(s.Options.Store)
	case path == "":
		path = filepath.Join(s.System.Dir, run.WorkspaceFolder)
	}
	if filepath.Base(path) != run.WorkspaceFolder {
		path = filepath.Join(path, run.WorkspaceFolder)
	}
	done := false
	for _, p := range []string{run.ResolveStore(path), path} {
		ok, err := store.TrustIn(state).Remove(p)
		if err != nil {
			return "", run.TrustRecordError(env, state, err)
		}
		done = done || ok
	}
	if !done {
		return "", env.Fail(tools.NotFound, "The store at %s is not a trusted one", path).
			WithHint(env.Hint("To list them: %s", tools.Use("store trust", tools.Flag("list"))))
	}
	return env.Localize("The store at %s is no longer trusted", run.ResolveStore(path)), nil
}
