package memory

import (
	"slices"
	"strings"
	"testing"
	"time"

	"techo/store"
	"techo/store/memory"
	"techo/tools"
)

// ofYear returns a store with the memories of a year, and an environment with it.
func ofYear(t *testing.T) (*store.Store, *tools.Env) {
	t.Helper()
	s, env := emptied(t)
	var all []memory.Memory
	for i, r := range rows(t, "testdata/year.txt") {
		at, err := time.Parse(time.DateOnly, r[0])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, memory.Memory{FullText: r[1], CreatedAt: at.Add(9*time.Hour + time.Duration(i)*time.Second)})
	}
	imported(t, s, all...)
	return s, env
}

func added(t *testing.T, env *tools.Env, text, at string) AddOut {
	t.Helper()
	out, err := addMemory(t.Context(), env, AddIn{Draft: Draft{FullText: text, Created: at}})
	if err != nil {
		t.Fatal(err)
	}
	return AddOut{Kept: *out.Kept, Message: out.Message, Meaning: out.Meaning}
}

// TestChanges adds a memory and one that changes it, or one that is only alike, for 80 pairs: an addition shows
// the older one, no true one is missing from a prompt that asks for it, and most are the only result of a search for one.
func TestChanges(t *testing.T) {
	_, env := ofYear(t)
	related, alike, shown, beside, first := 0, 0, 0, 0, 0
	for _, r := range rows(t, "testdata/changes.txt") {
		older, newer := added(t, env, r[1], "2026-10-01"), added(t, env, r[2], "2026-11-01")
		is := func(r Related) bool { return r.ID == older.Memory.ID }
		if n := slices.IndexFunc(newer.Related, is); n >= 0 && r[0] == "change" {
			related++
		} else if n >= 0 {
			alike++
		} else {
			t.Logf("%s: %s / %s: related %v", r[0], r[1], r[2], newer.Related)
		}
		right := newer.Memory.ID
		if r[0] == "alike" {
			right = older.Memory.ID
		}
		out := contextOf(t, env, r[3])
		at := slices.IndexFunc(out.References, func(ref Reference) bool { return ref.ID == right })
		if at >= 0 {
			shown++
			beside += len(out.References) - 1
		} else {
			t.Logf("%s: %s / %s: %s: %s", r[0], r[1], r[2], r[3], out.Prompt)
		}
		found, err := searchMemory(t.Context(), env, SearchIn{Query: r[3], Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Results) > 0 && found.Results[0].ID == right {
			first++
		} else {
			t.Logf("%s: %s / %s: %s: first %v", r[0], r[1], r[2], r[3], found.Results[:min(1, len(found.Results))])
		}
		if _, err := removeMemory(t.Context(), env, RemoveIn{[]string{older.Memory.ID, newer.Memory.ID}}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("related: %d of 40 changes, %d of 40 look-alikes; prompts with the true one: %d of 80, beside %d others; "+
		"first in a search: %d", related, alike, shown, beside, first)
	if related < 34 || shown < 80 || first < 60 {
		t.Errorf("related: %d of 40 changes; prompts with the true one: %d of 80; the only result: %d", related, shown, first)
	}
}

// TestApart adds memories that have nothing to do with each other, in a store of each language since many of the
// Japanese ones say what an English one says: few of them are shown beside others.
func TestApart(t *testing.T) {
	n := 0
	all := rows(t, "testdata/apart.txt")
	for _, texts := range [][][]string{all[:len(all)/2], all[len(all)/2:]} {
		_, env := ofYear(t)
		for _, r := range texts {
			if out := added(t, env, r[0], ""); len(out.Related) > 0 {
				n++
				t.Logf("%s: %v", r[0], out.Related)
			}
		}
	}
	if t.Logf("%d of 100", n); n > 20 {
		t.Errorf("%d of 100 unrelated additions have related ones", n)
	}
}

// TestOtherWords asks with 100 messages that need one of 120 facts, a third of them in other words, and with 150 that
// need none, half of which share words with a fact. A fact counts with two other lines at most.
func TestOtherWords(t *testing.T) {
	st, env := emptied(t)
	all := rows(t, "testdata/words.txt")
	var facts []memory.Memory
	for i, r := range all {
		if r[0] != "-" {
			facts = append(facts, memory.Memory{FullText: r[0], CreatedAt: env.Now().AddDate(0, 0, i-len(all))})
		}
	}
	imported(t, st, facts...)
	got, silent := 0, 0
	for _, r := range all {
		for _, message := range r[1:] {
			refs := contextOf(t, env, message).References
			is := func(ref Reference) bool { return strings.HasPrefix(r[0], strings.TrimSuffix(ref.Caption, "…")) }
			switch {
			case r[0] == "-" && len(refs) == 0:
				silent++
			case len(refs) <= withBeside && slices.ContainsFunc(refs, is):
				got++
			default:
				t.Logf("%s (%s): %v", message, r[0], refs)
			}
		}
	}
	t.Logf("%d of 100 get their fact, %d of 150 are silent", got, silent)
	if got < 52 || silent < 112 {
		t.Errorf("%d of 100 messages get the fact that they need, %d of 150 that need none are silent", got, silent)
	}
}

// TestMessages asks with what people say to assistants, as public sets have it: nearly all of it gets no memory.
func TestMessages(t *testing.T) {
	env, silent := realistic(t), 0
	all := rows(t, "testdata/messages.txt")
	for _, r := range all {
		if lines := promptLines(t, env, r[1]); len(lines) == 0 {
			silent++
		} else {
			t.Logf("%s: %q", r[1], lines)
		}
	}
	if t.Logf("%d of %d are silent", silent, len(all)); 100*silent < 90*len(all) {
		t.Errorf("%d of %d messages that need no memory are silent", silent, len(all))
	}
}

// TestNeeds asks with messages that need a memory and with others: the first get it with at most two others,
// the others get nothing.
func TestNeeds(t *testing.T) {
	_, env := ofYear(t)
	messages := rows(t, "testdata/needs.txt")
	for _, r := range messages {
		if r[1] != "-" {
			added(t, env, r[1], "2026-10-01")
		}
	}
	got, silent := 0, 0
	for _, r := range messages {
		lines := promptLines(t, env, r[0])
		has := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, strings.TrimSuffix(r[1], "…")) })
		switch {
		case r[1] == "-" && len(lines) == 0:
			silent++
		case r[1] != "-" && has && len(lines) <= 3:
			got++
		default:
			t.Logf("%s (%s): %q", r[0], r[1], lines)
		}
	}
	t.Logf("%d of 20 get their memory, %d of 20 are silent", got, silent)
	if silent < 19 || got < 14 {
		t.Errorf("%d of 20 messages that need no memory are silent, %d of 20 get the one that they need", silent, got)
	}
}
