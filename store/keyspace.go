package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// # The key space
//
// All records of a store share one ordered key space. The first two letters of
// a key are its space: one kind of record, or one index of a kind. The rest is
// the key within the space. This file has every space; the other files
// keyspace_*.go have keys as well. The rest of the package calls their functions. Package
// search owns the spaces of the search index, which begin with s.
//
// Numbers are big-endian, so that they sort. A name, a tag and a user are NFC
// text; where more follows, their length precedes them as an unsigned varint.
// JSON and packed values hold the structs named below.
//
//	space  rest of the key                  value
//	mi     id                               memoRecord, JSON
//	mn     name                             id of the memo
//	mo     rank updated name                id: all memos, in the order of lists
//	mt     length tag rank updated name     id: the same for each tag of a memo
//	mu     updated name                     id: all memos, the latest first
//	mc                                      MemoCounts, JSON
//
//	cc     calendar                         Calendar, JSON
//	cn     name                             calendar, if that is not its name (calendar_name.go)
//	ci     length calendar level start id   single event, packed (event_record.go)
//	cb     length calendar level start id   series of events, packed likewise
//	cm     length calendar level start id   seriesFilter: whether a query must read the series
//	ce     id                               place of the event, JSON
//	cu     length calendar uid 0 occurrence id of the event
//	ch     group 0 id                       empty: alternatives that are held together
//
//	ct     length calendar id               to-do, packed (todo_record.go)
//	cy     id                               calendar of the to-do
//	cd     length calendar uid 0 occurrence id of the to-do
//
//	cr     length calendar UID              address and ETag of an event at a service, with 0 between them
//
//	qi     number                           questionRecord, JSON; its id is q and the number
//	qk     key                              number: questions asked with an idempotency key
//	qp     number                           number: pending questions, the oldest first
//	qc                                      QuestionCounts, JSON
//
//	wp     id                               webRecord, JSON; the body is a file in the folder web
//	wt     fetched id                       empty: cached pages, the oldest first
//	wc                                      webCounts, JSON
//
//	ue     number                           fileEditRecord, JSON
//	uw     number file                      data to undo the change of one file, packed by tools/files
//	uc                                      FileEditCounts, JSON
//
//	pk                                      the last number of a user, JSON
//	pu     user                             memoryUser, JSON
//	pm     user# id                         memoryRecord, JSON
//	ph     user# digest                     id of the memory with a text, unless the text determines the id
//	ps     user# session                    memorySession, JSON
//	pl     user# session# time order        memories in time order, up to 128 in a value (memory_time.go)
//	po     user# scope topic                id of the memory with a topic
//	pr     user# old 0 new                  empty: ids of a superseded memory and of its replacement
//	px     user# time text#                 id of a memory that expires then
//	pj     user# text#                      id of a memory of the scope project
//	pt     length user turn                 memoryTurn, JSON
//	pt     length user 0 client             memoryTurn of a client, JSON
//
//	hc     number                           change of records, packed (history_record.go)
//	hb     number part                      continuation of the previous values of a large change
//	hu     number                           number of the change that undid a change
//	hs                                      HistoryCounts, packed
//
//	rk     length user key                  receipt of an idempotency key, JSON
//	rt     time receipt                     receipts by time; the keys of their entries in rx, each a text
//	rx     length record receipt            empty: a receipt that contains a record
//	tk     digest                           tokenRecord, JSON; digest is the SHA-256 of the secret
//
//	xn     name                             number of a shared space
//	xc                                      number: the last one that was assigned to a shared space
//	xu     length user name                 number of a shared space, and one byte: the role of the user
//	xi     length user name                 the same for an invitation that the user has not accepted
//	xd     number                           empty: a removed space that still has keys
//	xs     number key                       a key of a shared space: all of the above but pages, edits and tokens
//	xm                                      spaceRecord, JSON; within a shared space only
//
// rank is one byte, 5 − priority. updated is 8 bytes, milliseconds since 1970
// with all bits but the first inverted, so that the latest sorts first. A list
// therefore reads the entries that it shows and no more. user#, session# and
// text# are 4 bytes: numbers that are assigned once; session# 0 covers all
// sessions. scope is a letter, p or w for person and project. order is text# of
// the memory when it was added, 4 bytes. time is 8 bytes, milliseconds since 1970 with the sign bit
// inverted, and start likewise in seconds.
//
// level is one byte, the number of times that a quarter of an hour must be
// quadrupled to maxUTCOffset the length of the event, or the time from the first to
// the last occurrence of a series; 13 is a series without end. The events that
// overlap a window lie, on each level in use, between the window's start less
// the greatest length of the level and the window's end: one short scan each.
// Records of events lie in the index itself, so that events of one week are
// neighbours.
type space string

