package store

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memory"
	"techo/store/todo"
)

// leastOfID is the length of the shortest beginning that stands for an id, without the letters
// with which all ids of the kind begin.
const leastOfID = 4

// idForm is the form of the ids of a kind: with what all begin, and their length.
type idForm struct {
	lead   string
	length int
}

// formOf returns the form of the ids of a kind; ok is false if they are numbers or names, in which
// a beginning is another one.
func formOf(kind ledger.Kind) (f idForm, ok bool) {
	switch kind {
	case ledger.KindMemory:
		return idForm{"mem_", 12}, true
	case ledger.KindEvent, ledger.KindTodo:
		return idForm{"", 12}, true
	case ledger.KindToken:
		return idForm{"tok_", 16}, true
	}
	return f, false
}

// HasBeginnings reports whether the beginning of an id can stand for a record of a kind.
func HasBeginnings(kind ledger.Kind) bool {
	_, ok := formOf(kind)
	return ok
}

// IsBeginning reports whether a text can be the beginning of an id of a kind: it has at least four
// letters and digits of its own, and fewer than an id.
func IsBeginning(kind ledger.Kind, text string) bool {
	f, ok := formOf(kind)
	own, leads := strings.CutPrefix(text, f.lead)
	return ok && leads && len(own) >= leastOfID && len(text) < f.length && strings.IndexFunc(own, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) < 0
}

// Title returns the title of a record of such a kind, or "" if it has none. Of memories it looks among
// the ones of a user.
func (s *Store) Title(ctx context.Context, kind ledger.Kind, user, id string, zone *time.Location) string {
	switch kind {
	case ledger.KindEvent:
		if o, err := s.GetEvent(ctx, id, zone); err == nil {
			return o.Title
		}
	case ledger.KindTodo:
		if o, err := todo.Of(s.Ledger).Get(ctx, id, zone); err == nil {
			return o.Title
		}
	case ledger.KindMemory:
		if m, err := s.GetMemory(ctx, user, id); err == nil {
			return m.Caption
		}
	}
	return ""
}

// Beginning returns up to so many ids of a kind that begin with a text, in order, or only the text
// if it is an id itself. Memories are those of a user. An occurrence counts as its series.
func (s *Store) Beginning(ctx context.Context, kind ledger.Kind, user, text string, most int) (ids []string,
	err error) {
	if kind == ledger.KindToken {
		return s.tokensBeginning(ctx, text, most)
	}
	err = s.View(ctx, func(tx *ledger.Tx) error {
		ids = nil
		ranges, err := rangesOf(tx, kind, user, text)
		if err != nil {
			return err
		}
		for _, prefix := range ranges {
			for item, err := range tx.Scan(kv.Range{Prefix: prefix, KeysOnly: true}) {
				if err != nil {
					return err
				}
				id := text + string(item.Key[len(prefix):])
				if id, _, _ = strings.Cut(id, "\x00"); kind != ledger.KindMemory {
					id, _, _ = strings.Cut(id, "_")
				}
				if id == text {
					ids = []string{id}
					return nil
				}
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
				if len(ids) == most {
					break
				}
			}
		}
		slices.Sort(ids)
		ids = ids[:min(len(ids), most)]
		return nil
	})
	return ids, err
}

// rangesOf returns the prefixes of the keys of ids that begin with a text.
func rangesOf(tx *ledger.Tx, kind ledger.Kind, user, text string) ([][]byte, error) {
	switch kind {
	case ledger.KindEvent:
		return [][]byte{event.Key(text)}, nil
	case ledger.KindTodo:
		return [][]byte{todo.PlaceKey(text)}, todo.Current(tx)
	}
	u, err := memory.LoadUser(tx, norm.NFC.String(user), false)
	if err != nil || u.Number == 0 {
		return nil, err
	}
	return [][]byte{memory.Key(u.Number, text), bytes.TrimSuffix(memory.ReplacementKey(u.Number, text, ""), []byte{0})},
		nil
}

func (s *Store) tokensBeginning(ctx context.Context, text string, most int) (ids []string, err error) {
	all, err := s.ListTokens(ctx)
	for _, t := range all {
		if strings.HasPrefix(t.ID, text) && len(ids) < most {
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	return ids, err
}
