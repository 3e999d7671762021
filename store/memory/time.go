package memory

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"techo/store/kv"
	"techo/store/ledger"
)

// Timeline is the index by time of all memories of a user, or of one session. A
// value holds up to 128 moments, under the key of the first.
//
//	moments   repeated: difference to the previous time, unsigned varint;
//	          number of the text, length of the id, unsigned varints; if the
//	          length has the flag 128, the order, unsigned varint; id
type Timeline struct{ User, Session uint32 }

const momentsPerRun = 128

// Moment is the creation of a memory.
type Moment struct {
	At    int64  // milliseconds since 1970
	Order uint32 // among the memories of one time; the number of the text unless that changed
	Text  uint32 // number in the search index
	ID    string
}

// ordered is the flag of a length for a moment whose order differs from its number.
// Ids are shorter.
const ordered = 1 << 7

func (m Moment) compare(o Moment) int {
	return cmp.Or(cmp.Compare(m.At, o.At), cmp.Compare(m.Order, o.Order))
}

func appendMoments(b []byte, ms []Moment) []byte {
	before := ms[0].At
	for _, m := range ms {
		b = binary.AppendUvarint(b, uint64(m.At-before))
		b = binary.AppendUvarint(b, uint64(m.Text))
		if m.Order == m.Text {
			b = binary.AppendUvarint(b, uint64(len(m.ID)))
		} else {
			b = binary.AppendUvarint(b, uint64(len(m.ID)|ordered))
			b = binary.AppendUvarint(b, uint64(m.Order))
		}
		b = append(b, m.ID...)
		before = m.At
	}
	return b
}

// ReadTimeline decodes a run of a timeline.
func ReadTimeline(key, b []byte) (l Timeline, ms []Moment, err error) {
	l, at, ok := TimelineOf(key)
	if !ok {
		return l, nil, ledger.Finding(ledger.UnknownKey, ledger.KindMemory, string(key), nil)
	}
	r, text := &ledger.FieldReader{B: b}, string(b) // one memory for all ids
	ms = make([]Moment, 0, momentsPerRun)
	for len(r.B) > 0 && r.Err == nil {
		at += int64(r.Number())
		m := Moment{At: at, Text: uint32(r.Number())}
		length := r.Number()
		m.Order = m.Text
		if length&ordered != 0 {
			m.Order = uint32(r.Number())
		}
		begin := len(b) - len(r.B)
		m.ID = text[begin : begin+len(r.Bytes(length&^ordered))]
		ms = append(ms, m)
	}
	if r.Err != nil {
		return l, nil, ledger.Finding(ledger.Unreadable, ledger.KindMemory, string(key), nil)
	}
	return l, ms, nil
}

// runAt returns the run in which a moment belongs: the last one that begins before
// the moment, else the first. key is nil in an empty timeline.
func (l Timeline) runAt(tx *ledger.Tx, m Moment) (key []byte, ms []Moment, err error) {
	upTo := l.upTo(m)
	upTo.Limit = 1
	for _, r := range []kv.Range{upTo, {Prefix: l.prefix(), Limit: 1}} {
		for p, err := range kv.Pairs(tx, r) {
			if err != nil {
				return nil, nil, err
			}
			key = bytes.Clone(p.Key)
			_, ms, err = ReadTimeline(key, p.Value)
			return key, ms, err
		}
	}
	return nil, nil, nil
}

// lastRun returns the range with the last run.
func (l Timeline) lastRun() kv.Range { return kv.Range{Prefix: l.prefix(), Reverse: true, Limit: 1} }

// upTo returns the range of the runs that begin at a moment or before it, backwards.
func (l Timeline) upTo(m Moment) kv.Range {
	return kv.Range{Prefix: l.prefix(), From: l.Key(m), Reverse: true}
}

// behind returns the range of the runs that begin after a moment.
func (l Timeline) behind(m Moment) kv.Range {
	return kv.Range{Prefix: l.prefix(), From: append(l.Key(m), 0)}
}

// after returns the key of the run behind the one under a key, in which a moment belongs, or
// nil at the end.
func (l Timeline) after(tx *ledger.Tx, m Moment, key []byte) ([]byte, error) {
	at := l.Key(m)
	if bytes.Compare(key, at) > 0 { // the first run
		at = key
	}
	next := kv.Range{Prefix: l.prefix(), From: append(bytes.Clone(at), 0), Limit: 1, KeysOnly: true}
	for item, err := range tx.Scan(next) {
		if err != nil {
			return nil, err
		}
		return bytes.Clone(item.Key), nil
	}
	return nil, nil
}

