package commands

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"techo/commands/line"
	"techo/commands/run"
	"techo/export"
	"techo/store"
	"techo/store/kv"
	"techo/tools"
)

// backupIn is the input of the command store backup.
type backupIn struct {
	File string `json:"file" minLength:"1" doc:"The file to write"`
}

// backupOut is the result of the command store backup.
type backupOut struct {
	File    string `json:"file"`
	Records int64  `json:"records"`
	Bytes   int64  `json:"bytes"`
	Message string `json:"message"`
}

// storeBackupCommand writes one consistent snapshot of the store.
func storeBackupCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "store backup",
		About:   "Write the whole store to one file, while others work",
		More: "The file holds one consistent state, with checksums. It appears when it is whole and on the " +
			"disk, in place of an older one of its name.",
		Effect:   tools.Reads,
		Words:    []string{"file"},
		Examples: []tools.Example{{Does: "Back the store up", Line: "store backup techo.backup"}},
	}, func(ctx context.Context, env *tools.Env, in backupIn) (out backupOut, err error) {
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		path := s.System.Path(in.File)
		if where, err := s.StorePath(); err == nil && within(where, path) {
			return out, env.Fail(tools.InvalidInput, "A backup does not belong into the store itself: %s", path).
				WithHint(env.Localize("Name a file elsewhere"))
		}
		records, size, err := export.Backup(ctx, st, path)
		if err != nil {
			return out, fileError(env, path, err)
		}
		return backupOut{path, records, size,
			env.Localize("Backed up %s, %s", env.Count(int(records), "%d record", "%d records"), byteText(size))}, nil
	})}
}

// restoreIn is the input of the command store restore.
type restoreIn struct {
	File  string `json:"file" minLength:"1" doc:"The backup"`
	Force bool   `json:"force,omitempty" doc:"Also when the store is not empty; the old one is kept beside it"`
}

// restoreOut is the result of the command store restore.
type restoreOut struct {
	Store   string `json:"store"`
	Records int64  `json:"records"`
	Aside   string `json:"aside,omitempty"`
	Message string `json:"message"`
}

// storeRestoreCommand replaces the store by a backup.
func storeRestoreCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "store restore",
		About:   "Put a backup in the place of the store",
		More: "The backup is read to its end before anything changes: a damaged one is refused. A store that is " +
			"not empty is only replaced with --force, and is kept beside it.",
		Effect:   tools.Changes,
		Words:    []string{"file"},
		Examples: []tools.Example{{Does: "Go back to a backup", Line: "store restore techo.backup --force"}},
	}, func(ctx context.Context, env *tools.Env, in restoreIn) (out restoreOut, err error) {
		where, err := s.StorePath()
		if err != nil {
			return out, err
		}
		backup := s.System.Path(in.File)
		done, err := store.Restore(ctx, where, backup, in.Force,
			store.Options{Holder: s.Name(), Now: s.Options.Clock})
		if full := new(kv.NotEmptyError); errors.As(err, &full) {
			if full.Alien != "" {
				return out, env.Fail(tools.Conflict, "%s is no store: %s is in it", where, full.Alien).
					WithHint(env.Localize("Name a store, or a folder that is not there yet: --store DIR"))
			}
			return out, env.Fail(tools.Conflict, "The store is not empty: %s", where).
				WithHint(env.Localize("With --force it is replaced, and kept beside the new one"))
		}
		if err != nil {
			return out, fileError(env, backup, err)
		}
		return restoreOut{where, done.Records, done.Aside,
			env.Localize("Restored %s", env.Count(int(done.Records), "%d record", "%d records"))}, nil
	})}
}

// within reports whether a file, which need not exist, would lie in a folder.
func within(folder, file string) bool {
	parent, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	inside, err := filepath.Rel(real, parent)
	return err == nil && filepath.IsLocal(inside)
}

// fileError explains why the file of a backup cannot be read or written.
func fileError(env *tools.Env, path string, err error) error {
	var corrupt *kv.CorruptError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return env.Fail(tools.NotFound, "There is no such file or folder: %s", path)
	case errors.As(err, &corrupt) && corrupt.Path == path:
		return env.Fail(tools.Corrupt, "The backup is damaged, nothing was changed: %s",
			env.DamageText(corrupt)).
			WithHint(env.Localize("Use another backup; techo store verify tells how the store itself is"))
	case errors.Is(err, syscall.EBUSY):
		return env.Fail(tools.Conflict, "The store cannot be exchanged, since something is mounted there: %v", err).
			WithHint(env.Localize("Restore into another folder: --store DIR"))
	}
	about := func(failed string) bool { return failed == path || filepath.Dir(failed) == filepath.Dir(path) }
	var one *fs.PathError
	var two *os.LinkError
	if errors.As(err, &one) && about(one.Path) || errors.As(err, &two) && about(two.New) {
		switch {
		case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
			return env.Fail(tools.Forbidden, "No permission for the file: %v", err)
		case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EISDIR),
			errors.Is(err, fs.ErrExist):
			return env.Fail(tools.InvalidInput, "There can be no such file: %v", err)
		}
	}
	return err
}
