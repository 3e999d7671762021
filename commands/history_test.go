package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestServeHistory checks that a server offers the history to hosts only and
// undo to persons only, that a user sees no changes of others' memories, and
// that files stay hidden without --root.
func TestServeHistory(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "notes.txt"), []byte("Hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.run("memory", "add", "Alice moved to Kyoto.", "--user", "alice").ok()
	w.run("memory", "add", "Bob moved to Osaka.", "--user", "bob").ok()
	w.run("fs", "edit", "notes.txt", "Hello", "Bye").ok()
	alice, bob := bearer(w.personsToken("alice")), bearer(w.personsToken("bob"))

	s := w.serve(t, "serve", "--listen", "127.0.0.1:0")
	for _, tool := range []string{"list_history", "show_change", "undo_change"} {
		s.Want(403, `"unavailable"`, "POST", "/tools/"+tool, `{"id":"h1"}`, alice)
	}
	s = w.serve(t, "serve", "--listen", "127.0.0.1:0", "--audience", "host")
	s.Want(403, `"unavailable"`, "POST", "/tools/undo_change", `{"id":"h1"}`, alice)
	s.Want(200, `"changes":[{"id":"h1",`, "POST", "/tools/list_history", `{"family":"memory"}`, alice)
	s.Want(200, `"total":1,`, "POST", "/tools/list_history", `{"family":"memory"}`, alice)

	s = w.serve(t, "serve", "--listen", "127.0.0.1:0", "--audience", "person")
	for _, id := range []string{"h1", "h3", "h9"} {
		s.Want(404, `"not_found"`, "POST", "/tools/show_change", `{"id":"`+id+`"}`, bob)
		s.Want(404, `"not_found"`, "POST", "/tools/undo_change", `{"id":"`+id+`"}`, bob)
	}
	s.Want(200, `"undone":true`, "POST", "/tools/undo_change", "", bob)
	s.Want(404, `"not_found"`, "POST", "/tools/undo_change", "", bob)
	s.Want(200, `"total":0`, "POST", "/tools/list_memory", "", bob)
	s.Want(200, `"total":1`, "POST", "/tools/list_memory", "", alice)
	s.Want(409, `"conflict"`, "POST", "/tools/undo_change", `{"id":"h2"}`, bob)
}

// TestUndoTogether undoes without ids in several sessions at once: each undoes a
// change of its own.
func TestUndoTogether(t *testing.T) {
	w := newWorld(t)
	const sessions = 8
	for i := range sessions {
		w.run("memo", "add", fmt.Sprint("memo", i), "x", "--priority", "3").ok()
	}
	answers := make([]answer, sessions)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = w.run("undo") })
	}
	group.Wait()
	for _, a := range answers {
		a.ok()
	}
	if list := w.run("memo", "list").ok(); list["total"] != 0.0 {
		t.Errorf("%v", list)
	}
	w.run("undo").fails("not_found")
}
