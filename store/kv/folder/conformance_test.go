package folder_test

import (
	"math/rand/v2"
	"testing"

	"techo/store/kv"
	"techo/store/kv/folder"
	"techo/store/kv/kvtest"
)

// TestConformance runs the tests of all engines, with merges and compactions between
// the transactions.
func TestConformance(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(t testing.TB) kvtest.Store {
		dir := t.TempDir() + "/store"
		return kvtest.Store{
			Open: func(t testing.TB) kv.Engine {
				l, err := folder.Open(dir, folder.Options{Write: true})
				if err != nil {
					t.Fatal(err)
				}
				return l
			},
			Disturb: func(t testing.TB, r *rand.Rand, e kv.Engine) {
				disturb := e.(*folder.Engine).ForceMerge
				if r.IntN(2) == 0 {
					disturb = func() error { return e.(kv.Compacter).Compact(t.Context()) }
				}
				if err := disturb(); err != nil {
					t.Error(err)
				}
			},
		}
	})
}