// The spaces of the store, without the ones of package search.
const (
	memoRecords  space = "mi"
	memoNames    space = "mn"
	memoOrder    space = "mo"
	memosByTag   space = "mt"
	memosByTime  space = "mu"
	memoCountKey space = "mc"

	calendarRecords space = "cc"
	calendarNames   space = "cn"
	singleRecords   space = "ci"
	seriesRecords   space = "cb"
	seriesFilters   space = "cm"
	eventPlaces     space = "ce"
	eventUIDs       space = "cu"
	eventGroups     space = "ch"
	mirrorObjects   space = "cr"

	todoRecords space = "ct"
	todoPlaces  space = "cy"
	todoUIDs    space = "cd"

	questionRecords  space = "qi"
	questionKeys     space = "qk"
	pendingQuestions space = "qp"
	questionCountKey space = "qc"

	webRecords  space = "wp"
	webPageAges space = "wt"
	webCountKey space = "wc"

	editRecords  space = "ue"
	editUndoData space = "uw"
	editCountKey space = "uc"

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

	historyChanges  space = "hc"
	historyParts    space = "hb"
	historyUndone   space = "hu"
	historyCountKey space = "hs"

	receiptRecords space = "rk"
	receiptAges    space = "rt"
	recordReceipts space = "rx"
	tokenRecords   space = "tk"

	spaceNames    space = "xn"
	spaceNumbers  space = "xc"
	memberships   space = "xu"
	invitations   space = "xi"
	removedSpaces space = "xd"
	sharedRecords space = "xs"
	spaceMembers  space = "xm"
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

// # Memos

func memoKey(id string) []byte                    { return memoRecords.key(id) }
func memoNameKey(name string) []byte              { return memoNames.key(name) }
func memoTagPrefix(tag string) []byte             { return memosByTag.named(tag) }
func memoRank(priority int) byte                  { return byte(TopPriority - priority) }
func memoRankPrefix(tag string, rank byte) []byte { return append(memoTagPrefix(tag), rank) }

// memoIndex returns the keys of a memo's index entries.
func memoIndex(m *Memo) [][]byte {
	updated := append(appendTime(nil, m.UpdatedAt), m.Name...)
	order := string(append([]byte{memoRank(m.Priority)}, updated...))
	keys := [][]byte{memoNameKey(m.Name), memoOrder.key(order), memosByTime.key(string(updated))}
	for _, t := range m.Tags {
		keys = append(keys, append(memoTagPrefix(t), order...))
	}
	return keys
}

// latestFirst inverts all bits of a time but the first, its sign.
const latestFirst = 1<<63 - 1

func appendTime(b []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t.UnixMilli())^latestFirst)
}

func readTime(b []byte) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b) ^ latestFirst))
}

// # Events

// A parameter calendar is the key of a calendar, which is not always its name.

func calendarKey(calendar string) []byte { return calendarRecords.key(calendar) }
func calendarNameKey(name string) []byte { return calendarNames.key(name) }
func eventKey(id string) []byte          { return eventPlaces.key(id) }

// groupKey is the key of an event in a group; with id "" it is the prefix of
// the group.
func groupKey(group, id string) []byte { return eventGroups.key(group + "\x00" + id) }

// cutGroup returns the id in a key of groupKey.
func cutGroup(key []byte) (id string, ok bool) {
	_, tail, ok := bytes.Cut(rest(key), []byte{0})
	return string(tail), ok
}

// maxUID is the longest UID that is part of a key as it is, in bytes. A longer
// one is hashed.
const maxUID = 400

