package edit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store"
	editstore "techo/store/edit"
	"techo/tools"
)

// TestUndo makes random changes in random files and undoes them one by one.
func TestUndo(t *testing.T) {
	r := testenv.Random(t)
	dir := t.TempDir()
	env := withStore(t, dir)
	ctx := context.Background()

	names := []string{"a", "b", "c"}
	state := func() map[string]string {
		s := map[string]string{}
		for _, name := range names {
			if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
				s[name] = string(b)
			}
		}
		return s
	}
	var history []map[string]string
	for range 60 {
		before := state()
		name := names[r.IntN(len(names))]
		var err error
		if text, there := before[name]; !there || r.IntN(3) == 0 {
			lines := strings.Repeat(fmt.Sprintf("line %d 日本\r\n", r.IntN(99)), r.IntN(100))
			_, err = writeFile(ctx, env, WriteIn{Path: name, Content: lines})
			_ = text
		} else {
			in := replace(name, fmt.Sprint(r.IntN(10)), fmt.Sprint(r.IntN(10)))
			in.ReplaceAll = true
			in.Edits = []Replacement{{OldString: "n", NewString: "日", ReplaceAll: true},
				{OldString: "日", NewString: "n", ReplaceAll: r.IntN(2) == 0}}
			_, err = edit(env, in)
		}
		if err != nil || reflect.DeepEqual(before, state()) {
			continue
		}
		history = append(history, before)
	}
	if len(history) < 15 {
		t.Fatalf("only %d changes", len(history))
	}
	for i := len(history) - 1; i >= 0; i-- {
		if _, err := undoEdit(ctx, env, UndoIn{}); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if got := state(); !reflect.DeepEqual(got, history[i]) {
			t.Fatalf("step %d: %q, want %q", i, got, history[i])
		}
	}
	if _, err := undoEdit(ctx, env, UndoIn{}); codeOf(err) != tools.NotFound {
		t.Errorf("at the end: %v", err)
	}
}

// TestUndoHalf undoes a batch whose process was killed after it changed one of the
// files.
func TestUndoHalf(t *testing.T) {
	dir := t.TempDir()
	env := withStore(t, dir)
	put(t, filepath.Join(dir, "a"), "old a")
	put(t, filepath.Join(dir, "b"), "old b")
	x, y := "old", "new"
	_, err := edit(env, EditIn{Batch: []Edited{{Path: "a", OldString: &x, NewString: &y},
		{Path: "b", OldString: &x, NewString: &y}}})
	check(t, err)
	put(t, filepath.Join(dir, "b"), "old b") // as after a kill
	out, err := undoEdit(context.Background(), env, UndoIn{})
	check(t, err)
	if len(out.Files) != 2 || out.Files[0].State != "restored" || out.Files[1].State != "unchanged" {
		t.Errorf("%+v", out)
	}
	if a, _ := os.ReadFile(filepath.Join(dir, "a")); string(a) != "old a" {
		t.Errorf("%q", a)
	}
}

// TestUndoLost makes a change that is too large to record. Undo must not restore
// an older change instead.
func TestUndoLost(t *testing.T) {
	dir := t.TempDir()
	env := withStore(t, dir)
	ctx := context.Background()
	noise := make([]byte, editstore.MaxBytes*2)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte('0' + r.IntN(64))
	}
	_, err := writeFile(ctx, env, WriteIn{Path: "small", Content: "x"})
	check(t, err)
	put(t, filepath.Join(dir, "large"), string(noise))
	out, err := writeFile(ctx, env, WriteIn{Path: "large", Content: "y"})
	check(t, err)
	if out.Undoable || len(out.Notes) == 0 {
		t.Errorf("%+v", out)
	}
	if _, err := undoEdit(ctx, env, UndoIn{}); codeOf(err) != tools.LimitExceeded {
		t.Errorf("%v", err)
	}
	_, err = undoEdit(ctx, env, UndoIn{Path: "small"})
	check(t, err)
	if _, err := os.Stat(filepath.Join(dir, "small")); err == nil {
		t.Error("the small file is there")
	}
	st, err := env.Open(ctx, false)
	check(t, err)
	if _, err := st.Verify(ctx, store.VerifyOptions{}); err != nil {
		t.Error(err)
	}
}
