package replica

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"filippo.io/age"

	"techo/store/kv"
	"techo/store/ledger"
)

// Sync says what changed here, and applies what others have said. Files that cannot be applied wait,
// and are no error. progress, which may be nil, gets the number of versions so far.
func (n Notebook) Sync(ctx context.Context, progress func(done int)) (r Report, err error) {
	if err := n.sync(ctx, &r, progress); err != nil {
		if !errors.Is(err, ErrNotJoined) && !errors.Is(err, context.Canceled) {
			err = errors.Join(err, n.NoteFailure(ctx, err))
		}
		return r, err
	}
	err = n.note(ctx, func(set *settings) {
		set.LastAt, set.Failure = n.Time().UnixMilli(), nil
		set.Tried = set.LastAt
	})
	if err == nil {
		r.Machines, err = n.machines(ctx)
	}
	return r, err
}

// maxTries limits how often changes that are made meanwhile begin a sync again.
const maxTries = 20

// syncing is a sync that runs.
type syncing struct {
	Notebook
	place    *place
	report   *Report
	progress func(done int) // with the number of versions so far; may be nil
}

func (n Notebook) sync(ctx context.Context, r *Report, progress func(done int)) error {
	set, err := n.settings(ctx)
	if err != nil {
		return err
	}
	r.Place = set.Place
	_, p, err := at(set.Place)
	if err != nil {
		return err
	}
	defer p.Close()
	if there, err := p.notebook(); err != nil || there.Notebook != set.Notebook {
		return &PlaceError{set.Place, cmp.Or(err, ErrOther)}
	}
	s := &syncing{n, p, r, progress}
	for range maxTries {
		err := s.once(ctx)
		if !errors.Is(err, errUnsaid) {
			return err
		}
	}
	return &kv.ContentionError{}
}

// once syncs, or fails with errUnsaid if it has to begin again.
func (s *syncing) once(ctx context.Context) error {
	if err := s.splitIfCopied(ctx, s.place); err != nil {
		return err
	}
	if err := s.send(ctx); err != nil {
		return err
	}
	s.report.Waiting = nil
	before := s.report.Received
	if err := s.hear(ctx); err != nil {
		return err
	}
	if err := s.resettle(ctx); err != nil {
		return err
	}
	if s.report.Received > before { // it is no change of this machine: the next sync need not look at it
		if err := s.send(ctx); err != nil {
			return err
		}
	}
	return s.rewrite(ctx, s.place)
}

// send says what changed here, in the place.
func (s *syncing) send(ctx context.Context) error {
	sent, err := s.say(ctx, false)
	s.report.Sent += sent
	if err != nil {
		return err
	}
	return s.deliver(ctx, s.place)
}

// chunk is how many bytes of a segment one value of the outbox has.
const chunk = 1 << 20

// say writes a segment with what changed here into the outbox, in the transaction that notes that it
// was said. It returns the number of versions.
func (n Notebook) say(ctx context.Context, leaving bool) (sent int, err error) {
	err = n.Maintain(ctx, func(tx *ledger.Tx) error {
		set, err := settingsOf(tx)
		if err != nil {
			return err
		}
		s := newScope(tx)
		before := set
		versions, err := changes(s, &set)
		if err != nil {
			return err
		}
		sent = len(versions)
		if sent == 0 && set.Number > 0 && !leaving { // the first one shows the others that this machine is there
			if set.Watermark == before.Watermark && set.Scanned == before.Scanned && set.Rewrite == before.Rewrite {
				return nil
			}
			return ledger.Save(tx, settingsKey.All(), set)
		}
		return s.write(&set, header{Left: leaving}, versions)
	})
	return sent, err
}

