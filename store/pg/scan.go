package pg

import (
	"bytes"
	"fmt"
	"iter"

	"techo/store/kv"
)

// A scan reads pages of keys. Pages grow, because a scan may end early.
const (
	firstPage = 200
	maxPage   = 4096
	pageBytes = 4 << 20  // aimed at
	largeFrom = 64 << 10 // larger values are read one by one
)

// pageOf returns the statement that reads the keys of a range, at most its limit, after a
// key that was read already.
func (t *tx) pageOf(r kv.Range, after []byte, use func(kv.Pair)) statement {
	s := statement{args: []argument{text(t.engine.space)}}
	s.sql = "SELECT key, " + valueOf(r.KeysOnly) + " FROM techo_records a WHERE space = $1" + s.within(r, after)
	s.use = func(row [][]byte) error {
		use(pairOf(row))
		return nil
	}
	return s
}

// valueOf returns the expression for the value of a row that is read with its key.
func valueOf(keysOnly bool) string {
	if keysOnly {
		return "NULL::bytea"
	}
	return fmt.Sprintf("CASE WHEN octet_length(value) <= %d THEN value END", largeFrom)
}

// pairOf returns a row that was read. The value is nil if it was not read with the key.
func pairOf(row [][]byte) kv.Pair {
	p := kv.Pair{Key: bytes.Clone(row[0])}
	if row[1] != nil {
		p.Value = append([]byte{}, row[1]...)
	}
	return p
}

// within adds the arguments of a range and returns its condition, order and limit.
func (s *statement) within(r kv.Range, after []byte) (sql string) {
	sql = s.bounds(r, after) + " ORDER BY a.key"
	if r.Reverse {
		sql += " DESC"
	}
	if r.Limit > 0 {
		sql += fmt.Sprintf(" LIMIT %d", r.Limit)
	}
	return sql
}

// bounds adds the arguments of a range and returns its condition.
func (s *statement) bounds(r kv.Range, after []byte) (sql string) {
	bound := func(operator string, key []byte) {
		s.args = append(s.args, blob(key))
		sql += fmt.Sprintf(" AND a.key %s $%d", operator, len(s.args))
	}
	if len(r.Prefix) > 0 {
		bound(">=", r.Prefix)
		if end := kv.Successor(r.Prefix); end != nil {
			bound("<", end)
		}
	}
	switch {
	case after != nil && r.Reverse:
		bound("<", after)
	case after != nil:
		bound(">", after)
	case r.From != nil && r.Reverse:
		bound("<=", r.From)
	case r.From != nil:
		bound(">=", r.From)
	}
	switch {
	case r.To != nil && r.Reverse:
		bound(">", r.To)
	case r.To != nil:
		bound("<", r.To)
	}
	return sql
}

type page struct {
	items []kv.Pair
	last  bool // no other one follows
}

// sizeOfFirst returns the number of keys of the first page of a range.
func sizeOfFirst(r kv.Range) int {
	if r.Limit > 0 && (r.Limit <= maxPage || r.KeysOnly && r.Limit <= maxKeys) {
		return r.Limit
	}
	return firstPage
}

// maxKeys is the largest first page of a range without values.
const maxKeys = 1 << 15

// read returns the statement that reads a page behind the last item that the page has.
func (p *page) read(t *tx, r kv.Range, size int) statement {
	var after []byte
	if len(p.items) > 0 {
		after = p.items[len(p.items)-1].Key
	}
	r.Limit = size
	p.items, p.last = nil, true
	return t.pageOf(r, after, func(item kv.Pair) {
		p.items = append(p.items, item)
		p.last = len(p.items) < size
	})
}

// Scan yields the keys of a range.
func (t *tx) Scan(r kv.Range) iter.Seq2[kv.Item, error] { return t.scan(r, t.kept(r)) }

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

// kept returns the first page of a range if it was read before.
func (t *tx) kept(r kv.Range) (p page) {
	if t.ended.Load() || t.err != nil {
		return p // read reports it
	}
	return t.pages[keyOfRange(r)]
}

