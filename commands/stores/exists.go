package stores

import (
	"context"

	"techo/commands/run"
	"techo/store"
	"techo/tools"
)

// opener opens the store of a command.
type opener func(ctx context.Context, env *tools.Env) (*store.Store, error)

// anyStore opens a store for reading. One that was never used is empty.
func anyStore(ctx context.Context, env *tools.Env) (*store.Store, error) {
	return env.Store(ctx, tools.Reads)
}

// namedStore returns an opener for reading that refuses a named store that does not exist: its
// name is mistyped, and an empty store would look like a sound one.
func namedStore(s *run.Run) opener {
	return func(ctx context.Context, env *tools.Env) (*store.Store, error) {
		if err := checkNamed(s, env); err != nil {
			return nil, err
		}
		return anyStore(ctx, env)
	}
}

// checkNamed returns an error if --store or TECHO_STORE names a store that does not exist.
func checkNamed(s *run.Run, env *tools.Env) error {
	if s.Options.Store == "" {
		return nil
	}
	where, err := s.StorePath()
	if err != nil {
		return err
	}
	return checkExists(env, where)
}

// checkExists returns an error if there is no store at an address.
func checkExists(env *tools.Env, where string) error {
	if store.Exists(where) {
		return nil
	}
	return env.Fail(tools.NotFound, "There is no store at %s", store.Shown(where)).
		WithHint(env.Hint("Check the path; the first call that writes something creates a store"))
}
