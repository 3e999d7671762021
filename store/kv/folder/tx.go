package folder

import (
	"context"
	"errors"
	"iter"
	"runtime/debug"

	"techo/store/kv"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

// localTx is a transaction of Engine. It reads an immutable state of its own.
type localTx struct {
	ctx      context.Context
	write    bool
	writes   memtable         // this transaction's writes
	memtable memtable         // the journal's records when it began
	number   uint64           // of the journal's transactions then
	read     map[string]entry // what ReadMany has read last
	readSize int              // of it in bytes
	tables   *sharedTables    // nil without a store
	locked   bool             // it has the store's lock, or had it when it opened the tables
	early    bool             // the tables have more than its state
	leave    func()           // runs at its end; may be nil
	ended    bool
}

func (tx *localTx) end() {
	if tx.ended {
		return
	}
	tx.ended = true
	tx.tables.release()
	if tx.leave != nil {
		tx.leave()
	}
}

// outdated reports whether the transaction has to run again, on a newer state.
func (tx *localTx) outdated() bool { return tx.early || tx.tables.outdated() }

// openAll opens all files of the state. From then on it cannot become outdated.
func (tx *localTx) openAll() error {
	t, err := tx.tables.open(tx)
	if err != nil {
		return err
	}
	return t.OpenAll()
}

// run runs fn and ends the transaction. A value that fn has from Peek is read from the disk again if the system has
// dropped it from memory meanwhile; a failure of that is a CorruptError.
func (tx *localTx) run(fn func(kv.Tx) error) (err error) {
	defer tx.end()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		broken, ok := r.(interface{ Addr() uintptr })
		if !ok {
			panic(r)
		}
		path := tx.tables.mapping(broken.Addr())
		if path == "" {
			panic(r)
		}
		err = kv.Corrupt(path, kv.OtherDamage, r)
	}()
	return fn(tx)
}

// payload returns the operations of the transaction, in the order of their keys. A large
// one is allocated once: growing it would touch several times as much memory.
func (tx *localTx) payload() []byte {
	size := 0
	for it := tx.writes.keys.Iter(); it.Next(); {
		size += journal.MaxOperation + len(it.Key()) + len(it.Value().value)
	}
	p := make([]byte, 0, size)
	for it := tx.writes.keys.Iter(); it.Next(); {
		if e := it.Value(); e.deleted {
			p = journal.AppendDelete(p, []byte(it.Key()))
		} else {
			p = journal.AppendPut(p, []byte(it.Key()), e.value)
		}
	}
	return p
}

func (tx *localTx) Context() context.Context { return tx.ctx }

func (tx *localTx) Get(key []byte) ([]byte, error) { return tx.get(key, false) }

// Peek implements Peeker: the value may lie in the mapped file of a table.
func (tx *localTx) Peek(key []byte) ([]byte, error) { return tx.get(key, true) }

// Peeks implements Peeker.
func (tx *localTx) Peeks() bool { return true }

func (tx *localTx) get(key []byte, peek bool) ([]byte, error) {
	if tx.ended {
		return nil, kv.ErrClosed
	}
	e, ok := tx.writes.keys.Get(string(key))
	if !ok {
		e, ok = tx.read[string(key)]
	}
	if !ok {
		e, ok = tx.memtable.keys.Get(string(key))
	}
	if ok {
		return e.get()
	}
	t, err := tx.tables.open(tx)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, kv.ErrNotFound
	}
	return t.Get(key, peek)
}

// keptReads is the number of bytes that ReadMany keeps: a long transaction reads the whole store.
const keptReads = 8 << 20

// getMany gets one value after the other, and keeps them: a caller that reads many keys together often
// gets them once more where it needs them. Without that an import of a calendar that is there takes 1.3 times as long.
func (tx *localTx) getMany(keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	if tx.read == nil || tx.readSize > keptReads {
		tx.read, tx.readSize = make(map[string]entry, len(keys)), 0
	}
	for i, key := range keys {
		v, err := tx.Get(key)
		switch {
		case errors.Is(err, kv.ErrNotFound):
		case err != nil:
			return nil, err
		case v == nil:
			values[i] = []byte{}
		default:
			values[i] = v
		}
		tx.read[string(key)] = entry{v, err != nil}
		tx.readSize += len(key) + len(v)
	}
	return values, nil
}

// ReadMany reads one after the other.
func (tx *localTx) ReadMany(keys [][]byte, ranges []kv.Range) (values [][]byte, items [][]kv.Pair, err error) {
	if values, err = tx.getMany(keys); err != nil {
		return nil, nil, err
	}
	items = make([][]kv.Pair, len(ranges))
	for i, r := range ranges {
		if items[i], err = kv.Collect(tx.Scan(r), r); err != nil {
			return nil, nil, err
		}
	}
	return values, items, nil
}

func (tx *localTx) Put(key, value []byte) error {
	if len(value) > kv.MaxValue {
		return &kv.TooLargeError{What: "value", Size: len(value), Max: kv.MaxValue}
	}
	return tx.set(journal.OpPut, key, value)
}

func (tx *localTx) Delete(key []byte) error { return tx.set(journal.OpDelete, key, nil) }

func (tx *localTx) set(op byte, key, value []byte) error {
	switch {
	case tx.ended:
		return kv.ErrClosed
	case !tx.write:
		return errors.New("store: write in a View")
	case len(key) == 0 || len(key) > kv.MaxKey:
		return &kv.TooLargeError{What: "key", Size: len(key), Max: kv.MaxKey}
	}
	tx.writes.apply(op, key, value)
	return nil
}

func (tx *localTx) Scan(r kv.Range) iter.Seq2[kv.Item, error] {
	return merge(r, func(start []byte, back bool) ([]sst.Iterator, error) {
		if tx.ended {
			return nil, kv.ErrClosed
		}
		iterators := []sst.Iterator{tx.writes.Iterator(start, back), tx.memtable.Iterator(start, back)}
		t, err := tx.tables.open(tx)
		if err == nil && t != nil {
			iterators = append(iterators, t.Iterators(start, back)...)
		}
		return iterators, err
	})
}
