package memory

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
)

// UserRecord is the record of a user of memories.
type UserRecord struct {
	Name     string `json:"name"`
	Number   uint32 `json:"number"` // from 1
	Memories int    `json:"memories"`
	Sessions uint32 `json:"sessions"`          // session numbers assigned so far
	Removed  int    `json:"removed,omitempty"` // texts that were removed for good
}

func (u UserRecord) index() search.Index { return search.At(u.Number) }

func (u UserRecord) save(tx *ledger.Tx) error { return ledger.Save(tx, UserKey(u.Name), u) }

// line returns the timeline of all memories.
func (u UserRecord) line() Timeline { return Timeline{User: u.Number} }

// SessionRecord is the record of a session.
type SessionRecord struct {
	Number   uint32 `json:"number"` // from 1
	Memories int    `json:"memories"`
}

// Record is the record of a memory.
type Record struct {
	ID      string `json:"id"`
	User    string `json:"user"`
	Caption string `json:"caption"`
	Full    string `json:"full"`
	Session string `json:"session,omitempty"`
	Created int64  `json:"created"` // milliseconds since 1970
	Updated int64  `json:"updated"`
	Text    uint32 `json:"text"`            // number in the search index
	Group   uint32 `json:"group,omitempty"` // the session's number
	Order   uint32 `json:"order,omitempty"` // 1 + place among memories of one time; 0 stands for 1 + Text

	Topic    string         `json:"topic,omitempty"`
	Project  bool           `json:"project,omitempty"` // the scope
	Expires  int64          `json:"expires,omitempty"` // likewise; 0 is never
	Relation *Relation      `json:"relation,omitempty"`
	Former   []FormerRecord `json:"former,omitempty"`

	Source    *Source `json:"source,omitempty"`
	Confirmed int64   `json:"confirmed,omitempty"` // milliseconds since 1970; 0 is never

	Near []string `json:"alike,omitempty"` // as of Memory
}

// FormerRecord is a superseded memory in the record of its replacement.
type FormerRecord struct {
	ID      string `json:"id"`
	Caption string `json:"caption"`
	Full    string `json:"full"`
	Created int64  `json:"created"`
	Session string `json:"session,omitempty"` // of a memory that was merged
	Source  string `json:"source,omitempty"`  // likewise
	By      string `json:"by,omitempty"`      // id of the memory that superseded it
	At      int64  `json:"at,omitempty"`      // when; former versions kept neither
}

func RecordOf(m *Memory, text, group uint32) Record {
	r := Record{ID: m.ID, User: m.User, Caption: m.Caption, Full: m.FullText, Session: m.Session,
		Created: m.CreatedAt.UnixMilli(), Updated: m.UpdatedAt.UnixMilli(), Text: text, Group: group,
		Topic: m.Topic, Project: m.Scope == ProjectScope, Near: m.Near}
	if !m.ExpiresAt.IsZero() {
		r.Expires = m.ExpiresAt.UnixMilli()
	}
	if m.Relation != (Relation{}) {
		relation := m.Relation
		r.Relation = &relation
	}
	if m.Source != (Source{}) {
		source := m.Source
		r.Source = &source
	}
	if !m.ConfirmedAt.IsZero() {
		r.Confirmed = m.ConfirmedAt.UnixMilli()
	}
	for _, f := range m.Supersedes {
		old := FormerRecord{ID: f.ID, Caption: f.Caption, Full: f.FullText, Created: f.CreatedAt.UnixMilli(),
			Session: f.Session, Source: f.Source, By: f.SupersededBy}
		if !f.SupersededAt.IsZero() {
			old.At = f.SupersededAt.UnixMilli()
		}
		r.Former = append(r.Former, old)
	}
	return r
}

func (r *Record) memory() Memory {
	m := Memory{ID: r.ID, User: r.User, Caption: r.Caption, FullText: r.Full, Session: r.Session,
		CreatedAt: time.UnixMilli(r.Created), UpdatedAt: time.UnixMilli(r.Updated), Topic: r.Topic, Scope: r.scope(),
		Near: r.Near}
	if r.Expires != 0 {
		m.ExpiresAt = time.UnixMilli(r.Expires)
	}
	if r.Relation != nil {
		m.Relation = *r.Relation
	}
	if r.Source != nil {
		m.Source = *r.Source
	}
	if r.Confirmed != 0 {
		m.ConfirmedAt = time.UnixMilli(r.Confirmed)
	}
	by, at := r.ID, r.Created // of a record of a former version: each superseded the one after it
	for _, f := range r.Former {
		if f.At == 0 {
			f.By, f.At = by, max(at, f.Created)
		}
		by, at = f.ID, f.Created
		m.Supersedes = append(m.Supersedes, Former{ID: f.ID, Caption: f.Caption, FullText: f.Full,
			CreatedAt: time.UnixMilli(f.Created), Session: f.Session, Source: f.Source, SupersededBy: f.By,
			SupersededAt: time.UnixMilli(f.At)})
	}
	return m
}

func (r *Record) scope() string {
	if r.Project {
		return ProjectScope
	}
	return PersonScope
}

// order returns the place of the memory among all of one time. It stays when an
// edit gives the text another number.
func (r *Record) order() uint32 {
	if r.Order > 0 {
		return r.Order - 1
	}
	return r.Text
}

func (r *Record) moment() Moment { return Moment{r.Created, r.order(), r.Text, r.ID} }

// doc returns the memory as the search index has it.
func (r *Record) doc(d Draft) search.Doc {
	return search.Doc{Num: r.Text, ID: r.ID, Group: r.Group, At: r.Created, Bag: d.bag, Vec: d.vec}
}

