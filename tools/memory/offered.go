package memory

import (
	"slices"

	"techo/store/claims"
	"techo/store/memory"
)

// choosing chooses the memories of a prompt: none that a newer one replaces, and of those
// that say the same only one.
type choosing struct {
	lines              func(memory.Memory) string // the line of a memory in the prompt
	all                []memory.Hit               // of the search
	kept               []offer
	outdated, repeated int
}

// offer is a memory of a prompt with its line.
type offer struct {
	memory.Hit
	line string
	said claims.Statement
}

// offer adds a relevant memory. In place of an outdated one it adds the one that replaces it.
func (o *choosing) offer(h memory.Hit) {
	for h.OutdatedBy != "" {
		i := slices.IndexFunc(o.all, func(n memory.Hit) bool { return n.ID == h.OutdatedBy && n.Space == h.Space })
		if i >= 0 && !o.replaces(h, o.all[i]) {
			break // another sentence of it still holds
		}
		o.outdated++
		if i < 0 || o.has(o.all[i]) {
			return
		}
		h = o.all[i]
	}
	if o.has(h) {
		return
	}
	l := offer{h, o.lines(h.Memory), nil}
	l.said = claims.Read(l.line)
	if slices.ContainsFunc(o.kept, func(k offer) bool { return k.repeats(l) }) {
		o.repeated++
		return
	}
	o.kept = append(o.kept, l)
}

// has reports whether a memory is offered already.
func (o *choosing) has(h memory.Hit) bool {
	return slices.ContainsFunc(o.kept, func(k offer) bool { return k.ID == h.ID && k.Space == h.Space })
}

// replaces reports whether a newer memory replaces the line of an older one.
func (o *choosing) replaces(older, newer memory.Hit) bool {
	line, now := claims.Read(o.lines(older.Memory)), claims.Read(newer.FullText)
	return len(claims.Read(older.FullText)) < 2 || len(line) == 0 || claims.Compare(line, now) == claims.Replaces ||
		older.CreatedAt.After(newer.CreatedAt) && claims.Compare(now, line) == claims.Replaces // it was confirmed
}

// repeats reports whether an offered memory and another one, or their lines, say the same.
func (l *offer) repeats(o offer) bool {
	if l.Space == o.Space && slices.Contains(l.Repeats, o.ID) {
		return true
	}
	older, newer := l.said, o.said
	if l.CreatedAt.After(o.CreatedAt) {
		older, newer = newer, older
	}
	return len(older) > 0 && claims.Compare(older, newer) == claims.Same
}
