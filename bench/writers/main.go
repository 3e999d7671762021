// Writers measures how many transactions per second goroutines of one process
// commit. A transaction resembles `memo add`: a record of 200 bytes and four
// keys of indexes. With -engine it selects techo's engine or a Badger database that
// syncs every write.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"techo/store/kv"
)

// engine commits a transaction that puts pairs of keys and values.
type engine interface {
	put(pairs [][2][]byte) error
	Close() error
}

// engines open a folder.
var engines = map[string]func(dir string) (engine, error){"techo": openTecho, "badger": openBadger}

func openTecho(dir string) (engine, error) {
	l, err := kv.Open(dir, kv.Options{Write: true})
	return techo{l}, err
}

type techo struct{ store *kv.Local }

func (e techo) put(pairs [][2][]byte) error {
	return e.store.Update(context.Background(), func(tx kv.Tx) error {
		for _, p := range pairs {
			if err := tx.Put(p[0], p[1]); err != nil {
				return err
			}
		}
		return nil
	})
}

func main() {
	name := flag.String("engine", "techo", "techo or badger")
	dir := flag.String("dir", "", "a new folder")
	goroutines := flag.Int("goroutines", 16, "number of writers")
	duration := flag.Duration("time", 3*time.Second, "how long to write")
	flag.Parse()
	if err := run(*name, *dir, *goroutines, *duration); err != nil {
		fmt.Fprintln(os.Stderr, "writers: error:", err)
		os.Exit(1)
	}
}

// Close closes the store.
func (e techo) Close() error { return e.store.Close() }

// run writes and prints the number of transactions per second.
func run(name, dir string, goroutines int, duration time.Duration) error {
	open, ok := engines[name]
	if !ok {
		return errors.New("no engine " + name)
	}
	e, err := open(dir)
	if err != nil {
		return err
	}
	var done atomic.Int64
	var failed atomic.Pointer[error]
	var writing sync.WaitGroup
	began := time.Now()
	for g := range goroutines {
		writing.Go(func() {
			for i := 0; time.Since(began) < duration && failed.Load() == nil; i++ {
				if err := e.put(memo(g, i)); err != nil {
					failed.Store(&err)
					return
				}
				done.Add(1)
			}
		})
	}
	writing.Wait()
	took := time.Since(began)
	if err := failed.Load(); err != nil {
		return errors.Join(*err, e.Close())
	}
	fmt.Printf("%.0f\n", float64(done.Load())/took.Seconds())
	return e.Close()
}

// memo returns the keys and values of one transaction.
func memo(goroutine, number int) (pairs [][2][]byte) {
	id := fmt.Sprintf("%02d-%08d", goroutine, number)
	pairs = append(pairs, [2][]byte{[]byte("memo/" + id), make([]byte, 200)})
	for _, index := range []string{"name/", "order/", "tag/", "time/"} {
		pairs = append(pairs, [2][]byte{[]byte(index + id), []byte(id)})
	}
	return pairs
}
