package replica

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"techo/store/kv"
	"techo/store/ledger"
)

// errUnsaid reports that a record changed here since this machine last said what changed: that has to
// be said first, because it did not know what is received.
var errUnsaid = errors.New("replica: a record changed meanwhile")

// receiver applies versions of another machine in one transaction.
type receiver struct {
	*scope
	set     *settings
	from    string // name of the machine
	blocked error  // why the only version cannot be shown; nil tries to show it
	all     map[ID]*received
	order   []ID
	claims  map[claim][]ID // of the winners, once settle has begun
	due     []claim        // that settle has to decide
}

// received is a record that the transaction looks at.
type received struct {
	entry
	was    []byte  // value of the winner before, nil if removed or unknown
	value  []byte  // as the record is shown now
	claims []claim // of the winner
	yields []yielding
	purge  bool
}

// yielding is a claim that a record leaves to another one.
type yielding struct {
	what string
	from string // what the record has instead may say this; "" if it has to say its id
}

// receive merges versions and shows what changes.
func receive(s *scope, set *settings, from string, versions []said, blocked error) error {
	r := &receiver{scope: s, set: set, from: from, blocked: blocked, all: map[ID]*received{}}
	for _, v := range versions {
		if kindOf(v.Kind) == nil {
			return bad(Newer)
		}
		if err := r.merge(v); err != nil {
			return err
		}
	}
	if err := r.settle(); err != nil {
		return err
	}
	if err := r.show(); err != nil {
		return err
	}
	return s.err
}

// look loads a record once.
func (r *receiver) look(id ID) (*received, error) {
	if one, known := r.all[id]; known {
		return one, nil
	}
	e, err := r.entry(id)
	if err != nil {
		return nil, err
	}
	one := &received{entry: e}
	var digest uint64
	if one.value, digest, err = r.shared(id); err != nil {
		return nil, err
	}
	if (one.value != nil) != e.Shown || e.Shown && digest != e.Digest {
		return nil, errUnsaid
	}
	if w, ok := e.Frontier.winner(); ok && !w.Removed {
		one.was = w.Value
	}
	r.all[id] = one
	r.order = append(r.order, id)
	if r.claims != nil {
		r.claim(id, one)
	}
	return one, nil
}

// claim notes what the winner of a record claims.
func (r *receiver) claim(id ID, one *received) {
	one.claims = r.claimsOf(id, one.winning())
	for _, c := range one.claims {
		r.claims[c] = append(r.claims[c], id)
	}
}

// merge adds a version to the frontier of its record.
func (r *receiver) merge(v said) error {
	one, err := r.look(v.ID)
	if err != nil {
		return err
	}
	before := one.Frontier
	next, fresh := before.with(v.Version, r.of)
	if !fresh {
		return nil
	}
	one.Frontier, one.purge = next, one.purge || v.Purged
	if v.Settled {
		settled := func(c Conflict) bool {
			return v.knew(Version{Stamp: Stamp{Machine: c.By}, Segment: c.Segment}, r.of)
		}
		if err := r.forgetConflicts(v.ID, settled); err != nil {
			return err
		}
	}
	content := kindOf(v.Kind).content
	same := func(a, b []byte) bool { return content(a) == content(b) }
	for _, lost := range next.losers(same) {
		known := slices.ContainsFunc(before.losers(same), func(u Version) bool { return u.Stamp == lost.Stamp })
		if !known {
			if err := r.conflict(v.ID, lost); err != nil {
				return err
			}
		}
	}
	return nil
}

// conflict keeps a version that lost.
func (r *receiver) conflict(id ID, lost Version) (err error) {
	c := Conflict{ID: id, At: lost.At, Value: lost.Value, By: lost.Stamp.Machine, Segment: lost.Segment}
	if c.Machine, err = r.nameOf(c.By); err != nil {
		return err
	}
	if value, err := r.here(id, lost.Value); err == nil { // else it belongs to a calendar that is elsewhere here
		if c.Title, c.Lost, err = r.Ledger.Schemas.Of(id.Kind).Describe(r.Tx, id.ID, value); err != nil {
			return err
		}
	}
	r.set.Conflicts++
	return ledger.Save(r.Tx, conflicts.Number(r.set.Conflicts), c)
}

// nameOf returns the name of a machine: this one, one that was heard before, or the one that is heard now.
func (r *receiver) nameOf(machine string) (string, error) {
	if machine == r.set.Machine {
		return r.set.Name, nil
	}
	p, heard, err := load[peer](r.Tx, peerKey(machine))
	if heard {
		return p.Name, err
	}
	return r.from, err
}

// here returns a value in the form of the history of this store.
func (r *receiver) here(id ID, value []byte) ([]byte, error) {
	if local := kindOf(id.Kind).local; local != nil {
		return local(r.scope, value)
	}
	return value, nil
}

// claim is what only one record of an owner can have.
type claim struct {
	kind  ledger.Kind
	owner string
	what  string
}

// winning returns the value of the winner, nil if it is a removal.
func (one *received) winning() []byte {
	if w, ok := one.Frontier.winner(); ok && !w.Removed {
		return w.Value
	}
	return nil
}

// settle decides which record has each claim. It gives the same answer on all machines, since it looks
// at the winners alone.
func (r *receiver) settle() error {
	r.claims = map[claim][]ID{}
	for _, id := range r.order {
		one := r.all[id]
		r.claim(id, one)
		r.due = append(append(r.due, r.claimsOf(id, one.was)...), one.claims...)
	}
	decided := map[claim]bool{}
	for len(r.due) > 0 {
		c := r.due[0]
		r.due = r.due[1:]
		if decided[c] {
			continue
		}
		decided[c] = true
		claimants, err := r.claimants(c)
		if err != nil {
			return err
		}
		k := kindOf(c.kind)
		slices.SortFunc(claimants, func(a, b ID) int { return r.compare(k, a, b) })
		for i, id := range claimants {
			if i == 0 {
				continue
			}
			from, err := r.name(k, c.what, claimants[1:i], id)
			if err != nil {
				return err
			}
			r.all[id].yields = append(r.all[id].yields, yielding{c.what, from})
		}
	}
	return nil
}

