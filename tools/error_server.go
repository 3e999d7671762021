package tools

import (
	"techo/store/kv"
	"techo/store/ledger"
)

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
			return later(env, u, e.Err)
		}),
		ofType(func(env *Env, e *kv.ConnectionsError) *Error {
			u := env.Fail(Upstream, "The database of the store has no free connection: %s", e.Server).
				WithHint(env.Hint("Nothing was changed. Try again, lower pool_max_conns in the address, or let the " +
					"database take more connections"))
			return later(env, u, e.Err)
		}),
		ofType(func(env *Env, e *kv.SlowError) *Error {
			u := env.Fail(Timeout, "The database of the store stopped a statement that took too long: %s", e.Server).
				WithHint(env.Hint("Nothing was changed. Try again, or allow more milliseconds: statement_timeout in " +
					"the address"))
			return later(env, u, e.Err)
		}),
		ofType(func(env *Env, e *kv.UnknownOutcomeError) *Error {
			u := env.Fail(Upstream, "The connection to %s was lost while it kept the changes: all or none are kept",
				e.Server).
				WithHint(env.Hint("Look before you run it again; with --idempotency-key a repeated call adds " +
					"nothing twice"))
			u.Details = []Detail{{Message: env.Cause(e.Err)}}
			return u
		}),
		ofType(refused),
		ofType(wrongAddress),
		ofType(func(env *Env, e *kv.NotMigratedError) *Error {
			if e.Found == 0 {
				return env.Fail(Unavailable, "There is no store in the database yet: %s", e.Server).
					WithHint(env.Hint("A role that may create tables prepares it: techo store migrate"))
			}
			return env.Fail(Unavailable, "The store in the database has format %d, this techo needs %d: %s", e.Found,
				e.Needed, e.Server).
				WithHint(env.Hint("Back it up with the earlier version or with pg_dump, then run: " +
					"techo store migrate"))
		}),
		ofType(func(env *Env, e *kv.UnfinishedError) *Error {
			return env.Fail(Unavailable, "A copy into the store has not finished: %s", e.Server).
				WithHint(env.Hint("Wait for it. If it was interrupted, run it again: techo store copy FROM %s",
					ShellWord(e.Server)))
		}),
	}
}

// later completes the error of a call that may succeed later.
func later(env *Env, e *Error, why error) *Error {
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
	message, hint := Text("This store has no folder: %s"), Text("Name a folder: --store DIR")
	switch e.Feature {
	case ledger.FeatureCompaction:
		message, hint = "This store has no compaction: %s", "A database compacts itself (VACUUM); nothing is to be done"
	case ledger.FeatureRestore:
		message, hint = "This store has no restore: %s", "Restore into a folder, then copy it: techo store copy FROM TO"
	case ledger.FeatureRescue:
		message, hint = "This store has no rescue: %s", "Restore it from a backup"
	}
	return env.Fail(Unavailable, message, e.Store).WithHint(env.Hint(hint))
}