// LoadUser loads a user. A new user has no number, unless make assigns one.
func LoadUser(tx *ledger.Tx, name string, make bool) (u UserRecord, err error) {
	if !ledger.UserName(name) {
		return u, &ledger.UserNameError{MaxBytes: ledger.MaxUserName}
	}
	tx.SetOwner(name)
	err = ledger.Load(tx, UserKey(name), &u)
	if !errors.Is(err, kv.ErrNotFound) {
		return u, err
	}
	u = UserRecord{Name: name}
	if !make {
		return u, nil
	}
	var users uint32
	if err := ledger.Load(tx, UserCount.All(), &users); err != nil && !errors.Is(err, kv.ErrNotFound) {
		return u, err
	}
	u.Number = users + 1
	return u, ledger.Save(tx, UserCount.All(), u.Number)
}

// maxMemoryID is the longest id, in bytes.
const maxMemoryID = 64

// loadMemory returns a memory of a user, or kv.ErrNotFound.
func loadMemory(tx *ledger.Tx, user uint32, id string) (r Record, err error) {
	if user == 0 || len(id) > maxMemoryID {
		return r, kv.ErrNotFound
	}
	err = ledger.Load(tx, Key(user, id), &r)
	return r, err
}

// loadMemories returns the memories of a user that some ids name, by id, in one round trip. A missing
// memory is left out.
func loadMemories(tx *ledger.Tx, user uint32, ids []string) (map[string]Record, error) {
	all := map[string]Record{}
	if user == 0 {
		return all, nil
	}
	var keys [][]byte
	for _, id := range ids {
		if len(id) <= maxMemoryID {
			keys = append(keys, Key(user, id))
		}
	}
	values, err := tx.GetMany(keys)
	if err != nil {
		return nil, err
	}
	for i, value := range values {
		var r Record
		if value == nil {
			continue
		}
		if err := ledger.Decode(keys[i], value, &r); err != nil {
			return nil, err
		}
		all[r.ID] = r
	}
	return all, nil
}

// indexedMemories loads the memories that an index names, in its order.
func indexedMemories(tx *ledger.Tx, user uint32, ids []string) (all []Record, err error) {
	records, err := loadMemories(tx, user, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		r, ok := records[id]
		if !ok {
			return nil, ledger.Finding(ledger.NoRecord, ledger.KindMemory, id, nil)
		}
		all = append(all, r)
	}
	return all, nil
}

// IndexedMemory loads a memory that an index names. A missing record is a
// FindingError.
func IndexedMemory(tx *ledger.Tx, user uint32, id string) (Record, error) {
	r, err := loadMemory(tx, user, id)
	if errors.Is(err, kv.ErrNotFound) {
		err = ledger.Finding(ledger.NoRecord, ledger.KindMemory, id, nil)
	}
	return r, err
}

// findMemory loads the memory that a caller names, or the one that superseded it.
func findMemory(tx *ledger.Tx, user, id string) (Record, error) {
	u, r, err := changeableMemory(tx, user, id)
	if newer := new(SupersededError); errors.As(err, &newer) {
		r, err = IndexedMemory(tx, u.Number, newer.By)
	}
	return r, err
}

// changeableMemory loads a memory that a caller wants to change. It fails with a
// NotFoundError or a SupersededError.
func changeableMemory(tx *ledger.Tx, user, id string) (UserRecord, Record, error) {
	u, err := LoadUser(tx, norm.NFC.String(user), false)
	if err != nil {
		return u, Record{}, err
	}
	r, err := loadMemory(tx, u.Number, id)
	if !errors.Is(err, kv.ErrNotFound) {
		return u, r, err
	}
	by, err := replacementOf(tx, u.Number, id)
	switch {
	case err != nil:
		return u, r, err
	case by == "":
		return u, r, &ledger.NotFoundError{Kind: ledger.KindMemory, Name: id}
	}
	return u, r, &SupersededError{id, by}
}

// sameText returns the form in which two texts of one memory are equal.
func sameText(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// TextDigest identifies a text of a user.
func TextDigest(user, text string) []byte {
	h := sha256.New()
	h.Write([]byte(user))
	h.Write([]byte{0})
	h.Write([]byte(sameText(text)))
	return h.Sum(nil)[:16]
}

// IdOfText returns the id that a text gets in every store, unless another text has
// it.
func IdOfText(digest []byte) string {
	return "mem_" + strings.ToLower(base32.StdEncoding.EncodeToString(digest[:5])) // 8 characters
}

// unusedMemoryID returns the id of a text, or another one if that is in use.
func unusedMemoryID(tx *ledger.Tx, user uint32, digest []byte) (string, error) {
	for {
		id := IdOfText(digest)
		_, err := tx.Get(Key(user, id))
		if errors.Is(err, kv.ErrNotFound) {
			return id, nil
		}
		if err != nil {
			return "", err
		}
		next := sha256.Sum256(digest)
		digest = next[:16]
	}
}

// memoryWithText returns the id of the memory with a text, or "". The id derives
// from the text, or is stored under the digest of the text.
func memoryWithText(tx *ledger.Tx, user uint32, text string, digest []byte) (string, error) {
	id := IdOfText(digest)
	r, err := loadMemory(tx, user, id)
	if err == nil && sameText(r.Full) == sameText(text) {
		return id, nil
	}
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return "", err
	}
	other, err := tx.Get(memoryTextKey(user, digest))
	return string(other), ledger.IgnoreMissing(err)
}
