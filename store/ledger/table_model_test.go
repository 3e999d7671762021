package ledger_test

import (
	"encoding/json"
	"errors"

	"techo/store/kv"
	"techo/store/ledger"
)

// note is a record with a unique title, tags and stars.
type note struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Tags  []string `json:"tags"`
	Stars int      `json:"stars"`
}

type noteCounts struct {
	Last  string `json:"last"` // the greatest id that was ever used
	Notes int    `json:"notes"`
	Stars int    `json:"stars"`
}

var errTooMany = errors.New("too many tags")

// notes is a table that uses every rule but Follow and Check.
var notes = &ledger.Table[note, noteCounts]{
	Kind: "note", Records: "ni", Indexes: []ledger.Prefix{"nn", "nt"}, CountKey: "nc",
	Key:    func(n *note) []byte { return noteKey(n.ID) },
	ID:     func(n *note) string { return n.ID },
	Encode: func(n *note) ([]byte, error) { return ledger.Encode(n) },
	Decode: func(key, value []byte) (note, error) {
		return ledger.DecodeJSON[note]("note", string(ledger.Rest(key)), value)
	},
	Index: func(n *note) []kv.Pair {
		entries := []kv.Pair{{Key: []byte("nn" + n.Title), Value: []byte(n.ID)}}
		for _, tag := range n.Tags {
			entries = append(entries, kv.Pair{Key: []byte("nt" + tag + "/" + n.ID)})
		}
		return entries
	},
	Count: func(c *noteCounts, n *note, by int) {
		c.Last = max(c.Last, n.ID)
		c.Notes += by
		c.Stars += by * n.Stars
	},
	Refuse: func(_ *noteCounts, n *note) error {
		if len(n.Tags) > 3 {
			return errTooMany
		}
		return nil
	},
	Free: func(tx *ledger.Tx, _, n *note) error {
		taken, err := tx.KeyTaken(kv.Pair{Key: []byte("nn" + n.Title), Value: []byte(n.ID)})
		if taken {
			err = &ledger.TakenError{Kind: "note", Name: n.Title}
		}
		return err
	},
	Agree: func(stored, counted noteCounts) bool {
		return stored.Notes == counted.Notes && stored.Stars == counted.Stars && stored.Last >= counted.Last
	},
	Keep: func(stored noteCounts) noteCounts { return noteCounts{Last: stored.Last} },
	Seen: func(c *noteCounts, key []byte) { c.Last = max(c.Last, string(ledger.Rest(key))) },
	Settle: func(_ *ledger.Tx, all []note) (settled []note, repairs []ledger.Repair, err error) {
		titles := map[string]bool{}
		for _, n := range all {
			if titles[n.Title] {
				repairs = append(repairs, ledger.Repair{Action: ledger.Renamed, Record: n.Title, NewName: n.ID})
				n.Title = n.ID
			}
			titles[n.Title] = true
			settled = append(settled, n)
		}
		return settled, repairs, nil
	},
}

func noteKey(id string) []byte { return []byte("ni" + id) }

type noteModel struct {
	notes map[string]note
	last  string
}

// keys returns the keys and values that a store with the notes has.
func (m *noteModel) keys() map[string]string {
	all, counts := map[string]string{}, noteCounts{Last: m.last}
	for id, n := range m.notes {
		all["ni"+id] = asJSON(n)
		all["nn"+n.Title] = id
		for _, tag := range n.Tags {
			all["nt"+tag+"/"+id] = ""
		}
		counts.Notes++
		counts.Stars += n.Stars
	}
	if m.last != "" {
		all["nc"] = asJSON(counts)
	}
	return all
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// put adds or replaces a note, or removes it.
func (m *noteModel) put(id string, n *note) {
	if delete(m.notes, id); n != nil {
		m.notes[id], m.last = *n, max(m.last, id)
	}
}

func (m *noteModel) titleTaken(n note) bool {
	for id, other := range m.notes {
		if id != n.ID && other.Title == n.Title {
			return true
		}
	}
	return false
}
