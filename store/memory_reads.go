package store

import "techo/store/search"

// memoryCache keeps the records of memories that a search reads.
type memoryCache struct {
	tx      *Tx
	user    uint32
	records map[string]memoryRecord
}

func (c memoryCache) get(id string) (r memoryRecord, err error) {
	r, ok := c.records[id]
	if !ok {
		if r, err = indexedMemory(c.tx, c.user, id); err == nil {
			c.records[id] = r
		}
	}
	return r, err
}

// fullText returns the text of a memory.
func (c memoryCache) fullText(o search.Owner) (string, error) {
	r, err := c.get(o.ID)
	return r.Full, err
}

// read reads the records that the result of a search needs, together.
func (c memoryCache) read(found search.Found) error {
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
