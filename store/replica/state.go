package replica

import (
	"context"
	"encoding/binary"
	"errors"
	"syscall"

	"techo/store/kv"
	"techo/store/ledger"
)

// The prefixes of the keys.
const (
	settingsKey ledger.Prefix = "ys" // settings, JSON
	peers       ledger.Prefix = "ym" // machine: peer, JSON
	seenAt      ledger.Prefix = "yg" // machine number: Seen, JSON
	entries     ledger.Prefix = "yv" // record: entry, JSON
	altered     ledger.Prefix = "yx" // length record claim: empty: a record that is not shown as it was said
	conflicts   ledger.Prefix = "yk" // number: Conflict, JSON
	outbox      ledger.Prefix = "yo" // number: a segment that may not be in the place yet
	marks       ledger.Prefix = "yp" // record: a mark: it has to be said, even if it is as it was
)

// settings are what a store knows about its notebook on several machines.
type settings struct {
	Place    string `json:"place"`
	Notebook string `json:"notebook"`
	Key      string `json:"key"` // the identity of package age
	Machine  string `json:"machine"`
	Name     string `json:"name"`

	Number    uint64            `json:"number"`            // of the last segment of this machine
	Hash      string            `json:"hash,omitempty"`    // of its file
	SaidAt    int64             `json:"said_at,omitempty"` // when it was written
	Watermark uint64            `json:"watermark"`         // number of the last change of the history that was looked at
	Scanned   int64             `json:"scanned"`           // when all records were looked at, milliseconds since 1970
	Calendars map[string]string `json:"calendars,omitempty"`
	Conflicts uint64            `json:"conflicts,omitempty"` // number of the last conflict
	Whole     uint64            `json:"whole,omitempty"`     // number of the last snapshot
	Snapshot  int64             `json:"snapshot,omitempty"`  // bytes of the last snapshot, or of the first segment
	Written   int64             `json:"written"`             // bytes of the segments since
	LastAt    int64             `json:"last_at,omitempty"`   // of the last sync that reached the place
	Tried     int64             `json:"tried,omitempty"`     // of the last try
	Failure   *failure          `json:"failure,omitempty"`   // why it failed
	Rewrite   bool              `json:"rewrite,omitempty"`   // a purge has to leave the files of this machine
	Moved     uint64            `json:"moved,omitempty"`     // transactions that said or applied something
	Settled   uint64            `json:"settled,omitempty"`   // Moved when claims were last decided again
}

// failure is why a try failed. One of its fields is set.
type failure struct {
	Errno   syscall.Errno `json:"errno,omitempty"` // of the place; its numbers are those of the machine
	Fault   *Fault        `json:"fault,omitempty"` // of the file that says which notebook the place has
	Other   bool          `json:"other,omitempty"` // the place has another notebook
	Carrier *CarrierError `json:"carrier,omitempty"`
	Late    bool          `json:"late,omitempty"` // the time ran out
	Text    string        `json:"text,omitempty"` // of any other error
}

func failureOf(err error) *failure {
	f := &failure{}
	segment := new(BadSegmentError)
	switch {
	case errors.As(err, &f.Carrier), errors.As(err, &f.Errno):
	case errors.As(err, &segment):
		f.Fault = &segment.Fault
	case errors.Is(err, ErrOther):
		f.Other = true
	case errors.Is(err, context.DeadlineExceeded):
		f.Late = true
	default:
		f.Text = err.Error()
	}
	return f
}

// err returns the error, nil for none.
func (f *failure) err(place string) error {
	switch {
	case f == nil:
		return nil
	case f.Carrier != nil:
		return f.Carrier
	case f.Errno != 0:
		return &PlaceError{place, f.Errno}
	case f.Fault != nil:
		return &PlaceError{place, bad(*f.Fault)}
	case f.Other:
		return &PlaceError{place, ErrOther}
	case f.Late:
		return context.DeadlineExceeded
	}
	return errors.New(f.Text)
}

// peer is what a store knows about another machine.
type peer struct {
	Name   string `json:"name"`
	Number uint64 `json:"number"` // of its last segment that was applied
	Hash   string `json:"hash"`
	At     int64  `json:"at"` // when it wrote that segment
	Left   bool   `json:"left,omitempty"`
	Ahead  int64  `json:"ahead,omitempty"` // by how many milliseconds its clock is ahead
}

// entry is what a store knows about the versions of a record.
type entry struct {
	Frontier Frontier `json:"frontier"` // the winner has no value unless it is altered
	Shown    bool     `json:"shown,omitempty"`
	Digest   uint64   `json:"digest,omitempty"` // of the record as it is shown
	Altered  bool     `json:"altered,omitempty"`
	Blocked  string   `json:"blocked,omitempty"` // why the record cannot be shown
}

