// Package memory has the memories of a store: their rules, the indexes by time, session and topic, search,
// and the turns of conversations that limit it.
package memory

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/ledger"
	"techo/store/memory/wording"
)

// Memory is a fact that a user's agent learned: its full text, and a caption that
// represents it in a prompt. Only its user sees it.
type Memory struct {
	ID        string
	User      string
	Caption   string
	FullText  string // unique among the memories of the user
	Session   string // in which it was learned; may be ""
	CreatedAt time.Time
	UpdatedAt time.Time

	Topic      string    // unique in the scope; may be ""
	Scope      string    // PersonScope or ProjectScope
	ExpiresAt  time.Time // from then on only its id finds it; zero is never
	Relation   Relation  // that the text states; may be empty
	Supersedes []Former  // memories that it replaced, the latest first

	Source      Source    // where it comes from; may be empty
	ConfirmedAt time.Time // when it was last confirmed; zero is never

	// Near has the ids of memories that were about the same matter when it was added or edited.
	Near []string `json:"-"` // no part of its etag
}

// Source is where a memory comes from.
type Source struct {
	Text string `json:"text"`           // file:PATH#L3-L9, url:…, commit:…, message:… or free text
	Dir  string `json:"dir,omitempty"`  // absolute folder of the path of a file; "" is the workspace of the store
	Hash string `json:"hash,omitempty"` // SHA-256 of the lines or the file, in hexadecimal; "" if it was not read
	Blob string `json:"blob,omitempty"` // id of the file's content in git, if it is in a repository
}

// The scopes of memories.
const (
	PersonScope  = "person"  // about the user
	ProjectScope = "project" // about the work in the store
)

// Relation is an edge of a graph between two named entities.
type Relation struct {
	From string `json:"from"`
	Type string `json:"type"`
	To   string `json:"to"`
}

// Link reports whether it says nothing but that one note leads to another. Former versions made a memory of each link
// of a vault: no prompt needs it.
func (r Relation) Link() bool { return r.Type == "links_to" }

// Former is a memory that a newer one superseded.
type Former struct {
	ID        string
	Caption   string
	FullText  string
	CreatedAt time.Time
	Session   string `json:",omitempty"` // of a memory that was merged; may be ""
	Source    string `json:",omitempty"` // likewise: the text of its source

	SupersededBy string // id of the memory that did; that one may be superseded as well
	SupersededAt time.Time
}

// heldAt reports whether it was said before a time and superseded after it.
func (f *Former) heldAt(at time.Time) bool {
	return f.CreatedAt.Before(at) && !f.SupersededAt.Before(at)
}

// of returns a superseded memory as it was, with what it shares with the memory that keeps it.
func (f *Former) of(m *Memory) Memory {
	old := *m
	old.ID, old.Caption, old.FullText, old.CreatedAt, old.UpdatedAt = f.ID, f.Caption, f.FullText, f.CreatedAt, f.CreatedAt
	old.Session, old.Source, old.Supersedes = cmp.Or(f.Session, m.Session), Source{Text: f.Source}, nil
	return old
}

// Change lists the fields of a memory to change; nil leaves a field
// unchanged.
type Change struct {
	Caption   *string
	FullText  *string
	Session   *string
	Topic     *string
	Scope     *string
	ExpiresAt *time.Time // zero removes it
	Source    *Source    // empty removes it

	Supersedes []string // ids of other memories that it replaces

	ExpectedEtag string // fail with a ChangedError if the memory has another one; "" expects none
}

// Added is the result of adding one memory.
type Added struct {
	Memory
	Created    bool     // false: a memory with the text or the topic already existed
	Replaced   bool     // it supersedes the memory that had the topic
	Renewed    bool     // the text was said again
	Outdated   bool     // something later is known about it: Memory has that
	Removed    bool     // the text was removed for good, and is not brought back
	Superseded []string // ids of the memories that it replaced
	Related    []Memory // earlier ones about the same matter, the nearest first
	Err        error    // of a refused memory
}

// SameTextError reports that another memory of the user has the text.
type SameTextError struct{ ID string }

func (e *SameTextError) Error() string { return "memory " + e.ID + ": has the same text" }

// TakenIDError reports that another memory of the user has the id.
type TakenIDError struct{ ID string }

func (e *TakenIDError) Error() string { return "memory " + e.ID + ": has another text" }

// TakenTopicError reports that another memory of the user has the topic.
type TakenTopicError struct{ ID, Topic string }

func (e *TakenTopicError) Error() string { return "memory " + e.ID + ": has the topic " + e.Topic }

// SupersededError reports a change of a memory that a newer one superseded.
type SupersededError struct{ ID, By string }

func (e *SupersededError) Error() string { return "memory " + e.ID + ": superseded by " + e.By }

// Memories are the memories of a store.
type Memories struct{ *ledger.Ledger }

