package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/search"
)

// Limits of memories.
const (
	MaxMemoryText = 4 << 20 // bytes of a full text
	MaxCaption    = 80      // characters of a caption that is made of the text
	maxUserName   = 256     // bytes

	// maxNeighbours is how many memories a session may have for its order to
	// say what belongs together.
	maxNeighbours = 4096
)

// Memory is something that was learned, in full, with a caption that stands
// for it in a prompt. It is its user's alone.
type Memory struct {
	ID        string
	User      string
	Caption   string
	FullText  string // no other memory of the user has the same
	Session   string // what it was learned in; "" is none
	CreatedAt time.Time
	UpdatedAt time.Time
}

// MemoryChange says what of a memory is to change; nil leaves a field as it is.
type MemoryChange struct {
	Caption  *string
	FullText *string
	Session  *string
}

// Added is what became of a memory that was to be added.
type Added struct {
	Memory
	Created bool  // false: the text was there already
	Err     error // why it was refused, nil when it was not
}

// SameTextError says that another memory of the user has a text.
type SameTextError struct{ ID string }

func (e *SameTextError) Error() string { return "memory " + e.ID + ": has the same text" }

// TakenIDError says that another memory of the user has an id.
type TakenIDError struct{ ID string }

func (e *TakenIDError) Error() string { return "memory " + e.ID + ": has another text" }

// UserNameError says that a user's name cannot be kept.
type UserNameError struct{ Most int }

func (e *UserNameError) Error() string {
	return fmt.Sprintf("user: no UTF-8 of at most %d bytes", e.Most)
}

// Draft is a memory that is ready to be added.
type Draft struct {
	Memory
	digest []byte
	bag    search.Bag
}

// Drafter makes drafts: all that takes time and no store. It is for one
// goroutine.
type Drafter struct{ analyzer *search.Analyzer }

// NewDrafter returns a Drafter.
func NewDrafter() *Drafter { return &Drafter{search.NewAnalyzer()} }

// Draft prepares a memory. An id is made of the text when there is none.
func (d *Drafter) Draft(m Memory) Draft {
	m.User, m.Session = norm.NFC.String(m.User), norm.NFC.String(m.Session)
	first := captionOf(m.FullText)
	if strings.TrimSpace(m.Caption) == "" {
		m.Caption = first
	}
	draft := Draft{Memory: m, digest: textDigest(m.User, m.FullText)}
	// A caption that only repeats the beginning of the text says nothing new.
	if m.Caption == first {
		draft.bag = d.analyzer.Bag(m.FullText)
	} else {
		draft.bag = d.analyzer.Bag(m.FullText, m.Caption)
	}
	return draft
}

// captionOf returns the first sentence of a text, in one line and shortened.
func captionOf(text string) string {
	line := make([]rune, 0, MaxCaption+1)
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !utf8.ValidString(text[i:min(len(text), i+3)]):
			continue
		case r == '\n' && len(line) > 0:
			return shortened(line)
		case r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\u3000':
			if len(line) == 0 || line[len(line)-1] == ' ' {
				continue
			}
			r = ' '
		}
		line = append(line, r)
		if len(line) > MaxCaption || endsSentence(r, text[i+utf8.RuneLen(r):]) {
			break
		}
	}
	return shortened(line)
}

// endsSentence reports whether a character before rest ends a sentence.
func endsSentence(r rune, rest string) bool {
	switch r {
	case '。', '！', '？':
		return true
	case '.', '!', '?':
		return rest == "" || rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\r'
	}
	return false
}

func shortened(line []rune) string {
	if len(line) > MaxCaption {
		line = append(line[:MaxCaption-1], '…')
	}
	return strings.TrimSpace(string(line))
}

// AddMemory keeps a memory. The same text again is the memory that there is.
// similar are memories that say nearly the same.
func (s *Store) AddMemory(ctx context.Context, m Memory) (added Added, similar []string, err error) {
	d := NewDrafter().Draft(m)
	err = s.update(ctx, func(tx kv.Tx) error {
		similar = nil
		all, err := s.addDrafts(tx, d.User, []Draft{d})
		if err != nil {
			return err
		}
		if added = all[0]; added.Err != nil || !added.Created {
			return added.Err
		}
		similar, err = similarMemories(tx, added.Memory, d.bag)
		return err
	})
	return added, similar, err
}

