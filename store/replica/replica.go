// Package replica keeps one notebook on several machines of its owner, through a folder that anything
// carries between them: a file syncer, a stick, a mounted share, a git work tree.
//
// Each machine writes only its own files there, and reads those of all others. A file is a segment: a
// part of what its machine has said, encrypted to the key of the notebook, which names the segment
// before it. What a machine says are versions of records and removals. A version has a stamp, by which
// the later one wins on every machine, and the number of its segment; a segment has what its machine had
// seen. So every machine knows which versions knew of each other: a change beats a removal that had not
// seen it, and a change that loses against one that had not seen it is kept as a conflict.
//
// Nothing is said but records: indexes, counts and histories derive from them. A received version goes
// through the functions that an undo uses, so limits of indexes and names hold, and the history has it.
//
// Two statements can exclude each other: two memos of one name, two memories of one text or topic, two
// events of one UID. Which of them is shown, and how, depends on the versions alone, so that all
// machines show the same.
package replica

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"filippo.io/age"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memory"
)

// Notebook is the notebook of a store.
type Notebook struct{ *ledger.Ledger }

var (
	// ErrNotJoined reports that a store is on one machine only.
	ErrNotJoined = errors.New("replica: the store is in no notebook of several machines")

	// ErrOther reports that a place has another notebook than it had.
	ErrOther = errors.New("replica: the place has another notebook now")

	// ErrJoined reports that a store is in such a notebook already.
	ErrJoined = errors.New("replica: the store is in a notebook of several machines already")

	// ErrTaken reports that a place has a notebook already.
	ErrTaken = errors.New("replica: the place has a notebook already")

	// ErrNoNotebook reports that a place has no notebook.
	ErrNoNotebook = errors.New("replica: the place has no notebook")

	// ErrWrongKey reports that a key is not the one of the notebook.
	ErrWrongKey = errors.New("replica: the key belongs to another notebook")
)

// PlaceError reports that a place cannot be reached.
type PlaceError struct {
	Place string
	Err   error
}

func (e *PlaceError) Error() string { return "place " + e.Place + ": " + e.Err.Error() }
func (e *PlaceError) Unwrap() error { return e.Err }

// CarrierError reports that a program that carries the place, such as git, failed.
type CarrierError struct {
	Program string
	Why     string // in its words; "" if it did not answer in time
}

func (e *CarrierError) Error() string { return e.Program + ": " + cmp.Or(e.Why, "no answer in time") }

// Machine is a machine of the notebook.
type Machine struct {
	Name   string
	LastAt time.Time // of its last segment that arrived here
	Own    bool
	Left   bool
	Ahead  time.Duration // how far its clock is ahead of this machine's, if that is known and more than a day
}

// Waiting is a file that was not applied.
type Waiting struct {
	File string // or the id of a record that cannot be shown here
	Why  error  // a BadSegmentError, or an error of adding the record
}

// Report is the outcome of a sync.
type Report struct {
	Place     string
	Sent      int // versions
	Received  int
	Conflicts int // new ones
	Waiting   []Waiting
	Machines  []Machine
}

// Init begins a notebook at a place and returns its key, which is shown this once, and the name of the
// machine.
func (n Notebook) Init(ctx context.Context, dir, name string) (key, machine string, err error) {
	dir, p, err := at(dir)
	if err != nil {
		return "", "", err
	}
	defer p.Close()
	if _, err := p.notebook(); err == nil {
		return "", "", ErrTaken
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return "", "", err
	}
	id := random(16)
	if err := n.begin(ctx, dir, id, name, identity); err != nil {
		return "", "", err
	}
	b, err := json.Marshal(notebook{format, id, proofOf(identity, id)})
	if err == nil {
		err = p.write("", notebookFile, append(b, '\n'))
	}
	if err != nil {
		return "", "", errors.Join(&PlaceError{dir, err}, n.forget(ctx))
	}
	return identity.String(), name, nil
}

// Join adds the store to the notebook of a place.
func (n Notebook) Join(ctx context.Context, dir, key, name string) error {
	dir, p, err := at(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	there, err := p.notebook()
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoNotebook
	} else if err != nil {
		return err
	}
	identity, err := age.ParseX25519Identity(strings.TrimSpace(key))
	if err != nil || proofOf(identity, there.Notebook) != there.Proof {
		return ErrWrongKey
	}
	return n.begin(ctx, dir, there.Notebook, name, identity)
}