// Edit changes a memory, and returns it with other memories about the matter of a new text. A change that
// changes nothing leaves the memory with its time, and the history, as they are. A caption that was
// derived from the text, or that has a word which the new text lacks and the old
// one had, is derived again from a new text. Edit fails with a SameTextError
// or a TakenTopicError if another memory has the text or the topic.
func Edit(ctx context.Context, s *ledger.Ledger, user, id string, c Change) (m Memory, related []Memory, err error) {
	var near []neighbour
	if c.FullText != nil {
		d := NewDrafter().Draft(Memory{User: user, FullText: *c.FullText})
		if near, err = relatedTo(ctx, s, d, append([]string{id}, c.Supersedes...)...); err != nil {
			return m, nil, err
		}
	}
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		u, r, err := changeableMemory(tx, user, id)
		if err != nil {
			return err
		}
		old := r.memory()
		if err := ledger.CheckEtag(id, c.ExpectedEtag, &old); err != nil {
			return err
		}
		var former []Former
		if len(c.Supersedes) > 0 {
			_, all, err := changeableMemories(tx, user, c.Supersedes)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(all, func(o Record) bool { return o.ID == id }) {
				return &SameTextError{id}
			}
			if former, err = retire(tx, &u, all); err != nil {
				return err
			}
		}
		m, err = changeMemory(tx, &u, r, func(m *Memory) {
			if c.FullText != nil && *c.FullText != m.FullText {
				m.Near = nearOf(near)
			}
			c.apply(m)
			m.Supersedes = newestFormer(withoutText(former, m.FullText), m.Supersedes)
		})
		return err
	})
	return m, memoriesOf(near), err
}

func (c *Change) apply(m *Memory) {
	if c.FullText != nil && *c.FullText != m.FullText {
		if wording.StaleCaption(m.Caption, m.FullText, *c.FullText) {
			m.Caption = ""
		}
		m.FullText, m.Relation = *c.FullText, Relation{}
	}
	for _, f := range []struct{ from, to *string }{
		{c.Caption, &m.Caption}, {c.Session, &m.Session}, {c.Topic, &m.Topic}, {c.Scope, &m.Scope},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if c.Source != nil {
		m.Source = *c.Source
	}
	if c.ExpiresAt != nil {
		m.ExpiresAt = *c.ExpiresAt
	}
}

// changeMemory replaces a memory by its changed form, unless they are equal. u is up to date
// afterwards.
func changeMemory(tx *ledger.Tx, u *UserRecord, r Record, change func(*Memory)) (Memory, error) {
	m := r.memory()
	if now := tx.Ledger.Time(); now.After(m.UpdatedAt) {
		m.UpdatedAt = now
	}
	change(&m)
	d := NewDrafter().Draft(m)
	if old := r.memory(); sameMemory(&old, &d.Memory) {
		return old, nil
	}
	if d.order = r.order() + 1; !d.CreatedAt.Equal(r.memory().CreatedAt) {
		d.order = 0
	}
	other, err := memoryWithText(tx, u.Number, d.FullText, d.digest)
	if err != nil {
		return m, err
	}
	if other != "" && other != m.ID {
		return m, &SameTextError{other}
	}
	if err := dropMemories(tx, u, r); err != nil {
		return m, err
	}
	if err := u.save(tx); err != nil {
		return m, err
	}
	added, err := addDraft(tx, u.Name, d)
	if err == nil {
		*u, err = LoadUser(tx, u.Name, false)
	}
	return added.Memory, err
}

// Etag returns a text that changes with every change of the memory.
func (m *Memory) Etag() (string, error) {
	own := *m
	own.CreatedAt, own.UpdatedAt, own.ExpiresAt = own.CreatedAt.UTC(), own.UpdatedAt.UTC(), own.ExpiresAt.UTC()
	own.ConfirmedAt = own.ConfirmedAt.UTC()
	b, err := ledger.Encode(own)
	return ledger.Etag(b), err
}

// sameMemory reports whether two memories are stored alike, apart from the time of the change.
func sameMemory(a, b *Memory) bool {
	one, other := RecordOf(a, 0, 0), RecordOf(b, 0, 0)
	one.Updated, other.Updated = 0, 0
	return reflect.DeepEqual(one, other)
}

// RemoveMemories removes memories, and returns the ids that it removed and those
// that do not exist.
func (s Memories) RemoveMemories(ctx context.Context, user string, ids []string) (removed, missing []string,
	err error) {
	return removeMemories(ctx, s.Ledger, user, ids,
		func(u *UserRecord, tx *ledger.Tx, _ []Record) error { return u.save(tx) })
}

// removeMemories removes memories. save writes the user's record after that.
func removeMemories(ctx context.Context, s *ledger.Ledger, user string, ids []string,
	save func(u *UserRecord, tx *ledger.Tx, all []Record) error) (removed, missing []string, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		removed, missing = nil, nil
		u, err := LoadUser(tx, norm.NFC.String(user), false)
		if err != nil {
			return err
		}
		records, err := loadMemories(tx, u.Number, ids)
		if err != nil {
			return err
		}
		var all []Record
		for _, id := range ids {
			if slices.Contains(removed, id) || slices.Contains(missing, id) {
				continue
			}
			r, ok := records[id]
			if !ok {
				missing = append(missing, id)
				continue
			}
			all, removed = append(all, r), append(removed, id)
		}
		if len(all) == 0 {
			return nil
		}
		if err := dropMemories(tx, &u, all...); err != nil {
			return err
		}
		return save(&u, tx, all)
	})
	return removed, missing, err
}

// Confirm notes that memories are still true now. It returns the ids of those, and the ids without a memory.
// Memories with an id in sources, which may be nil, get that source.
func Confirm(ctx context.Context, s *ledger.Ledger, user string, ids []string, sources map[string]Source) (
	confirmed, missing []string, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		confirmed, missing = nil, nil
		for _, id := range ids {
			if slices.Contains(confirmed, id) || slices.Contains(missing, id) {
				continue
			}
			u, r, err := changeableMemory(tx, user, id)
			if ledger.IsMissing(err) {
				missing = append(missing, id)
				continue
			}
			if err != nil {
				return err
			}
			confirmed = append(confirmed, id)
			_, err = changeMemory(tx, &u, r, func(m *Memory) {
				m.ConfirmedAt = tx.Ledger.Time()
				if source, ok := sources[id]; ok {
					m.Source = source
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return confirmed, missing, err
}
