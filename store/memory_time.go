package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"techo/store/kv"
)

// timeline is the index by time of all memories of a user, or of one session. A
// value holds up to 128 moments, under the key of the first.
//
//	moments   repeated: difference to the previous time, unsigned varint;
//	          number of the text, length of the id, unsigned varints; if the
//	          length has the flag 128, the order, unsigned varint; id
type timeline struct{ user, session uint32 }

const momentsPerRun = 128

// moment is the creation of a memory.
type moment struct {
	at    int64  // milliseconds since 1970
	order uint32 // among the memories of one time; the number of the text unless that changed
	text  uint32 // number in the search index
	id    string
}

// ordered is the flag of a length for a moment whose order differs from its number.
// Ids are shorter.
const ordered = 1 << 7

func (m moment) compare(o moment) int {
	return cmp.Or(cmp.Compare(m.at, o.at), cmp.Compare(m.order, o.order))
}

func appendMoments(b []byte, ms []moment) []byte {
	before := ms[0].at
	for _, m := range ms {
		b = binary.AppendUvarint(b, uint64(m.at-before))
		b = binary.AppendUvarint(b, uint64(m.text))
		if m.order == m.text {
			b = binary.AppendUvarint(b, uint64(len(m.id)))
		} else {
			b = binary.AppendUvarint(b, uint64(len(m.id)|ordered))
			b = binary.AppendUvarint(b, uint64(m.order))
		}
		b = append(b, m.id...)
		before = m.at
	}
	return b
}

// readTimeline decodes a run of a timeline.
func readTimeline(key, b []byte) (l timeline, ms []moment, err error) {
	l, at, ok := timelineOf(key)
	if !ok {
		return l, nil, finding(UnknownKey, KindMemory, string(key), nil)
	}
	r := &fieldReader{b: b}
	for len(r.b) > 0 && r.err == nil {
		at += int64(r.number())
		m := moment{at: at, text: uint32(r.number())}
		length := r.number()
		m.order = m.text
		if length&ordered != 0 {
			m.order = uint32(r.number())
		}
		m.id = string(r.bytes(length &^ ordered))
		ms = append(ms, m)
	}
	if r.err != nil {
		return l, nil, finding(Unreadable, KindMemory, string(key), nil)
	}
	return l, ms, nil
}

// runAt returns the run in which a moment belongs: the last one that begins before
// the moment, else the first. key is nil in an empty timeline.
func (l timeline) runAt(tx *Tx, m moment) (key []byte, ms []moment, err error) {
	for _, r := range l.runReads(m) {
		for p, err := range kv.Pairs(tx, r) {
			if err != nil {
				return nil, nil, err
			}
			key = bytes.Clone(p.Key)
			_, ms, err = readTimeline(key, p.Value)
			return key, ms, err
		}
	}
	return nil, nil, nil
}

// runReads returns the reads of runAt.
func (l timeline) runReads(m moment) []kv.Range {
	upTo := l.upTo(m)
	upTo.Limit = 1
	return []kv.Range{upTo, {Prefix: l.prefix(), Limit: 1}}
}

// lastRun returns the range with the last run.
func (l timeline) lastRun() kv.Range { return kv.Range{Prefix: l.prefix(), Reverse: true, Limit: 1} }

// upTo returns the range of the runs that begin at a moment or before it, backwards.
func (l timeline) upTo(m moment) kv.Range {
	return kv.Range{Prefix: l.prefix(), From: l.key(m), Reverse: true}
}

// behind returns the range of the runs that begin after a moment.
func (l timeline) behind(m moment) kv.Range {
	return kv.Range{Prefix: l.prefix(), From: append(l.key(m), 0)}
}

// nextRun returns the range with the run behind the one under a key, in which a moment belongs.
func nextRun(l timeline, m moment, key []byte) kv.Range {
	at := l.key(m)
	if bytes.Compare(key, at) > 0 { // the first run
		at = key
	}
	return kv.Range{Prefix: l.prefix(), From: append(bytes.Clone(at), 0), Limit: 1, KeysOnly: true}
}

