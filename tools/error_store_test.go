package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"techo/internal/private"
	"techo/store/kv"
	"techo/store/ledger"
)

// TestStoreErrors converts each error of the store, also when it is wrapped.
func TestStoreErrors(t *testing.T) {
	long := &fs.PathError{Op: "open", Path: strings.Repeat("x", 5000), Err: syscall.ENAMETOOLONG}
	wantErrors(t, []wantedError{
		{&ledger.NotFoundError{Kind: ledger.KindMemo, Name: "a", Near: []string{"b"}}, NotFound, "memo not found: a",
			"'b'"},
		{&ledger.NotFoundError{Kind: ledger.KindMemo, Name: "a"}, NotFound, "memo not found: a", ""},
		{&ledger.TakenError{Kind: ledger.KindMemo, Name: "a"}, AlreadyExists, `The memo name "a"`, ""},
		{&ledger.LimitError{What: "tags", Max: 3, Got: 4}, LimitExceeded, "Too many tags: 4, at most 3", ""},
		{&ledger.ReusedKeyError{Key: "k"}, Conflict, `The idempotency key "k"`, "a new key"},
		{&kv.BusyError{PID: 7}, Busy, "The store is held", "Try again"},
		{&ledger.FindingError{Code: ledger.WrongIndex, Kind: ledger.KindMemo}, Corrupt,
			"The store does not read back as it was written: memo: an index", "store verify"},
		{&kv.CorruptError{Path: "p", Reason: kv.Reason{Code: kv.Missing}}, Corrupt,
			"The store does not read back as it was written: p: missing", "store verify"},
		{&kv.VersionError{Path: "p", Found: 9, Known: 2}, Unavailable, "A newer techo wrote p", "newer techo"},
		{&ledger.OutdatedError{Store: "p"}, Unavailable, "Another version of techo wrote the search index of p",
			"techo store migrate"},
		{&kv.TooLargeError{What: "value", Size: 9, Max: 8}, LimitExceeded, "Too large: 9 bytes, at most 8", ""},
		{&kv.NotFolderError{Path: "p"}, InvalidInput, "The store is a file, not a folder: p", "--store DIR"},
		{kv.ErrGone, Conflict, "The store's folder was removed", "Run it again"},
		{long, InvalidInput, "There can be no store there: xxx", "--store DIR"},
		{&private.Error{Path: "p", Reason: private.Writable}, Forbidden, "Other users may write to p", "chmod go-w p"},
		{&kv.NetworkError{Path: "p", Kind: "nfs"}, Unavailable, "The store would lie on a network", "--store DIR"},
		{syscall.EIO, Internal, "The disk reported an error: input/output error", "techo doctor"},
		{kv.ErrNoSpace, NoSpace, "The disk is full", "Free some space"},
		{fs.ErrPermission, Forbidden, "No permission for the store: permission denied", "--store DIR"},
	})
	if e := (&Env{}).storeError(errors.New("other")); e != nil {
		t.Errorf("another error: %+v", e)
	}
}

// wantedError is an error of the store and the error for a caller.
type wantedError struct {
	err     error
	code    Code
	message string // its beginning
	hint    string // a part of it
}

func wantErrors(t *testing.T, cases []wantedError) {
	t.Helper()
	for _, c := range cases {
		for _, err := range []error{c.err, fmt.Errorf("%w (%w)", context.Canceled, c.err)} {
			e := AsError(&Env{}, err)
			if e.Code != c.code || !strings.HasPrefix(e.Message, c.message) && err == c.err ||
				!strings.Contains(e.Hint, c.hint) || len(e.Message) > 400 {
				t.Errorf("%v: %+v", c.err, e)
			}
		}
		if e := AsError(&Env{Lang: Japanese}, c.err); e.Code != c.code || strings.HasPrefix(e.Message, c.message) {
			t.Errorf("in Japanese: %+v", e)
		}
	}
}
