package stores

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
	"techo/internal/confine"
	"techo/internal/regular"
	"techo/store"
	"techo/store/kv"
	"techo/store/kv/folder"
	"techo/tools"
)

type backupIn struct {
	File string `json:"file" minLength:"1" doc:"The file to write"`
}

type backupOut struct {
	File    string `json:"file"`
	Records int64  `json:"records"`
	Bytes   int64  `json:"bytes"`
	Message string `json:"message"`
}

func storeBackupCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "store backup",
		About:   "Back up the store to one file, even while it is in use",
		More: "The file contains one consistent snapshot with checksums. It replaces an older backup of that " +
			"name only when it is complete, and no other file.",
		Effect:   tools.Reads,
		Words:    []string{"file"},
		Examples: []tools.Example{{Does: "Back up the store", Line: "store backup techo.backup"}},
	}, func(ctx context.Context, env *tools.Env, in backupIn) (out backupOut, err error) {
		where, err := s.StorePath()
		if err != nil {
			return out, err
		}
		if err := checkExists(env, where); err != nil {
			return out, err
		}
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		to, err := tools.Confined(env, s.System.Path(in.File))
		if err != nil {
			return out, err
		}
		path := to.Full()
		if within(where, path) {
			return out, env.Fail(tools.InvalidInput, "A backup cannot be inside the store: %s", path).
				WithHint(env.Hint("Name a file outside the store"))
		}
		if err := checkReplaced(env, to); err != nil {
			return out, err
		}
		return backUp(ctx, env, st, to)
	})}
}

// checkReplaced returns an error if a file is there that is not empty and no backup.
func checkReplaced(env *tools.Env, to confine.Place) error {
	f, info, err := to.OpenRegular()
	if err != nil {
		return nil // there is none, or writing says what is wrong
	}
	defer f.Close()
	if info.Size() == 0 || folder.IsBackup(f) {
		return nil
	}
	return env.Fail(tools.AlreadyExists, "%s is there and no backup", to.Full()).WithHint(env.Hint("Name another file"))
}

func backUp(ctx context.Context, env *tools.Env, st *store.Store, to confine.Place) (out backupOut, err error) {
	records, size, err := export.Backup(ctx, st, to, env.Step)
	if err != nil {
		return out, FileError(env, to.Full(), err)
	}
	return backupOut{to.Full(), records, size,
		env.Localize("Backed up %s, %s", env.Count(int(records), "%d record", "%d records"), byteText(size))}, nil
}

type restoreIn struct {
	File  string `json:"file" minLength:"1" doc:"The backup"`
	Force bool   `json:"force,omitempty" doc:"Replace a store that is not empty; the old one is kept next to it"`
}

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
		About:   "Restore the store from a backup",
		More: "The whole backup is checked before anything changes; a damaged one is refused. A store that is " +
			"not empty is replaced only with --force, and the old one is kept next to it.",
		Effect:   tools.Changes,
		Words:    []string{"file"},
		Examples: []tools.Example{{Does: "Restore a backup", Line: "store restore techo.backup --force"}},
	}, func(ctx context.Context, env *tools.Env, in restoreIn) (out restoreOut, err error) {
		where, err := s.StorePath()
		if err != nil {
			return out, err
		}
		from, err := tools.Confined(env, s.System.Path(in.File))
		if err != nil {
			return out, err
		}
		backup := from.Full()
		done, err := store.Restore(ctx, where, from, in.Force,
			store.Options{Holder: s.Name(), Now: s.Options.Clock})
		if full := new(folder.NotEmptyError); errors.As(err, &full) {
			if full.Alien != "" {
				return out, env.Fail(tools.Conflict, "%s is not a store: it contains %s", where, full.Alien).
					WithHint(env.Hint("Name a store or a new folder: %s", tools.Flag("store", tools.Placeholder("DIR"))))
			}
			return out, env.Fail(tools.Conflict, "The store is not empty: %s", where).
				WithHint(env.Hint("%s replaces it and keeps the old one next to it", tools.Flag("force")))
		}
		if err != nil {
			return out, FileError(env, backup, err)
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

// FileError explains why the file of a backup cannot be read or written.
func FileError(env *tools.Env, path string, err error) error {
	var corrupt *kv.CorruptError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return env.Fail(tools.NotFound, "There is no such file or folder: %s", path).
			WithHint(env.Hint("Check the path; a file is written only to a folder that exists"))
	case errors.As(err, &corrupt) && corrupt.Path == path:
		damage := env.DamageText(corrupt)
		if corrupt.Reason.Code == kv.Incomplete { // the message says it
			damage = corrupt.Path
		}
		return env.Fail(tools.Corrupt, "The backup is damaged, nothing was changed: %s", damage).
			WithHint(env.Hint("Use another backup; %s checks the store itself", tools.Use("store verify")))
	}
	if confine.Escapes(err) || errors.Is(err, regular.ErrNotFile) || errors.As(err, new(*regular.TooLargeError)) {
		return tools.AsError(env, err)
	}
	about := func(failed string) bool { // os.Root names files relative to the folder
		return failed == path || failed == filepath.Base(path) || filepath.Dir(failed) == filepath.Dir(path)
	}
	var one *fs.PathError
	var two *os.LinkError
	if errors.As(err, &one) && about(one.Path) || errors.As(err, &two) && about(two.New) {
		switch {
		case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
			return env.Fail(tools.Forbidden, "No permission for the file: %v", err)
		case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EISDIR),
			errors.Is(err, fs.ErrExist):
			return env.Fail(tools.InvalidInput, "This path cannot be used: %v", err)
		}
	}
	return err
}
