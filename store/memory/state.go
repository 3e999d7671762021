package memory

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
)

// # Saying something again
//
// A text has one memory. Saying it again is a new statement: the memory gets its date, the new
// fields, and is not expired any more. A text that was superseded and is said again supersedes
// its replacement, so that A, then B, then A ends with A. A topic has one memory in each scope, and a
// new text supersedes it. What has an earlier date than what is known changes nothing, so that an old
// export revives nothing.

// state adds a draft as a statement at the time that it has. Without one it is made now; an
// imported one is older than what is known.
func state(tx *ledger.Tx, d Draft, imported bool) (Added, error) {
	if err := d.limits(); err != nil {
		return Added{}, err
	}
	u, err := LoadUser(tx, d.User, false)
	if err != nil {
		return Added{}, err
	}
	k, err := knownAbout(tx, u, &d)
	if err != nil {
		return Added{}, err
	}
	at := d.CreatedAt
	if at.IsZero() && !imported {
		at = tx.Ledger.Time()
	}
	at = at.Truncate(time.Millisecond)
	before := func(r *Record) bool {
		return r != nil && (at.UnixMilli() < r.Created || imported && at.UnixMilli() == r.Created)
	}
	switch {
	case before(k.text):
		return Added{Memory: k.text.memory()}, nil
	case k.text != nil:
		return k.sayAgain(tx, &u, d, at)
	case before(k.newer):
		return Added{Memory: k.newer.memory(), Outdated: true}, nil
	case k.newer != nil:
		return k.sayInstead(tx, &u, d)
	case len(k.older) > 0 && k.topic == nil:
		return k.replaceBy(tx, &u, Added{}, d, k.older...)
	case k.topic != nil && at.UnixMilli() < k.topic.Created && !d.edits(k.topic):
		return keepFormer(tx, &u, *k.topic, Former{ID: IdOfText(d.digest), Caption: d.Caption,
			FullText: d.FullText, CreatedAt: at})
	case k.topic != nil:
		return k.replaceText(tx, &u, d, at)
	}
	return addDraft(tx, d.User, d)
}

// edits reports whether a draft is of the same file as a memory, and that was changed since: a note may get another
// date, or keep the one that it has.
func (d *Draft) edits(r *Record) bool {
	return r.Source != nil && d.Source.Text != "" && r.Source.Text == d.Source.Text && r.Source.Dir == d.Source.Dir &&
		d.EditedAt.UnixMilli() >= r.Created
}

// known has the memories of a user that a draft is compared with, nil for each that does not exist.
type known struct {
	text  *Record // has the text
	newer *Record // has superseded the text
	topic *Record // has the topic

	older []*Record // that the draft names as superseded, and that are older than it
}

// knownAbout reads what a user has about a draft. The draft gets the scope of the memory with its
// text, unless its scope was given.
func knownAbout(tx *ledger.Tx, u UserRecord, d *Draft) (k known, err error) {
	replaced, err := readTogether(tx, u, []Draft{*d},
		kv.Range{Prefix: ReplacementKey(u.Number, IdOfText(d.digest), ""), Limit: 1}, u.line().lastRun())
	if err != nil {
		return k, err
	}
	record := func(id string, err error) (*Record, error) {
		if err != nil || id == "" {
			return nil, err
		}
		r, err := IndexedMemory(tx, u.Number, id)
		return &r, err
	}
	if k.text, err = record(memoryWithText(tx, u.Number, d.FullText, d.digest)); err != nil {
		return k, err
	}
	if k.text == nil && len(replaced[0]) > 0 {
		if k.newer, err = record(supersededBy(tx, u.Number, d)); err != nil {
			return k, err
		}
	}
	for _, there := range []*Record{k.text, k.newer} {
		if there != nil && !d.scoped {
			d.Scope = there.scope()
		}
	}
	for _, f := range d.Supersedes {
		old, err := record(memoryWithText(tx, u.Number, f.FullText, TextDigest(u.Name, f.FullText)))
		if err != nil {
			return k, err
		}
		if old != nil && !old.memory().CreatedAt.After(d.CreatedAt) {
			k.older = append(k.older, old)
		}
	}
	k.topic, err = record(topicHolder(tx, u.Number, d.Scope, d.Topic))
	if k.topic != nil {
		for _, there := range append([]*Record{k.text, k.newer}, k.older...) {
			if there != nil && k.topic != nil && there.ID == k.topic.ID {
				k.topic = nil
			}
		}
	}
	return k, err
}

// supersededBy returns the id of the memory that superseded the text of a draft, or "".
func supersededBy(tx *ledger.Tx, user uint32, d *Draft) (string, error) {
	by, err := replacementOf(tx, user, IdOfText(d.digest))
	if err != nil || by == "" {
		return "", err
	}
	r, err := IndexedMemory(tx, user, by)
	if err != nil || !slices.ContainsFunc(r.Former, func(f FormerRecord) bool {
		return sameText(f.Full) == sameText(d.FullText)
	}) {
		return "", err
	}
	return by, nil
}

