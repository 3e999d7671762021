package ledger

import "encoding/binary"

// Prefix is a prefix of two letters: one kind of record, or one index of a kind.
type Prefix string

// The prefixes of shared spaces.
const (
	SharedRecords Prefix = "xs" // precede the number of a shared space and a key of it
	SpaceMembers  Prefix = "xm" // the members of a shared space, within it
)

// PrefixOf returns the prefix of a key, which may be unknown.
func PrefixOf(key []byte) Prefix { return Prefix(key[:min(2, len(key))]) }

// Rest returns a key without its prefix.
func Rest(key []byte) []byte { return key[min(2, len(key)):] }

// All returns the key that is a prefix alone, or the prefix of all its keys.
func (s Prefix) All() []byte { return []byte(s) }

// Key returns a key that ends with a text.
func (s Prefix) Key(rest string) []byte { return append([]byte(s), rest...) }

// Number begins a key with a number, in 8 bytes.
func (s Prefix) Number(n uint64) []byte { return binary.BigEndian.AppendUint64([]byte(s), n) }

// Named begins a key with a name that more follows.
func (s Prefix) Named(name string) []byte {
	return append(binary.AppendUvarint([]byte(s), uint64(len(name))), name...)
}

// OfUser begins a key with the number of a user of memories.
func (s Prefix) OfUser(user uint32) []byte {
	return binary.BigEndian.AppendUint32(append(make([]byte, 0, 40), s...), user)
}

// CutNamed splits a key of Named into the name and what follows it.
func CutNamed(key []byte) (name string, tail []byte, ok bool) {
	b := Rest(key)
	length, n := binary.Uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return "", nil, false
	}
	end := n + int(length)
	return string(b[n:end]), b[end:], true
}

// CutUser splits a key of OfUser into the number and what follows it.
func CutUser(key []byte) (user uint32, tail []byte, ok bool) {
	b := Rest(key)
	if len(b) < 4 {
		return 0, nil, false
	}
	return binary.BigEndian.Uint32(b), b[4:], true
}

// CutNumber reads a key or a value of Number; ok is false for one too short.
func CutNumber(b []byte) (n uint64, ok bool) {
	if len(b) < 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(b), true
}

// NumberIn returns the number in a key of Number.
func NumberIn(key []byte) (n uint64, ok bool) {
	n, ok = CutNumber(Rest(key))
	return n, ok && len(Rest(key)) == 8
}

// SharedPrefix precedes the keys of a shared space.
func SharedPrefix(number uint64) []byte { return SharedRecords.Number(number) }

// CutShared splits a key of a shared space into the number of the space and the key.
func CutShared(key []byte) (number uint64, within []byte, ok bool) {
	number, ok = CutNumber(Rest(key))
	if !ok {
		return 0, nil, false
	}
	return number, Rest(key)[8:], true
}

// The prefixes of the keys of the history.
const (
	HistoryChanges  Prefix = "hc"
	HistoryParts    Prefix = "hb"
	HistoryUndone   Prefix = "hu"
	HistoryCountKey Prefix = "hs"
)

func ChangeKey(id uint64) []byte { return HistoryChanges.Number(id) }

func UndoneKey(id uint64) []byte { return HistoryUndone.Number(id) }

// ChangePartKey is the key of a part of a change's previous values; the first
// part is 1, because the change itself has what precedes it.
func ChangePartKey(id uint64, part int) []byte {
	return binary.BigEndian.AppendUint32(HistoryParts.Number(id), uint32(part))
}
