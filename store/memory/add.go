package memory

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memory/wording"
	"techo/store/search"
)

// AddMemory adds what is said now, in place of the memories with some ids. A text that is kept already is
// said again: its memory gets the new date and the other fields that are given. A memory with the same
// topic is superseded.
func (s Memories) AddMemory(ctx context.Context, m Memory, supersedes ...string) (added Added, err error) {
	d := NewDrafter().Draft(m)
	related, err := relatedTo(ctx, s.Ledger, d, supersedes...)
	if err != nil {
		return added, err
	}
	if !wording.Turn(d.FullText, d.Session != "") { // that is a record of what was said
		d.Near = nearOf(related)
	}
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		if len(supersedes) > 0 {
			added, err = stateInstead(tx, d, supersedes)
		} else {
			added, err = state(tx, d, false)
		}
		return err
	})
	if added.Created || added.Replaced || added.Renewed || len(added.Superseded) > 0 {
		added.Related = memoriesOf(related, append(slices.Clip(added.Superseded), added.ID)...)
	}
	return added, err
}

// Said is a memory that somebody states now, and the ids of those that it supersedes.
type Said struct {
	Memory
	Instead []string
}

// AddTogether adds memories as AddMemory does, one after another, all or none. It fails with a
// ledger.DraftError.
func (s Memories) AddTogether(ctx context.Context, said []Said) (added []Added, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		within := s.WithOpen(ctx, tx)
		added = make([]Added, len(said))
		for i, m := range said {
			if added[i], err = s.AddMemory(within, m.Memory, m.Instead...); err != nil {
				return &ledger.DraftError{Index: i, Err: err}
			}
		}
		return nil
	})
	return added, err
}

// AddMemories adds memories of one user in one transaction, as an import does: what was said
// later wins, whatever the order. A text that is kept already, or that was superseded, counts only
// if the draft has a later time. A refused memory has its error in Added.Err and does not
// affect the others.
func (s Memories) AddMemories(ctx context.Context, user string, drafts []Draft) (added []Added, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) (err error) {
		added, err = importDrafts(tx, norm.NFC.String(user), drafts)
		return err
	})
	return added, err
}

func addDrafts(tx *ledger.Tx, user string, drafts []Draft) ([]Added, error) {
	if refused, ok := allRefused(drafts); ok { // so that they leave no user behind
		return refused, nil
	}
	a, err := newMemoryAdding(tx, norm.NFC.String(user), drafts)
	if err != nil {
		return nil, err
	}
	all := make([]Added, len(drafts))
	for i := range drafts {
		if all[i], err = a.add(&drafts[i]); err != nil {
			return nil, err
		}
	}
	return all, a.finish()
}

// addDraft adds one memory. The error may also be that of a refused memory.
func addDraft(tx *ledger.Tx, user string, d Draft) (Added, error) {
	all, err := addDrafts(tx, user, []Draft{d})
	if err != nil {
		return Added{}, err
	}
	return all[0], all[0].Err
}

// allRefused returns the errors of drafts if all are too large; ok is false if one is not.
func allRefused(drafts []Draft) (refused []Added, ok bool) {
	for i := range drafts {
		err := drafts[i].limits()
		if err == nil {
			return nil, false
		}
		refused = append(refused, Added{Err: err})
	}
	return refused, true
}

// readTogether reads what the addition of drafts looks up, in one round trip for all, and returns
// the first entries of some ranges.
func readTogether(tx *ledger.Tx, u UserRecord, drafts []Draft, ranges ...kv.Range) ([][]kv.Pair, error) {
	if u.Number == 0 {
		return make([][]kv.Pair, len(ranges)), nil // a new user has nothing yet
	}
	_, items, err := tx.ReadMany(append(draftKeys(u.Number, drafts), search.NumbersKey(u.index())), ranges)
	return items, err
}

// draftKeys returns the keys that may have the texts, ids, topics and sessions of drafts.
func draftKeys(user uint32, drafts []Draft) (keys [][]byte) {
	sessions := map[string]bool{}
	for i := range drafts {
		d := &drafts[i]
		keys = append(keys, Key(user, IdOfText(d.digest)), memoryTextKey(user, d.digest))
		if d.ID != "" && len(d.ID) <= maxMemoryID {
			keys = append(keys, Key(user, d.ID))
		}
		if d.Topic != "" && len(d.Topic) <= maxLabelBytes {
			keys = append(keys, memoryTopicKey(user, d.Scope, d.Topic))
		}
		if s := d.Session; s != "" && len(s) <= maxLabelBytes && !sessions[s] {
			sessions[s] = true
			keys = append(keys, memorySessionKey(user, s))
		}
	}
	return keys
}

// adding adds memories of one user in a transaction.
type adding struct {
	tx       *ledger.Tx
	user     UserRecord
	now      time.Time
	first    uint32 // number of the first text added
	docs     []search.Doc
	sessions map[string]*SessionRecord
	moments  map[uint32][]Moment // by session number; 0 has all
}

