package memory

import (
	"encoding/binary"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/store/ledger"
)

// The prefixes of the keys of memories.
const (
	UserCount ledger.Prefix = "pk"
	Users     ledger.Prefix = "pu"
	Records   ledger.Prefix = "pm"
	digests   ledger.Prefix = "ph"
	Sessions  ledger.Prefix = "ps"
	Timelines ledger.Prefix = "pl"
	Turns     ledger.Prefix = "pt"
	Reviews   ledger.Prefix = "pv"

	topics       ledger.Prefix = "po"
	replacements ledger.Prefix = "pr"
	expiries     ledger.Prefix = "px"
	ofProjects   ledger.Prefix = "pj"
	removedTexts ledger.Prefix = "pd"
)

// UserKey returns the key of the record of a user.
func UserKey(name string) []byte { return Users.Key(name) }

// Key returns the key of a record.
func Key(user uint32, id string) []byte { return append(Records.OfUser(user), id...) }

func memorySessionKey(user uint32, name string) []byte {
	return append(Sessions.OfUser(user), name...)
}

func memoryTextKey(user uint32, digest []byte) []byte {
	return append(digests.OfUser(user), digest...)
}

func (l Timeline) prefix() []byte {
	return binary.BigEndian.AppendUint32(Timelines.OfUser(l.User), l.Session)
}

// timeKey is where the moments of a time begin.
func (l Timeline) timeKey(at int64) []byte {
	return binary.BigEndian.AppendUint64(l.prefix(), uint64(at)^1<<63)
}

func (l Timeline) Key(m Moment) []byte {
	return binary.BigEndian.AppendUint32(l.timeKey(m.At), m.Order)
}

// TimelineOf returns the timeline of a key, and the time of its first moment.
func TimelineOf(key []byte) (l Timeline, at int64, ok bool) {
	b := ledger.Rest(key)
	if len(b) != 4+4+8+4 {
		return l, 0, false
	}
	l = Timeline{User: binary.BigEndian.Uint32(b), Session: binary.BigEndian.Uint32(b[4:])}
	return l, int64(binary.BigEndian.Uint64(b[8:]) ^ 1<<63), true
}

func memoryTopicKey(user uint32, scope, topic string) []byte {
	letter := byte('p')
	if scope == ProjectScope {
		letter = 'w'
	}
	return append(append(topics.OfUser(user), letter), sameTopic(topic)...)
}

// sameTopic returns the form in which two names of one topic are equal: case, width and
// repeated blanks do not count.
func sameTopic(topic string) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(topic))), " ")
}

// ReplacementKey is the key of a replacement of a superseded memory, by its id or the id that
// its text would have; with by "" it is the prefix of all of them.
func ReplacementKey(user uint32, old, by string) []byte {
	return append(append(append(replacements.OfUser(user), old...), 0), by...)
}

func memoryExpiryKey(user uint32, at int64, text uint32) []byte {
	b := binary.BigEndian.AppendUint64(expiries.OfUser(user), uint64(at)^1<<63)
	return binary.BigEndian.AppendUint32(b, text)
}

func projectMemoryKey(user, text uint32) []byte {
	return binary.BigEndian.AppendUint32(ofProjects.OfUser(user), text)
}

// turnPrefix begins the keys of a user's turns.
func turnPrefix(user string) []byte { return Turns.Named(user) }

func turnKey(user, turn string) []byte { return append(turnPrefix(user), turn...) }

// ofClient begins the name of the turn that has a client's calls. No other turn has such a name: no argument and no
// header contains a NUL.
const ofClient = "\x00"

// The letters of the entries for a review.
const (
	nearLetter    = 'a' // memories that others were near when they were added
	sourceLetter  = 's' // memories with the hash of a file
	settledLetter = 'c' // memories that need no confirmation
	againstLetter = 'r' // of former versions, whose entries may remain; nothing reads them
)

// reviewKey is the key of an entry for a review.
func reviewKey(user uint32, letter byte, text uint32) []byte {
	return binary.BigEndian.AppendUint32(reviewPrefix(user, letter), text)
}

func reviewPrefix(user uint32, letter byte) []byte { return append(Reviews.OfUser(user), letter) }