// write puts the next file of this machine into the outbox, and saves the settings. The caller sets what the
// file is in its header.
func (s *scope) write(set *settings, h header, versions []said) error {
	seen, err := seenNow(s.Tx)
	if err != nil {
		return err
	}
	identity, err := age.ParseX25519Identity(set.Key)
	if err != nil {
		return err
	}
	h.Format, h.Notebook, h.Machine, h.Name = format, set.Notebook, set.Machine, set.Name
	h.Number, h.Before, h.At = set.Number+1, set.Hash, s.Ledger.Time().UnixMilli()
	if err := ledger.Save(s.Tx, seenKey(set.Machine, h.Number), seen); err != nil {
		return err
	}
	file, err := encode(identity, h, versions, func(number uint64) Seen { return s.of(set.Machine, number) })
	if err = cmp.Or(err, s.err); err != nil {
		return err
	}
	set.Moved++
	set.Number, set.SaidAt = h.Number, h.At
	if h.Snapshot {
		set.Whole, set.Snapshot, set.Written, set.Rewrite = h.Number, int64(len(file)), 0, false
	} else if set.Hash = hashOf(file); h.Number == 1 {
		set.Snapshot = int64(len(file)) // nothing in it is outdated
	} else {
		set.Written += int64(len(file))
	}
	i := 0
	for piece := range slices.Chunk(file, chunk) {
		if err := s.Put(outboxKey(h.Number, i), piece); err != nil {
			return err
		}
		i++
	}
	return ledger.Save(s.Tx, settingsKey.All(), *set)
}

func outboxKey(number uint64, piece int) []byte {
	return binary.BigEndian.AppendUint32(outbox.Number(number), uint32(piece))
}

// seenNow returns what the store has applied.
func seenNow(tx *ledger.Tx) (Seen, error) {
	seen := Seen{}
	err := each(tx, peers, func(key []byte, p peer) error {
		seen[string(ledger.Rest(key))] = p.Number
		return nil
	})
	return seen, err
}

// deliver writes the segments of the outbox into the place. A process that was killed before leaves it
// to the next one.
func (n Notebook) deliver(ctx context.Context, p *place) error {
	set, segments, err := n.unsent(ctx)
	if err != nil || len(segments) == 0 {
		return err
	}
	for _, number := range slices.Sorted(maps.Keys(segments)) {
		name := segmentFile(number)
		if number == set.Whole {
			name = snapshotFile(number)
		}
		there, err := p.read(set.Machine+"/"+name, maxSegment)
		if err == nil && hashOf(there) != hashOf(segments[number]) {
			return n.split(ctx, number)
		}
		if err := p.write(set.Machine, name, segments[number]); err != nil {
			return &PlaceError{p.root.Name(), err}
		}
	}
	return n.Maintain(ctx, func(tx *ledger.Tx) error {
		for number := range segments {
			if err := tx.DeletePrefix(outbox.Number(number)); err != nil {
				return err
			}
		}
		return nil
	})
}

// unsent returns the settings and the segments in the outbox.
func (n Notebook) unsent(ctx context.Context) (set settings, segments map[uint64][]byte, err error) {
	err = n.View(ctx, func(tx *ledger.Tx) error {
		if set, err = settingsOf(tx); err != nil {
			return err
		}
		segments, err = inOutbox(tx)
		return err
	})
	return set, segments, err
}

// inOutbox returns the segments in the outbox.
func inOutbox(tx *ledger.Tx) (map[uint64][]byte, error) {
	segments := map[uint64][]byte{}
	for item, err := range kv.Pairs(tx, kv.Range{Prefix: outbox.All()}) {
		if err != nil {
			return nil, err
		}
		number, ok := ledger.CutNumber(ledger.Rest(item.Key))
		if !ok {
			return nil, ledger.Finding(ledger.UnknownKey, "", string(item.Key), nil)
		}
		segments[number] = append(segments[number], item.Value...)
	}
	return segments, nil
}

