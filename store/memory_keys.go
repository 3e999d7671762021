package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/search"
)

// memoryUser is what is kept of a user of memories.
type memoryUser struct {
	Name     string `json:"name"`
	Number   uint32 `json:"number"` // from 1
	Memories int    `json:"memories"`
	Sessions uint32 `json:"sessions"` // numbers given out
}

func (u memoryUser) index() search.Index { return search.At(u.Number) }

// memorySession is what is kept of a session.
type memorySession struct {
	Number   uint32 `json:"number"` // from 1
	Memories int    `json:"memories"`
}

// memoryRecord is a memory as it is kept.
type memoryRecord struct {
	ID      string `json:"id"`
	User    string `json:"user"`
	Caption string `json:"caption"`
	Full    string `json:"full"`
	Session string `json:"session,omitempty"`
	Created int64  `json:"created"` // milliseconds since 1970
	Updated int64  `json:"updated"`
	Text    uint32 `json:"text"`            // its number in the index
	Group   uint32 `json:"group,omitempty"` // the session's number
}

func memoryRecordOf(m *Memory, text, group uint32) memoryRecord {
	return memoryRecord{m.ID, m.User, m.Caption, m.FullText, m.Session, m.CreatedAt.UnixMilli(), m.UpdatedAt.UnixMilli(), text, group}
}

func (r memoryRecord) memory() Memory {
	return Memory{r.ID, r.User, r.Caption, r.Full, r.Session, time.UnixMilli(r.Created), time.UnixMilli(r.Updated)}
}

// The keys of memories.

var memoryUsersKey = []byte("pk")

func memoryUserKey(name string) []byte { return append([]byte("pu"), name...) }

func userSpace(name string, user uint32) []byte {
	return binary.BigEndian.AppendUint32(append(make([]byte, 0, 40), name...), user)
}

func memoryKey(user uint32, id string) []byte { return append(userSpace("pm", user), id...) }

func memorySessionKey(user uint32, name string) []byte { return append(userSpace("ps", user), name...) }

func memoryTextKey(user uint32, digest []byte) []byte {
	return append(userSpace("ph", user), digest...)
}

// UserName reports whether memories can be kept for a user of this name.
func UserName(name string) bool {
	return utf8.ValidString(name) && len(norm.NFC.String(name)) <= maxUserName
}

// loadMemoryUser returns a user. One that is not there has no number, unless
// it is to be made.
func loadMemoryUser(tx kv.Tx, name string, make bool) (u memoryUser, err error) {
	if !UserName(name) {
		return u, &UserNameError{maxUserName}
	}
	err = load(tx, memoryUserKey(name), &u)
	if !errors.Is(err, kv.ErrNotFound) {
		return u, err
	}
	u = memoryUser{Name: name}
	if !make {
		return u, nil
	}
	var users uint32
	if err := load(tx, memoryUsersKey, &users); err != nil && !errors.Is(err, kv.ErrNotFound) {
		return u, err
	}
	u.Number = users + 1
	return u, save(tx, memoryUsersKey, u.Number)
}

// maxMemoryID is the length of the longest id, in bytes.
const maxMemoryID = 64

// loadMemory returns a memory of a user, or kv.ErrNotFound.
func loadMemory(tx kv.Tx, user uint32, id string) (r memoryRecord, err error) {
	if user == 0 || len(id) > maxMemoryID {
		return r, kv.ErrNotFound
	}
	return r, load(tx, memoryKey(user, id), &r)
}

// indexedMemory returns a memory that an index names.
func indexedMemory(tx kv.Tx, user uint32, id string) (memoryRecord, error) {
	r, err := loadMemory(tx, user, id)
	if errors.Is(err, kv.ErrNotFound) {
		err = &kv.CorruptError{Path: "memory " + id, Reason: "an index names it, and it is not there"}
	}
	return r, err
}

// findMemory returns a memory that a user asks for.
func findMemory(tx kv.Tx, user, id string) (memoryUser, memoryRecord, error) {
	u, err := loadMemoryUser(tx, norm.NFC.String(user), false)
	if err != nil {
		return u, memoryRecord{}, err
	}
	r, err := loadMemory(tx, u.Number, id)
	if errors.Is(err, kv.ErrNotFound) {
		err = &NotFoundError{Noun: "memory", Name: id}
	}
	return u, r, err
}

// sameText is what two texts share that are the same memory.
func sameText(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// textDigest stands for a text of a user.
func textDigest(user, text string) []byte {
	h := sha256.New()
	h.Write([]byte(user))
	h.Write([]byte{0})
	h.Write([]byte(sameText(text)))
	return h.Sum(nil)[:16]
}

// homeID is the id that a text has in every store, unless it is taken.
func homeID(digest []byte) string {
	return "mem_" + strings.ToLower(base32.StdEncoding.EncodeToString(digest[:5])) // 8 characters
}

// freeMemoryID returns the home id of a text, or another when it is taken.
func freeMemoryID(tx kv.Tx, user uint32, digest []byte) (string, error) {
	for {
		id := homeID(digest)
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

// memoryWithText returns the id of the memory that has a text, "" for none. It
// is the text's home id, or stands under the digest of the text.
func memoryWithText(tx kv.Tx, user uint32, text string, digest []byte) (string, error) {
	id := homeID(digest)
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