// runFor returns the run in which a moment belongs, as runAt does, and the key of the next run,
// nil at the end.
func (l Timeline) runFor(tx *ledger.Tx, m Moment) (key []byte, run []Moment, next []byte, err error) {
	for p, err := range kv.Pairs(tx, l.lastRun()) {
		if err != nil {
			return nil, nil, nil, err
		}
		key = bytes.Clone(p.Key)
		if _, run, err = ReadTimeline(key, p.Value); err != nil {
			return nil, nil, nil, err
		}
	}
	if bytes.Compare(key, l.Key(m)) <= 0 { // also in an empty timeline
		return key, run, nil, nil
	}
	key, run, err = l.runAt(tx, m)
	if err == nil && key != nil {
		next, err = l.after(tx, m, key)
	}
	return key, run, next, err
}

// insert adds sorted moments.
func (l Timeline) insert(tx *ledger.Tx, ms []Moment) error {
	for len(ms) > 0 {
		key, run, next, err := l.runFor(tx, ms[0])
		if err != nil {
			return err
		}
		n := len(ms)
		if next != nil {
			n, _ = slices.BinarySearchFunc(ms, next,
				func(m Moment, next []byte) int { return bytes.Compare(l.Key(m), next) })
		}
		last := n == len(ms) && (len(run) == 0 || run[len(run)-1].compare(ms[0]) < 0)
		run = append(run, ms[:n]...)
		slices.SortFunc(run, Moment.compare)
		ms = ms[n:]
		if err := l.write(tx, key, run, last); err != nil {
			return err
		}
	}
	return nil
}

// write replaces the run under key by runs of the moments. The runs at the end of
// a timeline, where it grows, are full.
func (l Timeline) write(tx *ledger.Tx, key []byte, run []Moment, last bool) error {
	if key != nil && (len(run) == 0 || !bytes.Equal(key, l.Key(run[0]))) {
		if err := tx.Delete(key); err != nil {
			return err
		}
	}
	share := momentsPerRun
	if parts := (len(run) + share - 1) / share; !last && parts > 1 {
		share = (len(run) + parts - 1) / parts
	}
	for part := range slices.Chunk(run, share) {
		if err := tx.Put(l.Key(part[0]), appendMoments(nil, part)); err != nil {
			return err
		}
	}
	return nil
}

// remove removes sorted moments.
func (l Timeline) remove(tx *ledger.Tx, ms []Moment) error {
	for len(ms) > 0 {
		key, run, err := l.runAt(tx, ms[0])
		if err != nil {
			return err
		}
		gone := 0
		left := slices.DeleteFunc(slices.Clone(run), func(m Moment) bool {
			removed := gone < len(ms) && m.compare(ms[gone]) == 0
			if removed {
				gone++
			}
			return removed
		})
		if gone == 0 {
			return ledger.Finding(ledger.NoIndexEntry, ledger.KindMemory, ms[0].ID, nil)
		}
		if err := l.write(tx, key, left, true); err != nil {
			return err
		}
		ms = ms[gone:]
	}
	return nil
}

// runs calls use for each run from a time on or, with back, from the last run
// before a time backwards. A nil from starts at the beginning or the end. Runs that
// begin at the time to or later are left out, unless it is nil or with back.
func (l Timeline) runs(tx *ledger.Tx, from, to *int64, back bool, use func([]Moment) error) error {
	r := kv.Range{Prefix: l.prefix(), Reverse: back}
	if to != nil && !back {
		r.To = l.timeKey(*to)
	}
	if from != nil && back {
		r.From = l.timeKey(*from)
	}
	if from != nil && !back {
		m := Moment{At: *from}
		key, run, err := l.runAt(tx, m)
		if err != nil {
			return err
		}
		if bytes.Compare(key, l.Key(m)) <= 0 && key != nil { // the run may contain the time
			if err := use(run); err != nil {
				return err
			}
		}
		r.From = l.behind(m).From
	}
	for p, err := range kv.Pairs(tx, r) {
		if err != nil {
			return err
		}
		_, ms, err := ReadTimeline(p.Key, p.Value)
		if err == nil {
			err = use(ms)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// span is a half-open time range in milliseconds; nil is unlimited.
type span struct{ since, until *int64 }

func (s span) all() bool { return s.since == nil && s.until == nil }

func (s span) has(at int64) bool {
	return (s.since == nil || at >= *s.since) && (s.until == nil || at < *s.until)
}

// within calls use for each moment of a span, the earliest first or, with back,
// the latest first, until use returns ledger.ErrStop.
func (l Timeline) within(tx *ledger.Tx, s span, back bool, use func(Moment) error) error {
	from, to := s.since, s.until
	if back {
		from, to = to, from
	}
	err := l.runs(tx, from, to, back, func(ms []Moment) error {
		if back {
			slices.Reverse(ms)
		}
		for _, m := range ms {
			beyond := !back && s.until != nil && m.At >= *s.until || back && s.since != nil && m.At < *s.since
			if beyond {
				return ledger.ErrStop
			}
			if !s.has(m.At) {
				continue
			}
			if err := use(m); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, ledger.ErrStop) {
		return nil
	}
	return err
}
