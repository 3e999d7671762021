package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"techo/store/kv"
)

// timeline is the order in time of all memories of a user, or of those of one
// session: runs of up to 128 in one value, under the key of the first.
//
//	moments   as many times: difference of the time, unsigned varint;
//	          number of the text, length of the id, unsigned varints; id
type timeline struct{ user, session uint32 }

const momentsPerRun = 128

func (l timeline) prefix() []byte {
	return binary.BigEndian.AppendUint32(userSpace("pl", l.user), l.session)
}

func (l timeline) key(m moment) []byte {
	return binary.BigEndian.AppendUint32(l.timeKey(m.at), m.text)
}

// timeKey is where the moments of a time begin.
func (l timeline) timeKey(at int64) []byte {
	return binary.BigEndian.AppendUint64(l.prefix(), uint64(at)^1<<63) // negative ones first
}

func appendMoments(b []byte, ms []moment) []byte {
	before := ms[0].at
	for _, m := range ms {
		b = binary.AppendUvarint(b, uint64(m.at-before))
		b = binary.AppendUvarint(b, uint64(m.text))
		b = binary.AppendUvarint(b, uint64(len(m.id)))
		b = append(b, m.id...)
		before = m.at
	}
	return b
}

func (l timeline) read(key, b []byte) (ms []moment, err error) {
	prefix := len(l.prefix())
	if len(key) != prefix+12 {
		return nil, bad("timeline %q: not a key of one", key)
	}
	before := int64(binary.BigEndian.Uint64(key[prefix:]) ^ 1<<63)
	for len(b) > 0 {
		var v [3]uint64
		for i := range v {
			n, w := binary.Uvarint(b)
			if w <= 0 {
				return nil, bad("timeline %q: not well formed", key)
			}
			v[i], b = n, b[w:]
		}
		if v[2] > uint64(len(b)) {
			return nil, bad("timeline %q: not well formed", key)
		}
		before += int64(v[0])
		ms = append(ms, moment{before, uint32(v[1]), string(b[:v[2]])})
		b = b[v[2]:]
	}
	return ms, nil
}

// runAt returns the run that a moment belongs into: the last one that begins
// before it, else the first. The key is nil when there is none.
func (l timeline) runAt(tx kv.Tx, m moment) (key []byte, ms []moment, err error) {
	for _, r := range []kv.Range{
		{Prefix: l.prefix(), From: l.key(m), Reverse: true},
		{Prefix: l.prefix()},
	} {
		for item, err := range tx.Scan(r) {
			if err != nil {
				return nil, nil, err
			}
			b, err := item.Value()
			if err != nil {
				return nil, nil, err
			}
			key = bytes.Clone(item.Key)
			ms, err = l.read(key, b)
			return key, ms, err
		}
	}
	return nil, nil, nil
}

// after returns where the run behind a key begins, nil at the end.
func (l timeline) after(tx kv.Tx, key []byte) ([]byte, error) {
	for item, err := range tx.Scan(kv.Range{Prefix: l.prefix(), From: append(bytes.Clone(key), 0)}) {
		if err != nil {
			return nil, err
		}
		return bytes.Clone(item.Key), nil
	}
	return nil, nil
}

// insert puts moments, in order, into the line.
func (l timeline) insert(tx kv.Tx, ms []moment) error {
	for len(ms) > 0 {
		key, run, err := l.runAt(tx, ms[0])
		if err != nil {
			return err
		}
		n := len(ms)
		if key != nil {
			next, err := l.after(tx, key)
			if err != nil {
				return err
			}
			if next != nil {
				n, _ = slices.BinarySearchFunc(ms, next, func(m moment, next []byte) int { return bytes.Compare(l.key(m), next) })
			}
		}
		last := n == len(ms) && (len(run) == 0 || run[len(run)-1].compare(ms[0]) < 0)
		run = append(run, ms[:n]...)
		slices.SortFunc(run, moment.compare)
		ms = ms[n:]
		if err := l.write(tx, key, run, last); err != nil {
			return err
		}
	}
	return nil
}

// write puts runs of moments in the place of the one under key. At the end of
// a line, which grows there, runs are full.
func (l timeline) write(tx kv.Tx, key []byte, run []moment, last bool) error {
	if key != nil && (len(run) == 0 || !bytes.Equal(key, l.key(run[0]))) {
		if err := tx.Delete(key); err != nil {
			return err
		}
	}
	share := momentsPerRun
	if parts := (len(run) + share - 1) / share; !last && parts > 1 {
		share = (len(run) + parts - 1) / parts
	}
	for part := range slices.Chunk(run, share) {
		if err := tx.Put(l.key(part[0]), appendMoments(nil, part)); err != nil {
			return err
		}
	}
	return nil
}

// remove takes a moment out of the line.
func (l timeline) remove(tx kv.Tx, m moment) error {
	key, run, err := l.runAt(tx, m)
	if err != nil {
		return err
	}
	i, found := slices.BinarySearchFunc(run, m, moment.compare)
	if !found {
		return bad("memory %s: not in its timeline", m.id)
	}
	return l.write(tx, key, slices.Delete(run, i, i+1), true)
}

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// runs hands over the runs from a time on, or with back from the last one
// before a time; from nil is the beginning or the end.
func (l timeline) runs(tx kv.Tx, from *int64, back bool, use func([]moment) error) error {
	r := kv.Range{Prefix: l.prefix(), Reverse: back}
	if from != nil && back {
		r.From = l.timeKey(*from)
	}
	if from != nil && !back {
		if key, _, err := l.runAt(tx, moment{at: *from}); err != nil {
			return err
		} else if key != nil {
			r.From = key // the moment may lie within it
		}
	}
	for item, err := range tx.Scan(r) {
		if err != nil {
			return err
		}
		b, err := item.Value()
		if err != nil {
			return err
		}
		ms, err := l.read(item.Key, b)
		if err == nil {
			err = use(ms)
		}
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// span is a time from since, before until; nil is without end.
type span struct{ since, until *int64 }

func (s span) all() bool { return s.since == nil && s.until == nil }

func (s span) has(at int64) bool {
	return (s.since == nil || at >= *s.since) && (s.until == nil || at < *s.until)
}

// within hands over the moments of a span, the earliest first, or with back the
// latest first.
func (l timeline) within(tx kv.Tx, s span, back bool, use func(moment) error) error {
	from := s.since
	if back {
		from = s.until
	}
	return l.runs(tx, from, back, func(ms []moment) error {
		if back {
			slices.Reverse(ms)
		}
		for _, m := range ms {
			beyond := !back && s.until != nil && m.at >= *s.until || back && s.since != nil && m.at < *s.since
			if beyond {
				return errEnough
			}
			if !s.has(m.at) {
				continue
			}
			if err := use(m); err != nil {
				return err
			}
		}
		return nil
	})
}
