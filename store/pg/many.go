package pg

import (
	"fmt"

	"techo/store/kv"
)

// ReadMany sends all reads at once. What a range has beyond its first page follows.
func (t *tx) ReadMany(keys [][]byte, ranges []kv.Range) (values [][]byte, items [][]kv.Pair, err error) {
	t.forget()
	statements, pages := t.gets(t.unknown(keys)), map[rangeKey]*page{}
	similar := map[shape][]kv.Range{}
	for _, r := range ranges {
		key := keyOfRange(r)
		if _, known := t.pages[key]; known || pages[key] != nil {
			continue
		}
		pages[key] = &page{}
		if s, ok := shapeOf(r); ok {
			similar[s] = append(similar[s], r)
		} else {
			statements = append(statements, pages[key].read(t, r, sizeOfFirst(r)))
		}
	}
	for s, all := range similar {
		statements = append(statements, t.firstPages(s, all, pages))
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

// shape is what short ranges have in common that one statement reads.
type shape struct {
	reverse, keysOnly bool
	limit             int
}

// shapeOf returns the shape of a range that has no bounds but a prefix, and few keys.
func shapeOf(r kv.Range) (s shape, ok bool) {
	ok = r.From == nil && r.To == nil && 0 < r.Limit && r.Limit <= firstPage && kv.Successor(r.Prefix) != nil
	return shape{r.Reverse, r.KeysOnly, r.Limit}, ok
}

// firstPages returns the statement that reads the only pages of ranges of one shape.
func (t *tx) firstPages(s shape, ranges []kv.Range, pages map[rangeKey]*page) statement {
	if len(ranges) == 1 {
		return pages[keyOfRange(ranges[0])].read(t, ranges[0], s.limit)
	}
	value, order := valueOf(s.keysOnly), ""
	if s.reverse {
		order = " DESC"
	}
	var low, high [][]byte
	by := map[string]*page{}
	for _, r := range ranges {
		low, high = append(low, r.Prefix), append(high, kv.Successor(r.Prefix))
		by[string(r.Prefix)] = pages[keyOfRange(r)]
		by[string(r.Prefix)].last = true
	}
	return statement{
		sql: "SELECT n.low, a.key, a.value FROM unnest($2, $3) AS n(low, high), LATERAL (SELECT r.key, " + value +
			" AS value FROM techo_records r WHERE r.space = $1 AND r.key >= n.low AND r.key < n.high" +
			fmt.Sprintf(" ORDER BY r.key%s LIMIT %d) AS a ORDER BY n.low, a.key%s", order, s.limit, order),
		args: []argument{text(t.engine.space), many(low), many(high)},
		use: func(row [][]byte) error {
			p := by[string(row[0])]
			p.items = append(p.items, pairOf(row[1:]))
			p.last = len(p.items) < s.limit
			return nil
		},
	}
}