// split makes this store a machine of its own, because another one writes the same segments from a
// number on: this store is a copy, or was restored from a backup. What it said in these segments it says
// again, and what the other one said it applies like that of any machine. It fails with errUnsaid, so that
// the sync begins again.
func (n Notebook) split(ctx context.Context, from uint64) error {
	err := n.Maintain(ctx, func(tx *ledger.Tx) error {
		set, err := settingsOf(tx)
		if err != nil {
			return err
		}
		identity, err := age.ParseX25519Identity(set.Key)
		if err != nil {
			return err
		}
		segments, err := inOutbox(tx)
		if err != nil {
			return err
		}
		hash := set.Hash // of the last segment that both have
		var ids []ID
		for i, number := range slices.Sorted(maps.Keys(segments)) {
			h, _, err := decode(identity, segments[number], func(_ part, v said) error {
				if !slices.Contains(ids, v.ID) {
					ids = append(ids, v.ID)
				}
				return nil
			})
			if err != nil {
				return err
			}
			if i == 0 {
				hash = h.Before
			}
		}
		old, s := set.Machine, newScope(tx)
		set.Machine, set.Number, set.Hash, set.Whole, set.Written, set.Snapshot = random(8), 0, "", 0, 0, 0
		var again []said
		for _, id := range ids {
			e, err := s.entry(id)
			if err != nil {
				return err
			}
			for i, v := range e.Frontier {
				if v.Machine == old && v.Segment >= from {
					v.Machine, v.Segment = set.Machine, 1
					e.Frontier[i] = v
					again = append(again, said{id, v})
				}
			}
			if err := s.save(id, &e); err != nil {
				return err
			}
		}
		err = errors.Join(tx.DeletePrefix(outbox.All()), ledger.Save(tx, peerKey(old),
			peer{Name: set.Name, Number: from - 1, Hash: hash, At: tx.Ledger.Time().UnixMilli()}))
		if err != nil {
			return err
		}
		return s.write(&set, header{}, again)
	})
	return cmp.Or(err, errUnsaid)
}

// splitIfCopied calls split if the place has later segments of this machine than the store knows.
func (n Notebook) splitIfCopied(ctx context.Context, p *place) error {
	set, err := n.settings(ctx)
	if err != nil {
		return err
	}
	there, err := p.files(set.Machine)
	if err != nil {
		return &PlaceError{set.Place, err}
	}
	for _, number := range slices.Concat(there.segments, there.snapshots) {
		if number > set.Number {
			return n.split(ctx, set.Number+1)
		}
	}
	return nil
}

// growth is how many times larger than what they say the segments of a machine may become.
const growth = 4

// leastRewrite is a size below which segments are not rewritten.
const leastRewrite = 256 << 10

// rewrite replaces the files of this machine by one with what they still say, if they have grown too much,
// have to forget something, or are not as they were written: a syncer brought an old one back, or somebody
// removed one. The new file has a number of its own, so that no name ever has two contents.
func (n Notebook) rewrite(ctx context.Context, p *place) error {
	set, unsent, err := n.unsent(ctx)
	if err != nil || set.Number == 0 || len(unsent) > 0 { // whoever said that delivers it
		return err
	}
	size, err := p.clean(set.Machine, set.Number)
	if err != nil {
		return &PlaceError{set.Place, err}
	}
	if !set.Rewrite && set.Written <= growth*max(set.Snapshot, leastRewrite) && size == set.Snapshot+set.Written {
		return nil
	}
	err = n.Maintain(ctx, func(tx *ledger.Tx) error {
		now, err := settingsOf(tx)
		if err != nil || now.Number != set.Number { // another process has said more
			return err
		}
		s := newScope(tx)
		versions, err := s.saidBy(now.Machine)
		if err != nil {
			return err
		}
		return s.write(&now, header{Snapshot: true}, versions)
	})
	if err != nil {
		return err
	}
	if err := n.deliver(ctx, p); err != nil {
		return err
	}
	if _, err := p.clean(set.Machine, set.Number+1); err != nil {
		return &PlaceError{set.Place, err}
	}
	return nil
}

// saidBy returns the versions of a machine that no later one has replaced, in the order of its segments.
func (s *scope) saidBy(machine string) (all []said, err error) {
	var ids []ID
	for item, err := range kv.Pairs(s.Tx, kv.Range{Prefix: entries.All()}) {
		if err != nil {
			return nil, err
		}
		id, ok := idOf(item.Key)
		if !ok || !strings.Contains(string(item.Value), machine) {
			continue
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		e, err := s.entry(id)
		if err != nil {
			return nil, err
		}
		for _, v := range e.Frontier {
			if v.Machine != machine {
				continue
			}
			if !v.Removed && v.Value == nil {
				return nil, fmt.Errorf("replica: %s has no value", id.ID)
			}
			all = append(all, said{id, v})
		}
	}
	slices.SortStableFunc(all, func(a, b said) int { return cmp.Compare(a.Segment, b.Segment) })
	return all, nil
}
