package pg

import (
	"bytes"
	"slices"

	"techo/store/kv"
)

// knownRange is a range that was announced and read.
type knownRange struct {
	kv.Range
	items []pair // in the order of the range
}

// rangeKey is a range that can be compared.
type rangeKey struct {
	prefix, from, to  string
	fromNil, toNil    bool
	reverse, keysOnly bool
	limit             int
}

func keyOfRange(r kv.Range) rangeKey {
	return rangeKey{string(r.Prefix), string(r.From), string(r.To), r.From == nil, r.To == nil,
		r.Reverse, r.KeysOnly, r.Limit}
}

// Prefetch sends all announced reads at once, each once.
func (t *tx) Prefetch(reads func() kv.Reads) error {
	if t.ended.Load() || t.err != nil || t.complete {
		return t.err
	}
	forget(t)
	wanted := reads()
	seen := map[rangeKey]bool{}
	ranges := slices.DeleteFunc(wanted.Ranges, func(r kv.Range) bool {
		key := keyOfRange(r)
		repeated := seen[key]
		seen[key] = true
		return repeated || !mayAnnounce(r) || knows(t, r)
	})
	statements := t.gets(t.unknown(wanted.Keys))
	for _, l := range wanted.Linked {
		if l.Key != nil || mayAnnounce(l.Range) {
			statements = append(statements, linked(t, l))
		}
	}
	for _, r := range ranges {
		statements = append(statements, announced(t, r))
	}
	last := t.alone && wanted.All && len(statements) > 0
	if last {
		statements = append(statements, statement{sql: "COMMIT"})
	}
	err := t.read(statements)
	t.complete = last && err == nil
	return err
}

// ReadMany sends all reads at once.
func (t *tx) ReadMany(keys [][]byte, ranges []kv.Range) (values [][]byte, items [][]kv.Pair, err error) {
	forget(t)
	statements := t.gets(t.unknown(keys))
	for _, r := range ranges {
		if !mayAnnounce(r) {
			r.Limit = firstPage // Scan reads the others
		}
		if !knows(t, r) {
			statements = append(statements, announced(t, r))
		}
	}
	if err := t.read(statements); err != nil {
		return nil, nil, err
	}
	if items, err = kv.CollectEach(t, ranges); err != nil {
		return nil, nil, err
	}
	values = make([][]byte, len(keys))
	for i, key := range keys {
		if v, _ := t.local(key); v.found && v.bytes == nil {
			values[i] = []byte{}
		} else {
			values[i] = v.bytes
		}
	}
	return values, items, nil
}

// linked returns the statement for linked reads.
func linked(t *tx, l kv.Linked) statement {
	const value = "(SELECT b.value FROM techo_records b WHERE b.space = $1 AND b.key = $2::bytea || a.value)"
	use := func(row [][]byte) {
		t.remember(row[0], row[1], true)
		t.remember(append(bytes.Clone(l.Prefix), row[1]...), row[2], row[2] != nil)
	}
	if l.Key != nil {
		if _, known := t.known[string(l.Key)]; !known {
			t.remember(l.Key, nil, false)
		}
		return statement{
			sql:  "SELECT a.key, a.value, " + value + " FROM techo_records a WHERE a.space = $1 AND a.key = $3",
			args: []argument{text(t.engine.space), blob(l.Prefix), blob(l.Key)},
			use:  func(row [][]byte) error { use(row); return nil },
		}
	}
	t.ranges = append(t.ranges, knownRange{Range: l.Range})
	i := len(t.ranges) - 1
	s := statement{args: []argument{text(t.engine.space), blob(l.Prefix)}}
	s.sql = "SELECT a.key, a.value, " + value + " FROM techo_records a WHERE a.space = $1" + s.within(l.Range, nil)
	s.use = func(row [][]byte) error {
		use(row)
		known := &t.ranges[i]
		known.items = append(known.items, pair{bytes.Clone(row[0]), bytes.Clone(row[1])})
		return nil
	}
	return s
}

// announced returns the statement for a range that was announced.
func announced(t *tx, r kv.Range) statement {
	t.ranges = append(t.ranges, knownRange{Range: r})
	i := len(t.ranges) - 1
	return pageOf(t, r, nil, func(p pair) {
		t.ranges[i].items = append(t.ranges[i].items, p)
		if p.value != nil {
			t.note(p.key, value{p.value, true})
		}
	})
}

// maxKeys is the largest limit of an announced range without values.
const maxKeys = 1 << 15

// mayAnnounce reports whether a range is small enough to be read at once.
func mayAnnounce(r kv.Range) bool {
	return r.Limit > 0 && (r.Limit <= maxPage || r.KeysOnly && r.Limit <= maxKeys)
}

// knows reports whether a scan of a range needs no reads.
func knows(t *tx, r kv.Range) bool {
	items, last, ok := announcedItems(t, r)
	return ok && (last || r.Limit > 0 && len(items) >= r.Limit)
}

// announcedItems returns the first rows of a range that was announced, perhaps as a
// part of another one; last is true if the range has no others.
func announcedItems(t *tx, r kv.Range) (items []pair, last, ok bool) {
	if t.ended.Load() || t.err != nil {
		return nil, false, false // read reports it
	}
	for _, k := range t.ranges {
		if part, all, has := k.part(r); has && (!ok || len(part) > len(items) || all) {
			items, last, ok = part, all, true
		}
	}
	return items, last, ok
}

// part returns the rows of the known range from the start of another one on; ok is
// false if it does not have them.
func (k *knownRange) part(r kv.Range) (items []pair, last, ok bool) {
	switch {
	case k.Reverse != r.Reverse, k.KeysOnly && !r.KeysOnly, !bytes.Equal(k.Prefix, r.Prefix),
		!bytes.Equal(k.To, r.To), (k.To == nil) != (r.To == nil), r.From == nil && k.From != nil:
		return nil, false, false
	}
	last = len(k.items) < k.Limit
	if r.From == nil {
		return k.items, last, true
	}
	before := func(key, other []byte) bool {
		order := bytes.Compare(key, other)
		return order != 0 && r.Reverse == (order > 0)
	}
	if k.From != nil && before(r.From, k.From) {
		return nil, false, false
	}
	i := slices.IndexFunc(k.items, func(p pair) bool { return !before(p.key, r.From) })
	if i < 0 {
		return nil, last, last
	}
	return k.items[i:], last, true
}
