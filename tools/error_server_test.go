package tools

import (
	"errors"
	"testing"

	"techo/store/kv"
	"techo/store/ledger"
)

// TestServerErrors converts the errors of stores on a server.
func TestServerErrors(t *testing.T) {
	down := errors.New("down")
	wantErrors(t, []wantedError{
		{&kv.ContentionError{Err: down}, Busy, "Other calls are still writing", "Try again"},
		{&kv.UnavailableError{Server: "h", Err: down}, Upstream, "The database of the store does not answer: h", "Try"},
		{&kv.UnknownOutcomeError{Server: "h", Err: down}, Upstream, "The connection to h was lost",
			"--idempotency-key"},
		{&kv.RefusedError{Server: "h", Reason: kv.RefusedLogin}, Unavailable, "The database refused the login: h",
			"PGPASSWORD"},
		{&kv.RefusedError{Server: "h", Reason: kv.RefusedDatabase}, Unavailable, "There is no such database: h",
			"createdb"},
		{&kv.RefusedError{Server: "h", Reason: kv.RefusedPermission}, Forbidden, "The role may not do this", "team.md"},
		{&kv.RefusedError{Server: "h", Reason: kv.RefusedReadOnly}, Forbidden, "The database takes no changes: h",
			"primary"},
		{&kv.RefusedError{Server: "h", Reason: kv.RefusedSpace}, NoSpace, "The disk of the database is full: h",
			"Free some space"},
		{&kv.RefusedError{Server: "h", Reason: kv.RefusedTLS}, Unavailable, "There is no secure connection",
			"sslrootcert"},
		{&kv.ConnectionsError{Server: "h", Err: down}, Upstream, "The database of the store has no free connection: h",
			"pool_max_conns"},
		{&kv.SlowError{Server: "h", Err: down}, Timeout, "The database of the store stopped a statement",
			"statement_timeout"},
		{&kv.AddressError{Address: "h", Err: down}, InvalidInput, "This is not the address of a store: h",
			"postgres://"},
		{&kv.NotMigratedError{Server: "h", Needed: 2}, Unavailable, "There is no store in the database",
			"store migrate"},
		{&kv.NotMigratedError{Server: "h", Found: 1, Needed: 2}, Unavailable, "The store in the database has format 1",
			"pg_dump, then run: techo store migrate"},
		{&kv.UnfinishedError{Server: "h"}, Unavailable, "A copy into the store has not finished: h",
			"techo store copy FROM h"},
		{&ledger.NoFeatureError{Store: "h", Feature: ledger.FeatureCompaction}, Unavailable,
			"This store has no compaction", "VACUUM"},
		{&kv.AddressError{Address: "h", Setting: "namespace"}, InvalidInput, "This is not the address of a store: h",
			"postgres://"},
		{&kv.AddressError{Address: "h", Setting: "namspace", Unknown: true}, InvalidInput,
			"This is not the address of a store: h", "postgres://"},
		{&ledger.NoFeatureError{Store: "h", Feature: ledger.FeatureRestore}, Unavailable,
			"This store has no restore", "store copy"},
		{&ledger.NoFeatureError{Store: "h", Feature: ledger.FeatureRescue}, Unavailable,
			"This store has no rescue", "backup"},
		{&ledger.NoFeatureError{Store: "h", Feature: ledger.FeatureFolder}, Unavailable,
			"This store has no folder", "--store"},
	})
}