// after returns the key of the run behind the one under a key, in which a moment belongs, or
// nil at the end.
func (l timeline) after(tx *Tx, m moment, key []byte) ([]byte, error) {
	for item, err := range tx.Scan(nextRun(l, m, key)) {
		if err != nil {
			return nil, err
		}
		return bytes.Clone(item.Key), nil
	}
	return nil, nil
}

// runFor returns the run in which a moment belongs, as runAt does, and the key of the next run,
// nil at the end.
func (l timeline) runFor(tx *Tx, m moment) (key []byte, run []moment, next []byte, err error) {
	for p, err := range kv.Pairs(tx, l.lastRun()) {
		if err != nil {
			return nil, nil, nil, err
		}
		key = bytes.Clone(p.Key)
		if _, run, err = readTimeline(key, p.Value); err != nil {
			return nil, nil, nil, err
		}
	}
	if bytes.Compare(key, l.key(m)) <= 0 { // also in an empty timeline
		return key, run, nil, nil
	}
	key, run, err = l.runAt(tx, m)
	if err == nil && key != nil {
		next, err = l.after(tx, m, key)
	}
	return key, run, next, err
}

// insert adds sorted moments.
func (l timeline) insert(tx *Tx, ms []moment) error {
	for len(ms) > 0 {
		key, run, next, err := l.runFor(tx, ms[0])
		if err != nil {
			return err
		}
		n := len(ms)
		if next != nil {
			n, _ = slices.BinarySearchFunc(ms, next,
				func(m moment, next []byte) int { return bytes.Compare(l.key(m), next) })
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

// write replaces the run under key by runs of the moments. The runs at the end of
// a timeline, where it grows, are full.
func (l timeline) write(tx *Tx, key []byte, run []moment, last bool) error {
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

// remove removes sorted moments.
func (l timeline) remove(tx *Tx, ms []moment) error {
	for len(ms) > 0 {
		key, run, err := l.runAt(tx, ms[0])
		if err != nil {
			return err
		}
		gone := 0
		left := slices.DeleteFunc(slices.Clone(run), func(m moment) bool {
			removed := gone < len(ms) && m.compare(ms[gone]) == 0
			if removed {
				gone++
			}
			return removed
		})
		if gone == 0 {
			return finding(NoIndexEntry, KindMemory, ms[0].id, nil)
		}
		if err := l.write(tx, key, left, true); err != nil {
			return err
		}
		ms = ms[gone:]
	}
	return nil
}

// errStop ends an iteration early.
var errStop = errors.New("enough")

// runs calls use for each run from a time on or, with back, from the last run
// before a time backwards. A nil from starts at the beginning or the end. Runs that
// begin at the time to or later are left out, unless it is nil or with back.
func (l timeline) runs(tx *Tx, from, to *int64, back bool, use func([]moment) error) error {
	if err := l.runsUntilStop(tx, from, to, back, use); !errors.Is(err, errStop) {
		return err
	}
	return nil
}

// runsUntilStop is runs, but fails with errStop if use does.
func (l timeline) runsUntilStop(tx *Tx, from, to *int64, back bool, use func([]moment) error) error {
	r := kv.Range{Prefix: l.prefix(), Reverse: back}
	if to != nil && !back {
		r.To = l.timeKey(*to)
	}
	if from != nil && back {
		r.From = l.timeKey(*from)
	}
	if from != nil && !back {
		m := moment{at: *from}
		key, run, err := l.runAt(tx, m)
		if err != nil {
			return err
		}
		if bytes.Compare(key, l.key(m)) <= 0 && key != nil { // the run may contain the time
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
		_, ms, err := readTimeline(p.Key, p.Value)
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
// the latest first.
func (l timeline) within(tx *Tx, s span, back bool, use func(moment) error) error {
	from, to := s.since, s.until
	if back {
		from, to = to, from
	}
	return l.runs(tx, from, to, back, func(ms []moment) error {
		if back {
			slices.Reverse(ms)
		}
		for _, m := range ms {
			beyond := !back && s.until != nil && m.at >= *s.until || back && s.since != nil && m.at < *s.since
			if beyond {
				return errStop
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