// AddMemories keeps memories of one user, all in one transaction. Those that
// are refused say so, and keep no other from being added.
func (s *Store) AddMemories(ctx context.Context, user string, drafts []Draft) (added []Added, err error) {
	err = s.update(ctx, func(tx kv.Tx) (err error) {
		added, err = s.addDrafts(tx, user, drafts)
		return err
	})
	return added, err
}

func (s *Store) addDrafts(tx kv.Tx, user string, drafts []Draft) ([]Added, error) {
	a, err := s.newMemoryAdding(tx, norm.NFC.String(user))
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

// memoryAdding is a transaction that adds memories of one user.
type memoryAdding struct {
	tx       kv.Tx
	user     memoryUser
	now      time.Time
	first    uint32 // number of the first text that is added
	docs     []search.Doc
	sessions map[string]*memorySession
	moments  map[uint32][]moment // by the number of their session; 0 has all
}

func (s *Store) newMemoryAdding(tx kv.Tx, user string) (*memoryAdding, error) {
	u, err := loadMemoryUser(tx, user, true)
	if err != nil {
		return nil, err
	}
	first, err := u.index().Next(tx)
	return &memoryAdding{
		tx: tx, user: u, now: s.time(), first: first,
		sessions: map[string]*memorySession{}, moments: map[uint32][]moment{},
	}, err
}

// add writes one memory; the indexes are left to finish.
func (a *memoryAdding) add(d *Draft) (Added, error) {
	if len(d.FullText) > MaxMemoryText {
		return Added{Err: &LimitError{What: "bytes", Most: MaxMemoryText, Got: len(d.FullText)}}, nil
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
	m.CreatedAt, m.UpdatedAt = m.CreatedAt.Truncate(time.Millisecond), m.UpdatedAt.Truncate(time.Millisecond)
	session, err := a.session(m.Session)
	if err != nil {
		return Added{}, err
	}
	r := memoryRecordOf(&m, a.first+uint32(len(a.docs)), session)
	a.docs = append(a.docs, search.Doc{ID: m.ID, Group: session, Bag: d.bag})
	at := moment{m.CreatedAt.UnixMilli(), r.Text, m.ID}
	a.moments[0] = append(a.moments[0], at)
	if session != 0 {
		a.moments[session] = append(a.moments[session], at)
	}
	a.user.Memories++
	if m.ID != homeID(d.digest) {
		if err := a.tx.Put(memoryTextKey(a.user.Number, d.digest), []byte(m.ID)); err != nil {
			return Added{}, err
		}
	}
	return Added{Memory: r.memory(), Created: true}, save(a.tx, memoryKey(a.user.Number, m.ID), r)
}

// newID is the id that the draft brings, or one made of its text.
func (a *memoryAdding) newID(d *Draft) (string, error) {
	if d.ID != "" {
		_, err := a.tx.Get(memoryKey(a.user.Number, d.ID))
		if err == nil {
			err = &TakenIDError{d.ID}
		} else if errors.Is(err, kv.ErrNotFound) {
			err = nil
		}
		return d.ID, err
	}
	return freeMemoryID(a.tx, a.user.Number, d.digest)
}

// session returns the number of a session, 0 for none, and counts a memory in.
func (a *memoryAdding) session(name string) (uint32, error) {
	if name == "" {
		return 0, nil
	}
	s := a.sessions[name]
	if s == nil {
		s = &memorySession{}
		err := load(a.tx, memorySessionKey(a.user.Number, name), s)
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
func (a *memoryAdding) finish() error {
	if len(a.docs) == 0 {
		return nil
	}
	if err := a.user.index().Add(a.tx, a.docs); err != nil {
		return err
	}
	for session, moments := range a.moments {
		slices.SortFunc(moments, moment.compare)
		if err := (timeline{a.user.Number, session}).insert(a.tx, moments); err != nil {
			return err
		}
	}
	for name, s := range a.sessions {
		if err := save(a.tx, memorySessionKey(a.user.Number, name), s); err != nil {
			return err
		}
	}
	return save(a.tx, memoryUserKey(a.user.Name), a.user)
}

// EditMemory changes a memory and returns it as it is now. A text that another
// memory has is a SameTextError.
func (s *Store) EditMemory(ctx context.Context, user, id string, c MemoryChange) (Memory, error) {
	var m Memory
	err := s.update(ctx, func(tx kv.Tx) error {
		u, r, err := findMemory(tx, user, id)
		if err != nil {
			return err
		}
		m = r.memory()
		if now := s.time(); now.After(m.UpdatedAt) {
			m.UpdatedAt = now
		}
		if c.Caption != nil {
			m.Caption = *c.Caption
		}
		if c.FullText != nil {
			m.FullText = *c.FullText
		}
		if c.Session != nil {
			m.Session = norm.NFC.String(*c.Session)
		}
		d := NewDrafter().Draft(m)
		other, err := memoryWithText(tx, u.Number, d.FullText, d.digest)
		if err != nil {
			return err
		}
		if other != "" && other != id {
			return &SameTextError{other}
		}
		if err := dropMemory(tx, &u, r); err != nil {
			return err
		}
		if err := save(tx, memoryUserKey(u.Name), u); err != nil {
			return err
		}
		all, err := s.addDrafts(tx, u.Name, []Draft{d})
		if err != nil {
			return err
		}
		m = all[0].Memory
		return all[0].Err
	})
	return m, err
}

// RemoveMemories removes memories, and tells which there were and which not.
func (s *Store) RemoveMemories(ctx context.Context, user string, ids []string) (removed, missing []string, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		removed, missing = nil, nil
		u, err := loadMemoryUser(tx, norm.NFC.String(user), false)
		if err != nil {
			return err
		}
		for _, id := range ids {
			r, err := loadMemory(tx, u.Number, id)
			switch {
			case errors.Is(err, kv.ErrNotFound):
				if !slices.Contains(removed, id) && !slices.Contains(missing, id) {
					missing = append(missing, id)
				}
				continue
			case err != nil:
				return err
			}
			if err := dropMemory(tx, &u, r); err != nil {
				return err
			}
			removed = append(removed, id)
		}
		if len(removed) == 0 {
			return nil
		}
		return save(tx, memoryUserKey(u.Name), u)
	})
	return removed, missing, err
}

// dropMemory takes a memory out of the records and the indexes. The user's
// record is the caller's to save.
func dropMemory(tx kv.Tx, u *memoryUser, r memoryRecord) error {
	m := r.memory()
	d := NewDrafter().Draft(m)
	if err := u.index().Remove(tx, search.Doc{Num: r.Text, ID: m.ID, Group: r.Group, Bag: d.bag}); err != nil {
		return err
	}
	at := moment{r.Created, r.Text, m.ID}
	if err := (timeline{u.Number, 0}).remove(tx, at); err != nil {
		return err
	}
	if r.Group != 0 {
		if err := (timeline{u.Number, r.Group}).remove(tx, at); err != nil {
			return err
		}
		if err := leaveSession(tx, u.Number, m.Session); err != nil {
			return err
		}
	}
	if m.ID != homeID(d.digest) {
		if err := tx.Delete(memoryTextKey(u.Number, d.digest)); err != nil {
			return err
		}
	}
	u.Memories--
	return tx.Delete(memoryKey(u.Number, m.ID))
}

// leaveSession counts a memory out of a session, which goes with its last one.
func leaveSession(tx kv.Tx, user uint32, name string) error {
	var s memorySession
	key := memorySessionKey(user, name)
	if err := load(tx, key, &s); err != nil {
		if errors.Is(err, kv.ErrNotFound) {
			err = bad("session %q: not there", name)
		}
		return err
	}
	if s.Memories--; s.Memories <= 0 {
		return tx.Delete(key)
	}
	return save(tx, key, s)
}

// moment says when a memory was made.
type moment struct {
	at   int64  // milliseconds since 1970
	text uint32 // its number in the index
	id   string
}

func (m moment) compare(o moment) int {
	return cmp.Or(cmp.Compare(m.at, o.at), cmp.Compare(m.text, o.text))
}