// at opens a place, whose path it makes absolute.
func at(dir string) (string, *place, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	p, err := openPlace(dir)
	if err != nil {
		return "", nil, &PlaceError{dir, err}
	}
	return dir, p, nil
}

// random returns a name of lower-case letters and digits.
func random(letters int) string {
	b := make([]byte, letters)
	_, _ = rand.Read(b) // it cannot fail
	return strings.ToLower(base32.StdEncoding.EncodeToString(b))[:letters]
}

func (n Notebook) begin(ctx context.Context, dir, id, name string, identity *age.X25519Identity) error {
	return n.Maintain(ctx, func(tx *ledger.Tx) error {
		if _, joined, err := load[settings](tx, settingsKey.All()); err != nil || joined {
			return cmp.Or(err, ErrJoined)
		}
		return ledger.Save(tx, settingsKey.All(), settings{Place: dir, Notebook: id, Key: identity.String(),
			Machine: random(8), Name: name})
	})
}

// forget removes all that the store knows of the notebook.
func (n Notebook) forget(ctx context.Context) error {
	return n.Maintain(ctx, func(tx *ledger.Tx) error {
		for _, p := range Schema().Prefixes {
			if err := tx.DeletePrefix(p.All()); err != nil {
				return err
			}
		}
		return nil
	})
}

// settings loads the settings, or fails with ErrNotJoined.
func (n Notebook) settings(ctx context.Context) (set settings, err error) {
	err = n.View(ctx, func(tx *ledger.Tx) error {
		set, err = settingsOf(tx)
		return err
	})
	return set, err
}

func settingsOf(tx *ledger.Tx) (settings, error) {
	set, joined, err := load[settings](tx, settingsKey.All())
	if err == nil && !joined {
		err = ErrNotJoined
	}
	return set, err
}

// Place returns the folder of the notebook, "" if there is none.
func (n Notebook) Place(ctx context.Context) (string, error) {
	set, err := n.settings(ctx)
	if errors.Is(err, ErrNotJoined) {
		return "", nil
	}
	return set.Place, err
}

// Tries are when the notebook was synced.
type Tries struct {
	Synced time.Time // the last time with success
	Tried  time.Time // the last time
	Failed error     // why the last time failed, such as a PlaceError or a CarrierError; nil if it did not
}

// LastTries returns when the notebook was last synced.
func (n Notebook) LastTries(ctx context.Context) (Tries, error) {
	set, err := n.settings(ctx)
	return Tries{moment(set.LastAt), moment(set.Tried), set.Failure.err(set.Place)}, err
}

// NoteFailure notes why a try failed, for [Notebook.LastTries]. It does so even if the time of ctx ran out.
func (n Notebook) NoteFailure(ctx context.Context, why error) error {
	return n.note(context.WithoutCancel(ctx), func(set *settings) {
		set.Failure, set.Tried = failureOf(why), n.Time().UnixMilli()
	})
}

// Begin notes a try, and reports whether it is the first one for some time: of many processes that ask at
// once one is told so.
func (n Notebook) Begin(ctx context.Context, every time.Duration) (first bool, err error) {
	recent := func(set settings) bool { return n.Time().Sub(moment(set.Tried)).Abs() < every }
	set, err := n.settings(ctx)
	if err != nil || recent(set) {
		return false, err
	}
	err = n.note(ctx, func(set *settings) {
		if first = !recent(*set); first {
			set.Tried = n.Time().UnixMilli()
		}
	})
	return first && err == nil, err
}

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

// note changes the settings.
func (n Notebook) note(ctx context.Context, change func(*settings)) error {
	return n.Maintain(ctx, func(tx *ledger.Tx) error {
		set, err := settingsOf(tx)
		if err != nil {
			return err
		}
		change(&set)
		return ledger.Save(tx, settingsKey.All(), set)
	})
}

// maxTries limits how often changes that are made meanwhile begin a sync again.
const maxTries = 20

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
	for range maxTries {
		err := n.once(ctx, p, r, progress)
		if !errors.Is(err, errUnsaid) {
			return err
		}
	}
	return &kv.ContentionError{}
}

