//go:build !nobadger

package main

import "github.com/dgraph-io/badger/v4"

func openBadger(dir string) (engine, error) {
	db, err := badger.Open(badger.DefaultOptions(dir).WithSyncWrites(true).WithLogger(nil))
	return database{db}, err
}

type database struct{ *badger.DB }

func (d database) put(pairs [][2][]byte) error {
	return d.Update(func(tx *badger.Txn) error {
		for _, p := range pairs {
			if err := tx.Set(p[0], p[1]); err != nil {
				return err
			}
		}
		return nil
	})
}
