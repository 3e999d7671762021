package pg

import (
	"sync"

	"techo/store/kv"
)

// mostKept bounds what an engine keeps for later transactions, in bytes.
const mostKept = 32 << 20

// kept is what the transactions of an engine have kept.
type kept struct {
	mu    sync.Mutex
	all   map[string]keptPairs
	bytes int
}

type keptPairs struct {
	state string
	pairs []kv.Pair
	bytes int
}

// Kept implements kv.Keeper.
func (t *tx) Kept(key []byte) (state string, pairs []kv.Pair) {
	k := &t.engine.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	one := k.all[string(key)]
	return one.state, one.pairs
}

// Keep implements kv.Keeper. Without room it drops all that was kept before.
func (t *tx) Keep(key []byte, state string, pairs []kv.Pair) {
	one := keptPairs{state: state, pairs: pairs}
	for _, p := range pairs {
		one.bytes += len(p.Key) + len(p.Value)
	}
	if t.mode == modeUpdate || one.bytes > mostKept {
		return
	}
	k := &t.engine.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes -= k.all[string(key)].bytes
	if k.all == nil || k.bytes+one.bytes > mostKept {
		k.all, k.bytes = map[string]keptPairs{}, 0
	}
	k.all[string(key)] = one
	k.bytes += one.bytes
}
