package memory

import (
	"techo/store/ledger"
	"techo/store/search"
)

// cache keeps the records of memories that a search reads.
type cache struct {
	tx      *ledger.Tx
	user    uint32
	records map[string]Record
}

func (c cache) get(id string) (r Record, err error) {
	r, ok := c.records[id]
	if !ok {
		if r, err = IndexedMemory(c.tx, c.user, id); err == nil {
			c.records[id] = r
		}
	}
	return r, err
}

// fullText returns the text of a memory.
func (c cache) fullText(o search.Owner) (string, error) {
	r, err := c.get(o.ID)
	return r.Full, err
}

// read reads the records that the result of a search needs, together.
func (c cache) read(found search.Found) error {
	var ids []string
	for _, h := range found.Hits {
		ids = append(ids, h.ID)
	}
	for _, r := range found.Respelt {
		ids = append(ids, r.ID)
	}
	records, err := loadMemories(c.tx, c.user, ids)
	for id, r := range records {
		c.records[id] = r
	}
	return err
}
