package ingest

import (
	"context"
	"math"
	"slices"
	"time"

	"techo/internal/meaning"
	"techo/store"
	"techo/store/memory"
	"techo/store/search"
)

// # A note that is imported again
//
// A note with one memory has its path in its topic, so that its text replaces the former one. A note
// with several memories may lack some of them when it is imported again. The new one that means nearly the
// same supersedes such a memory. Without one it is removed. A
// file that is older than what is known of it changes nothing; one of the same time was edited.

// entry is a memory to import.
type entry struct {
	memory.Draft
	note noteID
}

// noteID identifies the note of an entry. The import has the whole note. The zero noteID is no note.
type noteID struct {
	path  string    // the whole one
	title string    // the session of its parts; "" if the entry has it
	at    time.Time // when it was changed, or later, when it says it was made
}

// noteVersion is what an import has of one note.
type noteVersion struct {
	path     string
	source   memory.Source
	at       time.Time
	sessions []string
	entries  []int           // indexes of its memories
	gone     []memory.Memory // that the note had before, the oldest first
}

// changedNotes returns the notes of some entries that had other memories before.
func changedNotes(ctx context.Context, st *store.Store, user string, all []entry) (notes []*noteVersion, err error) {
	byPath := map[string]*noteVersion{}
	for i, e := range all {
		if e.note.path == "" {
			continue
		}
		n := byPath[e.note.path]
		if n == nil {
			n = &noteVersion{path: e.note.path, source: e.Source, at: e.note.at.Truncate(time.Millisecond)}
			byPath[n.path], notes = n, append(notes, n)
		}
		n.entries = append(n.entries, i)
		for _, session := range []string{e.Session, e.note.title} {
			if session != "" && !slices.Contains(n.sessions, session) {
				n.sessions = append(n.sessions, session)
			}
		}
	}
	for _, n := range notes {
		if err := n.readGone(ctx, st, user, all); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(notes, func(n *noteVersion) bool { return len(n.gone) == 0 }), nil
}

// readGone reads the memories that a note had before.
func (n *noteVersion) readGone(ctx context.Context, st *store.Store, user string, all []entry) error {
	has := map[string]bool{}
	for _, i := range n.entries {
		has[all[i].FullText] = true
	}
	for _, session := range n.sessions {
		known, _, err := st.FindMemories(ctx, user, memory.Filter{Session: session,
			Until: n.at.Add(time.Millisecond), Limit: math.MaxInt})
		if err != nil {
			return err
		}
		for _, m := range known {
			if n.has(m.Source) && m.ConfirmedAt.Before(n.at) && !has[m.FullText] {
				n.gone = append(n.gone, m)
			}
		}
	}
	slices.Reverse(n.gone)
	return nil
}

// has reports whether a source is the note. Former versions of techo kept its whole path.
func (n *noteVersion) has(s memory.Source) bool {
	return s.Text == n.source.Text && s.Dir == n.source.Dir || s.Text == "file:"+n.path
}

// readAnew keeps the source of an entry whose memory was known and has it as it was before.
func readAnew(ctx context.Context, st *store.Store, user string, e *entry, a memory.Added) error {
	m := a.Memory
	if e.note.path == "" || e.Source.Hash == "" || a.Err != nil || m.Source == e.Source || m.FullText != e.FullText ||
		m.CreatedAt.After(e.CreatedAt) {
		return nil
	}
	_, _, err := memory.Edit(ctx, st.Ledger, user, m.ID, memory.Change{Source: &e.Source})
	return err
}

// replace removes what a note does not have any more, now that its entries are added. It marks each
// entry that stands for something else, and returns how many memories it removed without one.
func (n *noteVersion) replace(ctx context.Context, st *store.Store, user string, all []entry, added []memory.Added,
	changed []bool) (removed int, err error) {
	has := map[string]bool{} // also texts that differ in their blanks alone
	for _, i := range n.entries {
		has[added[i].ID] = true
	}
	var free []candidate
	for _, i := range n.entries {
		if added[i].Created && !changed[i] {
			free = append(free, candidate{i, search.MeaningOf(all[i].FullText)})
		}
	}
	var left []string
	for _, m := range n.gone {
		if has[m.ID] {
			continue
		}
		by := instead(m, free)
		if by < 0 {
			left = append(left, m.ID)
			continue
		}
		changed[by] = true
		free = slices.DeleteFunc(free, func(e candidate) bool { return e.entry == by })
		if _, err := memory.Supersede(ctx, st.Ledger, user, []string{m.ID}, all[by].FullText, nil); err != nil {
			return 0, err
		}
	}
	if len(left) > 0 {
		_, _, err = st.RemoveMemories(ctx, user, left)
	}
	return len(left), err
}

// candidate is an entry that may stand for what is gone, with what it means.
type candidate struct {
	entry int // its index
	vec   meaning.Vec
}

// instead returns the index of the entry that stands for a memory that is gone, or -1.
func instead(m memory.Memory, free []candidate) int {
	const alike = 0.5
	vec := search.MeaningOf(m.FullText)
	best, likeness := -1, float32(alike)
	for _, e := range free {
		if l := meaning.Likeness(&vec, &e.vec); l >= likeness {
			best, likeness = e.entry, l
		}
	}
	return best
}