// name returns the name of the machine that said a record, which yields a claim, or "" if what the record
// would have with that name is another one's: one with the same name yields before it, or claims it.
func (r *receiver) name(k *kind, what string, before []ID, id ID) (string, error) {
	one := r.all[id]
	from := one.Frontier[0].From
	if slices.ContainsFunc(before, func(b ID) bool { return r.all[b].Frontier[0].From == from }) {
		return "", nil
	}
	instead, err := k.yield(one.winning(), what, id.ID, from)
	if err != nil {
		return "", err
	}
	for _, c := range r.claimsOf(id, instead) {
		claimants, err := r.claimants(c)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(claimants, func(other ID) bool { return other != id }) {
			return "", nil
		}
	}
	return from, nil
}

// compare orders records that claim the same.
func (r *receiver) compare(k *kind, a, b ID) int {
	x, y := r.all[a], r.all[b]
	if k.later {
		return cmp.Or(y.Frontier[0].Stamp.Compare(x.Frontier[0].Stamp), strings.Compare(a.ID, b.ID))
	}
	if k.rank != nil {
		if c := strings.Compare(k.rank(x.winning()), k.rank(y.winning())); c != 0 {
			return c
		}
	}
	return strings.Compare(a.ID, b.ID)
}

// claimants returns the records whose winners claim the same.
func (r *receiver) claimants(c claim) (all []ID, err error) {
	holder, err := kindOf(c.kind).claimant(r.scope, c.owner, c.what)
	if err != nil {
		return nil, err
	}
	var others []ID
	if holder != "" {
		others = append(others, ID{c.kind, c.owner, holder})
	}
	prefix := claimKey(c.kind, c.owner, c.what)
	for item, err := range r.Scan(kv.Range{Prefix: prefix, KeysOnly: true}) {
		if err != nil {
			return nil, err
		}
		others = append(others, ID{c.kind, c.owner, string(item.Key[len(prefix):])})
	}
	for _, id := range others {
		one, err := r.look(id)
		if err != nil {
			return nil, err
		}
		r.due = append(r.due, one.claims...)
	}
	return slices.Clone(r.claims[c]), nil
}

// show gives the records the values of their winners, and saves what is known of them.
func (r *receiver) show() error {
	type group struct {
		kind  ledger.Kind
		owner string
	}
	changes := map[group]*ledger.Change{}
	var groups []group
	for _, id := range r.order {
		one := r.all[id]
		want := one.winning()
		for _, y := range one.yields {
			if want == nil {
				break
			}
			var err error
			if want, err = kindOf(id.Kind).yield(want, y.what, id.ID, y.from); err != nil {
				return err
			}
		}
		if r.blocked != nil || want == nil && one.value == nil || want != nil && one.value != nil &&
			string(r.canonical(id, want)) == string(r.canonical(id, one.value)) {
			continue
		}
		g := group{id.Kind, id.Owner}
		if changes[g] == nil {
			changes[g] = &ledger.Change{Owner: id.Owner}
			groups = append(groups, g)
		}
		record := ledger.ChangedRecord{Kind: id.Kind, ID: id.ID, Existed: want != nil, Exists: one.value != nil}
		if want != nil {
			var err error
			if record.Before, err = r.here(id, want); err != nil {
				return err
			}
		}
		changes[g].Records = append(changes[g].Records, record)
	}
	r.Tx.Received = true
	for _, g := range groups {
		if err := r.Ledger.Schemas.Of(g.kind).Restore(r.Tx, *changes[g]); err != nil {
			return err
		}
	}
	r.calendars = nil
	for _, id := range r.order {
		if err := r.keep(id, r.all[id]); err != nil {
			return err
		}
	}
	return nil
}

// keep saves what is known of a record, after it was shown.
func (r *receiver) keep(id ID, one *received) error {
	if err := r.unyield(id, one.was); err != nil {
		return err
	}
	value, digest, err := r.shared(id)
	if err != nil {
		return err
	}
	e := &one.entry
	e.Shown, e.Digest, e.Blocked = value != nil, digest, ""
	if value == nil {
		e.Digest = 0
	}
	if r.blocked != nil {
		e.Blocked = r.blocked.Error()
	}
	winning := one.winning()
	e.Altered = winning != nil && (value == nil || string(r.canonical(id, winning)) != string(r.canonical(id, value)))
	if e.Altered {
		for _, c := range r.claimsOf(id, winning) {
			if err := r.Tx.Put(append(claimKey(c.kind, c.owner, c.what), id.ID...), nil); err != nil {
				return err
			}
		}
	}
	if one.purge {
		if err := r.purge(id); err != nil {
			return err
		}
	}
	return r.save(id, e)
}

// purge removes the earlier versions of a record from the history and the conflicts, and later from
// the files of this machine.
func (r *receiver) purge(id ID) error {
	r.set.Rewrite = true
	if err := r.forgetConflicts(id, nil); err != nil {
		return err
	}
	c := ledger.Change{Owner: id.Owner, Records: []ledger.ChangedRecord{{Kind: id.Kind, ID: id.ID, Existed: true}}}
	_, err := r.Ledger.Schemas.Purge(r.Tx, c)
	return err
}
