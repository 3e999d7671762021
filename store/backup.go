package store

import (
	"context"
	"io"
	"os"
	"strings"

	"techo/store/kv"
)

// Backup writes the whole store as it is at one moment, while others work. It
// returns the number of records.
func (s *Store) Backup(ctx context.Context, to io.Writer) (int64, error) {
	return kv.WriteBackup(ctx, s.engine, to)
}

// NotEmptyError says that a store holds something that a restore would hide.
type NotEmptyError struct{ Path string }

func (e *NotEmptyError) Error() string { return e.Path + ": not empty" }

// Restore puts a backup in the place of the store at a folder. It refuses one
// that is not empty; with force that one is kept beside it, at aside.
func Restore(ctx context.Context, where, backup string, force bool, opts Options) (records int64, aside string, err error) {
	if scheme, _, ok := strings.Cut(where, "://"); ok {
		return 0, "", &NoEngineError{scheme}
	}
	if _, err := os.Stat(backup); err != nil {
		return 0, "", err
	}
	if !isEmpty(ctx, where) {
		if !force {
			return 0, "", &NotEmptyError{where}
		}
		aside = where + ".before-" + opts.Now().UTC().Format("20060102T150405.000Z")
	}
	records, err = kv.Restore(ctx, where, backup, aside, opts.Holder)
	return records, aside, err
}

// isEmpty reports whether nothing would be lost with a store. One that cannot
// be read may hold something.
func isEmpty(ctx context.Context, where string) bool {
	if _, err := os.Stat(where); os.IsNotExist(err) {
		return true
	}
	engine, err := kv.Open(where, kv.Options{})
	if err != nil {
		return false
	}
	defer engine.Close()
	empty := true
	err = engine.View(ctx, func(tx kv.Tx) error {
		for _, err := range tx.Scan(kv.Range{}) {
			empty = false
			return err
		}
		return nil
	})
	return empty && err == nil
}
