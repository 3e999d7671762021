package pg

import "techo/store/kv"

// GetMany returns the values under keys.
func (t *tx) GetMany(keys [][]byte) ([][]byte, error) {
	values, _, err := t.ReadMany(keys, nil)
	return values, err
}

// ReadMany sends all reads at once. What a range has beyond its first page follows.
func (t *tx) ReadMany(keys [][]byte, ranges []kv.Range) (values [][]byte, items [][]kv.Pair, err error) {
	forget(t)
	statements, pages := t.gets(t.unknown(keys)), map[rangeKey]*page{}
	for _, r := range ranges {
		key := keyOfRange(r)
		if _, known := t.pages[key]; !known && pages[key] == nil {
			pages[key] = &page{}
			statements = append(statements, pages[key].read(t, r, sizeOfFirst(r)))
		}
	}
	if err := t.read(statements); err != nil {
		return nil, nil, err
	}
	for _, r := range ranges {
		if p := pages[keyOfRange(r)]; p != nil {
			t.keep(r, *p)
		}
	}
	values = make([][]byte, len(keys))
	for i, key := range keys {
		if v, _ := t.local(key); v.found && v.bytes == nil {
			values[i] = []byte{}
		} else {
			values[i] = v.bytes
		}
	}
	items = make([][]kv.Pair, len(ranges))
	for i, r := range ranges {
		if items[i], err = kv.Collect(t.Scan(r), r); err != nil {
			return nil, nil, err
		}
	}
	return values, items, nil
}

// unknown returns the keys that were neither written nor read before, each once.
func (t *tx) unknown(keys [][]byte) (unknown [][]byte) {
	seen := map[string]bool{}
	for _, key := range keys {
		if _, known := t.local(key); !known && !seen[string(key)] {
			seen[string(key)] = true
			unknown = append(unknown, key)
		}
	}
	return unknown
}

// perGet is the number of keys of one statement.
const perGet = 4096

// gets returns the statements that read the values under keys, and notes the keys.
func (t *tx) gets(keys [][]byte) (all []statement) {
	for len(keys) > 0 {
		some := keys[:min(perGet, len(keys))]
		keys = keys[len(some):]
		all = append(all, statement{
			sql: "SELECT n.key, (SELECT r.value FROM techo_records r WHERE r.space = $1 AND r.key = n.key) " +
				"FROM unnest($2) AS n(key)",
			args: []argument{text(t.engine.space), many(some)},
			use:  func(row [][]byte) error { t.remember(row[0], row[1], row[1] != nil); return nil },
		})
		for _, key := range some {
			t.remember(key, nil, false)
		}
	}
	return all
}
