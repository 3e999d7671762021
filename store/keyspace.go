package store

import (
	"encoding/binary"
)

// space is a prefix of two letters: one kind of record, or one index of a kind.
type space string

const (
	sharedRecords space = "xs" // precede the number of a shared space and a key of it
	spaceMembers  space = "xm" // the members of a shared space, within it
)

// spaceOf returns the space of a key, which may be unknown.
func spaceOf(key []byte) space { return space(key[:min(2, len(key))]) }

// rest returns a key without its space.
func rest(key []byte) []byte { return key[min(2, len(key)):] }

// all returns the key that is a space alone, or the prefix of all its keys.
func (s space) all() []byte { return []byte(s) }

func (s space) key(rest string) []byte { return append([]byte(s), rest...) }

func (s space) number(n uint64) []byte { return binary.BigEndian.AppendUint64([]byte(s), n) }

// named begins a key with a name that more follows.
func (s space) named(name string) []byte {
	return append(binary.AppendUvarint([]byte(s), uint64(len(name))), name...)
}

// ofUser begins a key with the number of a user of memories.
func (s space) ofUser(user uint32) []byte {
	return binary.BigEndian.AppendUint32(append(make([]byte, 0, 40), s...), user)
}

// cutNamed splits a key of named into the name and what follows it.
func cutNamed(key []byte) (name string, tail []byte, ok bool) {
	b := rest(key)
	length, n := binary.Uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return "", nil, false
	}
	end := n + int(length)
	return string(b[n:end]), b[end:], true
}

// cutUser splits a key of ofUser into the number and what follows it.
func cutUser(key []byte) (user uint32, tail []byte, ok bool) {
	b := rest(key)
	if len(b) < 4 {
		return 0, nil, false
	}
	return binary.BigEndian.Uint32(b), b[4:], true
}

// cutNumber reads a key or a value of number; ok is false for one too short.
func cutNumber(b []byte) (n uint64, ok bool) {
	if len(b) < 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(b), true
}

// A parameter calendar is the key of a calendar, which is not always its name.

// sharedPrefix precedes the keys of a shared space.
func sharedPrefix(number uint64) []byte { return sharedRecords.number(number) }

// cutShared splits a key of a shared space into the number of the space and the key.
func cutShared(key []byte) (number uint64, within []byte, ok bool) {
	number, ok = cutNumber(rest(key))
	if !ok {
		return 0, nil, false
	}
	return number, rest(key)[8:], true
}
