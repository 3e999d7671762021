package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"techo/internal/private"
)

func TestTrust(t *testing.T) {
	state := filepath.Join(t.TempDir(), "a", "state")
	r := TrustIn(state)
	if all, err := r.All(); err != nil || len(all) != 0 {
		t.Errorf("nothing: %v %v", all, err)
	}
	one, two := Trusted{"/a/.techo", "1"}, Trusted{"/b/.techo", "2"}
	for _, s := range []Trusted{two, one, {"/a/.techo", "0"}, one} {
		if err := r.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := r.All(); err != nil || !slices.Equal(all, []Trusted{one, two}) {
		t.Errorf("%v %v", all, err)
	}
	if s, ok, err := r.Find("/a/.techo"); s != one || !ok || err != nil {
		t.Errorf("%v %v %v", s, ok, err)
	}
	if _, ok, err := r.Find("/c/.techo"); ok || err != nil {
		t.Errorf("never added: %v %v", ok, err)
	}
	for _, want := range []bool{true, false} {
		if ok, err := r.Remove("/a/.techo"); ok != want || err != nil {
			t.Errorf("remove: %v %v", ok, err)
		}
	}
	if _, ok, _ := r.Find("/a/.techo"); ok {
		t.Error("removed, and there")
	}
	for path, want := range map[string]os.FileMode{"techo": 0o700, "techo/trusted": 0o700, "techo/trusted/" +
		trustName("/b/.techo"): 0o600} {
		if st, err := os.Stat(filepath.Join(state, path)); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, st, err)
		}
	}
}

// TestTrustAtOnce adds and removes from many goroutines, each with a view of
// its own, as processes have.
func TestTrustAtOnce(t *testing.T) {
	state := t.TempDir()
	var wait sync.WaitGroup
	for i := range 30 {
		wait.Go(func() {
			s := Trusted{fmt.Sprintf("/%02d/.techo", i), "id"}
			if err := TrustIn(state).Add(s); err != nil {
				t.Error(err)
			}
			if i%3 == 0 {
				if _, err := TrustIn(state).Remove(s.Path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if all, err := TrustIn(state).All(); err != nil || len(all) != 20 {
		t.Errorf("%d %v", len(all), err)
	}
}

// TestTrustForged refuses records that somebody else could have written.
func TestTrustForged(t *testing.T) {
	path := "/a/.techo"
	for name, forge := range map[string]func(dir string) error{
		"a link for the record": func(dir string) error {
			name := filepath.Join(dir, trustName(path))
			return errors.Join(os.Rename(name, name+"2"), os.Symlink(name+"2", name))
		},
		"a link for the folder": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"2"),
				os.Symlink(dir+"2", dir))
		},
		"a record that others may write": func(dir string) error {
			return os.Chmod(filepath.Join(dir, trustName(path)), 0o666)
		},
		"a folder that others may write": func(dir string) error { return os.Chmod(dir, 0o777) },
		"state that others may write":    func(dir string) error { return os.Chmod(filepath.Dir(dir), 0o777) },
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			if err := TrustIn(state).Add(Trusted{path, "1"}); err != nil {
				t.Fatal(err)
			}
			if err := forge(filepath.Join(state, stateFolder, trustFolder)); err != nil {
				t.Fatal(err)
			}
			if _, ok, err := TrustIn(state).Find(path); ok || !errors.As(err, new(*private.Error)) {
				t.Errorf("%v %v", ok, err)
			}
		})
	}
}

// TestTrustOdd takes a record for what its own words are, and sweeps only
// old drafts.
func TestTrustOdd(t *testing.T) {
	state := t.TempDir()
	r := TrustIn(state)
	if err := r.Add(Trusted{"/a/.techo", "1"}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(state, stateFolder, trustFolder)
	past := time.Now().Add(-2 * trustTempAge)
	for name, text := range map[string]string{
		trustName("/b/.techo"): `{"path":"/a/.techo","store_id":"1"}`, trustName("/c/.techo"): "garbage", "." +
			trustTempPrefix +
			"1": "", "." + trustTempPrefix + "x": "", "notes": "",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, past, past)); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := r.Find("/b/.techo"); ok || err != nil {
		t.Errorf("another path's record: %v %v", ok, err)
	}
	if _, ok, err := r.Find("/c/.techo"); ok || err == nil {
		t.Errorf("garbage: %v %v", ok, err)
	}
	if err := r.Add(Trusted{"/c/.techo", "3"}); err != nil {
		t.Fatal(err)
	}
	if all, err := r.All(); err != nil || len(all) != 2 {
		t.Errorf("%v %v", all, err)
	}
	for name, want := range map[string]bool{"." + trustTempPrefix + "1": false, "." + trustTempPrefix + "x": true,
		"notes": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
