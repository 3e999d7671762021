package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/store"
	"techo/store/ledger"
	"techo/store/memory"
)

func idOf(r map[string]any, record, id string) string { return r[record].(map[string]any)[id].(string) }

// TestBeginnings checks that the beginning of an id stands for the id on every command that takes
// one, if no other id begins with it, and that the result says so.
func TestBeginnings(t *testing.T) {
	w := newWorld(t)
	event := idOf(w.run("cal", "create", "Standup", "every monday 9:00").ok(), "event", "event_id")
	todo := idOf(w.run("todo", "add", "Buy milk").ok(), "todo", "todo_id")
	memory := idOf(w.run("memory", "add", "Tanaka likes ramen.").ok(), "memory", "id")
	token := w.run("token", "add", "--user", "alice").ok()["id"].(string)
	for _, c := range [][2]string{
		{"cal get ", event}, {"todo get ", todo}, {"memory get ", memory}, {"memory confirm ", memory},
		{"memory investigate ", memory}, {"memory timeline --id ", memory}, {"todo edit --title Tea ", todo},
		{"cal update --location Room ", event}, {"memory supersede --full-text Soba. ", memory},
		{"memory get ", memory}, // of the superseded one
		{"token remove ", token}, {"todo done ", todo}, {"todo remove ", todo}, {"cal delete ", event},
	} {
		line, id := c[0], c[1]
		short := strings.TrimSuffix(id, id[len(id)-4:])
		r := w.run(strings.Split(line+short, " ")...).ok()
		said, _ := r["converted"].([]any)
		if len(said) != 1 || said[0].(map[string]any)["to"] != id {
			t.Errorf("%s%s: converted %v, want %s", line, short, said, id)
		}
	}
}

// TestOccurrence checks that the beginning of a series stands for it in the id of an occurrence.
func TestOccurrence(t *testing.T) {
	w := newWorld(t)
	series := idOf(w.run("cal", "create", "Standup", "every monday 9:00").ok(), "event", "event_id")
	r := w.run("cal", "get", series[:5]+"_20260112T090000Z").ok()
	if got := idOf(r, "event", "event_id"); got != series+"_20260112T090000Z" {
		t.Error(got)
	}
}

// TestAmbiguous checks that a beginning of several ids, one of other forms and one of no id change
// nothing.
func TestAmbiguous(t *testing.T) {
	w := newWorld(t)
	texts, seen := []string(nil), map[string]string{}
	for i := 0; texts == nil; i++ {
		text := fmt.Sprintf("Note %d", i)
		id := memory.IdOfText(memory.TextDigest("tanaka", text))
		if other := seen[id[:8]]; other != "" {
			texts = []string{other, text}
		}
		seen[id[:8]] = text
	}
	id := idOf(w.run("memory", "add", texts[0]).ok(), "memory", "id")
	if r := w.run("memory", "get", id[:8]).ok(); idOf(r, "memory", "id") != id {
		t.Errorf("alone: %v", r)
	}
	other := idOf(w.run("memory", "add", texts[1]).ok(), "memory", "id")
	a := w.run("memory", "remove", id[:8], "--lang", "en")
	for _, want := range []string{id + " " + texts[0], other + " " + texts[1], "Write more of the id"} {
		if a.code != 5 || !strings.Contains(a.out, want) {
			t.Errorf("%d, want %q in %s", a.code, want, a.out)
		}
	}
	for _, text := range []string{id[:7], id[4:10], strings.ToUpper(id[:10]), id[:8] + "-", "mem_"} {
		w.run("memory", "get", text).fails("not_found")
	}
	if n := w.run("memory", "list").ok()["total"]; n != 2.0 {
		t.Errorf("%v memories are left", n)
	}
}

// TestBeginningsInSpaces checks that a beginning finds only what its place has.
func TestBeginningsInSpaces(t *testing.T) {
	w := newWorld(t)
	w.run("space", "create", "team").ok()
	id := idOf(w.run("memory", "add", "Tanaka likes ramen.", "--space", "team").ok(), "memory", "id")
	w.run("memory", "get", id[:9]).fails("not_found")
	w.run("memory", "get", id[:9], "--space", "team").ok()
	if r := w.run("memory", "investigate", id[:9]).ok(); len(r["memories"].([]any)) != 1 {
		t.Errorf("in all places: %v", r)
	}
	w.run("memory", "get", id[:9], "--user", "yamada").fails("not_found")
}

// TestBeginningsOf compares the to-dos whose ids have a beginning with all of them.
func TestBeginningsOf(t *testing.T) {
	w := newWorld(t)
	var all []string
	for i := range 40 {
		all = append(all, idOf(w.run("todo", "add", strings.Repeat("x", i+1)).ok(), "todo", "todo_id"))
	}
	slices.Sort(all)
	st, err := store.Open(w.env["TECHO_STORE"], store.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, id := range all {
		for n := range len(id) + 1 {
			var want []string
			for _, other := range all {
				if strings.HasPrefix(other, id[:n]) {
					want = append(want, other)
				}
			}
			got, err := st.Beginning(context.Background(), ledger.KindTodo, "", id[:n], 100)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q: %q, %v, want %q", id[:n], got, err, want)
			}
		}
	}
}
