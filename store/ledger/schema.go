package ledger

import (
	"bytes"
	"cmp"
	"context"
	"hash/crc32"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"
)

// Schema describes the keys of one kind of record: how they are checked, and how its indexes and
// counts are rebuilt.
type Schema struct {
	Name     string   // plural: the key of Report.Counts
	Prefixes []Prefix // of the records and of their indexes
	Shared   bool     // a shared space can have such records
	Audit    func() Audit

	// Repair rebuilds the indexes and counts of a rescued store, which may lack
	// any of its keys, and drops records that cannot be read.
	Repair func(ctx context.Context, l *Ledger) ([]Repair, error)

	// Outdated returns what builds the outdated search indexes of the records again. It may be nil.
	Outdated func(tx *Tx) ([]Refreshing, error)

	Recorded []Recorded // what the history has of them
}

// Recorded describes a kind of record whose changes the history has. Functions that do not matter
// for a kind are nil.
type Recorded struct {
	Kind     Kind
	Prefixes []Prefix // of the records
	Numbers  []string // starts of JSON fields that number a record in an index, which a restored one gets anew

	// Local returns the id of a record without its owner, for whom the id begins with something; nil
	// if the records have no owners.
	Local func(id string) string

	// ID returns the id of the record with a key.
	ID func(key []byte) (id string, ok bool)

	// Value returns the value under a key in the form of the history; nil returns it as it is.
	Value func(key, value []byte) []byte

	// Current returns the values that records have now in the form of the history, nil for a
	// missing one.
	Current func(tx *Tx, owner string, ids []string) (values [][]byte, err error)

	// Describe returns the title and the text of a value of the history for people.
	Describe func(tx *Tx, id string, value []byte) (title, text string, err error)

	// Restore gives the records of a change their previous values.
	Restore func(tx *Tx, c Change) error

	// Same reports whether a value is another version of one that a change made, with the same
	// content.
	Same func(after, now []byte) (bool, error)

	// Versioned reports whether Same decides about a value, because a service makes versions.
	Versioned func(tx *Tx, value []byte) (bool, error)

	// Mentions returns the ids of other records that a value contains.
	Mentions func(value []byte) []string

	// Dropped follows the removal of a change from the history.
	Dropped func(tx *Tx, c Change) error

	// Undoable reports whether a change may be undone without naming it.
	Undoable func(tx *Tx, c Change) (bool, error)

	// Purged removes what is kept of records outside of the history.
	Purged func(tx *Tx, ids []string) error
}

// Schemas are all kinds of records, and what a change of them has to do.
type Schemas struct {
	All []Schema

	// Erase removes the receipts that contain some records, EraseWith all that contain a text.
	Erase     func(tx *Tx, ids ...RecordID) error
	EraseWith func(tx *Tx, texts []string) error

	// Purge removes the records of a change from the history of all places. It reports whether
	// some are left where the user may not change them.
	Purge func(tx *Tx, c Change) (left bool, err error)

	// Purged follows a purge of the records of a change.
	Purged func(tx *Tx, c Change) error

	byPrefix map[Prefix]*Recorded
	byKind   map[Kind]*Recorded
}

// Prepared returns the schemas, ready for use.
func (s Schemas) Prepared() *Schemas {
	s.byPrefix, s.byKind = map[Prefix]*Recorded{}, map[Kind]*Recorded{}
	for i := range s.All {
		for j := range s.All[i].Recorded {
			r := &s.All[i].Recorded[j]
			s.byKind[r.Kind] = r
			for _, p := range r.Prefixes {
				s.byPrefix[p] = r
			}
		}
	}
	return &s
}

// Shared returns the schemas of the records that a shared space can have.
func (s *Schemas) Shared() []Schema {
	return slices.DeleteFunc(slices.Clone(s.All), func(one Schema) bool { return !one.Shared })
}

// SharedRecords returns the prefixes of the records that a shared space can have.
func (s *Schemas) SharedRecords() (all []Prefix) {
	for _, one := range s.Shared() {
		for _, r := range one.Recorded {
			all = append(all, r.Prefixes...)
		}
	}
	return all
}

// unrecordedKind describes a kind that the history does not have.
var unrecordedKind = &Recorded{}

// Of returns what the history has of a kind of record.
func (s *Schemas) Of(kind Kind) *Recorded { return cmp.Or(s.byKind[kind], unrecordedKind) }

// under returns what the history has of the record with a key, nil if the key is no record.
func (s *Schemas) under(key []byte) *Recorded { return s.byPrefix[PrefixOf(key)] }

// RecordID identifies a record in the store. The id of a memory includes the
// number of its user.
type RecordID struct {
	Kind Kind
	ID   string
}

func (id RecordID) compare(other RecordID) int {
	return cmp.Or(cmp.Compare(id.Kind, other.Kind), strings.Compare(id.ID, other.ID))
}

// Record returns the record with a key.
func (s *Schemas) Record(key []byte) (id RecordID, ok bool) {
	r := s.under(key)
	if r == nil {
		return id, false
	}
	id.Kind = r.Kind
	id.ID, ok = r.ID(key)
	return id, ok
}

