package store

import (
	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/search"
)

// announceSearch loads a user and announces the first reads of a search, as announceUser
// does. Most stores have one user, so it takes an unknown one for that.
func announceSearch(s *Store, tx kv.Tx, user, question string, f MemoryFilter) (u memoryUser, err error) {
	return announceUser(s, tx, user, 1, func(number uint32) kv.Reads { return firstReads(number, question, f) })
}

// announceUser loads a user and announces reads whose keys contain the number of the user. To
// announce them together with the user, it assumes that the number is the one that this
// process has seen last, else the given one, unless that is 0.
func announceUser(
	s *Store, tx kv.Tx, user string, otherwise uint32, reads func(number uint32) kv.Reads,
) (u memoryUser, err error) {
	name, assumed := norm.NFC.String(user), otherwise
	numbers, place := &rootOf(s).numbers, [2]string{s.space, name}
	if last, ok := numbers.Load(place); ok {
		assumed = last.(uint32)
	}
	err = tx.Prefetch(func() (all kv.Reads) {
		if assumed != 0 {
			all = reads(assumed)
		}
		all.Keys = append(all.Keys, memoryUserKey(name))
		return all
	})
	if err != nil {
		return u, err
	}
	u, err = loadMemoryUser(tx, name, false)
	if err != nil || u.Number == 0 || u.Number == assumed {
		return u, err
	}
	numbers.Store(place, u.Number)
	return u, tx.Prefetch(func() kv.Reads { return reads(u.Number) })
}

// firstReads returns the first reads of a search.
func firstReads(user uint32, question string, f MemoryFilter) kv.Reads {
	reads := search.Ahead(search.At(user), question)
	reads.Ranges = append(reads.Ranges, hiddenAhead(user, f)...)
	if f.Session != "" {
		reads.Keys = append(reads.Keys, memorySessionKey(user, norm.NFC.String(f.Session)))
	} else {
		reads.Ranges = append(reads.Ranges, momentsOf(timeline{user: user}, f)...)
	}
	return reads
}

// hiddenAhead returns the reads of memoryUser.visible.
func hiddenAhead(user uint32, f MemoryFilter) (all []kv.Range) {
	spaces := []space{memoryExpiries}
	if f.Scope != "" {
		spaces = append(spaces, projectMemories)
	}
	for _, s := range spaces {
		all = append(all, kv.Range{Prefix: s.ofUser(user), KeysOnly: true, Limit: entriesAhead})
	}
	return all
}

// entriesAhead is the largest number of announced entries of an index of memories.
const entriesAhead = 4096

// momentsOf returns the reads of the moments that a search filters or favours.
func momentsOf(line timeline, f MemoryFilter) (all []kv.Range) {
	if line.session != 0 || !f.span().all() {
		all = line.reads(f.span())
	}
	if named := f.Named.span(); !named.all() {
		all = append(all, line.reads(named)...)
	}
	return all
}

// announceMoments announces the reads of momentsOf.
func (u memoryUser) announceMoments(tx kv.Tx, line timeline, f MemoryFilter) error {
	return tx.Prefetch(func() kv.Reads { return kv.Reads{Ranges: momentsOf(line, f)} })
}

// memoryCache keeps the records of memories that a search reads.
type memoryCache struct {
	tx   kv.Tx
	user uint32
	read map[string]memoryRecord
}

func (c memoryCache) get(id string) (r memoryRecord, err error) {
	r, ok := c.read[id]
	if !ok {
		if r, err = indexedMemory(c.tx, c.user, id); err == nil {
			c.read[id] = r
		}
	}
	return r, err
}

// fullText returns the text of a memory.
func (c memoryCache) fullText(o search.Owner) (string, error) {
	r, err := c.get(o.ID)
	return r.Full, err
}

// keys returns the keys of the records of texts.
func (c memoryCache) keys(texts []search.Owner) (keys [][]byte) {
	for _, o := range texts {
		keys = append(keys, memoryKey(c.user, o.ID))
	}
	return keys
}

// announce announces the records that the result of a search needs.
func (c memoryCache) announce(found search.Found) error {
	if len(found.Hits) == 0 {
		return nil
	}
	return c.tx.Prefetch(func() kv.Reads {
		reads := kv.Reads{All: true}
		for _, h := range found.Hits {
			reads.Keys = append(reads.Keys, memoryKey(c.user, h.ID))
		}
		for _, r := range found.Respelt {
			reads.Keys = append(reads.Keys, memoryKey(c.user, r.ID))
		}
		return reads
	})
}

// announceNewest announces the reads of the newest memories: first the run that has
// them, then the records.
func (u memoryUser) announceNewest(tx kv.Tx, most int) error {
	line := u.line()
	last := kv.Range{Prefix: line.prefix(), Reverse: true, Limit: 2}
	wanted := false
	err := tx.Prefetch(func() kv.Reads {
		wanted = true
		return kv.Reads{Ranges: []kv.Range{last}}
	})
	if err != nil || !wanted {
		return err
	}
	return tx.Prefetch(func() kv.Reads {
		reads := kv.Reads{All: true}
		_ = line.within(tx, span{}, true, func(m moment) error { // newest reports an error
			if len(reads.Keys) == most {
				return errStop
			}
			reads.Keys = append(reads.Keys, memoryKey(u.Number, m.id))
			return nil
		})
		return reads
	})
}

// announceList announces the reads of a list of memories but their records.
func (u memoryUser) announceList(tx kv.Tx, line timeline, f MemoryFilter) error {
	return tx.Prefetch(func() kv.Reads {
		reads := kv.Reads{Ranges: hiddenAhead(u.Number, f)}
		if f.span().all() {
			runs := (f.Offset+f.Limit)/momentsPerRun + 2 // the last ones may be short
			reads.Ranges = append(reads.Ranges, kv.Range{Prefix: line.prefix(), Reverse: true, Limit: runs})
		}
		return reads
	})
}

// announceMemories announces the reads of memories.
func announceMemories(tx kv.Tx, user uint32, ids []string) error {
	return tx.Prefetch(func() (reads kv.Reads) {
		for _, id := range ids {
			reads.Keys = append(reads.Keys, memoryKey(user, id))
		}
		return reads
	})
}
