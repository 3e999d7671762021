// Package search is an inverted index with BM25 ranking. It is updated in the
// transactions that change the indexed records, so the two always agree.
//
// # Ranking
//
// Candidates are the texts with the most BM25 for the words of the question (find.go), 300 or, of more than 20,000
// texts, 64; the 32 that are most like it in meaning, by vectors of a table in the program or of a model of the user's
// (meaning.go); and the two on either side of each in its session (context.go). Twelve figures are taken of each,
// from 0 to 1. Near it are the three texts on either side in its session or sitting; a word weighs more if fewer texts
// have it.
//
//	cover         square of the share of the question's weight that its rare words have
//	place         1 of the candidate with the most BM25, 1/2 of the next, 1/3 and so on
//	code          share of the question's identifiers that it has, such as OPS-2217
//	meaning       likeness to the question, of the most that a candidate has; less if words are found
//	context       share of the question's weight that it and the eight texts on either side have together
//	near          most BM25 of a text near it, of the question's weight
//	near meaning  most likeness of it or a text near it; less if words are found, and the open part of that
//	reply         BM25 of the text before it, of the question's weight, if that asks
//	asking        the open part if it asks
//	speaker       1 if it speaks in the first person and the question names its speaker
//	time          1 if the question asks when and it names a time
//	age           the open part of the likeness to the nearest newer of the 32 candidates that fit best, less that
//	              to the nearest older one: from -1 to 1, 0 for a turn of a conversation
//
// The open part is the share of the question's weight that even the candidate with the most context lacks: the better
// the words of a question are found, the less counts what is no word.
//
// Their sum by weights is the logarithm of the candidate's odds. Three rules remain beside it: a text of another time
// than the question names comes last, unless it names that time itself; one without its words comes after one with all
// of them; and a rare name in the best leads to other texts that have it (link.go). Of equal odds the newest comes first.
// Several indexes are ranked as one (together.go).
//
// How likely a candidate answers, the score that people see, is a logistic function of three figures (Outlook): its part
// of all candidates' odds; the most likeness of any; and how much the question is like those that texts answer, rather
// than like messages that need none, which is its likeness to one fitted meaning.
//
// go -C bench run . fit writes all weights (weights.go). Of each pair of a text that answers a question and one that
// does not, the first shall have greater odds; the loss is logistic, and each set of questions weighs the same. It
// prints what each figure is worth on sets that were left out. The probabilities are fitted to questions that the
// weights were not fitted on, with others that nothing answers and messages that need nothing. go -C bench run . rank
// measures the whole (docs/benchmarks.md).
//
// # Keys
//
// A space is a separate index: one for each user's memories, one for the memos, and
// one for the memory files. Numbers are big-endian.
//
//	sn space                    statistics of a space, JSON
//	sq space text               a waiting text, not yet in the lists
//	st space t term             head of a term's list (list.go)
//	sb space t term \0 first    block of a term's list (postings.go)
//	sw space chunk              owners of 128 texts (owner.go)
//	sx, sv                      what the texts mean (package vectors)
//
// space, text, first and chunk are 4 bytes. An index that another version has written
// is built again from the records (rebuild.go).
//
// A single new text waits in one record. When a few hundred texts wait, all of
// them are folded into the lists at once. So the cost of adding a text does not
// depend on the size of the index, and lists are not rewritten for each text.
package search

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"techo/internal/meaning"
	"techo/store/kv"
	"techo/store/search/vectors"
)

// The key prefixes of the index.
const (
	numbersPrefix = "sn"
	waitingPrefix = "sq"
	headPrefix    = "st"
	blockPrefix   = "sb"
	ownerPrefix   = "sw"
)

// Prefixes returns the two-letter prefixes of all keys of the index.
func Prefixes() []string {
	return append([]string{numbersPrefix, waitingPrefix, headPrefix, blockPrefix, ownerPrefix}, vectors.Prefixes()...)
}

// textKind is the kind of all lists.
const textKind = 't'

// Index is the index of one space.
type Index struct{ space uint32 }

// Memos is the number of the index of the memos. Users of memories have numbers from 1.
const Memos = 0

// Files is the number of the index of the memory files of all users.
const Files = math.MaxUint32

// At returns the index of a space.
func At(space uint32) Index { return Index{space: space} }

// Doc is an indexed text.
type Doc struct {
	Num   uint32 // assigned by Add in ascending order
	ID    string // id of the record
	Group uint32 // texts that belong together, such as a session; 0 means no group
	At    int64  // time of the text, in milliseconds since 1970
	Bag   Bag
	Vec   meaning.Vec
}

func (d *Doc) owner() Owner {
	return Owner{Num: d.Num, ID: d.ID, Group: d.Group, At: d.At, Traits: d.Bag.Traits}
}

// Limits at which waiting texts are folded into the lists.
const (
	mayWait      = 256
	mayWaitBytes = 256 << 10
)

