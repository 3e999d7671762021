package store

import (
	"context"
	"slices"
	"strings"

	"techo/internal/confine"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/folder"
	"techo/store/kv/rescue"
	"techo/store/pg"
)

// NoEngineError reports a store address whose engine this techo does not support.
type NoEngineError struct{ Engine string }

func (e *NoEngineError) Error() string { return "store: no engine for " + e.Engine }

// driver has the functions on one kind of store address. All but open may be nil.
type driver struct {
	exists  func(where string) bool // nil: opening fails unless the store exists
	open    func(where string, o Options) (kv.Engine, error)
	restore func(ctx context.Context, where string, backup confine.Place, force bool, holder string) (folder.Restored, error)
	rescue  func(ctx context.Context, where string, replace bool, holder string,
		check func(fresh string, r rescue.Rescued) error) (rescue.Rescued, error)
}

// Shown returns the address of a store without a password, for messages.
func Shown(where string) string {
	if InDatabase(where) {
		return pg.Redacted(where)
	}
	return where
}

// InDatabase reports whether the address of a store leads to a database.
func InDatabase(where string) bool { return strings.Contains(where, "://") }

// HasPassword reports whether the address of a store contains a password.
func HasPassword(where string) bool { return InDatabase(where) && pg.HasPassword(where) }

// driverOf returns the driver for the address of a store: a folder or a URL.
func driverOf(where string) (driver, error) {
	scheme, _, isURL := strings.Cut(where, "://")
	switch {
	case isURL && slices.Contains(pg.Schemes(), scheme):
		return driver{open: openDatabase}, nil
	case isURL:
		return driver{}, &NoEngineError{scheme}
	}
	return driver{exists: disk.Exists, open: openLocal, restore: folder.Restore, rescue: folder.Rescue}, nil
}

// Exists reports whether there is a store at an address. A store that cannot be looked at is
// taken to exist, so that opening it reports the reason.
func Exists(where string) bool {
	d, err := driverOf(where)
	return err != nil || d.exists == nil || d.exists(where)
}

func openLocal(dir string, o Options) (kv.Engine, error) {
	return folder.Open(dir, folder.Options{Write: o.Write, Holder: o.Holder})
}

func openDatabase(address string, o Options) (kv.Engine, error) {
	from := pg.Options{Write: o.Write, Now: o.Now}
	if !o.Unfinished {
		from.Refuse = []byte(copyMark)
	}
	return pg.Open(address, from)
}
