package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"techo/internal/private"
	"techo/store"
	"techo/store/kv"
	"techo/store/ledger"
)

// storeError converts the errors of the store. It returns nil for all other
// errors.
func (env *Env) storeError(err error) *Error {
	for _, cases := range [][]errorCase{spaceErrors(), recordErrors(), engineErrors(), serverErrors(), folderErrors(),
		systemErrors()} {
		for _, convert := range cases {
			if e := convert(env, err); e != nil {
				return e
			}
		}
	}
	return nil
}

// errorCase converts one kind of error. It returns nil for all others.
type errorCase func(*Env, error) *Error

func ofType[E error](convert func(*Env, E) *Error) errorCase {
	return func(env *Env, err error) *Error {
		var e E
		if !errors.As(err, &e) {
			return nil
		}
		return convert(env, e)
	}
}

// oneOf returns a case for errors that get the same message and hint.
func oneOf(code Code, message Text, hint Advice, targets ...error) errorCase {
	return func(env *Env, err error) *Error {
		if !slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) }) {
			return nil
		}
		return env.Fail(code, message).WithHint(hint.In(env))
	}
}

// naming is like oneOf, for a message with a format verb for the error.
func naming(code Code, message Text, hint Advice, targets ...error) errorCase {
	return func(env *Env, err error) *Error {
		e := oneOf(code, message, hint, targets...)(env, err)
		if e != nil {
			e.Message = env.Localize(message, shortPath(err))
		}
		return e
	}
}

func recordErrors() []errorCase {
	return []errorCase{
		ofType(func(env *Env, e *ledger.NotFoundError) *Error {
			return env.Fail(NotFound, "%s not found: %s", env.KindName(e.Kind), e.Name).WithHint(env.DidYouMean(e.Near))
		}),
		ofType(func(env *Env, e *ledger.TakenError) *Error {
			return env.Fail(AlreadyExists, "The %s name %q is already in use", env.KindName(e.Kind), e.Name).
				WithHint(env.Hint("Choose another name, or remove the other one first"))
		}),
		ofType(func(env *Env, e *ledger.LimitError) *Error { return env.Fail(LimitExceeded, "%s", env.limitText(e)) }),
		ofType(func(env *Env, e *ledger.ReusedKeyError) *Error {
			return env.Fail(Conflict, "The idempotency key %q was used before with another input", e.Key).
				WithHint(env.Hint("Use a new key for a new call"))
		}),
	}
}

func engineErrors() []errorCase {
	return []errorCase{
		ofType(func(env *Env, e *store.NoEngineError) *Error {
			return env.Fail(Unavailable, "Stores at %s:// are not supported yet", e.Engine).
				WithHint(env.Hint("Give a folder, postgres://… or https://…: %s", Flag("store", Placeholder("DIR|URL"))))
		}),
		ofType(noFeature),
		ofType(func(env *Env, e *kv.BusyError) *Error {
			busy := env.Fail(Busy, "The store is held by another process").
				WithHint(env.Hint("Try again; if that process hangs, end it"))
			busy.Details = []Detail{{Message: env.holder(e)}}
			return busy
		}),
		ofType(func(env *Env, e *ledger.FindingError) *Error { return env.corrupt(e) }),
		ofType(func(env *Env, e *kv.CorruptError) *Error { return env.corrupt(e) }),
		ofType(func(env *Env, e *kv.VersionError) *Error {
			return env.Fail(Unavailable, "A newer techo wrote %s (format %d, this one knows up to %d)", e.Path, e.Found,
				e.Known).
				WithHint(env.Hint("Install a newer techo"))
		}),
		ofType(func(env *Env, e *ledger.OutdatedError) *Error {
			return env.Fail(Unavailable, "Another version of techo wrote the search index of %s", e.Store).
				WithHint(env.Hint("Build the index again: %s", Use("store migrate")))
		}),
		ofType(func(env *Env, e *kv.TooLargeError) *Error {
			return env.Fail(LimitExceeded, "Too large: %d bytes, at most %d", e.Size, e.Max)
		}),
	}
}

