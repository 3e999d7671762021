package replica

import (
	"cmp"
	"slices"

	"techo/store/ledger"
)

// ID names a record on all machines. The owner is the user of a memory or a memory file, "" for what
// all users of a store share.
type ID struct {
	Kind  ledger.Kind `json:"kind"`
	Owner string      `json:"owner,omitempty"`
	ID    string      `json:"id"`
}

// Stamp orders the versions of one record on all machines: a hybrid logical clock for each record. A
// version has a greater stamp than every version that it replaced, whatever the clocks say.
type Stamp struct {
	At      int64  `json:"at"`          // milliseconds since 1970, of the change or of the version before it
	N       uint32 `json:"n,omitempty"` // more versions of one time
	Machine string `json:"machine"`
}

// Compare orders stamps; the machine decides between equal times.
func (s Stamp) Compare(o Stamp) int {
	return cmp.Or(cmp.Compare(s.At, o.At), cmp.Compare(s.N, o.N), cmp.Compare(s.Machine, o.Machine))
}

// after returns the stamp of a version that was made at a time and replaces others.
func after(at int64, machine string, replaced []Version) Stamp {
	s := Stamp{At: at, Machine: machine}
	for _, v := range replaced {
		if v.At > s.At || v.At == s.At && v.N >= s.N {
			s.At, s.N = v.At, v.N+1
		}
	}
	return s
}

// Seen has, for each machine, the number of its last segment that a machine knew.
type Seen map[string]uint64

// Version is a version of a record, or its removal.
type Version struct {
	Stamp
	Segment uint64 `json:"segment"` // in which its machine said it
	From    string `json:"from"`    // name of the machine that said the record first
	Removed bool   `json:"removed,omitempty"`
	Purged  bool   `json:"purged,omitempty"`  // earlier versions leave no trace
	Settled bool   `json:"settled,omitempty"` // its machine decided about the conflicts that it knew
	Value   []byte `json:"value,omitempty"`   // in the form that is equal on all machines; nil if removed

	// Beyond is what the versions that it replaced knew and its machine had not seen: a file of one machine
	// may arrive before one of another that it builds on. With it the knowledge of versions is transitive.
	Beyond Seen `json:"beyond,omitempty"`
}

// knew reports whether the machine that made v knew u. seen returns what a machine had seen when it
// wrote a segment.
func (v Version) knew(u Version, seen func(machine string, segment uint64) Seen) bool {
	if v.Machine == u.Machine {
		return v.Segment > u.Segment || v.Segment == u.Segment && v.Stamp.Compare(u.Stamp) > 0
	}
	return max(seen(v.Machine, v.Segment)[u.Machine], v.Beyond[u.Machine]) >= u.Segment
}

// beyond returns what versions knew and a machine that replaces them has not seen.
func beyond(replaced []Version, machine string, own Seen, seen func(machine string, segment uint64) Seen) Seen {
	var all Seen
	add := func(machines Seen) {
		for m, n := range machines {
			if m != machine && n > max(own[m], all[m]) {
				if all == nil {
					all = Seen{}
				}
				all[m] = n
			}
		}
	}
	for _, u := range replaced {
		add(seen(u.Machine, u.Segment))
		add(u.Beyond)
		add(Seen{u.Machine: u.Segment}) // its segment may not be applied to its end
	}
	return all
}

// Frontier are the versions of a record that no other version knew. All machines that have received
// the same versions have the same frontier, in whatever order they came.
type Frontier []Version

// with returns the frontier with a version, and whether that version is new and unknown to all others.
func (f Frontier) with(v Version, seen func(machine string, segment uint64) Seen) (Frontier, bool) {
	for _, u := range f {
		if u.Stamp == v.Stamp || u.knew(v, seen) {
			return f, false
		}
	}
	next := slices.DeleteFunc(slices.Clone(f), func(u Version) bool { return v.knew(u, seen) })
	next = append(next, v)
	slices.SortFunc(next, func(a, b Version) int {
		if a.Removed != b.Removed { // a change beats a removal that had not seen it
			if a.Removed {
				return 1
			}
			return -1
		}
		return b.Stamp.Compare(a.Stamp)
	})
	return next, true
}

// winner returns the version that holds: the latest change, else the latest removal.
func (f Frontier) winner() (v Version, ok bool) {
	if len(f) == 0 {
		return v, false
	}
	return f[0], true
}

// losers returns the changes that lost, with other contents than the winner.
func (f Frontier) losers(same func(a, b []byte) bool) (all []Version) {
	for i, v := range f {
		if i > 0 && !v.Removed && !same(v.Value, f[0].Value) {
			all = append(all, v)
		}
	}
	return all
}
