package pg_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/pg"
)

// increment adds one to the number under a key.
func increment(tx kv.Tx, key string) error {
	n := 0
	values, err := kv.GetMany(tx, [][]byte{[]byte(key)})
	if err == nil && values[0] != nil {
		_, err = fmt.Sscan(string(values[0]), &n)
	}
	if err != nil {
		return err
	}
	return tx.Put([]byte(key), fmt.Append(nil, n+1))
}

func wantCount(t *testing.T, e *pg.Engine, want string) {
	t.Helper()
	err := e.View(t.Context(), func(tx kv.Tx) error {
		b, err := tx.Get([]byte("count"))
		if err == nil && string(b) != want {
			t.Errorf("count %s, want %s", b, want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOneWriter lets writers of several processes, some without reads, add records and
// count them. No transaction runs twice.
func TestOneWriter(t *testing.T) {
	const engines, writers, each = 3, 8, 10
	address := newAddress(t)
	var mu sync.Mutex
	ran := 0
	var all sync.WaitGroup
	for range engines {
		e := open(t, address, pg.Options{Write: true})
		for w := range writers {
			all.Go(func() {
				for range each {
					err := e.Update(t.Context(), func(tx kv.Tx) error {
						mu.Lock()
						ran++
						mu.Unlock()
						if w == 0 {
							return tx.Put([]byte("blind"), nil)
						}
						return increment(tx, "count")
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	if ran != engines*writers*each {
		t.Errorf("%d transactions ran %d times", engines*writers*each, ran)
	}
	wantCount(t, open(t, address, pg.Options{}), fmt.Sprint(engines*(writers-1)*each))
}

// TestStoppedWriter stops a client while it holds the lock: the database ends its transaction,
// and others go on. When it continues, its transaction runs again.
func TestStoppedWriter(t *testing.T) {
	address := newAddress(t)
	stopped := open(t, address+"&statement_timeout=300", pg.Options{Write: true})
	other := open(t, address, pg.Options{Write: true})
	runs := 0
	err := stopped.Update(t.Context(), func(tx kv.Tx) error {
		runs++
		if err := increment(tx, "count"); err != nil || runs > 1 {
			return err
		}
		return other.Update(t.Context(), func(tx kv.Tx) error { return increment(tx, "count") })
	})
	if err != nil || runs != 2 {
		t.Errorf("%d runs: %v", runs, err)
	}
	wantCount(t, other, "2")
}

// TestBusyLock waits for a writer that goes on for longer than calls wait.
func TestBusyLock(t *testing.T) {
	address := newAddress(t)
	admin, err := pgconn.Connect(t.Context(), withoutNamespace(t, address))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	sql := "BEGIN; SELECT 1 FROM techo_stores WHERE space = '" + namespaceOf(t, address) + "' FOR UPDATE"
	if _, err := admin.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
	e := open(t, address, pg.Options{Write: true})
	pg.SetWait(e, 100)
	for name, fn := range map[string]func(kv.Tx) error{
		"reads":  func(tx kv.Tx) error { return increment(tx, "count") },
		"writes": func(tx kv.Tx) error { return tx.Put([]byte("blind"), nil) },
	} {
		if err := e.Update(t.Context(), fn); !errors.As(err, new(*kv.ContentionError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoStore writes to a place that has tables, but no store.
func TestNoStore(t *testing.T) {
	newAddress(t)
	e := open(t, testenv.Database(t), pg.Options{Write: true})
	err := e.Update(t.Context(), func(tx kv.Tx) error { return tx.Put([]byte("a"), nil) })
	if !errors.As(err, new(*kv.NotMigratedError)) {
		t.Error(err)
	}
}

// TestLeaderEnds cancels the call that leads a batch while it waits for the lock: a call that
// shares its transaction is done by another one.
func TestLeaderEnds(t *testing.T) {
	address := newAddress(t)
	e, other := open(t, address, pg.Options{Write: true}), open(t, address, pg.Options{Write: true})
	ctx, cancel := context.WithCancel(t.Context())
	var both sync.WaitGroup
	err := other.Update(t.Context(), func(tx kv.Tx) error {
		if err := increment(tx, "count"); err != nil { // which takes the lock
			return err
		}
		ended := make(chan struct{})
		both.Go(func() {
			defer close(ended)
			err := e.Update(ctx, func(tx kv.Tx) error { return increment(tx, "count") })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
		})
		testenv.Eventually(t, func() bool { return pg.Leads(e) })
		both.Go(func() {
			if err := e.Update(t.Context(), func(tx kv.Tx) error { return increment(tx, "count") }); err != nil {
				t.Error(err)
			}
		})
		cancel()
		<-ended // otherwise it may get the lock before it hears of its end
		return nil
	})
	both.Wait()
	if err != nil {
		t.Error(err)
	}
	wantCount(t, other, "2")
}