// once syncs, or fails with errUnsaid if it has to begin again.
func (n Notebook) once(ctx context.Context, p *place, r *Report, progress func(done int)) error {
	if err := n.splitIfCopied(ctx, p); err != nil {
		return err
	}
	send := func() error {
		sent, err := n.say(ctx, false)
		r.Sent += sent
		if err == nil {
			err = n.deliver(ctx, p)
		}
		return err
	}
	if err := send(); err != nil {
		return err
	}
	r.Waiting = nil
	before := r.Received
	if err := n.hear(ctx, p, r, progress); err != nil {
		return err
	}
	if err := n.resettle(ctx); err != nil {
		return err
	}
	if r.Received > before { // it is no change of this machine: the next sync need not look at it
		if err := send(); err != nil {
			return err
		}
	}
	return n.rewrite(ctx, p)
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
		versions, err := changes(s, &set, false)
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
	err := eachPeer(tx, func(machine string, p peer) error {
		seen[machine] = p.Number
		return nil
	})
	return seen, err
}

func eachPeer(tx *ledger.Tx, use func(machine string, p peer) error) error {
	for item, err := range kv.Pairs(tx, kv.Range{Prefix: peers.All()}) {
		if err != nil {
			return err
		}
		var p peer
		if err := ledger.Decode(item.Key, item.Value, &p); err != nil {
			return err
		}
		if err := use(string(ledger.Rest(item.Key)), p); err != nil {
			return err
		}
	}
	return nil
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
		set.Machine, set.Number, set.Hash, set.Written, set.Snapshot = random(8), 0, "", 0, 0
		set.Whole = 0
		var again []said
		for _, id := range ids {
			e, _, err := s.entry(id)
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
		seen, err := seenNow(tx)
		if err != nil {
			return err
		}
		err = errors.Join(tx.DeletePrefix(outbox.All()), ledger.Save(tx, append([]byte(peers), old...),
			peer{Name: set.Name, Number: from - 1, Hash: hash, Seen: seen, At: tx.Ledger.Time().UnixMilli()}))
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

// batch is how many versions one transaction applies.
const batch = 500

// hear applies the segments of the other machines that are there whole.
func (n Notebook) hear(ctx context.Context, p *place, r *Report, progress func(done int)) error {
	machines, err := p.machines()
	if err != nil {
		return &PlaceError{p.root.Name(), err}
	}
	set, err := n.settings(ctx)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		if machine == set.Machine {
			continue
		}
		if err := n.hearMachine(ctx, p, machine, r, progress); err != nil {
			return err
		}
	}
	return nil
}

func (n Notebook) hearMachine(ctx context.Context, p *place, machine string, r *Report, progress func(done int)) error {
	there, err := p.files(machine)
	if err != nil {
		return &PlaceError{p.root.Name(), err}
	}
	wait := func(name string, why error) {
		r.Waiting = append(r.Waiting, Waiting{machine + "/" + name, why})
	}
	for _, name := range there.others {
		wait(name, bad(ForeignName))
	}
	for {
		state, set, err := n.peer(ctx, machine)
		if err != nil {
			return err
		}
		names := there.after(state.Number)
		if len(names) == 0 {
			if slices.ContainsFunc(there.segments, func(number uint64) bool { return number > state.Number }) {
				wait(segmentFile(state.Number+1), bad(NotArrived))
			}
			return nil
		}
		var first error
		for i, name := range names {
			file, err := p.read(machine+"/"+name, maxSegment)
			if err == nil {
				err = n.hearFile(ctx, machine, name, file, state, set, r, progress)
			}
			if err == nil {
				break
			}
			if !errors.As(err, new(*BadSegmentError)) {
				return err
			}
			first = cmp.Or(first, err)
			if i+1 == len(names) {
				wait(names[0], first)
				return nil
			}
		}
	}
}

// peer returns what is known of a machine.
func (n Notebook) peer(ctx context.Context, machine string) (state peer, set settings, err error) {
	err = n.View(ctx, func(tx *ledger.Tx) error {
		if set, err = settingsOf(tx); err != nil {
			return err
		}
		state, _, err = load[peer](tx, append([]byte(peers), machine...))
		return err
	})
	return state, set, err
}

// hearFile applies a file, after it was read to its end.
func (n Notebook) hearFile(ctx context.Context, machine, name string, file []byte, state peer, set settings, r *Report, progress func(done int)) error {
	identity, err := age.ParseX25519Identity(set.Key)
	if err != nil {
		return err
	}
	h, last, err := decode(identity, file, nil)
	if err != nil {
		return err
	}
	switch {
	case h.Notebook != set.Notebook || h.Machine != machine || name != segmentFile(h.Number) && !h.Snapshot ||
		h.Snapshot && name != snapshotFile(h.Number) || last.Number != h.Number:
		return bad(Misplaced)
	case !h.Snapshot && h.Before != state.Hash:
		return bad(Replaced)
	}
	var parts []part
	var pending []said
	apply := func() error {
		sub := pending
		pending = nil
		return n.apply(ctx, h.Name, sub, parts, machine, r, progress)
	}
	_, _, err = decode(identity, file, func(of part, v said) error {
		if of.Number <= state.Number {
			return nil
		}
		if v.Machine != machine || v.Segment != of.Number {
			return bad(Misplaced)
		}
		if len(parts) == 0 || parts[len(parts)-1].Number != of.Number {
			parts = append(parts, of)
		}
		if pending = append(pending, v); len(pending) < batch {
			return nil
		}
		return apply()
	})
	if err == nil && len(pending) > 0 {
		err = apply()
	}
	if err != nil {
		return err
	}
	parts = append(parts, last)
	return n.Maintain(ctx, func(tx *ledger.Tx) error {
		if err := saveSeen(tx, machine, parts); err != nil {
			return err
		}
		hash := hashOf(file)
		if h.Snapshot {
			hash = h.Before
		}
		set, err := settingsOf(tx)
		if err != nil {
			return err
		}
		return ledger.Save(tx, append([]byte(peers), machine...), peer{Name: h.Name, Number: h.Number, Hash: hash,
			Seen: last.Seen, At: h.At, Left: h.Left, Ahead: ahead(h, last.Seen, set, n.Time().UnixMilli())})
	})
}

// ahead returns by how many milliseconds the clock of a machine is ahead of the one here, 0 if it may be
// right. A segment cannot be of the future, nor be older than one of this machine that it had seen.
func ahead(h header, seen Seen, set settings, now int64) int64 {
	const tolerance = int64(24 * time.Hour / time.Millisecond)
	switch {
	case h.At-now > tolerance:
		return h.At - now
	case seen[set.Machine] == set.Number && set.SaidAt-h.At > tolerance:
		return h.At - set.SaidAt
	}
	return 0
}

func saveSeen(tx *ledger.Tx, machine string, parts []part) error {
	for _, p := range parts {
		if err := ledger.Save(tx, seenKey(machine, p.Number), p.Seen); err != nil {
			return err
		}
	}
	return nil
}

// apply applies versions in transactions. If one cannot be shown here, such as an event in a calendar
// that is elsewhere on this machine, it is kept and named.
func (n Notebook) apply(ctx context.Context, from string, versions []said, parts []part, machine string, r *Report, progress func(done int)) error {
	ctx = ledger.WithOrigin(ctx, ledger.Origin{Tool: "sync", By: ledger.WritingOf(ctx).Origin.By, Client: from})
	conflicts := 0
	run := func(versions []said, blocked error) error {
		ctx := ctx
		if versions[0].Purged {
			ctx = ledger.WithPurge(ctx)
		}
		return n.Update(ctx, func(tx *ledger.Tx) error {
			set, err := settingsOf(tx)
			if err != nil {
				return err
			}
			if err := saveSeen(tx, machine, parts); err != nil {
				return err
			}
			before := set.Conflicts
			if err := receive(newScope(tx), &set, from, versions, blocked); err != nil {
				return err
			}
			conflicts = int(set.Conflicts - before)
			set.Moved++
			return ledger.Save(tx, settingsKey.All(), set)
		})
	}
	for _, group := range inGroups(versions) {
		err := run(group, nil)
		if refused(err) {
			for _, one := range group {
				err = run([]said{one}, nil)
				if refused(err) {
					r.Waiting = append(r.Waiting, Waiting{one.ID.ID, err})
					err = run([]said{one}, err)
				}
				if err != nil {
					break
				}
				r.Conflicts += conflicts
			}
			conflicts = 0
		}
		if err != nil {
			return err
		}
		r.Conflicts += conflicts
		r.Received += len(group)
		if progress != nil {
			progress(r.Sent + r.Received)
		}
	}
	return nil
}

// resettle decides again about the records that are not shown as they were said: what they yielded to
// may have gone since this was last done, in this sync or in one that was interrupted.
func (n Notebook) resettle(ctx context.Context) error {
	var ids []ID
	var moved uint64
	due := false
	err := n.View(ctx, func(tx *ledger.Tx) error {
		ids = nil
		set, err := settingsOf(tx)
		if moved, due = set.Moved, set.Moved != set.Settled; err != nil || !due {
			return err
		}
		ids, err = alteredRecords(tx)
		return err
	})
	ctx = ledger.WithOrigin(ctx, ledger.Origin{Tool: "sync", By: ledger.WritingOf(ctx).Origin.By})
	for _, id := range ids {
		if err != nil {
			break
		}
		err = n.Update(ctx, func(tx *ledger.Tx) error {
			set, err := settingsOf(tx)
			if err != nil {
				return err
			}
			r := &receiver{scope: newScope(tx), set: &set, all: map[ID]*received{}}
			if _, err := r.look(id); err != nil {
				return err
			}
			if err := r.settle(); err != nil {
				return err
			}
			return cmp.Or(r.show(), r.err)
		})
		if refused(err) {
			err = nil // it stays as it is
		}
	}
	if err != nil || !due {
		return err
	}
	return n.note(ctx, func(set *settings) { set.Settled = moved })
}

// inGroups returns the versions of each kind and owner, since a change of the history has records of
// one kind. Purges, which leave none there, are groups of their own.
func inGroups(versions []said) (groups [][]said) {
	at := map[string]int{}
	for _, v := range versions {
		key := fmt.Sprint(v.Kind, "\x00", v.Owner, "\x00", v.Purged)
		i, there := at[key]
		if !there {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}

// refused reports whether a store refused a version, as it may refuse an undo.
func refused(err error) bool {
	return errors.As(err, new(*memory.SameTextError)) || errors.As(err, new(*memory.TakenTopicError)) ||
		errors.As(err, new(*memory.TakenIDError)) || errors.As(err, new(*ledger.TakenError)) || errors.As(err, new(*ledger.LimitError)) ||
		errors.As(err, new(*ledger.FindingError)) || errors.As(err, new(*ledger.UserNameError))
}

// machines returns the machines of the notebook, this one first.
func (n Notebook) machines(ctx context.Context) (all []Machine, err error) {
	err = n.View(ctx, func(tx *ledger.Tx) error {
		set, err := settingsOf(tx)
		if err != nil {
			return err
		}
		all = []Machine{{Name: set.Name, Own: true, LastAt: moment(set.LastAt)}}
		return eachPeer(tx, func(_ string, p peer) error {
			all = append(all, Machine{Name: p.Name, LastAt: moment(p.At), Left: p.Left,
				Ahead: time.Duration(p.Ahead) * time.Millisecond})
			return nil
		})
	})
	return all, err
}

func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// Status returns the machines and what waits, without changing anything.
func (n Notebook) Status(ctx context.Context) (r Report, err error) {
	set, err := n.settings(ctx)
	if err != nil {
		return r, err
	}
	r.Place = set.Place
	if r.Machines, err = n.machines(ctx); err != nil {
		return r, err
	}
	if r.Waiting, err = n.blocked(ctx); err != nil {
		return r, err
	}
	_, p, err := at(set.Place)
	if err != nil {
		r.Waiting = append(r.Waiting, Waiting{set.Place, err})
		return r, nil
	}
	defer p.Close()
	names, err := p.machines()
	if err != nil {
		return r, &PlaceError{set.Place, err}
	}
	for _, machine := range names {
		if machine == set.Machine {
			continue
		}
		state, _, err := n.peer(ctx, machine)
		if err != nil {
			return r, err
		}
		there, err := p.files(machine)
		if err != nil {
			return r, &PlaceError{set.Place, err}
		}
		wait := func(name string, why Fault) { r.Waiting = append(r.Waiting, Waiting{machine + "/" + name, bad(why)}) }
		for _, number := range there.segments {
			if number > state.Number {
				wait(segmentFile(number), Pending)
			}
		}
		for _, number := range there.snapshots {
			if number > state.Number {
				wait(snapshotFile(number), Pending)
			}
		}
		for _, name := range there.others {
			wait(name, ForeignName)
		}
	}
	return r, nil
}

// blocked returns the records that cannot be shown here.
func (n Notebook) blocked(ctx context.Context) (all []Waiting, err error) {
	err = n.View(ctx, func(tx *ledger.Tx) error {
		all = nil
		ids, err := alteredRecords(tx)
		if err != nil {
			return err
		}
		for _, id := range ids {
			e, _, err := load[entry](tx, id.key(entries))
			if err != nil {
				return err
			}
			if e.Blocked != "" {
				all = append(all, Waiting{id.ID, errors.New(e.Blocked)})
			}
		}
		return nil
	})
	return all, err
}

// alteredRecords returns the records that are not shown as they were said.
func alteredRecords(tx *ledger.Tx) (ids []ID, err error) {
	for item, err := range tx.Scan(kv.Range{Prefix: altered.All(), KeysOnly: true}) {
		if err != nil {
			return nil, err
		}
		if id, ok := alteredID(item.Key); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Leave says a last time what changed here, if the place is there, and forgets the notebook. The
// records stay, and so do the files of this machine, which others may not have read yet.
func (n Notebook) Leave(ctx context.Context) error {
	set, err := n.settings(ctx)
	if err != nil {
		return err
	}
	_, p, err := at(set.Place)
	if errors.Is(err, fs.ErrNotExist) { // a stick that is lost holds nobody
		return n.forget(ctx)
	}
	if err != nil {
		return err
	}
	defer p.Close()
	if _, err := n.say(ctx, true); err != nil {
		return err
	}
	if err := n.deliver(ctx, p); err != nil && !errors.Is(err, errUnsaid) {
		return err
	}
	return n.forget(ctx)
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
		e, _, err := s.entry(id)
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

// Conflicts returns the versions that lost, the oldest first, with their numbers.
func (n Notebook) Conflicts(ctx context.Context) (all []Conflict, numbers []uint64, err error) {
	err = n.View(ctx, func(tx *ledger.Tx) error {
		all, numbers = nil, nil
		for item, err := range kv.Pairs(tx, kv.Range{Prefix: conflicts.All()}) {
			if err != nil {
				return err
			}
			var c Conflict
			if err := ledger.Decode(item.Key, item.Value, &c); err != nil {
				return err
			}
			number, _ := ledger.NumberIn(item.Key)
			all, numbers = append(all, c), append(numbers, number)
		}
		for i := range all {
			c := &all[i]
			value, err := newScope(tx).form(c.ID)
			if err != nil {
				return err
			}
			if value == nil {
				continue
			}
			if c.Title, c.Kept, err = n.Schemas.Of(c.Kind).Describe(tx, c.ID.ID, value); err != nil {
				return err
			}
		}
		return nil
	})
	return all, numbers, err
}

// Settle forgets a conflict, here and with the next sync on the machines that had it too. With other the
// record gets the version that lost, as a change of this machine; otherwise it stays as it is. It returns
// the conflict, and fails with a NotFoundError if there is none with the number.
func (n Notebook) Settle(ctx context.Context, number uint64, other bool) (c Conflict, err error) {
	run := n.Maintain
	if other {
		run = n.Update
	}
	err = run(ctx, func(tx *ledger.Tx) error {
		var found bool
		if c, found, err = load[Conflict](tx, conflictKey(number)); err != nil || !found {
			return cmp.Or(err, error(&ledger.NotFoundError{Kind: KindConflict, Name: strconv.FormatUint(number, 10)}))
		}
		if other {
			if err := n.bringBack(tx, c); err != nil {
				return err
			}
		}
		return errors.Join(tx.Delete(conflictKey(number)), tx.Put(c.ID.key(marks), []byte(settled)))
	})
	return c, err
}

// bringBack gives a record the version that lost.
func (n Notebook) bringBack(tx *ledger.Tx, c Conflict) error {
	value, err := (&receiver{scope: newScope(tx)}).here(c.ID, c.Value)
	if err != nil {
		return err
	}
	recorded := n.Schemas.Of(c.Kind)
	now, err := recorded.Current(tx, c.Owner, []string{c.ID.ID})
	if err != nil {
		return err
	}
	return recorded.Restore(tx, ledger.Change{Owner: c.Owner, Records: []ledger.ChangedRecord{
		{Kind: c.Kind, ID: c.ID.ID, Exists: now[0] != nil, Existed: true, Before: value}}})
}

// KindConflict names conflicts in errors.
const KindConflict ledger.Kind = "conflict"

// NotePurge notes that records were purged, for the other machines and the files of this one.
func NotePurge(tx *ledger.Tx, c ledger.Change) error {
	if tx.Within != nil {
		return nil
	}
	if _, joined, err := load[settings](tx, settingsKey.All()); err != nil || !joined {
		return err
	}
	for _, r := range c.Records {
		if kindOf(r.Kind) == nil {
			continue
		}
		if err := tx.Put(ID{r.Kind, c.Owner, r.ID}.key(marks), []byte(purged)); err != nil {
			return err
		}
	}
	return nil
}