// Conflict is a version that lost against one that had not seen it.
type Conflict struct {
	ID
	Title   string `json:"title"`
	Kept    string `json:"-"` // text for people: the record as it is now, "" if it was removed
	Lost    string `json:"lost"`
	Machine string `json:"machine"` // name of the machine of the lost version
	At      int64  `json:"at"`      // milliseconds since 1970, of the lost version
	Value   []byte `json:"value"`   // the lost version

	By      string `json:"by,omitempty"` // the machine of the lost version, and its segment
	Segment uint64 `json:"segment,omitempty"`
}

// mark is why a record has to be said. Its text is in the store.
type mark string

const (
	unmarked mark = ""
	purged   mark = "purged"
	settled  mark = "settled"
)

func load[T any](tx *ledger.Tx, key []byte) (v T, found bool, err error) {
	err = ledger.Load(tx, key, &v)
	if errors.Is(err, kv.ErrNotFound) {
		return v, false, nil
	}
	return v, err == nil, err
}

// each calls use with the keys with a prefix and the values under them.
func each[T any](tx *ledger.Tx, prefix ledger.Prefix, use func(key []byte, v T) error) error {
	for item, err := range kv.Pairs(tx, kv.Range{Prefix: prefix.All()}) {
		if err != nil {
			return err
		}
		var v T
		if err := ledger.Decode(item.Key, item.Value, &v); err != nil {
			return err
		}
		if err := use(item.Key, v); err != nil {
			return err
		}
	}
	return nil
}

func peerKey(machine string) []byte { return append([]byte(peers), machine...) }

// key returns the key of something about a record.
func (id ID) key(p ledger.Prefix) []byte {
	k := append([]byte(p), ledger.KindLetters[id.Kind])
	return append(ledger.AppendText(k, id.Owner), id.ID...)
}

// idOf reads a key of a record.
func idOf(key []byte) (id ID, ok bool) {
	r := &ledger.FieldReader{B: ledger.Rest(key)}
	kind, known := ledger.KindOfLetter(r.Byte())
	id = ID{Kind: kind, Owner: r.Text()}
	id.ID = string(r.B)
	return id, known && r.Err == nil && id.ID != ""
}

// claimKey begins the keys of records that yielded a claim.
func claimKey(kind ledger.Kind, owner, claim string) []byte {
	k := append([]byte(altered), ledger.KindLetters[kind])
	return ledger.AppendText(ledger.AppendText(k, owner), claim)
}

// alteredID reads the record in a key of claimKey.
func alteredID(key []byte) (id ID, ok bool) {
	r := &ledger.FieldReader{B: ledger.Rest(key)}
	kind, known := ledger.KindOfLetter(r.Byte())
	id = ID{Kind: kind, Owner: r.Text()}
	_ = r.Text() // the claim
	id.ID = string(r.B)
	return id, known && r.Err == nil
}

// seen returns what a machine had seen when it wrote a segment.
type seenCache struct {
	tx  *ledger.Tx
	all map[string]Seen
	err error
}

func seenKey(machine string, number uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(seenAt), machine...), number)
}

func (c *seenCache) of(machine string, number uint64) Seen {
	key := string(seenKey(machine, number))
	s, known := c.all[key]
	if !known {
		var err error
		if s, _, err = load[Seen](c.tx, []byte(key)); err != nil {
			c.err = errors.Join(c.err, err)
		}
		if c.all == nil {
			c.all = map[string]Seen{}
		}
		c.all[key] = s
	}
	return s
}

// Schema describes the keys.
func Schema() ledger.Schema {
	return ledger.Schema{Name: "sync", Audit: func() ledger.Audit { return &audit{} },
		Repair:   func(context.Context, *ledger.Ledger) ([]ledger.Repair, error) { return nil, nil },
		Prefixes: []ledger.Prefix{settingsKey, peers, seenAt, entries, altered, conflicts, outbox, marks}}
}

// audit counts the records that other machines know.
type audit struct{ n int }

func (a *audit) Visit(_ *ledger.Tx, key, value []byte) error {
	if ledger.PrefixOf(key) != entries {
		return nil
	}
	a.n++
	var e entry
	if _, ok := idOf(key); !ok {
		return ledger.Finding(ledger.UnknownKey, "", string(key), nil)
	}
	return ledger.Decode(key, value, &e)
}

func (a *audit) Finish(*ledger.Tx) (int, error) { return a.n, nil }