// sayAgain renews the memory with the text of a draft: its date, and the fields that the draft has.
func (k known) sayAgain(tx *ledger.Tx, u *UserRecord, d Draft, at time.Time) (Added, error) {
	old, said := k.text.memory(), k.text.memory()
	said.CreatedAt = at
	d.addTo(&said, tx.Ledger.Time())
	if k.topic != nil {
		said.Supersedes = newestFormer(asFormer(k.topic.memory()), said.Supersedes)
	}
	if sameMemory(&old, &said) {
		latest, err := u.latest(tx)
		if err != nil || latest == old.ID {
			return Added{Memory: old}, err
		}
	} else if now := tx.Ledger.Time(); now.After(said.UpdatedAt) {
		said.UpdatedAt = now
	}
	return k.replaceBy(tx, u, Added{Renewed: true}, NewDrafter().Draft(said), k.text, k.topic)
}

// replaceBy adds a draft in place of some memories. It changes nothing if the draft is refused.
func (k known) replaceBy(tx *ledger.Tx, u *UserRecord, added Added, d Draft, replaced ...*Record) (Added, error) {
	if err := d.limits(); err != nil {
		return added, err
	}
	for _, r := range replaced {
		if r == nil {
			continue
		}
		if err := dropMemories(tx, u, *r); err != nil {
			return added, err
		}
		if r != k.text {
			added.Superseded = append(added.Superseded, r.ID)
		}
	}
	if err := u.save(tx); err != nil {
		return added, err
	}
	one, err := addDraft(tx, u.Name, d)
	added.Memory, added.Created = one.Memory, k.text == nil
	return added, err
}

// newestFormer joins superseded memories, the latest first, up to the most that a memory keeps. The history has the
// others.
func newestFormer(all ...[]Former) []Former {
	joined := slices.Concat(all...)
	sorting.By(joined, func(a, b Former) int {
		switch { // those that are superseded now have no time yet
		case a.SupersededAt.IsZero() && !b.SupersededAt.IsZero():
			return -1
		case b.SupersededAt.IsZero() && !a.SupersededAt.IsZero():
			return 1
		}
		return cmp.Or(b.SupersededAt.Compare(a.SupersededAt), b.CreatedAt.Compare(a.CreatedAt))
	})
	joined = joined[:min(len(joined), maxFormer)]
	bytes := 0
	for i, f := range joined {
		if bytes += len(f.FullText); bytes > maxFormerText && i > 0 {
			return joined[:i]
		}
	}
	return joined
}

