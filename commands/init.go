package commands

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"techo/store"
	"techo/store/kv"
	"techo/tools"
)

// initOut is the result of the command init.
type initOut struct {
	Store   string `json:"store"`
	Created bool   `json:"created"`
	Message string `json:"message"`
}

// initCommand makes the working folder a workspace: a store of its own, which
// every techo in it and below it uses.
func initCommand(s *session) *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "init",
		About:   tools.Say{EN: "Give this folder a store of its own", JA: "このフォルダ専用のストアを作る"},
		More: tools.Say{
			EN: "Makes .techo here (or the folder of --store), which techo uses in this folder and all below it. It holds a .gitignore, so that nothing of it is committed.",
			JA: ".techo を作る。このフォルダ以下ではこのストアが使われる。中の .gitignore により、コミットの対象にはならない。",
		},
		Effect:   tools.Changes,
		Examples: []tools.Example{{Does: tools.Say{EN: "Make a workspace", JA: "ワークスペースを作る"}, Line: "init"}},
	}, func(_ context.Context, env *tools.Env, _ noIn) (out initOut, err error) {
		out.Store = s.path(workspaceName)
		if s.chosen.store != "" {
			if out.Store, err = s.place(); err != nil {
				return out, err
			}
		}
		if _, err := os.Stat(out.Store); errors.Is(err, fs.ErrNotExist) {
			out.Created = true
		}
		st, err := store.Open(out.Store, store.Options{Write: true, Now: s.now, Leaves: true})
		if full := new(kv.NotFolderError); errors.As(err, &full) {
			return out, env.Fail(tools.AlreadyExists, tools.Say{EN: "%s is there and no folder", JA: "%s は既に存在し、フォルダではありません"}, out.Store)
		}
		if err != nil {
			return out, err
		}
		if err := st.Close(); err != nil {
			return out, err
		}
		if out.Created {
			if err := os.WriteFile(filepath.Join(out.Store, ".gitignore"), []byte("*\n"), 0o600); err != nil {
				return out, err
			}
		}
		out.Message = env.Say(tools.Say{EN: "The store is at %s", JA: "ストアは %s です"}, out.Store)
		return out, nil
	})}
}
