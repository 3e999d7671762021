package pg

import "sync"

// mostKept bounds what an engine keeps for later transactions, in bytes; perKept is counted for each value.
const (
	mostKept = 48 << 20
	perKept  = 128
)

// kept is what the transactions of an engine have kept.
type kept struct {
	mu    sync.Mutex
	areas map[string]*area
	bytes int
}

// drop drops everything.
func (k *kept) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.areas, k.bytes = nil, 0
}

type area struct {
	state  string
	values map[string][]byte
	bytes  int
}

// Keeps implements kv.Keeper. A transaction that writes may not be committed.
func (t *tx) Keeps() bool { return t.mode != modeUpdate }

// Kept implements kv.Keeper.
func (t *tx) Kept(of []byte, state string, keys [][]byte) (values [][]byte, unknown []int) {
	k := &t.engine.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	a := k.areas[string(of)]
	if a == nil || a.state != state {
		a = &area{}
	}
	values = make([][]byte, len(keys))
	for i, key := range keys {
		v, ok := a.values[string(key)]
		if values[i] = v; !ok {
			unknown = append(unknown, i)
		}
	}
	return values, unknown
}

// Keep implements kv.Keeper. Without room it drops all that was kept before.
func (t *tx) Keep(of []byte, state string, keys, values [][]byte) {
	size := 0
	for i, key := range keys {
		size += perKept + len(key) + len(values[i])
	}
	k := &t.engine.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	if a := k.areas[string(of)]; a != nil && a.state != state {
		k.bytes -= a.bytes
		delete(k.areas, string(of))
	}
	if k.areas == nil || k.bytes+size > mostKept {
		k.areas, k.bytes = map[string]*area{}, 0
	}
	if size > mostKept {
		return
	}
	a := k.areas[string(of)]
	if a == nil {
		a = &area{state: state, values: map[string][]byte{}}
		k.areas[string(of)] = a
	}
	for i, key := range keys {
		if old, ok := a.values[string(key)]; ok { // another transaction was faster
			size -= perKept + len(key) + len(old)
		}
		a.values[string(key)] = values[i]
	}
	a.bytes += size
	k.bytes += size
}
