package memo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
)

var table = &ledger.Table[Memo, Counts]{
	Kind: ledger.KindMemo, Records: Records, Indexes: []ledger.Prefix{Names, byRank, byTag, ByTime},
	CountKey: CountKey,
	Key:      func(m *Memo) []byte { return Key(m.ID) },
	ID:       func(m *Memo) string { return m.ID },
	Encode:   func(m *Memo) ([]byte, error) { return ledger.Encode(RecordOf(m)) },
	Decode:   Decode, Index: Index, Count: (*Counts).add,
	Written: func(m *Memo) time.Time { return m.UpdatedAt },
	Refuse:  tooManyTags, Follow: followInSearch, Check: checkMemoIndex, Settle: settle,
	Free: func(tx *ledger.Tx, now, before *Memo) error {
		if now != nil && now.Name == before.Name {
			return nil
		}
		return memoNameFree(tx, before.Name, before.ID)
	},
	Agree: func(stored, counted Counts) bool { // an undo restores an older time than the latest
		return stored.Memos == counted.Memos && stored.Ranks == counted.Ranks && maps.Equal(stored.Tags, counted.Tags)
	},
}

// Decode decodes the record of a memo.
func Decode(key, value []byte) (Memo, error) {
	id := string(ledger.Rest(key))
	r, err := ledger.DecodeJSON[record](ledger.KindMemo, id, value)
	if err == nil && (r.Priority < 1 || r.Priority > TopPriority || r.ID != id) {
		err = ledger.Finding(ledger.WrongKey, ledger.KindMemo, id, nil)
	}
	return r.memo(), err
}

// Index returns the index entries of a memo.
func Index(m *Memo) []kv.Pair {
	updated := append(appendTime(nil, m.UpdatedAt), m.Name...)
	order := string(append([]byte{memoRank(m.Priority)}, updated...))
	id := []byte(m.ID)
	entries := []kv.Pair{{Key: NameKey(m.Name), Value: id}, {Key: byRank.Key(order), Value: id},
		{Key: ByTime.Key(string(updated)), Value: id}}
	for _, t := range m.Tags {
		entries = append(entries, kv.Pair{Key: append(memoTagPrefix(t), order...), Value: id})
	}
	return entries
}

func (c *Counts) add(m *Memo, n int) {
	if at := m.UpdatedAt.UnixMilli(); n > 0 && (at > c.Latest || c.Latest == 0) { // an undo restores an older time
		c.Latest = at
	}
	c.Memos += n
	c.Ranks[TopPriority-m.Priority] += n
	if c.Tags == nil {
		c.Tags = map[string]int{}
	}
	for _, t := range m.Tags {
		if c.Tags[t] += n; c.Tags[t] == 0 {
			delete(c.Tags, t)
		}
	}
}

// tooManyTags returns a LimitError for a memo with too many tags, or with one too many different
// tags of all memos.
func tooManyTags(c *Counts, m *Memo) error {
	switch {
	case len(m.Tags) > MaxTags:
		return &ledger.LimitError{What: "tags", Max: MaxTags, Got: len(m.Tags)}
	case len(c.Tags) > MaxDistinctTags:
		return &ledger.LimitError{What: "different tags", Max: MaxDistinctTags, Got: len(c.Tags)}
	}
	return nil
}

// LoadCounts returns the counts of the memos.
func LoadCounts(tx *ledger.Tx) (Counts, error) { return table.Counts(tx) }

func loadMemo(tx *ledger.Tx, id string) (Memo, error) { return table.Load(tx, Key(id)) }

// indexedMemo loads a memo that an index names. A missing record is a FindingError.
func indexedMemo(tx *ledger.Tx, id string) (Memo, error) {
	m, err := loadMemo(tx, id)
	if errors.Is(err, kv.ErrNotFound) {
		err = ledger.Finding(ledger.NoRecord, ledger.KindMemo, id, nil)
	}
	return m, err
}

