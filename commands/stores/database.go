package stores

import (
	"context"
	"errors"
	"strings"

	"techo/commands/line"
	"techo/commands/remote"
	"techo/commands/run"
	"techo/internal/confine"
	"techo/store"
	"techo/store/kv/folder"
	"techo/tools"
)

type migrateOut struct {
	From    int    `json:"from_version"`
	To      int    `json:"to_version"`
	Message string `json:"message"`
}

// storeMigrateCommand prepares a database for a store.
func storeMigrateCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "store migrate",
		About:   "Prepare a database for a store, or update the store's format",
		More: "Creates the tables of techo in a PostgreSQL database, and the store in them. Only this command " +
			"creates or changes tables, so that other roles need no right to do so. It can be repeated.",
		Effect: tools.Changes,
		Examples: []tools.Example{
			{Does: "Prepare the place that --store or TECHO_STORE names", Line: "store migrate"},
		},
	}, func(ctx context.Context, env *tools.Env, _ struct{}) (out migrateOut, err error) {
		where, err := s.StorePath()
		if err != nil {
			return out, err
		}
		out.From, out.To, err = store.Migrate(ctx, where, store.Options{Holder: s.Name(), Now: s.Options.Clock})
		if err != nil {
			return out, err
		}
		switch out.From {
		case 0:
			out.Message = env.Localize("Created the store at %s", store.Shown(where))
		case out.To:
			out.Message = env.Localize("The store at %s has the present format %d", store.Shown(where), out.To)
		default:
			out.Message = env.Localize("Migrated the store at %s from format %d to %d", store.Shown(where), out.From,
				out.To)
		}
		return out, nil
	})}
}

type copyIn struct {
	From string `json:"from" minLength:"1" doc:"The store to copy: a folder or a URL"`
	To   string `json:"to" minLength:"1" doc:"An empty store: a new folder, or a URL after store migrate"`
}

type copyOut struct {
	Records int64  `json:"records"`
	Message string `json:"message"`
}

func storeCopyCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "store copy",
		About:   "Copy all records of a store into an empty one",
		More: "Between folders and databases, in any direction. Copies one state, while others write. The target " +
			"can be used when the copy is complete. If it is interrupted, run it again: it then replaces the " +
			"incomplete copy. Cached web pages are left out.",
		Effect:   tools.Changes,
		Words:    []string{"from", "to"},
		Examples: []tools.Example{{Does: "Copy a store to another folder", Line: "store copy .techo ../copy"}},
	}, func(ctx context.Context, env *tools.Env, in copyIn) (out copyOut, err error) {
		from, err := openNamed(s, env, "/from", in.From, false)
		if err != nil {
			return out, err
		}
		defer from.Close()
		to, err := openNamed(s, env, "/to", in.To, true)
		if err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, to.Close()) }()
		if out.Records, err = store.Copy(ctx, from, to); err != nil {
			return out, copyError(env, err)
		}
		out.Message = env.Localize("Copied %s", env.Count(int(out.Records), "%d record", "%d records"))
		return out, nil
	})}
}

func openNamed(s *run.Run, env *tools.Env, path, where string, write bool) (*store.Store, error) {
	if store.HasPassword(where) {
		e := env.Fail(tools.InvalidInput, "An address on the command line must not contain a password")
		e.Details = []tools.Detail{{Path: path, Message: env.Localize("Other users of this machine could see it: use " +
			"PGPASSWORD or a file named by PGPASSFILE")}}
		return nil, e
	}
	if remote.IsAddress(where) {
		e := env.Fail(tools.Unavailable, "A store behind a server cannot be copied").
			WithHint(env.Hint("Run %s on the server", tools.Use("store copy")))
		e.Details = []tools.Detail{{Path: path, Message: env.Localize("names the server %s", where)}}
		return nil, e
	}
	named, _, err := run.FindStore(s.System, where)
	if err == nil && !strings.Contains(named, "://") {
		var at confine.Place
		at, err = tools.Confined(env, named)
		named = at.Full()
		if err == nil && at.Root != nil { // a store opens its files by their paths, where a link may appear
			err = env.Fail(tools.Forbidden, "While there are roots, no folder is copied as a store").
				WithHint(env.Hint("A person copies it without %s and TECHO_ROOTS", tools.Flag("root")))
		}
	}
	if err != nil {
		return nil, err
	}
	if !write {
		if err := checkExists(env, named); err != nil {
			return nil, err
		}
	}
	return store.Open(named, store.Options{Write: write, Unfinished: write, Holder: s.Name(), Now: s.Options.Clock})
}

// copyError explains why a store cannot be copied.
func copyError(env *tools.Env, err error) error {
	var full *folder.NotEmptyError
	var same *store.SameStoreError
	var contested *store.ContestedError
	switch {
	case errors.As(err, &full) && full.Alien != "":
		return env.Fail(tools.Conflict, "%s is not a store: it contains %s", full.Path, full.Alien).
			WithHint(env.Hint("Name a new folder, or another namespace of the database"))
	case errors.As(err, &full):
		return env.Fail(tools.Conflict, "The store is not empty: %s", full.Path).
			WithHint(env.Hint("Name a new folder, or another namespace of the database"))
	case errors.As(err, &contested):
		return env.Fail(tools.Conflict, "Others have written to the store during the copy: %s", contested.Store).
			WithHint(env.Hint("Let only one copy run, stop servers that use the store, then run it again"))
	case errors.As(err, &same):
		return env.Fail(tools.InvalidInput, "A store cannot be copied onto itself: %s", same.Store)
	}
	return err
}
