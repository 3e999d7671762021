package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/internal/bitset"
	"techo/internal/sorting"
	"techo/store/claims"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
)

// # Review
//
// What a person should decide is found from entries that each memory has: the memories that were
// alike when it was added, the hash of its file, and whether it was confirmed. So a review compares
// a bounded number of memories, however many there are. Whether a pair still waits depends on the
// memories as they are now: nothing but they keeps a decision.

// ReviewMost is how many memories of each kind a review looks at: the latest ones.
const ReviewMost = 1000

// Spot is the place of something to decide among all of its kind.
type Spot struct {
	At   int64
	Text uint32
}

// Compare orders spots.
func (s Spot) Compare(o Spot) int {
	return cmp.Or(cmp.Compare(s.At, o.At), cmp.Compare(s.Text, o.Text))
}

// Waiting is something to decide about memories. Of several the one that holds is first.
type Waiting struct {
	Spot     Spot
	Memories []Memory
}

// ReviewFilter is what a review looks for.
type ReviewFilter struct {
	Pairs, Sourced, Expired, Unconfirmed bool

	// For Unconfirmed: only memories created before a time, zero for all, and behind a spot.
	Before time.Time
	Behind *Spot
	Limit  int
}

// Reviewed is the result of a review: the latest first, of the unconfirmed ones the oldest.
type Reviewed struct {
	Contradictions, Repetitions, Expired []Waiting
	Sourced                              []Waiting // memories with the hash of a file
	Unconfirmed                          []Waiting // up to the limit
	UnconfirmedTotal                     int
	More                                 bool // there is more than ReviewMost of a kind
}

// Review returns what a person should decide about the memories of a user.
func Review(ctx context.Context, s *ledger.Ledger, user string, f ReviewFilter) (found Reviewed, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		found = Reviewed{}
		u, err := LoadUser(tx, norm.NFC.String(user), false)
		if err != nil || u.Number == 0 {
			return err
		}
		v := reviewing{tx: tx, user: u, now: s.Time(), found: &found}
		if f.Pairs {
			err = v.pairs()
		}
		if err == nil && f.Sourced {
			err = v.sourced()
		}
		if err == nil && f.Expired {
			err = v.expired()
		}
		if err == nil && f.Unconfirmed {
			err = v.unconfirmed(f)
		}
		return err
	})
	return found, err
}

// reviewing is a review of a user's memories.
type reviewing struct {
	tx    *ledger.Tx
	user  UserRecord
	now   time.Time
	found *Reviewed
	there bitset.Set // the texts of the memories of pairs
}

// latest returns the memories that the last entries of an index name.
func (v *reviewing) latest(prefix, from []byte) ([]Record, error) {
	var ids []string
	for p, err := range kv.Pairs(v.tx, kv.Range{Prefix: prefix, From: from, Reverse: true, Limit: ReviewMost + 1}) {
		if err != nil {
			return nil, err
		}
		if len(ids) == ReviewMost {
			v.found.More = true
			break
		}
		ids = append(ids, string(bytes.Clone(p.Value)))
	}
	return indexedMemories(v.tx, v.user.Number, ids)
}

// alone returns a memory to decide about.
func alone(r *Record, at int64) Waiting {
	return Waiting{Spot{at, r.Text}, []Memory{r.memory()}}
}

func (v *reviewing) sourced() error {
	records, err := v.latest(reviewPrefix(v.user.Number, sourceLetter), nil)
	for i := range records {
		v.found.Sourced = append(v.found.Sourced, alone(&records[i], 0))
	}
	return err
}

func (v *reviewing) expired() error {
	until := memoryExpiryKey(v.user.Number, v.now.UnixMilli(), ^uint32(0))
	records, err := v.latest(expiries.OfUser(v.user.Number), until)
	for i := range records {
		if r := &records[i]; r.Confirmed < r.Expires {
			v.found.Expired = append(v.found.Expired, alone(r, r.Expires))
		}
	}
	return err
}

// unconfirmed finds memories that were never confirmed, without the turns of conversations and the
// memories of pairs that were found.
func (v *reviewing) unconfirmed(f ReviewFilter) error {
	settled, err := v.user.expired(v.tx, v.now)
	if err != nil {
		return err
	}
	if settled == nil {
		settled = &bitset.Set{}
	}
	prefix := reviewPrefix(v.user.Number, settledLetter)
	for item, err := range v.tx.Scan(kv.Range{Prefix: prefix, KeysOnly: true}) {
		if err != nil {
			return err
		}
		settled.Add(textOfKey(item.Key))
	}
	var ids []string
	var spots []Spot
	err = v.user.line().within(v.tx, Period{Until: f.Before}.span(), false, func(m Moment) error {
		if settled.Has(m.Text) || v.there.Has(m.Text) {
			return nil
		}
		v.found.UnconfirmedTotal++
		spot := Spot{m.At, m.Order}
		if len(ids) < f.Limit && (f.Behind == nil || spot.Compare(*f.Behind) > 0) {
			ids, spots = append(ids, m.ID), append(spots, spot)
		}
		return nil
	})
	if err != nil {
		return err
	}
	records, err := indexedMemories(v.tx, v.user.Number, ids)
	for i := range records {
		v.found.Unconfirmed = append(v.found.Unconfirmed, Waiting{spots[i], []Memory{records[i].memory()}})
	}
	return err
}