func (env *Env) corrupt(damage error) *Error {
	return env.Fail(Corrupt, "The store does not read back as it was written: %s", env.DamageText(damage)).
		WithHint(env.Hint("Run %s, then %s from a backup, or %s without one",
			Use("store verify"), Use("store restore"), Use("doctor")))
}

// folderErrors are the cases of the store's folder.
func folderErrors() []errorCase {
	return []errorCase{
		ofType(func(env *Env, e *private.SpoolError) *Error {
			fault := env.Fail(Unavailable, "No temporary file can be written: %s", env.Cause(e.Err))
			if errors.Is(e, syscall.ENOSPC) {
				fault = env.Fail(NoSpace, "The disk of the temporary files is full; nothing was changed: %s", env.Cause(e.Err))
			}
			return fault.WithHint(env.Hint("Free some space there, or name another folder in the environment: TMPDIR, on Windows TMP"))
		}),
		ofType(func(env *Env, e *kv.NotFolderError) *Error {
			return env.Fail(InvalidInput, "The store is a file, not a folder: %s", e.Path).
				WithHint(env.Hint("Name a folder: %s", Flag("store", Placeholder("DIR"))))
		}),
		oneOf(Conflict, "The store's folder was removed or replaced during the call; nothing was kept",
			Advise("Run it again: it then uses the folder that is there now. %s shows what it holds",
				Use("store info")),
			kv.ErrGone),
		naming(InvalidInput, "There can be no store there: %s",
			Advise("Name a folder: %s", Flag("store", Placeholder("DIR"))),
			syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP),
		ofType(unsafeStore),
		ofType(func(env *Env, e *kv.NetworkError) *Error {
			return env.Fail(Unavailable,
				"The store would lie on a network file system (%s), where locks cannot be trusted: %s", e.Kind, e.Path).
				WithHint(env.Hint("Name a folder on a disk of this machine: %s or TECHO_STORE",
					Flag("store", Placeholder("DIR"))))
		}),
	}
}

func systemErrors() []errorCase {
	return []errorCase{
		naming(Internal, "The disk reported an error: %s", Advise("Check the disk; %s checks the store", Use("doctor")),
			syscall.EIO),
		oneOf(NoSpace, "The disk is full; nothing was changed", Advise("Free some space and run it again"),
			kv.ErrNoSpace, syscall.ENOSPC, syscall.EFBIG),
		naming(Forbidden, "No permission for the store: %s",
			Advise("Name a folder of yours: %s", Flag("store", Placeholder("DIR"))),
			fs.ErrPermission, syscall.EROFS),
	}
}

// holder describes the process that holds the store.
func (env *Env) holder(busy *kv.BusyError) string {
	switch {
	case busy.PID == 0:
		return env.Localize("It is not known which process")
	case busy.Command == "":
		return env.Localize("pid %d", busy.PID)
	}
	return env.Localize("pid %d: %s", busy.PID, busy.Command)
}

// shortPath returns a system error with its path cut to 200 bytes.
func shortPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) && len(path.Path) > 200 {
		return &fs.PathError{Op: path.Op, Path: strings.ToValidUTF8(path.Path[:200], "") + "…", Err: path.Err}
	}
	return err
}

// unsafeStore returns the error for a store that another user could control.
func unsafeStore(env *Env, e *private.Error) *Error {
	path := ShellWord(e.Path)
	switch e.Reason {
	case private.Link:
		return env.Fail(Forbidden, "techo does not follow links in a store: %s", e.Path).
			WithHint(env.Hint("Look where it leads, then remove it: rm %s", path))
	case private.Owner:
		return env.Fail(Forbidden, "Another user owns %s", e.Path).
			WithHint(env.Hint("Use a store of your own: %s; or, if this one should be yours: sudo chown -R "+
				"\"$(id -u)\" %s", Flag("store", Placeholder("DIR")), path))
	}
	return env.Fail(Forbidden, "Other users may write to %s", e.Path).
		WithHint(env.Hint("Close it to others: chmod go-w %s", path))
}

