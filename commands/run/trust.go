package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"techo/commands/system"
	"techo/internal/private"
	"techo/store"
	"techo/tools"
)

// ResolveStore returns the path of a store with links resolved, except for the store
// itself.
func ResolveStore(path string) string {
	if around, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(around, filepath.Base(path))
	}
	return path
}

// CheckTrust returns an error unless the person trusted the store at a path. It reads
// only the id of the store, and only if the path is trusted.
func CheckTrust(w system.System, env *tools.Env, path string) error {
	path = ResolveStore(path)
	if err := CheckUsable(env, path); err != nil {
		return err
	}
	if state := w.State(); state != "" {
		kept, ok, err := store.TrustIn(state).Find(path)
		if err != nil {
			return TrustRecordError(env, state, err)
		}
		if ok {
			id, err := store.ID(path)
			if err != nil {
				return err
			}
			if id == kept.ID {
				return nil
			}
			return untrusted(env, path, "The store at %s is not the one that was trusted")
		}
	}
	return untrusted(env, path, "The store found at %s is not trusted")
}

// CheckUsable returns an error for a store that cannot be trusted: a link, or a store
// of another user.
func CheckUsable(env *tools.Env, path string) error {
	in, err := private.OpenFolderItself(path)
	unsafe := new(private.Error)
	switch {
	case err == nil:
		in.Close()
	case errors.As(err, &unsafe) && unsafe.Reason == private.Link:
		return env.Fail(tools.Forbidden, "%s is a link, which techo does not follow", path).
			WithHint(env.Hint("Name the store itself: %s or TECHO_STORE",
				tools.Flag("store", tools.Placeholder("DIR"))))
	case errors.As(err, &unsafe) && unsafe.Reason == private.Writable:
		// A writable store is refused later, after the question of trust.
	default:
		return err
	}
	return nil
}

// untrusted is the error for a store that is not trusted. Its hint names the
// command that trusts it.
func untrusted(env *tools.Env, path string, why tools.Text) error {
	return env.Fail(tools.Forbidden, why,
		path).WithHint(env.Hint("Its content goes into prompts. If you know who made it: %s; to use another "+
		"store: %s",
		tools.Use("store trust", path), tools.Flag("store", tools.Placeholder("DIR"))))
}

// TrustRecordError is the error for unusable records of trusted stores.
func TrustRecordError(env *tools.Env, state string, err error) error {
	if errors.As(err, new(*private.Error)) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	dir := filepath.Join(state, "techo", "trusted")
	return env.Fail(tools.Forbidden, "The records of trusted stores cannot be used: %v", err).
		WithHint(env.Hint("Remove %s, then trust each store again: %s",
			tools.ShellWord(dir), tools.Use("store trust", tools.Placeholder("DIR"))))
}

// StateFolder returns the folder of the records; it fails if none is known.
func StateFolder(w system.System, env *tools.Env) (string, error) {
	if state := w.State(); state != "" {
		return state, nil
	}
	return "", env.Fail(tools.Unavailable,
		"Trust cannot be recorded: neither XDG_STATE_HOME nor HOME is set").WithHint(
		env.Hint("Set HOME, or name the store: %s", tools.Flag("store", tools.Placeholder("DIR"))))
}

// TrustStore records that the person trusts the store at a path.
func TrustStore(w system.System, env *tools.Env, path string) (store.Trusted, error) {
	kept := store.Trusted{Path: ResolveStore(path)}
	state, err := StateFolder(w, env)
	if err != nil {
		return kept, err
	}
	if kept.ID, err = store.MakeID(kept.Path); err != nil {
		return kept, err
	}
	if err := store.TrustIn(state).Add(kept); err != nil {
		return kept, TrustRecordError(env, state, err)
	}
	return kept, nil
}

// WorkspaceFolder is the name of a store's folder in a workspace.
const WorkspaceFolder = ".techo"

// errNoHome reports that no location for a store is known.
var errNoHome = errors.New("neither TECHO_STORE, XDG_DATA_HOME nor HOME is set")

// FindStore returns the path of the named store, or else of the nearest workspace, or
// else of the person's own store. found reports a workspace, which others may
// have created.
func FindStore(w system.System, said string) (path string, found bool, err error) {
	if said != "" {
		if strings.Contains(said, "://") {
			return said, false, nil
		}
		return w.Path(said), false, nil
	}
	if path := NearestWorkspace(w); path != "" {
		return path, true, nil
	}
	if w.Data() == "" {
		return "", false, errNoHome
	}
	return filepath.Join(w.Data(), "techo"), false, nil
}

// NearestWorkspace returns the path of the nearest workspace's store, "" without one. It
// also returns a link, which is refused later.
func NearestWorkspace(w system.System) string {
	for dir := w.Dir; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, WorkspaceFolder)
		if st, err := os.Lstat(path); err == nil && (st.IsDir() || st.Mode()&os.ModeSymlink != 0) {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