// addTo gives a memory the fields that a draft with the same text has. A memory that has expired
// by now expires no more, unless the draft does.
func (d *Draft) addTo(m *Memory, now time.Time) {
	if d.captioned {
		m.Caption = d.Caption
	}
	for _, f := range []struct {
		from string
		to   *string
	}{{d.Session, &m.Session}, {d.Topic, &m.Topic}, {d.Scope, &m.Scope}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	if !d.ExpiresAt.IsZero() {
		m.ExpiresAt = d.ExpiresAt.Truncate(time.Millisecond)
	} else if !m.ExpiresAt.After(now) {
		m.ExpiresAt = time.Time{}
	}
	if d.Source != (Source{}) {
		m.Source = d.Source
	}
	if d.Relation != (Relation{}) {
		m.Relation = d.Relation
	}
}

// asFormer returns a memory and what it superseded.
func asFormer(m Memory) []Former {
	return append([]Former{{ID: m.ID, Caption: m.Caption, FullText: m.FullText, CreatedAt: m.CreatedAt}},
		m.Supersedes...)
}

// sayInstead adds a draft in place of the memory that had superseded its text.
func (k known) sayInstead(tx *ledger.Tx, u *UserRecord, d Draft) (Added, error) {
	newer, m := k.newer.memory(), d.Memory
	if !d.captioned {
		m.Caption = ""
	}
	if m.Session == "" {
		m.Session = newer.Session
	}
	if m.Topic == "" && m.Scope == newer.Scope {
		m.Topic = newer.Topic
	}
	if err := free(tx, u.Number, m.ID); err != nil {
		return Added{}, err
	}
	var topic []Former
	if k.topic != nil {
		topic = asFormer(k.topic.memory())
	}
	m.Supersedes = newestFormer(withoutText(slices.Concat(topic, asFormer(newer), m.Supersedes), m.FullText))
	return k.replaceBy(tx, u, Added{}, NewDrafter().Draft(m), k.newer, k.topic)
}

// replaceText adds a draft in place of the memory that has its topic. It has the session of that one, unless it has
// its own.
func (k known) replaceText(tx *ledger.Tx, u *UserRecord, d Draft, at time.Time) (Added, error) {
	old, m := k.topic.memory(), d.Memory
	if !d.captioned {
		m.Caption = ""
	}
	m.Session, m.CreatedAt = cmp.Or(m.Session, old.Session), at
	if m.ID == old.ID {
		m.ID = ""
	}
	if err := free(tx, u.Number, m.ID); err != nil {
		return Added{}, err
	}
	m.Supersedes = newestFormer(withoutText(slices.Concat(asFormer(old), m.Supersedes), m.FullText))
	next := NewDrafter().Draft(m)
	for next.limits() != nil && len(m.Supersedes) > 0 { // the history has what does not fit
		m.Supersedes = m.Supersedes[:len(m.Supersedes)-1]
		next = NewDrafter().Draft(m)
	}
	next.EditedAt = d.EditedAt
	added, err := k.replaceBy(tx, u, Added{}, next, k.topic)
	added.Created, added.Replaced = false, true
	return added, err
}

// free reports an id that another memory has.
func free(tx *ledger.Tx, user uint32, id string) error {
	if id == "" {
		return nil
	}
	if _, err := loadMemory(tx, user, id); !errors.Is(err, kv.ErrNotFound) {
		return cmp.Or(err, error(&TakenIDError{id}))
	}
	return nil
}

// keepFormer adds what was true before to a memory.
func keepFormer(tx *ledger.Tx, u *UserRecord, r Record, f Former) (Added, error) {
	m, err := changeMemory(tx, u, r, func(m *Memory) {
		f.SupersededBy, f.SupersededAt = m.ID, m.CreatedAt
		for _, later := range m.Supersedes {
			if later.CreatedAt.After(f.CreatedAt) && later.CreatedAt.Before(f.SupersededAt) {
				f.SupersededBy, f.SupersededAt = later.ID, later.CreatedAt
			}
		}
		m.Supersedes = newestFormer([]Former{f}, m.Supersedes)
	})
	return Added{Memory: m, Outdated: true}, err
}

// importDrafts adds drafts of one user: those about which nothing is known together, the others
// one after another.
func importDrafts(tx *ledger.Tx, user string, drafts []Draft) ([]Added, error) {
	if refused, ok := allRefused(drafts); ok { // so that they leave no user behind
		return refused, nil
	}
	u, err := LoadUser(tx, user, false)
	if err != nil {
		return nil, err
	}
	removed, err := u.removedDrafts(tx, drafts)
	if err != nil {
		return nil, err
	}
	later, err := supersededDrafts(tx, u, drafts)
	if err != nil {
		return nil, err
	}
	all := make([]Added, len(drafts))
	plain, places := drafts, make([]int, 0, len(drafts))
	for i := range drafts {
		switch {
		case removed[i]:
			all[i], later[i] = Added{Memory: drafts[i].Memory, Removed: true}, false
		case !later[i]:
			places = append(places, i)
		}
	}
	if len(places) < len(drafts) {
		plain = nil
		for _, i := range places {
			plain = append(plain, drafts[i])
		}
	}
	added, err := addDrafts(tx, user, plain)
	if err != nil {
		return nil, err
	}
	for i, a := range added {
		place := places[i]
		all[place] = a
		taken := errors.As(a.Err, new(*TakenTopicError))
		later[place] = !plain[i].CreatedAt.IsZero() && (taken || a.Err == nil && !a.Created &&
			plain[i].CreatedAt.Truncate(time.Millisecond).After(a.CreatedAt))
	}
	for i := range drafts {
		if !later[i] {
			continue
		}
		if all[i], err = stateImported(tx, drafts[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// stateImported states an imported draft, which may be refused.
func stateImported(tx *ledger.Tx, d Draft) (Added, error) {
	d.User = norm.NFC.String(d.User)
	a, err := state(tx, d, true)
	var (
		limit *ledger.LimitError
		id    *TakenIDError
		text  *SameTextError
	)
	if errors.As(err, &limit) || errors.As(err, &id) || errors.As(err, &text) {
		return Added{Err: err}, nil
	}
	return a, err
}

// supersededDrafts reports which drafts have a text that was superseded, or supersede others.
func supersededDrafts(tx *ledger.Tx, u UserRecord, drafts []Draft) ([]bool, error) {
	found := make([]bool, len(drafts))
	if u.Number == 0 {
		return found, nil
	}
	for i := range drafts {
		found[i] = len(drafts[i].Supersedes) > 0
	}
	any := kv.Range{Prefix: replacements.OfUser(u.Number), KeysOnly: true, Limit: 1}
	_, some, err := tx.ReadMany(nil, []kv.Range{any})
	if err != nil || len(some[0]) == 0 {
		return found, err
	}
	ranges := make([]kv.Range, len(drafts))
	for i := range drafts {
		ranges[i] = kv.Range{Prefix: ReplacementKey(u.Number, IdOfText(drafts[i].digest), ""), KeysOnly: true, Limit: 1}
	}
	_, items, err := tx.ReadMany(nil, ranges)
	for i := range items {
		found[i] = found[i] || len(items[i]) > 0
	}
	return found, err
}
