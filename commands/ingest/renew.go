package ingest

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"techo/store"
	"techo/store/memory"
)

// # A note that is imported again
//
// A note with one memory has its path in its topic, so that its text supersedes the former one. A note
// with several memories may lack some of them when it is imported again. If its author gave a line a label,
// which only that line had and has, the new one supersedes it: "[port] 8080" became "[port] 9090". Which of
// several lines was rewritten is not known: the old one is removed, and the new one is new. A file that is
// older than what is known of it changes nothing; one of the same time was edited.

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
	labels   map[string]int  // of all that it had before
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
	n.labels = map[string]int{}
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
			if !n.has(m.Source) {
				continue
			}
			n.labels[labelOf(&m)]++
			if m.ConfirmedAt.Before(n.at) && !has[m.FullText] {
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
	labelled := map[string][]int{} // entries, by their labels
	for _, i := range n.entries {
		label := labelOf(&all[i].Memory)
		labelled[label] = append(labelled[label], i)
	}
	var left []string
	for _, m := range n.gone {
		if has[m.ID] {
			continue
		}
		label := labelOf(&m)
		now := labelled[label]
		if label == "" || n.labels[label] != 1 || len(now) != 1 || !added[now[0]].Created {
			left = append(left, m.ID)
			continue
		}
		by := now[0]
		changed[by] = true
		if _, err := memory.Supersede(ctx, st.Ledger, user, []string{m.ID}, all[by].FullText, nil); err != nil {
			return 0, err
		}
	}
	if len(left) > 0 {
		_, _, err = st.RemoveMemories(ctx, user, left)
	}
	return len(left), err
}

// labelOf returns what the author of a note called a line by: the heading above it, the kind of an observation or a
// relation, or the words before its colon; "" without any.
func labelOf(m *memory.Memory) string {
	if r := m.Relation; r.Type != "" {
		return r.From + "\x00" + r.Type
	}
	for _, colon := range []string{": ", "："} {
		if label, _, ok := strings.Cut(m.FullText, colon); ok && !strings.ContainsAny(label, "\n.!?。！？") {
			return label
		}
	}
	return ""
}
