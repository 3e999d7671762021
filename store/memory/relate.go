package memory

import (
	"slices"

	"techo/store/claims"
)

// # Facts that repeat or replace each other
//
// How memories relate is computed among the hits of a search, not kept: what a memory
// replaces changes with each addition, edit and removal, and the hits are few.

// lookedFurther is how many more memories a search ranks than it returns, for one that
// replaces a hit.
const lookedFurther = 12

// mostRelated is how many hits are compared with each other.
const mostRelated = 64

// newerThan reports whether a memory is the newer one of two.
func (m *Memory) newerThan(o *Memory) bool { return m.CreatedAt.After(o.CreatedAt) }

// Related returns the relation of a newer memory to an older one: both are of one scope, and
// the newer one was made later.
func Related(older, newer *Memory, said, now claims.Statement) claims.Relation {
	if older.Scope != newer.Scope || !newer.newerThan(older) {
		return claims.Other
	}
	return claims.Compare(said, now)
}

// relate marks the hits that others replace or repeat. The turns of a conversation, with a
// speaker and a session, are a record of what was said: they replace nothing.
func relate(hits []Hit) {
	hits = hits[:min(len(hits), mostRelated)]
	said := make([]claims.Statement, len(hits))
	for i := range hits {
		if m := &hits[i].Memory; m.Session == "" || !claims.Spoken(m.FullText) {
			said[i] = claims.Read(m.FullText)
		}
	}
	for i := range hits {
		h := &hits[i]
		var by *Hit
		for k := range hits {
			o := &hits[k]
			if i == k || h.Space != o.Space || len(said[i]) == 0 || len(said[k]) == 0 {
				continue
			}
			switch Related(&h.Memory, &o.Memory, said[i], said[k]) {
			case claims.Replaces:
				if by == nil || o.newerThan(&by.Memory) {
					by = o
				}
			case claims.Same:
				h.Repeats, o.Repeats = append(h.Repeats, o.ID), append(o.Repeats, h.ID)
			}
		}
		if by != nil {
			h.OutdatedBy = by.ID
		}
	}
}

// newestFirst moves each hit that replaces others before the first of them, unless the
// question names their time.
func newestFirst(hits []Hit) {
	for i := 0; i < len(hits); i++ {
		h := hits[i]
		if h.OutdatedBy == "" {
			continue
		}
		k := slices.IndexFunc(hits[i+1:], func(o Hit) bool { return o.ID == h.OutdatedBy && o.Space == h.Space })
		if k < 0 {
			continue
		}
		newer := hits[i+1+k]
		if h.InTime && !newer.InTime {
			continue // the question names the time of the older one
		}
		newer.Score = max(newer.Score, h.Score)
		copy(hits[i+1:], hits[i:i+1+k])
		hits[i] = newer
		i-- // the newer one may be replaced as well
	}
}
