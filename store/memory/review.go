package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/internal/bitset"
	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memory/wording"
)

// # Review
//
// What a person should decide is found from entries that each memory has: the memories that were about
// the same matter when it was added, the hash of its file, and whether it was confirmed. So a review reads
// a bounded number of memories, however many there are. Whether something still waits depends on the
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

// Waiting is something to decide about memories, the newest first.
type Waiting struct {
	Spot     Spot
	Memories []Memory
}

// ReviewFilter is what a review looks for.
type ReviewFilter struct {
	Near, Sourced, Expired, Unconfirmed bool

	// For Unconfirmed: only memories created before a time, zero for all, and behind a spot.
	Before time.Time
	Behind *Spot
	Limit  int
}

// Reviewed is the result of a review: the latest first, of the unconfirmed ones the oldest.
type Reviewed struct {
	Near, Expired    []Waiting
	Sourced          []Waiting // memories with the hash of a file
	Unconfirmed      []Waiting // up to the limit
	UnconfirmedTotal int
	More             bool // there is more than ReviewMost of a kind
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
		if f.Near {
			err = v.near()
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

type reviewing struct {
	tx    *ledger.Tx
	user  UserRecord
	now   time.Time
	found *Reviewed
	there bitset.Set // the texts of the memories that are near each other
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
		ids = append(ids, string(p.Value))
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
// memories that are near each other.
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

// near finds memories with those that were about the same matter when they were added, unless all of them
// were confirmed since. What another finding has already is left out.
func (v *reviewing) near() error {
	records, err := v.latest(reviewPrefix(v.user.Number, nearLetter), nil)
	if err != nil {
		return err
	}
	var others []string
	for i := range records {
		others = append(others, records[i].Near...)
	}
	there, err := loadMemories(v.tx, v.user.Number, others)
	if err != nil {
		return err
	}
	waits := func(r *Record) bool {
		return (r.Expires == 0 || r.Expires > v.now.UnixMilli()) && !wording.Turn(r.Full, r.Session != "")
	}
	listed := map[string]map[string]bool{} // ids that were listed together
	for i := range records {
		r := &records[i]
		m, all := r.memory(), []Record{*r}
		for n, id := range r.Near {
			o, ok := there[id]
			old := o.memory()
			if ok && id != r.ID && !slices.Contains(r.Near[:n], id) && waits(&o) && !keptBoth(&m, &old) {
				all = append(all, o)
			}
		}
		known := func(o Record) bool { return o.ID == r.ID || listed[r.ID][o.ID] }
		if !waits(r) || len(all) < 2 || !slices.ContainsFunc(all, func(o Record) bool { return !known(o) }) {
			continue
		}
		w := Waiting{Spot: Spot{int64(r.Text), 0}}
		sorting.By(all, func(a, b Record) int { return b.moment().compare(a.moment()) })
		for k := range all {
			w.Memories = append(w.Memories, all[k].memory())
			v.there.Add(all[k].Text)
			if listed[all[k].ID] == nil {
				listed[all[k].ID] = map[string]bool{}
			}
			for _, o := range all {
				listed[all[k].ID][o.ID] = true
			}
		}
		v.found.Near = append(v.found.Near, w)
	}
	return nil
}

// keptBoth reports whether both memories were confirmed since both exist: then somebody has decided.
func keptBoth(a, b *Memory) bool {
	since := a.CreatedAt
	if b.CreatedAt.After(since) {
		since = b.CreatedAt
	}
	confirmed := func(m *Memory) bool { return !m.ConfirmedAt.IsZero() && !m.ConfirmedAt.Before(since) }
	return confirmed(a) && confirmed(b)
}