// numbers are the statistics of a space.
type numbers struct {
	Version int    `json:"version,omitempty"`
	Next    uint32 `json:"next"`    // number of the next text
	Folded  uint32 `json:"folded"`  // texts with lower numbers are in the lists
	Texts   int    `json:"texts"`   // existing texts
	Length  int64  `json:"length"`  // total length of the texts
	Waiting int    `json:"waiting"` // texts that wait, from Folded on
	Bytes   int    `json:"bytes"`   // size of their records in bytes

	Models     *vectors.Models `json:"models,omitempty"`     // of endpoints
	Rebuilding *rebuilding     `json:"rebuilding,omitempty"` // while it is built again
}

// listed names the state of the lists, by two numbers: Folded grows when texts enter them, and until it does, each text
// that leaves them makes the other one smaller.
func (n *numbers) listed() string { return fmt.Sprint(n.Version, n.Folded, n.Texts-n.Waiting) }

// version is the version of the terms and of the format. It must increase when the
// terms of any text change.
const version = 5

func (x Index) key(name string, parts ...uint32) []byte {
	b := binary.BigEndian.AppendUint32(append(make([]byte, 0, 24), name...), x.space)
	for _, p := range parts {
		b = binary.BigEndian.AppendUint32(b, p)
	}
	return b
}

// NumbersKey returns the key of the statistics, which every search and every change
// reads.
func NumbersKey(x Index) []byte { return x.key(numbersPrefix) }

func (x Index) headKey(term string) []byte {
	return append(append(x.key(headPrefix), textKind), term...)
}

func (x Index) blocksOf(term string) []byte {
	return append(append(append(x.key(blockPrefix), textKind), term...), 0)
}

func (x Index) blockKey(term string, first uint32) []byte {
	return binary.BigEndian.AppendUint32(x.blocksOf(term), first)
}

func (x Index) numbers(tx kv.Tx) (n numbers, err error) {
	b, err := tx.Get(x.key(numbersPrefix))
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return n, err
	}
	return x.readNumbers(b)
}

// readNumbers decodes the statistics; nil are those of an empty index.
func (x Index) readNumbers(b []byte) (n numbers, err error) {
	if b != nil {
		err = json.Unmarshal(b, &n)
	}
	return n, x.corrupt("", err)
}

func (x Index) saveNumbers(tx kv.Tx, n numbers) error {
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return tx.Put(x.key(numbersPrefix), b)
}

// record encodes a waiting text:
//
//	owner, length, number of terms,
//	then for each term its length, the term, its count,
//	then the vector, unless it is zero
//
// All numbers but those of the vector are unsigned varints.
func (d *Doc) record() []byte {
	b := d.owner().append(nil)
	b = binary.AppendUvarint(b, uint64(d.Bag.Length))
	b = binary.AppendUvarint(b, uint64(len(d.Bag.Terms)))
	for _, t := range d.Bag.Terms {
		b = binary.AppendUvarint(appendText(b, t.Term), uint64(t.N))
	}
	if d.Vec.Zero() {
		return b
	}
	return d.Vec.Append(b)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errRecord = reason(IllFormed)

// fields decodes a sequence of numbers and texts.
type fields struct {
	rest []byte
	err  error
}

func (f *fields) number() uint64 {
	v, w := binary.Uvarint(f.rest)
	if w <= 0 {
		f.err = errRecord
		f.rest = nil
		return 0
	}
	f.rest = f.rest[w:]
	return v
}

func (f *fields) text() []byte {
	n := f.number()
	if n > uint64(len(f.rest)) {
		f.err = errRecord
		f.rest = nil
		return nil
	}
	s := f.rest[:n]
	f.rest = f.rest[n:]
	return s
}

// readRecord decodes a waiting text.
func readRecord(num uint32, b []byte) (Doc, error) {
	f := &fields{rest: b}
	o := f.owner()
	d := Doc{Num: num, ID: o.ID, Group: o.Group, At: o.At, Bag: Bag{Traits: o.Traits}}
	d.Bag.Length = uint32(f.number())
	n := f.number()
	if n > uint64(len(b)) {
		return d, errRecord
	}
	d.Bag.Terms = make([]Count, n)
	for i := range d.Bag.Terms {
		d.Bag.Terms[i] = Count{string(f.text()), uint32(f.number())}
	}
	if f.err == nil && len(f.rest) > 0 {
		d.Vec, f.err = meaning.Decode(f.rest)
	}
	return d, f.err
}

func waitingKey(x Index, text uint32) []byte { return x.key(waitingPrefix, text) }

// waiting calls use with each waiting text in order.
func (x Index) waiting(tx kv.Tx, use func(Doc) error) error {
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: x.key(waitingPrefix)}) {
		if err != nil {
			return err
		}
		d, err := x.readWaiting(p)
		if err == nil {
			err = use(d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readWaiting decodes a waiting text.
func (x Index) readWaiting(p kv.Pair) (Doc, error) {
	d, err := readRecord(binary.BigEndian.Uint32(p.Key[len(x.key(waitingPrefix)):]), p.Value)
	return d, x.corrupt("", err)
}