// reviewedMemory is a memory of a pair.
type reviewedMemory struct {
	Memory
	text  uint32
	said  claims.Statement
	group *reviewedGroup // that says the same, or nil
}

// reviewedGroup is memories that say the same.
type reviewedGroup struct {
	spot Spot
	all  []*reviewedMemory
}

// pairs finds memories that contradict or repeat each other.
func (v *reviewing) pairs() error {
	records, err := v.latest(reviewPrefix(v.user.Number, alikeLetter), nil)
	if err != nil {
		return err
	}
	var others []string
	for i := range records {
		others = append(others, records[i].Alike...)
	}
	there, _, err := loadMemories(v.tx, v.user.Number, others)
	if err != nil {
		return err
	}
	for i := range records {
		there[records[i].ID] = records[i]
	}
	all := map[string]*reviewedMemory{}
	for id, r := range there {
		expired := r.Expires != 0 && r.Expires <= v.now.UnixMilli()
		if !expired && !claims.Turn(r.Full, r.Session != "") {
			all[id] = &reviewedMemory{Memory: r.memory(), text: r.Text, said: claims.Read(r.Full)}
		}
	}
	p := paired{drafter: NewDrafter(), by: map[string][]string{}}
	for i := range records {
		for _, id := range records[i].Alike {
			if m, o := all[records[i].ID], all[id]; m != nil && o != nil && m != o {
				p.add(m, o)
			}
		}
	}
	v.found.Contradictions, v.found.Repetitions = p.contradictions(), p.repetitions()
	for _, w := range slices.Concat(v.found.Contradictions, v.found.Repetitions) {
		for i := range w.Memories {
			v.there.Add(all[w.Memories[i].ID].text)
		}
	}
	return nil
}

// paired is the pairs of a review.
type paired struct {
	drafter  *Drafter
	replaces []Waiting
	by       map[string][]string // ids of the memories that replace one
	groups   []*reviewedGroup
}

// add adds a memory and one that was alike when it was added.
func (p *paired) add(m, o *reviewedMemory) {
	older, newer := o, m
	if o.newerThan(&m.Memory) {
		older, newer = m, o
	}
	spot := Spot{int64(m.text), o.text}
	switch relation, holds := judge(&older.Memory, &newer.Memory, older.said, newer.said); {
	case relation == claims.Replaces:
		if holds == &older.Memory {
			older, newer = newer, older
		}
		p.by[older.ID] = append(p.by[older.ID], newer.ID)
		p.replaces = append(p.replaces, Waiting{spot, []Memory{newer.Memory, older.Memory}})
	case keptBoth(&m.Memory, &o.Memory):
	case relation == claims.Same || p.nearlySame(&m.Memory, &o.Memory):
		p.join(m, o, spot)
	}
}

// nearlySame reports whether two long memories have nearly the same words.
func (p *paired) nearlySame(m, o *Memory) bool {
	return min(len(m.FullText), len(o.FullText)) > longText &&
		p.drafter.Draft(*m).bag.Overlap(p.drafter.Draft(*o).bag) >= search.NearlySame
}

// join puts two memories into one group.
func (p *paired) join(m, o *reviewedMemory, spot Spot) {
	if m.group == nil {
		m.group = &reviewedGroup{spot, []*reviewedMemory{m}}
		p.groups = append(p.groups, m.group)
	}
	if o.group == m.group {
		return
	}
	joined := []*reviewedMemory{o}
	if o.group != nil {
		joined = o.group.all
		if o.group.spot.Compare(m.group.spot) > 0 {
			m.group.spot = o.group.spot
		}
		o.group.all = nil
	}
	for _, n := range joined {
		n.group = m.group
	}
	m.group.all = append(m.group.all, joined...)
}

// contradictions returns the pairs in which one replaces the other, without the ones whose both
// memories a third one replaces.
func (p *paired) contradictions() (all []Waiting) {
	for _, w := range p.replaces {
		too := p.by[w.Memories[1].ID]
		if !slices.ContainsFunc(p.by[w.Memories[0].ID], func(id string) bool { return slices.Contains(too, id) }) {
			all = append(all, w)
		}
	}
	return latestFirst(all)
}

// repetitions returns the groups of memories that say the same, each with the newest first.
func (p *paired) repetitions() (all []Waiting) {
	for _, g := range p.groups {
		if len(g.all) < 2 {
			continue
		}
		w := Waiting{Spot: g.spot}
		for _, m := range g.all {
			w.Memories = append(w.Memories, m.Memory)
		}
		sorting.By(w.Memories, func(a, b Memory) int {
			return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
		})
		all = append(all, w)
	}
	return latestFirst(all)
}

func latestFirst(all []Waiting) []Waiting {
	sorting.By(all, func(a, b Waiting) int { return b.Spot.Compare(a.Spot) })
	return all
}