// shown returns the id of a record as users see it.
func (s *Schemas) shown(id RecordID) string {
	if local := s.Of(id.Kind).Local; local != nil {
		return local(id.ID)
	}
	return id.ID
}

// Form returns the value of a record in the form of the history.
func (r *Recorded) Form(key, value []byte) []byte {
	if r.Value == nil {
		return value
	}
	return r.Value(key, value)
}

// WithoutNumbers returns a value without its numbers in indexes.
func (r *Recorded) WithoutNumbers(value []byte) []byte {
	for _, field := range r.Numbers {
		// Quotes within JSON texts are escaped, so the field cannot be part of one.
		before, after, found := bytes.Cut(value, []byte(field))
		if !found {
			continue
		}
		after = bytes.TrimLeft(after, "0123456789")
		value = append(bytes.Clone(before), after...)
	}
	return value
}

// Digest identifies a value: its length and its CRC-32C. It detects changes
// that the history did not record.
func (r *Recorded) Digest(value []byte) uint64 { return DigestOf(r.WithoutNumbers(value)) }

func DigestOf(value []byte) uint64 {
	return uint64(uint32(len(value)))<<32 | uint64(crc32.Checksum(value, crc32.MakeTable(crc32.Castagnoli)))
}

func (r *Recorded) equal(a, b []byte) bool {
	return bytes.Equal(r.WithoutNumbers(a), r.WithoutNumbers(b))
}

// Audit checks the keys of one record kind. visit gets each key with its value,
// in key order; finish compares the totals and returns the number of records.
// Damage is a FindingError.
type Audit interface {
	Visit(tx *Tx, key, value []byte) error
	Finish(tx *Tx) (int, error)
}

// Ahead is the part of an audit that counts records which were written after a moment, by a
// clock that was wrong.
type Ahead struct {
	now time.Time
	n   int
}

// Dated is an Audit with an Ahead.
type Dated interface {
	BeginAt(now time.Time)
	Future() int
}

// aheadBy is how far the clocks of machines that share a store may differ.
const aheadBy = time.Minute

// BeginAt sets the present time.
func (a *Ahead) BeginAt(now time.Time) { a.now = now }

// Future returns how many records were written later than now.
func (a *Ahead) Future() int { return a.n }

// Note counts a record that was written at a time.
func (a *Ahead) Note(at time.Time) {
	if at.After(a.now.Add(aheadBy)) {
		a.n++
	}
}

// SetHash is a hash of a set of index entries that does not depend on their
// order. It needs constant memory, however many entries there are.
type SetHash struct {
	seed maphash.Seed
	n    int
	sum  uint64
}

// NewSetHashes returns two empty set hashes that can be compared: one for the
// entries that the records require, one for the existing entries.
func NewSetHashes() (want, found SetHash) {
	want.seed = maphash.MakeSeed()
	return want, want
}

func (h *SetHash) Add(key, value []byte) {
	h.n++
	h.sum += maphash.Bytes(h.seed, append(append(key[:len(key):len(key)], 0), value...))
}

// Kind names a kind of record, for errors and reports.
type Kind string

// The kinds of records, and of what belongs to one.
const (
	KindMemo       Kind = "memo"
	KindTag        Kind = "tag" // of memos
	KindMemory     Kind = "memory"
	KindMemoryFile Kind = "memory file"
	KindUser       Kind = "user"    // of memories
	KindSession    Kind = "session" // of memories
	KindEvent      Kind = "event"
	KindTodo       Kind = "todo"
	KindCalendar   Kind = "calendar"
	KindQuestion   Kind = "question"
	KindWebPage    Kind = "web page"
	KindEdit       Kind = "edit" // of files
	KindFile       Kind = "file"
	KindChange     Kind = "change" // of the history
	KindToken      Kind = "token"
	KindReceipt    Kind = "receipt" // of an idempotency key
	KindSpace      Kind = "space"   // shared by several users
	KindGuarded    Kind = "guarded act"
)

// KindLetters are the kinds in keys and in records of the history. They must never change.
var KindLetters = map[Kind]byte{
	KindMemo: 'm', KindMemory: 'p', KindEvent: 'e', KindTodo: 't', KindQuestion: 'q', KindFile: 'f',
	KindSpace: 's', KindCalendar: 'c', KindMemoryFile: 'd',
	KindGuarded: 'g',
}

// kindsOfLetters has the kinds by their letters.
var kindsOfLetters = sync.OnceValue(func() *[256]Kind {
	all := new([256]Kind)
	for k, l := range KindLetters {
		all[l] = k
	}
	return all
})

// KindOfLetter returns the kind of a letter in KindLetters.
func KindOfLetter(letter byte) (Kind, bool) {
	k := kindsOfLetters()[letter]
	return k, k != ""
}

// FilesFamily is the family of the tools for files.
const FilesFamily = "files"

// families maps the kinds of records in the history to families of tools.
var families = map[Kind]string{
	KindMemo: "memo", KindMemory: "memory", KindEvent: "calendar", KindTodo: "calendar", KindQuestion: "ask",
	KindFile: FilesFamily, KindSpace: "space", KindCalendar: "calendar", KindMemoryFile: "memory",
	KindGuarded: "guarded",
}