// keep keeps the first page of a range for later scans.
func (t *tx) keep(r kv.Range, p page) {
	if t.pages == nil {
		t.pages = map[rangeKey]page{}
	}
	t.pages[keyOfRange(r)] = p
	for _, item := range p.items {
		t.size += len(item.Key) + len(item.Value)
	}
}

// scan is Scan with the first page, if it was read before. It merges the pages with the writes of
// the transaction.
func (t *tx) scan(r kv.Range, first page) iter.Seq2[kv.Item, error] {
	return func(yield func(kv.Item, error) bool) {
		left := r.Limit
		emit := func(p kv.Pair) bool {
			if !yield(t.item(p), nil) {
				return false
			}
			left--
			return left != 0
		}
		own, stop := iter.Pull(t.own(r))
		defer stop()
		mine, more := own()
		for p, err := range t.rows(r, first) {
			if err != nil {
				yield(kv.Item{}, err)
				return
			}
			for more && mine.before(p.Key, r.Reverse) {
				if !mine.deleted && !emit(mine.Pair) {
					return
				}
				mine, more = own()
			}
			replaced := more && bytes.Equal(mine.Key, p.Key)
			deleted := replaced && mine.deleted
			if replaced {
				p = mine.Pair
				mine, more = own()
			}
			if !deleted && !emit(p) {
				return
			}
		}
		for ; more; mine, more = own() {
			if !mine.deleted && !emit(mine.Pair) {
				return
			}
		}
	}
}

// item returns the item of a row. It reads a value that was not read with the key.
func (t *tx) item(p kv.Pair) kv.Item {
	return kv.Item{Key: p.Key, Source: kv.SourceFunc(func() ([]byte, error) {
		if p.Value != nil {
			return p.Value, nil
		}
		return t.Get(p.Key)
	})}
}

// ownWrite is a write of the transaction in a range.
type ownWrite struct {
	kv.Pair
	deleted bool
}

// before reports whether a scan meets the write before a key.
func (w ownWrite) before(key []byte, reverse bool) bool {
	c := bytes.Compare(w.Key, key)
	return c < 0 && !reverse || c > 0 && reverse
}

// own yields the writes of the transaction in a range, in its order.
func (t *tx) own(r kv.Range) iter.Seq[ownWrite] {
	return func(yield func(ownWrite) bool) {
		each := func(key string, w value) bool {
			k := []byte(key)
			if !bytes.HasPrefix(k, r.Prefix) || r.Ends(k) {
				return false
			}
			own := ownWrite{kv.Pair{Key: k, Value: w.bytes}, !w.found}
			if own.Value == nil {
				own.Value = []byte{}
			}
			return yield(own)
		}
		if !r.Reverse {
			start := r.From
			if bytes.Compare(start, r.Prefix) < 0 {
				start = r.Prefix
			}
			t.writes.Ascend(string(start), each)
			return
		}
		end := kv.Successor(r.Prefix)
		switch {
		case r.From != nil && (end == nil || bytes.Compare(r.From, end) < 0):
			t.writes.Descend(string(r.From), each)
		case end == nil:
			t.writes.Reverse(each)
		default:
			t.writes.Descend(string(end), func(key string, w value) bool {
				return key == string(end) || each(key, w)
			})
		}
	}
}

// rows yields the rows of a range without the writes of the transaction. p is the first page, if it
// was read before.
func (t *tx) rows(r kv.Range, p page) iter.Seq2[kv.Pair, error] {
	return func(yield func(kv.Pair, error) bool) {
		for size := sizeOfFirst(r); ; {
			for _, item := range p.items {
				if !yield(item, nil) {
					return
				}
			}
			if p.last {
				return
			}
			if len(p.items) > 0 {
				size = nextSize(size, p.items)
			}
			begins := len(p.items) == 0
			if begins {
				t.forget()
			}
			if err := t.read([]statement{p.read(t, r, size)}); err != nil {
				yield(kv.Pair{}, err)
				return
			}
			if begins {
				t.keep(r, p)
			}
		}
	}
}

// nextSize returns the number of keys of the next page.
func nextSize(size int, items []kv.Pair) int {
	bytes := 1
	for _, p := range items {
		bytes += len(p.Key) + len(p.Value)
	}
	return max(16, min(4*size, maxPage, pageBytes/(bytes/len(items)+1)))
}