// newMemoryAdding begins to add drafts.
func newMemoryAdding(tx *ledger.Tx, user string, drafts []Draft) (*adding, error) {
	u, err := LoadUser(tx, user, true)
	if err != nil {
		return nil, err
	}
	if _, err := readTogether(tx, u, drafts); err != nil {
		return nil, err
	}
	a := &adding{
		tx: tx, user: u, now: tx.Ledger.Time(),
		sessions: map[string]*SessionRecord{}, moments: map[uint32][]Moment{},
	}
	a.first, err = u.index().Next(tx)
	return a, err
}

// add writes one memory; finish writes the indexes.
func (a *adding) add(d *Draft) (Added, error) {
	if err := d.limits(); err != nil {
		return Added{Err: err}, nil
	}
	id, err := memoryWithText(a.tx, a.user.Number, d.FullText, d.digest)
	if err != nil {
		return Added{}, err
	}
	if id != "" {
		there, err := loadMemory(a.tx, a.user.Number, id)
		return Added{Memory: there.memory(), Created: false}, err
	}
	m := d.Memory
	if holder, err := topicHolder(a.tx, a.user.Number, m.Scope, m.Topic); err != nil {
		return Added{}, err
	} else if holder != "" {
		return Added{Err: &TakenTopicError{holder, m.Topic}}, nil
	}
	if m.ID, err = a.newID(d); errors.As(err, new(*TakenIDError)) {
		return Added{Err: err}, nil
	} else if err != nil {
		return Added{}, err
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = a.now
	}
	if m.UpdatedAt.IsZero() {
		m.UpdatedAt = m.CreatedAt
	}
	for _, at := range []*time.Time{&m.CreatedAt, &m.UpdatedAt, &m.ExpiresAt} {
		*at = at.Truncate(time.Millisecond)
	}
	m.Supersedes = slices.Clone(m.Supersedes)
	for i := range m.Supersedes {
		if f := &m.Supersedes[i]; f.SupersededAt.IsZero() {
			f.SupersededBy, f.SupersededAt = m.ID, m.CreatedAt
			for _, later := range []time.Time{d.EditedAt, f.CreatedAt} {
				if later.After(f.SupersededAt) {
					f.SupersededAt = later
				}
			}
		}
	}
	session, err := a.session(m.Session)
	if err != nil {
		return Added{}, err
	}
	a.docs = append(a.docs, search.Doc{ID: m.ID, Group: session, At: m.CreatedAt.UnixMilli(), Bag: d.bag, Vec: d.vec})
	r := RecordOf(&m, a.first+uint32(len(a.docs)-1), session)
	if d.order > 0 && d.order != r.Text+1 {
		r.Order = d.order
	}
	a.user.Memories++
	if err := a.user.forget(a.tx, d); err != nil {
		return Added{}, err
	}
	return Added{Memory: r.memory(), Created: true}, a.write(&r, d)
}

// write writes the record of a draft and its index entries, without the ones of finish.
func (a *adding) write(r *Record, d *Draft) error {
	for _, e := range memoryEntries(a.user.Number, r) {
		if err := a.tx.Put(e.key, e.value); err != nil {
			return err
		}
	}
	at := r.moment()
	a.moments[0] = append(a.moments[0], at)
	if r.Group != 0 {
		a.moments[r.Group] = append(a.moments[r.Group], at)
	}
	if r.ID != IdOfText(d.digest) {
		if err := a.tx.Put(memoryTextKey(a.user.Number, d.digest), []byte(r.ID)); err != nil {
			return err
		}
	}
	return ledger.Save(a.tx, Key(a.user.Number, r.ID), r)
}

// newID returns the id of the draft, or one derived from its text.
func (a *adding) newID(d *Draft) (string, error) {
	if d.ID != "" {
		_, err := a.tx.Get(Key(a.user.Number, d.ID))
		if err == nil {
			err = &TakenIDError{d.ID}
		} else if errors.Is(err, kv.ErrNotFound) {
			err = nil
		}
		return d.ID, err
	}
	return unusedMemoryID(a.tx, a.user.Number, d.digest)
}

// session increments the count of a session and returns its number, 0 for no
// session.
func (a *adding) session(name string) (uint32, error) {
	if name == "" {
		return 0, nil
	}
	s := a.sessions[name]
	if s == nil {
		s = &SessionRecord{}
		err := ledger.Load(a.tx, memorySessionKey(a.user.Number, name), s)
		if errors.Is(err, kv.ErrNotFound) {
			a.user.Sessions++
			s.Number = a.user.Sessions
		} else if err != nil {
			return 0, err
		}
		a.sessions[name] = s
	}
	s.Memories++
	return s.Number, nil
}

// finish writes the indexes and the counts.
func (a *adding) finish() error {
	if len(a.docs) == 0 {
		return nil
	}
	if err := a.user.index().Add(a.tx, a.docs); err != nil {
		return err
	}
	if err := a.insertMoments(); err != nil {
		return err
	}
	for name, s := range a.sessions {
		if err := ledger.Save(a.tx, memorySessionKey(a.user.Number, name), s); err != nil {
			return err
		}
	}
	return a.user.save(a.tx)
}

func (a *adding) insertMoments() error {
	for session, moments := range a.moments {
		slices.SortFunc(moments, Moment.compare)
		if err := (Timeline{User: a.user.Number, Session: session}).insert(a.tx, moments); err != nil {
			return err
		}
	}
	return nil
}
