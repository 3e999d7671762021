package store

import "encoding/binary"

// The prefixes of the keys of memories.
const (
	memoryUserCount space = "pk"
	memoryUsers     space = "pu"
	memoryRecords   space = "pm"
	memoryDigests   space = "ph"
	memorySessions  space = "ps"
	memoryTimelines space = "pl"
	memoryTurns     space = "pt"

	memoryTopics       space = "po"
	memoryReplacements space = "pr"
	memoryExpiries     space = "px"
	projectMemories    space = "pj"
)

func memoryUserKey(name string) []byte { return memoryUsers.key(name) }

func memoryKey(user uint32, id string) []byte { return append(memoryRecords.ofUser(user), id...) }

func memorySessionKey(user uint32, name string) []byte {
	return append(memorySessions.ofUser(user), name...)
}

func memoryTextKey(user uint32, digest []byte) []byte {
	return append(memoryDigests.ofUser(user), digest...)
}

func (l timeline) prefix() []byte {
	return binary.BigEndian.AppendUint32(memoryTimelines.ofUser(l.user), l.session)
}

// timeKey is where the moments of a time begin.
func (l timeline) timeKey(at int64) []byte {
	return binary.BigEndian.AppendUint64(l.prefix(), uint64(at)^1<<63)
}

func (l timeline) key(m moment) []byte {
	return binary.BigEndian.AppendUint32(l.timeKey(m.at), m.order)
}

// timelineOf returns the timeline of a key, and the time of its first moment.
func timelineOf(key []byte) (l timeline, at int64, ok bool) {
	b := rest(key)
	if len(b) != 4+4+8+4 {
		return l, 0, false
	}
	l = timeline{user: binary.BigEndian.Uint32(b), session: binary.BigEndian.Uint32(b[4:])}
	return l, int64(binary.BigEndian.Uint64(b[8:]) ^ 1<<63), true
}

func memoryTopicKey(user uint32, scope, topic string) []byte {
	letter := byte('p')
	if scope == ProjectScope {
		letter = 'w'
	}
	return append(append(memoryTopics.ofUser(user), letter), topic...)
}

// replacementKey is the key of a replacement of a superseded memory; with by "" it
// is the prefix of all of them.
func replacementKey(user uint32, old, by string) []byte {
	return append(append(append(memoryReplacements.ofUser(user), old...), 0), by...)
}

func memoryExpiryKey(user uint32, at int64, text uint32) []byte {
	b := binary.BigEndian.AppendUint64(memoryExpiries.ofUser(user), uint64(at)^1<<63)
	return binary.BigEndian.AppendUint32(b, text)
}

func projectMemoryKey(user, text uint32) []byte {
	return binary.BigEndian.AppendUint32(projectMemories.ofUser(user), text)
}

// turnPrefix begins the keys of a user's turns.
func turnPrefix(user string) []byte { return memoryTurns.named(user) }

func turnKey(user, turn string) []byte { return append(turnPrefix(user), turn...) }

// clientKey is the key of a client's calls. It differs from the key of any
// turn: no argument and no header contains a NUL.
func clientKey(user, client string) []byte { return turnKey(user, "\x00"+client) }
