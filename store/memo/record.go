package memo

import (
	"time"

	"techo/store/ledger"
)

// RecordOf returns the record of a memo.
func RecordOf(m *Memo) record {
	return record{m.ID, m.Name, m.Content, m.Priority, m.Tags, m.Detail, m.CreatedAt.UnixMilli(),
		m.UpdatedAt.UnixMilli(), m.text}
}

type record struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Content  string   `json:"content"`
	Priority int      `json:"priority"`
	Tags     []string `json:"tags"`
	Detail   string   `json:"detail,omitempty"`
	Created  int64    `json:"created"` // milliseconds since 1970
	Updated  int64    `json:"updated"`
	Text     uint32   `json:"text,omitempty"` // number in the search index
}

// memo returns the memo of a record.
func (r record) memo() Memo {
	return Memo{r.ID, r.Name, r.Content, r.Priority, r.Tags, r.Detail,
		time.UnixMilli(r.Created), time.UnixMilli(r.Updated), r.Text}
}

// Etag returns a text that changes with every change of the memo.
func (m *Memo) Etag() (string, error) {
	r := RecordOf(m)
	r.Text = 0
	b, err := ledger.Encode(r)
	return ledger.Etag(b), err
}