func indexedMemos(tx *ledger.Tx, ids []string) ([]Memo, error) {
	return table.LoadMany(tx, ledger.KeysOfIDs(ids, Key))
}

// Schema describes the keys of memos.
func Schema() ledger.Schema {
	recorded := table.Recorded(Key, func(key []byte) (string, bool) {
		return string(ledger.Rest(key)), len(ledger.Rest(key)) > 0
	})
	recorded.Numbers, recorded.Describe = []string{`,"text":`}, describeMemo
	s := table.Schema("memos")
	s.Shared, s.Recorded = true, []ledger.Recorded{recorded}
	s.Outdated = func(tx *ledger.Tx) ([]ledger.Refreshing, error) {
		return tx.IfOutdated(search.At(search.Memos), refreshMemos)
	}
	return s
}

func describeMemo(_ *ledger.Tx, id string, value []byte) (title, text string, err error) {
	r, err := ledger.DecodeJSON[record](ledger.KindMemo, id, value)
	d := ledger.Describing(ledger.KindMemo, id)
	d.Field("name", r.Name)
	d.Field("priority", fmt.Sprint(r.Priority))
	d.Field("tags", strings.Join(r.Tags, ", "))
	d.Field("content", r.Content)
	d.Field("detail", r.Detail)
	return r.Name, d.String(), err
}

// RecordOf returns the record of a memo.
func RecordOf(m *Memo) record {
	return record{*m, m.CreatedAt.UnixMilli(), m.UpdatedAt.UnixMilli(), m.text}
}

// record is a Memo in the store.
type record struct {
	Memo
	Created int64  `json:"created"` // milliseconds since 1970
	Updated int64  `json:"updated"`
	Text    uint32 `json:"text,omitempty"` // number in the search index
}

func (r record) memo() Memo {
	r.Memo.CreatedAt, r.Memo.UpdatedAt, r.Memo.text = time.UnixMilli(r.Created), time.UnixMilli(r.Updated), r.Text
	return r.Memo
}

// Etag returns a text that changes with every change of the memo.
func (m *Memo) Etag() (string, error) {
	r := RecordOf(m)
	r.Text = 0
	b, err := ledger.Encode(r)
	return ledger.Etag(b), err
}

// settle gives a memo that came back another name or no tags if other memos require it: the memo
// changed last keeps its own. It returns the memos in the order of their changes, so that a search
// index has them in this order: of two equal matches, a search shows the later one first.
func settle(_ *ledger.Tx, memos []Memo) (settled []Memo, repairs []ledger.Repair, err error) {
	var counts Counts
	taken, ids := map[string]bool{}, map[string]bool{}
	for _, m := range memos {
		ids[m.ID] = true
	}
	sorting.By(memos, func(a, b Memo) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	for i := range memos {
		m := &memos[i]
		name := unusedName(m.Name, func(name string) bool { return taken[name] || ids[name] && name != m.ID })
		if name != m.Name {
			repairs = append(repairs, ledger.Repair{Action: ledger.Renamed, Kind: ledger.KindMemo, Record: m.Name,
				NewName: name})
			m.Name = name
		}
		taken[name] = true
		counts.add(m, 1)
		if err := tooManyTags(&counts, m); err != nil {
			repairs = append(repairs, ledger.Repair{Action: ledger.Untagged, Kind: ledger.KindMemo, Record: m.Name,
				Reason: err})
			counts.add(m, -1)
			m.Tags = []string{}
			counts.add(m, 1)
		}
	}
	slices.Reverse(memos)
	return memos, repairs, nil
}

// unusedName returns a name or, if it is taken, the name with a number.
func unusedName(name string, taken func(string) bool) string {
	const maxName = 32 // characters
	base, unused := []rune(name), name
	for n := 2; taken(unused); n++ {
		suffix := fmt.Sprintf(" (%d)", n)
		unused = string(base[:min(len(base), maxName-utf8.RuneCountInString(suffix))]) + suffix
	}
	return unused
}
