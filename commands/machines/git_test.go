package machines

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store"
	"techo/store/memo"
	"techo/store/replica"
)

// TestGit syncs two machines through a git remote. Only the files of the notebook are committed, a lost
// race is repeated, and without the remote the machine goes on alone.
func TestGit(t *testing.T) {
	testenv.Tool(t, "git")
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	run := func(where string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", where}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run(dir, "init", "--quiet", "--bare", "--initial-branch=main", "remote.git")
	type machine struct {
		notebook replica.Notebook
		memos    memo.Memos
		work     string
	}
	begin := func(name string) machine {
		t.Helper()
		work := filepath.Join(dir, name)
		run(dir, "clone", "--quiet", "remote.git", name)
		if err := os.MkdirAll(filepath.Join(work, "notebook"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, "mine.txt"), []byte("uncommitted"), 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := store.Open(filepath.Join(dir, name+".store"), store.Options{Write: true, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return machine{replica.Notebook{Ledger: st.Ledger}, st.Memos, work}
	}
	sync := func(m machine) replica.Report {
		t.Helper()
		r, err := Sync(t.Context(), m.notebook, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	add := func(m machine, name string) {
		t.Helper()
		if _, err := m.memos.AddMemo(t.Context(), memo.Memo{Name: name, Content: "x", Priority: 3}); err != nil {
			t.Fatal(err)
		}
	}
	a := begin("laptop")
	key, _, err := a.notebook.Init(t.Context(), filepath.Join(a.work, "notebook"), "laptop")
	if err != nil {
		t.Fatal(err)
	}
	add(a, "from the laptop")
	sync(a)
	b := begin("desktop")
	if err := b.notebook.Join(t.Context(), filepath.Join(b.work, "notebook"), key, "desktop"); err != nil {
		t.Fatal(err)
	}
	if r := sync(b); r.Received != 1 {
		t.Errorf("%+v", r)
	}
	add(a, "again")
	sync(a)
	add(b, "from the desktop") // the remote is ahead of it
	if r := sync(b); r.Received != 1 || r.Sent != 1 {
		t.Errorf("%+v", r)
	}
	if r := sync(a); r.Received != 1 {
		t.Errorf("%+v", r)
	}
	if files := run(a.work, "ls-files"); strings.Contains(files, "mine.txt") || !strings.Contains(files, "notebook/techo.json") {
		t.Errorf("committed:\n%s", files)
	}
	if err := os.Rename(filepath.Join(dir, "remote.git"), filepath.Join(dir, "gone.git")); err != nil {
		t.Fatal(err)
	}
	add(a, "alone")
	if r, err := Sync(t.Context(), a.notebook, nil); err == nil || r.Sent != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	tries, err := a.notebook.LastTries(t.Context())
	if err != nil || !errors.As(tries.Failed, new(*replica.CarrierError)) {
		t.Errorf("%+v, %v", tries, err)
	}
	if err := os.Rename(filepath.Join(dir, "gone.git"), filepath.Join(dir, "remote.git")); err != nil {
		t.Fatal(err)
	}
	add(b, "pushed meanwhile")
	sync(b)
	if r := sync(a); r.Received != 1 { // its commit goes on top of the other one
		t.Errorf("%+v", r)
	}
	if r := sync(b); r.Received != 1 {
		t.Errorf("%+v", r)
	}
	if state := run(a.work, "status"); strings.Contains(state, "rebas") {
		t.Errorf("%s", state)
	}
}
