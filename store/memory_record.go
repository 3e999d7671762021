package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/legible"
	"techo/store/kv"
	"techo/store/search"
)

// memoryUser is the record of a user of memories.
type memoryUser struct {
	Name     string `json:"name"`
	Number   uint32 `json:"number"` // from 1
	Memories int    `json:"memories"`
	Sessions uint32 `json:"sessions"` // session numbers assigned so far
}

func (u memoryUser) index() search.Index { return search.At(u.Number) }

func (u memoryUser) save(tx kv.Tx) error { return save(tx, memoryUserKey(u.Name), u) }

// line returns the timeline of all memories.
func (u memoryUser) line() timeline { return timeline{user: u.Number} }

// memorySession is the record of a session.
type memorySession struct {
	Number   uint32 `json:"number"` // from 1
	Memories int    `json:"memories"`
}

// memoryRecord is the record of a memory.
type memoryRecord struct {
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
	Former   []formerRecord `json:"former,omitempty"`
}

// formerRecord is a superseded memory in the record of its replacement.
type formerRecord struct {
	ID      string `json:"id"`
	Caption string `json:"caption"`
	Full    string `json:"full"`
	Created int64  `json:"created"`
}

func memoryRecordOf(m *Memory, text, group uint32) memoryRecord {
	r := memoryRecord{ID: m.ID, User: m.User, Caption: m.Caption, Full: m.FullText, Session: m.Session,
		Created: m.CreatedAt.UnixMilli(), Updated: m.UpdatedAt.UnixMilli(), Text: text, Group: group,
		Topic: m.Topic, Project: m.Scope == ProjectScope}
	if !m.ExpiresAt.IsZero() {
		r.Expires = m.ExpiresAt.UnixMilli()
	}
	if m.Relation != (Relation{}) {
		relation := m.Relation
		r.Relation = &relation
	}
	for _, f := range m.Supersedes {
		r.Former = append(r.Former, formerRecord{f.ID, f.Caption, f.FullText, f.CreatedAt.UnixMilli()})
	}
	return r
}

func (r *memoryRecord) memory() Memory {
	m := Memory{ID: r.ID, User: r.User, Caption: r.Caption, FullText: r.Full, Session: r.Session,
		CreatedAt: time.UnixMilli(r.Created), UpdatedAt: time.UnixMilli(r.Updated), Topic: r.Topic, Scope: r.scope()}
	if r.Expires != 0 {
		m.ExpiresAt = time.UnixMilli(r.Expires)
	}
	if r.Relation != nil {
		m.Relation = *r.Relation
	}
	for _, f := range r.Former {
		m.Supersedes = append(m.Supersedes, Former{f.ID, f.Caption, f.Full, time.UnixMilli(f.Created)})
	}
	return m
}

func (r *memoryRecord) scope() string {
	if r.Project {
		return ProjectScope
	}
	return PersonScope
}

// order returns the place of the memory among all of one time. It stays when an
// edit gives the text another number.
func (r *memoryRecord) order() uint32 {
	if r.Order > 0 {
		return r.Order - 1
	}
	return r.Text
}

func (r *memoryRecord) moment() moment { return moment{r.Created, r.order(), r.Text, r.ID} }

// doc returns the memory as the search index has it.
func (r *memoryRecord) doc(bag search.Bag) search.Doc {
	return search.Doc{Num: r.Text, ID: r.ID, Group: r.Group, At: r.Created, Bag: bag}
}

// UserName reports whether a user may have this name.
func UserName(name string) bool {
	shown := name == "" || !legible.Blank(name) && !legible.Control(name)
	return shown && utf8.ValidString(name) && len(norm.NFC.String(name)) <= maxUserName
}

// NormalUser returns the form of a user's name in which equal names have equal bytes.
func NormalUser(name string) string { return norm.NFC.String(name) }

// loadMemoryUser loads a user. A new user has no number, unless make assigns one.
func loadMemoryUser(tx kv.Tx, name string, make bool) (u memoryUser, err error) {
	if !UserName(name) {
		return u, &UserNameError{maxUserName}
	}
	setOwner(tx, name)
	err = load(tx, memoryUserKey(name), &u)
	if !errors.Is(err, kv.ErrNotFound) {
		return u, err
	}
	u = memoryUser{Name: name}
	if !make {
		return u, nil
	}
	var users uint32
	if err := load(tx, memoryUserCount.all(), &users); err != nil && !errors.Is(err, kv.ErrNotFound) {
		return u, err
	}
	u.Number = users + 1
	return u, save(tx, memoryUserCount.all(), u.Number)
}

// maxMemoryID is the longest id, in bytes.
const maxMemoryID = 64

// loadMemory returns a memory of a user, or kv.ErrNotFound.
func loadMemory(tx kv.Tx, user uint32, id string) (r memoryRecord, err error) {
	if user == 0 || len(id) > maxMemoryID {
		return r, kv.ErrNotFound
	}
	err = load(tx, memoryKey(user, id), &r)
	return r, err
}

// indexedMemory loads a memory that an index names. A missing record is a
// FindingError.
func indexedMemory(tx kv.Tx, user uint32, id string) (memoryRecord, error) {
	r, err := loadMemory(tx, user, id)
	if errors.Is(err, kv.ErrNotFound) {
		err = finding(NoRecord, KindMemory, id, nil)
	}
	return r, err
}

// findMemory loads the memory that a caller names, or the one that superseded it.
func findMemory(tx kv.Tx, user, id string) (memoryUser, memoryRecord, error) {
	u, r, err := changeableMemory(tx, user, id)
	if newer := new(SupersededError); errors.As(err, &newer) {
		r, err = indexedMemory(tx, u.Number, newer.By)
	}
	return u, r, err
}

// changeableMemory loads a memory that a caller wants to change. It fails with a
// NotFoundError or a SupersededError.
func changeableMemory(tx kv.Tx, user, id string) (memoryUser, memoryRecord, error) {
	u, err := loadMemoryUser(tx, norm.NFC.String(user), false)
	if err != nil {
		return u, memoryRecord{}, err
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
		return u, r, &NotFoundError{Kind: KindMemory, Name: id}
	}
	return u, r, &SupersededError{id, by}
}

// sameText returns the form in which two texts of one memory are equal.
func sameText(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// textDigest identifies a text of a user.
func textDigest(user, text string) []byte {
	h := sha256.New()
	h.Write([]byte(user))
	h.Write([]byte{0})
	h.Write([]byte(sameText(text)))
	return h.Sum(nil)[:16]
}

// idOfText returns the id that a text gets in every store, unless another text has
// it.
func idOfText(digest []byte) string {
	return "mem_" + strings.ToLower(base32.StdEncoding.EncodeToString(digest[:5])) // 8 characters
}

// unusedMemoryID returns the id of a text, or another one if that is in use.
func unusedMemoryID(tx kv.Tx, user uint32, digest []byte) (string, error) {
	for {
		id := idOfText(digest)
		_, err := tx.Get(memoryKey(user, id))
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
func memoryWithText(tx kv.Tx, user uint32, text string, digest []byte) (string, error) {
	id := idOfText(digest)
	r, err := loadMemory(tx, user, id)
	if err == nil && sameText(r.Full) == sameText(text) {
		return id, nil
	}
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return "", err
	}
	other, err := tx.Get(memoryTextKey(user, digest))
	if errors.Is(err, kv.ErrNotFound) {
		return "", nil
	}
	return string(bytes.Clone(other)), err
}
