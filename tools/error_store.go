package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"techo/internal/private"
	"techo/store"
	"techo/store/kv"
)

// storeError converts the errors of the store. It returns nil for all other
// errors.
func storeError(env *Env, err error) *Error {
	for _, convert := range []func(*Env, error) *Error{recordError, engineError, folderError, systemError} {
		if e := convert(env, err); e != nil {
			return e
		}
	}
	return nil
}

// recordError converts the errors about single records.
func recordError(env *Env, err error) *Error {
	var (
		missing *store.NotFoundError
		taken   *store.TakenError
		limit   *store.LimitError
		reused  *store.ReusedKeyError
	)
	switch {
	case errors.As(err, &missing):
		e := env.Fail(NotFound, "%s not found: %s", env.KindName(missing.Kind), missing.Name)
		if len(missing.Near) > 0 {
			e.Hint = env.DidYouMean(missing.Near)
		}
		return e
	case errors.As(err, &taken):
		return env.Fail(AlreadyExists, "The %s name %q is already in use", env.KindName(taken.Kind), taken.Name)
	case errors.As(err, &limit):
		return env.Fail(LimitExceeded, "Too many %s: %d, at most %d", env.limitName(limit.What), limit.Got, limit.Max)
	case errors.As(err, &reused):
		return env.Fail(Conflict, "The idempotency key %q was used before with another input", reused.Key).
			WithHint(env.Localize("Use a new key for a new call"))
	}
	return nil
}

// engineError converts the errors of the storage engine.
func engineError(env *Env, err error) *Error {
	var (
		noEngine *store.NoEngineError
		busy     *kv.BusyError
		corrupt  *kv.CorruptError
		version  *kv.VersionError
		large    *kv.TooLargeError
	)
	switch {
	case errors.As(err, &noEngine):
		return env.Fail(Unavailable, "A store at %s:// is not built yet", noEngine.Engine).
			WithHint(env.Localize("Give a folder: --store DIR"))
	case errors.As(err, &busy):
		e := env.Fail(Busy, "The store is held by another process").
			WithHint(env.Localize("Try again; if that process hangs, end it"))
		e.Details = []Detail{{Message: holder(env, busy)}}
		return e
	case errors.As(err, &corrupt):
		return env.Fail(Corrupt, "The store does not read back as it was written: %s", env.DamageText(err)).
			WithHint(env.Localize("Run techo store verify, then techo store restore from a backup, or techo doctor " +
				"without one"))
	case errors.As(err, &version):
		return env.Fail(Unavailable, "A newer techo wrote %s (format %d, this one knows up to %d)", version.Path,
			version.Found, version.Known).
			WithHint(env.Localize("Install a newer techo"))
	case errors.As(err, &large):
		return env.Fail(LimitExceeded, "Too large: %d bytes, at most %d", large.Size, large.Max)
	}
	return nil
}

// folderError converts the errors about the store's folder.
func folderError(env *Env, err error) *Error {
	var (
		file    *kv.NotFolderError
		network *kv.NetworkError
		unsafe  *private.Error
	)
	switch {
	case errors.As(err, &file):
		return env.Fail(InvalidInput, "The store is a file, not a folder: %s", file.Path).
			WithHint(env.Localize("Name a folder: --store DIR"))
	case errors.Is(err, kv.ErrGone):
		return env.Fail(Conflict, "The store's folder was removed or replaced during the call; nothing was kept").
			WithHint(env.Localize("Run it again: it then uses the folder that is there now. techo store info shows " +
				"what it holds"))
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP):
		return env.Fail(InvalidInput, "There can be no store there: %s", shortPath(err)).
			WithHint(env.Localize("Name a folder: --store DIR"))
	case errors.As(err, &unsafe):
		return unsafeStore(env, unsafe)
	case errors.As(err, &network):
		return env.Fail(Unavailable,
			"The store would lie on a network file system (%s), where locks cannot be trusted: %s", network.Kind,
			network.Path).
			WithHint(env.Localize("Name a folder on a disk of this machine: --store DIR or TECHO_STORE"))
	}
	return nil
}

// systemError converts the errors of the operating system.
func systemError(env *Env, err error) *Error {
	switch {
	case errors.Is(err, syscall.EIO):
		return env.Fail(Internal, "The disk reported an error: %v", err).
			WithHint(env.Localize("Check the disk; techo doctor tells how the store is"))
	case errors.Is(err, kv.ErrNoSpace), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EFBIG):
		return env.Fail(NoSpace, "The disk is full; nothing was changed").
			WithHint(env.Localize("Free some space and run it again"))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return env.Fail(Forbidden, "No permission for the store: %v", err).
			WithHint(env.Localize("Name a folder of yours: --store DIR"))
	}
	return nil
}

// holder describes the process that holds the store.
func holder(env *Env, busy *kv.BusyError) string {
	switch {
	case busy.PID == 0:
		return env.Localize("It could not be found out which one")
	case busy.Command == "":
		return env.Localize("pid %d", busy.PID)
	}
	return env.Localize("pid %d: %s", busy.PID, busy.Command)
}

// shortPath returns the text of a system error with its path cut to 200 bytes.
func shortPath(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) && len(path.Path) > 200 {
		return fmt.Sprintf("%s %s…: %v", path.Op, strings.ToValidUTF8(path.Path[:200], ""), path.Err)
	}
	return err.Error()
}

// unsafeStore returns the error for a store that another user could control.
func unsafeStore(env *Env, e *private.Error) *Error {
	path := ShellWord(e.Path)
	switch e.Reason {
	case private.Link:
		return env.Fail(Forbidden, "techo does not follow links in a store: %s", e.Path).
			WithHint(env.Localize("Look where it leads, then remove it: rm %s", path))
	case private.Owner:
		return env.Fail(Forbidden, "Another user owns %s", e.Path).
			WithHint(env.Localize("Use a store of your own: --store DIR; or, if this one should be yours: sudo "+
				"chown -R \"$(id -u)\" %s", path))
	}
	return env.Fail(Forbidden, "Other users may write to %s", e.Path).
		WithHint(env.Localize("Close it to others: chmod go-w %s", path))
}

// ShellWord quotes a word for a POSIX shell if it needs quotes.
func ShellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
