package commands

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"techo/commands/line"
	"techo/commands/run"
	"techo/store"
	"techo/store/kv"
	"techo/tools"
)

type initOut struct {
	Store   string `json:"store"`
	Created bool   `json:"created"`
	Message string `json:"message"`
}

// initCommand creates a store for the working folder and all folders below it.
func initCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "init",
		About:   "Create a store for this folder",
		More: "Creates .techo here (or the folder of --store) and trusts it. techo uses this store in this " +
			"folder and all folders below it. Its .gitignore keeps it out of commits.",
		Effect:   tools.Changes,
		Examples: []tools.Example{{Does: "Create a workspace", Line: "init"}},
	}, func(_ context.Context, env *tools.Env, _ struct{}) (initOut, error) { return makeWorkspace(s, env) })}
}

// makeWorkspace creates the store of the working folder, or of --store. It trusts
// a store that it creates where techo looks for workspaces; an existing one must
// be trusted already.
func makeWorkspace(s *run.Run, env *tools.Env) (out initOut, err error) {
	out.Store = s.System.Path(run.WorkspaceFolder)
	if s.Options.Store != "" {
		if out.Store, err = s.StorePath(); err != nil {
			return out, err
		}
	} else if st, err := os.Lstat(out.Store); err == nil && (st.IsDir() || st.Mode()&fs.ModeSymlink != 0) {
		if err := run.CheckTrust(s.System, env, out.Store); err != nil {
			return out, err
		}
	}
	if _, err := os.Stat(out.Store); errors.Is(err, fs.ErrNotExist) {
		out.Created = true
	}
	if strings.Contains(out.Store, "://") {
		return out, env.Fail(tools.InvalidInput, "init makes a folder, but %s is not one", store.Shown(out.Store)).
			WithHint(env.Hint("A store in a database is made by: %s", tools.Use("store migrate")))
	}
	found := filepath.Base(out.Store) == run.WorkspaceFolder // when no store is named
	if found && out.Created {
		if _, err := run.StateFolder(s.System, env); err != nil {
			return out, err
		}
	}
	st, err := store.Open(out.Store, store.Options{Write: true, Now: s.Options.Clock})
	if full := new(kv.NotFolderError); errors.As(err, &full) {
		return out, env.Fail(tools.AlreadyExists, "%s exists and is not a folder", out.Store).
			WithHint(env.Hint("Remove or rename it, or name another folder: %s",
				tools.Flag("store", tools.Placeholder("DIR"))))
	}
	if err == nil {
		err = st.Close()
	}
	if err == nil && out.Created {
		err = os.WriteFile(filepath.Join(out.Store, ".gitignore"), []byte("*\n"), 0o600)
	}
	if err == nil && out.Created && found {
		_, err = run.TrustStore(s.System, env, out.Store)
	}
	if err != nil {
		return out, err
	}
	out.Message = env.Localize("The store is at %s", out.Store)
	return out, nil
}