// ShellWord quotes a word for a POSIX shell if it needs quotes.
func ShellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// serverErrors are the cases of stores that a server keeps.
func serverErrors() []errorCase {
	return []errorCase{
		ofType(func(env *Env, e *kv.ContentionError) *Error {
			return env.Fail(Busy, "Other calls are still writing to the store; nothing was changed").
				WithHint(env.Hint("Try again"))
		}),
		ofType(func(env *Env, e *kv.UnavailableError) *Error {
			u := env.Fail(Upstream, "The database of the store does not answer: %s", e.Server).
				WithHint(env.Hint("Nothing was changed. Try again, and check the address, the network " +
					"and the database"))
			return env.later(u, e.Err)
		}),
		ofType(func(env *Env, e *kv.ConnectionsError) *Error {
			u := env.Fail(Upstream, "The database of the store has no free connection: %s", e.Server).
				WithHint(env.Hint("Nothing was changed. Try again, lower pool_max_conns in the address, or let the " +
					"database take more connections"))
			return env.later(u, e.Err)
		}),
		ofType(func(env *Env, e *kv.SlowError) *Error {
			u := env.Fail(Timeout, "The database of the store stopped a statement that took too long: %s", e.Server).
				WithHint(env.Hint("Nothing was changed. Try again, or allow more milliseconds: statement_timeout in " +
					"the address"))
			return env.later(u, e.Err)
		}),
		ofType(func(env *Env, e *kv.UnknownOutcomeError) *Error {
			u := env.Fail(Upstream, "The connection to %s was lost while it kept the changes: all or none are kept",
				e.Server).
				WithHint(env.Hint("Look before you run it again; with %s a repeated call adds nothing twice",
					Flag("idempotency-key")))
			u.Details = []Detail{{Message: env.Cause(e.Err)}}
			return u
		}),
		ofType(refused),
		ofType(wrongAddress),
		ofType(func(env *Env, e *kv.NotMigratedError) *Error {
			if e.Found == 0 {
				return env.Fail(Unavailable, "There is no store in the database yet: %s", e.Server).
					WithHint(env.Hint("A role that may create tables prepares it: %s", Use("store migrate")))
			}
			return env.Fail(Unavailable, "The store in the database has format %d, this techo needs %d: %s", e.Found,
				e.Needed, e.Server).
				WithHint(env.Hint("Back it up with the earlier version or with pg_dump, then run: %s",
					Use("store migrate")))
		}),
		ofType(func(env *Env, e *kv.UnfinishedError) *Error {
			return env.Fail(Unavailable, "A copy into the store has not finished: %s", e.Server).
				WithHint(env.Hint("Wait for it. If it was interrupted, run it again: %s",
					Use("store copy", Placeholder("FROM"), e.Server)))
		}),
	}
}

// later completes the error of a call that may succeed later.
func (env *Env) later(e *Error, why error) *Error {
	e.Details, e.Retryable = []Detail{{Message: env.Cause(why)}}, true
	return e
}

// wrongAddress explains what is wrong with the address of a store.
func wrongAddress(env *Env, e *kv.AddressError) *Error {
	a := env.Fail(InvalidInput, "This is not the address of a store: %s", e.Address).
		WithHint(env.Hint("The form is postgres://USER@HOST:PORT/DATABASE?namespace=NAME; docs/team.md " +
			"has the settings"))
	switch {
	case e.Unknown:
		a.Details = []Detail{{Message: env.Localize("There is no setting %q", e.Setting)}}
	case e.Setting != "":
		a.Details = []Detail{{Message: env.Localize("Invalid value of %s", e.Setting)}}
	case e.Err != nil:
		a.Details = []Detail{{Message: env.Cause(e.Err)}}
	}
	return a
}

