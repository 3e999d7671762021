package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"filippo.io/age"

	"techo/store/ledger"
	"techo/store/memory"
)

// batch is how many versions one transaction applies.
const batch = 500

// hear applies the segments of the other machines that are there whole.
func (s *syncing) hear(ctx context.Context) error {
	machines, err := s.place.machines()
	if err != nil {
		return &PlaceError{s.place.root.Name(), err}
	}
	set, err := s.settings(ctx)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		if machine == set.Machine {
			continue
		}
		if err := s.hearMachine(ctx, machine); err != nil {
			return err
		}
	}
	return nil
}

func (s *syncing) hearMachine(ctx context.Context, machine string) error {
	there, err := s.place.files(machine)
	if err != nil {
		return &PlaceError{s.place.root.Name(), err}
	}
	wait := func(name string, why error) {
		s.report.Waiting = append(s.report.Waiting, Waiting{machine + "/" + name, why})
	}
	for _, name := range there.others {
		wait(name, bad(ForeignName))
	}
	for {
		state, set, err := s.peer(ctx, machine)
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
			file, err := s.place.read(machine+"/"+name, maxSegment)
			if err == nil {
				err = s.hearFile(ctx, machine, name, file, state, set)
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
		state, _, err = load[peer](tx, peerKey(machine))
		return err
	})
	return state, set, err
}

// hearFile applies a file, after it was read to its end.
func (s *syncing) hearFile(ctx context.Context, machine, name string, file []byte, state peer, set settings) error {
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
		return s.apply(ctx, h.Name, sub, parts, machine)
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
	return s.Maintain(ctx, func(tx *ledger.Tx) error {
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
		return ledger.Save(tx, peerKey(machine), peer{Name: h.Name, Number: h.Number, Hash: hash,
			At: h.At, Left: h.Left, Ahead: ahead(h, last.Seen, set, s.Time().UnixMilli())})
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
func (s *syncing) apply(ctx context.Context, from string, versions []said, parts []part, machine string) error {
	ctx = withOrigin(ctx, from)
	run := func(versions []said, blocked error) error {
		ctx := ctx
		if versions[0].Purged {
			ctx = ledger.WithPurge(ctx)
		}
		conflicts := 0
		err := s.Update(ctx, func(tx *ledger.Tx) error {
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
		if err == nil {
			s.report.Conflicts += conflicts
		}
		return err
	}
	for _, group := range inGroups(versions) {
		err := run(group, nil)
		if refused(err) {
			for _, one := range group {
				err = run([]said{one}, nil)
				if refused(err) {
					s.report.Waiting = append(s.report.Waiting, Waiting{one.ID.ID, err})
					err = run([]said{one}, err)
				}
				if err != nil {
					break
				}
			}
		}
		if err != nil {
			return err
		}
		s.report.Received += len(group)
		if s.progress != nil {
			s.progress(s.report.Sent + s.report.Received)
		}
	}
	return nil
}

// withOrigin returns a context whose changes the history has as those of a sync, from a machine.
func withOrigin(ctx context.Context, machine string) context.Context {
	return ledger.WithOrigin(ctx, ledger.Origin{Tool: "sync", By: ledger.WritingOf(ctx).Origin.By, Client: machine})
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
	ctx = withOrigin(ctx, "")
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