// uidKey is the key of an event by its UID. An event that replaces an
// occurrence of a series has the series' UID and a recurrence id.
func uidKey(calendar, uid, recurrenceID string) []byte {
	return eventUIDs.ofUID(calendar, uid, recurrenceID)
}

func (s space) ofUID(calendar, uid, recurrenceID string) []byte {
	if len(uid) > maxUID {
		digest := sha256.Sum256([]byte(uid))
		uid = "\x01" + shortID(digest[:], 32)
	}
	return append(append(append(s.named(calendar), uid...), 0), recurrenceID...)
}

func todoKey(calendar, id string) []byte { return append(todoRecords.named(calendar), id...) }
func todoPlaceKey(id string) []byte      { return todoPlaces.key(id) }

// todoUIDKey is uidKey for a to-do.
func todoUIDKey(calendar, uid, recurrenceID string) []byte {
	return todoUIDs.ofUID(calendar, uid, recurrenceID)
}

// place is the position of an event in its calendar, by which events sort.
type place struct {
	Calendar string `json:"calendar"` // its key
	Series   bool   `json:"series,omitempty"`
	Level    int    `json:"level"`
	From     int64  `json:"from"` // seconds since 1970
	to       int64  // likewise; not part of the key
}

func (p *place) key(s space, id string) []byte {
	b := append(s.named(p.Calendar), byte(p.Level))
	b = binary.BigEndian.AppendUint64(b, uint64(p.From)^1<<63)
	return append(b, id...)
}

// records returns the space of the event's record.
func (p *place) records() space {
	if p.Series {
		return seriesRecords
	}
	return singleRecords
}

// cutPlace reads a key of place.key; ok is false for a key that is too short.
func cutPlace(key []byte) (p place, id string, ok bool) {
	name, tail, ok := cutNamed(key)
	if !ok || len(tail) < 1 {
		return p, "", false
	}
	start, event, ok := cutStart(tail[1:])
	p = place{Calendar: name, Series: spaceOf(key) == seriesRecords, Level: int(tail[0]), From: start}
	return p, string(event), ok
}

// cutStart reads what follows the calendar and the level in a key of place.key; ok is
// false if that is too short.
func cutStart(tail []byte) (start int64, id []byte, ok bool) {
	if len(tail) < 8 {
		return 0, nil, false
	}
	return int64(binary.BigEndian.Uint64(tail) ^ 1<<63), tail[8:], true
}

// # Edits of files

func editKey(id uint64) []byte { return editRecords.number(id) }

// undoDataKey is the key of the data to undo the change of a file, which is the
// n-th of an edit.
func undoDataKey(id uint64, n int) []byte {
	return binary.BigEndian.AppendUint32(editUndoData.number(id), uint32(n))
}

// # History

func changeKey(id uint64) []byte { return historyChanges.number(id) }
func undoneKey(id uint64) []byte { return historyUndone.number(id) }

// changePartKey is the key of a part of a change's previous values; the first
// part is 1, because the change itself has what precedes it.
func changePartKey(id uint64, part int) []byte {
	return binary.BigEndian.AppendUint32(historyParts.number(id), uint32(part))
}

// # Receipts and tokens

func receiptKey(user, key string) []byte { return append(receiptRecords.named(user), key...) }

// receiptAgeKey is the key of a receipt among the receipts by time.
func receiptAgeKey(at int64, receipt []byte) []byte {
	return append(receiptAges.number(uint64(at)), rest(receipt)...)
}

// recordReceiptPrefix begins the keys of the receipts that contain a record. A
// letter stands for its kind.
func recordReceiptPrefix(letter byte, record string) []byte {
	return recordReceipts.named(string(letter) + record)
}

// tokenKey is the key of the token with a secret.
func tokenKey(secret string) []byte {
	digest := sha256.Sum256([]byte(secret))
	return tokenRecords.key(string(digest[:]))
}

// tokenID is the id of the token with a key. It reveals 6 bytes of the digest,
// and nothing about the secret.
func tokenID(key []byte) string { return "tok_" + hex.EncodeToString(rest(key)[:6]) }
