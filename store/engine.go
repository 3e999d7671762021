package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"techo/store/kv"
	"techo/store/pg"
)

// Feature is what some engines offer and others do not.
type Feature string

// The features.
const (
	FeatureCompaction Feature = "compaction"
	FeatureRestore    Feature = "restore"
	FeatureRescue     Feature = "rescue"
	FeatureFolder     Feature = "folder"
	FeatureMark       Feature = "mark"
)

// NoFeatureError reports that the engine of a store does not offer a feature.
type NoFeatureError struct {
	Store   string
	Feature Feature
}

func (e *NoFeatureError) Error() string { return fmt.Sprintf("store: %s: no %s", e.Store, e.Feature) }

// NoEngineError reports a store address whose engine this techo does not support.
type NoEngineError struct{ Engine string }

func (e *NoEngineError) Error() string { return "store: no engine for " + e.Engine }

// driver has the functions on one kind of store address. All but open may be nil.
type driver struct {
	exists  func(where string) bool // nil: opening fails unless the store exists
	open    func(where string, o Options) (kv.Engine, error)
	restore func(ctx context.Context, where, backup string, force bool, holder string) (kv.Restored, error)
	rescue  func(ctx context.Context, where string, replace bool, holder string,
		check func(fresh string, r kv.Rescued) error) (kv.Rescued, error)
}

// Shown returns the address of a store without a password, for messages.
func Shown(where string) string {
	if strings.Contains(where, "://") {
		return pg.Redacted(where)
	}
	return where
}

// HasPassword reports whether the address of a store contains a password.
func HasPassword(where string) bool { return strings.Contains(where, "://") && pg.HasPassword(where) }

// driverOf returns the driver for the address of a store: a folder or a URL.
func driverOf(where string) (driver, error) {
	scheme, _, isURL := strings.Cut(where, "://")
	switch {
	case isURL && slices.Contains(pg.Schemes(), scheme):
		return driver{open: openDatabase}, nil
	case isURL:
		return driver{}, &NoEngineError{scheme}
	}
	return driver{exists: kv.Exists, open: openLocal, restore: kv.Restore, rescue: kv.Rescue}, nil
}

// Exists reports whether there is a store at an address. A store that cannot be looked at is
// taken to exist, so that opening it reports the reason.
func Exists(where string) bool {
	d, err := driverOf(where)
	return err != nil || d.exists == nil || d.exists(where)
}

func openLocal(folder string, o Options) (kv.Engine, error) {
	return kv.Open(folder, kv.Options{Write: o.Write, Holder: o.Holder, Leaves: o.Leaves})
}

func openDatabase(address string, o Options) (kv.Engine, error) {
	from := pg.Options{Write: o.Write, Now: o.Now}
	if !o.Unfinished {
		from.Refuse = []byte(copyMark)
	}
	return pg.Open(address, from)
}

// offered returns an engine as the interface of a feature, or a NoFeatureError.
func offered[T any](s *Ledger, f Feature) (engine T, err error) {
	engine, ok := s.engine.(T)
	if !ok {
		return engine, &NoFeatureError{Shown(s.where), f}
	}
	return engine, nil
}

// folderOf returns the folder of a store.
func folderOf(s *Ledger) (string, error) {
	e, err := offered[kv.Folder](s, FeatureFolder)
	if err != nil {
		return "", err
	}
	return e.Folder(), nil
}