// refused explains why a database refused the caller.
func refused(env *Env, e *kv.RefusedError) *Error {
	code, message := Unavailable, Text("The database refused the login: %s")
	hint := Text("Check the user and the password: PGPASSWORD, or a file named by PGPASSFILE")
	switch e.Reason {
	case kv.RefusedDatabase:
		message, hint = "There is no such database: %s", "Check the address, or create the database: createdb"
	case kv.RefusedPermission:
		code, message = Forbidden, "The role may not do this in the database: %s"
		hint = "Use another role, or grant it the rights: see docs/team.md"
	case kv.RefusedReadOnly:
		code, message = Forbidden, "The database takes no changes: %s"
		hint = "Name the primary server in the address, or let the database take changes " +
			"(default_transaction_read_only)"
	case kv.RefusedSpace:
		code, message = NoSpace, "The disk of the database is full: %s"
		hint = "Free some space on the server of the database, then run it again"
	case kv.RefusedTLS:
		message = "There is no secure connection to the database: %s"
		hint = "The certificate of the database must be valid for the host in the address and come from an " +
			"authority in sslrootcert=FILE"
	}
	f := env.Fail(code, message, e.Server).WithHint(env.Hint(hint))
	if e.Err != nil {
		f.Details = []Detail{{Message: env.Cause(e.Err)}}
	}
	return f
}

// noFeature explains what a store cannot do.
func noFeature(env *Env, e *ledger.NoFeatureError) *Error {
	message, hint := Text("This store has no folder: %s"), Advise("Name a folder: %s", Flag("store", Placeholder("DIR")))
	switch e.Feature {
	case ledger.FeatureCompaction:
		message, hint = "This store has no compaction: %s", Advise("A database compacts itself (VACUUM); nothing is to be done")
	case ledger.FeatureRestore:
		message, hint = "This store has no restore: %s", Advise("Restore into a folder, then copy it: %s",
			Use("store copy", Placeholder("FROM"), Placeholder("TO")))
	case ledger.FeatureRescue:
		message, hint = "This store has no rescue: %s", Advise("Restore it from a backup")
	}
	return env.Fail(Unavailable, message, e.Store).WithHint(hint.In(env))
}

// KindName is the word for a kind of record.
func (env *Env) KindName(kind ledger.Kind) string {
	texts := map[ledger.Kind]Text{
		ledger.KindMemo:     "memo",
		ledger.KindTag:      "tag",
		ledger.KindMemory:   "memory",
		ledger.KindUser:     "user",
		ledger.KindSession:  "session",
		ledger.KindEvent:    "event",
		ledger.KindTodo:     "to-do",
		ledger.KindCalendar: "calendar",
		ledger.KindQuestion: "question",
		ledger.KindWebPage:  "web page",
		ledger.KindEdit:     "edit",
		ledger.KindFile:     "file",
		ledger.KindChange:   "change",
		ledger.KindToken:    "token",
		ledger.KindReceipt:  "receipt",
		ledger.KindSpace:    "space",

		ledger.KindMemoryFile: "memory file",
		ledger.KindGuarded:    "guarded act",
	}
	return env.Localize(texts[kind])
}

// AfterPurge returns the message of a call that may have erased changes. It adds a sentence if
// earlier values are left.
func AfterPurge(ctx context.Context, env *Env, message string) string {
	if !ledger.PurgeLeft(ctx) {
		return message
	}
	return message + env.Localize("; earlier values remain in the history of another place where it was: a user "+
		"who may change records there can purge them")
}

// limitText describes a limit of the store that was exceeded.
func (env *Env) limitText(e *ledger.LimitError) string {
	return env.Localize("Too many %s: %d, at most %d", env.limitName(e.What), e.Got, e.Max)
}

// limitName is the word for what a store's limit counts.
func (env *Env) limitName(what string) string {
	texts := map[string]Text{
		"tags":           "tags",
		"different tags": "different tags",
		"tokens":         "tokens",
		"calls":          "calls",
		"bytes":          "bytes",
		"spaces":         "spaces",
		"members":        "members",
	}
	return env.Localize(texts[what])
}

// DraftIn names the draft of a list in the input that an explained error is about, if cause is a
// ledger.DraftError.
func DraftIn(env *Env, field string, explained, cause error) error {
	var draft *ledger.DraftError
	if !errors.As(cause, &draft) {
		return explained
	}
	e := *AsError(env, explained)
	e.Details = append([]Detail{{Path: fmt.Sprintf("/%s/%d", field, draft.Index), Message: e.Message}}, e.Details...)
	return &e
}
