package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/confine"
	"techo/internal/private"
	"techo/internal/testenv"
	"techo/store/webcache"
)

func keepPage(t *testing.T, s *Store, key string, at time.Time, body []byte) {
	t.Helper()
	if err := s.PutWebPage(t.Context(),
		webcache.WebPage{Key: key, URL: key, Status: 200, ETag: `"x"`, FetchedAt: at, FreshUntil: at.Add(time.Hour),
			Body: body}); err != nil {
		t.Fatal(err)
	}
}

func TestWebPage(t *testing.T) {
	testenv.InFolder(t)
	s := newStore(t)
	now := time.UnixMilli(1_700_000_000_000)
	if p, err := s.FindWebPage(t.Context(), "http://a/"); p != nil || err != nil {
		t.Errorf("nothing: %v, %v", p, err)
	}
	keepPage(t, s, "http://a/", now, []byte("one"))
	keepPage(t, s, "http://a/", now.Add(time.Minute), []byte("two"))
	p, err := s.FindWebPage(t.Context(), "http://a/")
	if err != nil || p == nil || string(p.Body) != "two" || p.ETag != `"x"` ||
		!p.FetchedAt.Equal(now.Add(time.Minute)) {
		t.Fatalf("%+v, %v", p, err)
	}
	files, _ := filepath.Glob(filepath.Join(s.Where, "web", "*"))
	if len(files) != 1 {
		t.Errorf("files: %v", files)
	}
	// The same body again, as after a revalidation.
	keepPage(t, s, "http://a/", now.Add(time.Hour), []byte("two"))
	if p, _ := s.FindWebPage(t.Context(), "http://a/"); p == nil {
		t.Error("lost when it was kept again")
	}
	// A body that was torn is no page.
	if err := os.WriteFile(files[0], []byte("tw"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := s.FindWebPage(t.Context(), "http://a/"); p != nil || err != nil {
		t.Errorf("torn: %v, %v", p, err)
	}
	wantSound(t, s)
	if _, err := webcache.Repair(t.Context(), s.Ledger); err != nil {
		t.Fatal(err)
	}
	if r := wantSound(t, s); r.Counts["web_pages"] != 0 {
		t.Errorf("%v", r.Counts)
	}
}

// TestWebPageLimit removes the oldest pages.
func TestWebPageLimit(t *testing.T) {
	testenv.InFolder(t)
	s := newStore(t)
	now := time.UnixMilli(1_700_000_000_000)
	body := bytes.Repeat([]byte("x"), 5<<20)
	for i := range 14 {
		keepPage(t, s, fmt.Sprint("http://a/", i), now.Add(time.Duration(i)*time.Second), body)
	}
	if p, _ := s.FindWebPage(t.Context(), "http://a/0"); p != nil {
		t.Error("the oldest is still there")
	}
	if p, _ := s.FindWebPage(t.Context(), "http://a/13"); p == nil {
		t.Error("the latest is gone")
	}
	files, _ := filepath.Glob(filepath.Join(s.Where, "web", "*"))
	if r := wantSound(t, s); r.Counts["web_pages"] != 12 || len(files) != 12 {
		t.Errorf("%v, %d files", r.Counts, len(files))
	}
}

// TestWebPageSweep removes bodies that have no record, once they are old, and
// leaves all others.
func TestWebPageSweep(t *testing.T) {
	testenv.InFolder(t)
	s := newStore(t)
	at := time.UnixMilli(1_700_000_000_001) // not one that sweeps by itself
	keepPage(t, s, "http://a/", at, []byte("kept"))
	folder := filepath.Join(s.Where, "web")
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	past := time.Now().Add(-time.Hour)
	for _, name := range []string{"0123456789abcdef0123456789abcdef-0123456789abcdef", ".new-1", "fresh"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != "fresh" {
			files = append(files, path)
		}
	}
	for _, path := range files {
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
	}
	keepPage(t, s, "http://b/", time.UnixMilli(1_700_000_000_000), []byte("sweeps"))
	if left, _ := os.ReadDir(folder); len(left) != 3 {
		t.Errorf("left: %v", left)
	}
	if p, err := s.FindWebPage(t.Context(), "http://a/"); err != nil || p == nil {
		t.Errorf("the kept one: %v, %v", p, err)
	}
	wantSound(t, s)
}

// TestWebPageRestore restores a backup, which has no bodies. In another folder its
// pages are misses, and no fault; in the same one the cache has them.
func TestWebPageRestore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir, true)
	keepPage(t, s, "http://a/", time.UnixMilli(1000), []byte("one"))
	backup := filepath.Join(t.TempDir(), "backup")
	f, err := os.Create(backup)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	s.Close()
	for _, c := range [][2]string{{dir, "one"}, {filepath.Join(t.TempDir(), "other"), ""}} {
		to, want := c[0], c[1]
		if _, err := Restore(t.Context(), to, confine.Place{Path: backup}, true, Options{Now: time.Now}); err != nil {
			t.Fatal(err)
		}
		s = openStore(t, to, true)
		p, err := s.FindWebPage(t.Context(), "http://a/")
		if err != nil || (p != nil) != (want != "") || p != nil && string(p.Body) != want {
			t.Errorf("%s: %v, %v", to, p, err)
		}
	}
	keepPage(t, s, "http://a/", time.UnixMilli(2000), []byte("two"))
	if p, err := s.FindWebPage(t.Context(), "http://a/"); err != nil || p == nil || string(p.Body) != "two" {
		t.Errorf("%v, %v", p, err)
	}
	wantSound(t, s)
}

// TestWebPageLinks plants links where pages are kept. Their targets are neither read
// nor changed, and files that techo did not write are not removed.
func TestWebPageLinks(t *testing.T) {
	testenv.InFolder(t)
	s := newStore(t)
	now := time.UnixMilli(1_700_000_000_000)
	outside := t.TempDir()
	mine := filepath.Join(outside, "thesis.docx")
	web := filepath.Join(s.Where, "web")
	long := time.Now().Add(-time.Hour)
	keepPage(t, s, "http://a/", now, []byte("page"))
	files, _ := filepath.Glob(filepath.Join(web, "*"))
	own, name := filepath.Join(web, "notes.txt"),
		filepath.Join(web, strings.Repeat("a", 32)+"-"+strings.Repeat("b", 16))
	for _, path := range []string{mine, own} {
		if err := errors.Join(os.WriteFile(path, []byte("page"), 0o600), os.Chtimes(path, long, long)); err != nil {
			t.Fatal(err)
		}
	}
	// A link in the place of a body, and one under a name that is swept.
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	testenv.Symlink(t, mine, files[0])
	testenv.Symlink(t, mine, name)
	if p, err := s.FindWebPage(t.Context(), "http://a/"); p != nil || err != nil {
		t.Errorf("read through a link: %v, %v", p, err)
	}
	keepPage(t, s, "http://a/", now, []byte("other"))
	for i := range 20 {
		keepPage(t, s, "http://a/b", now.Add(time.Duration(i)*time.Millisecond), []byte{byte(i)})
	}
	// The whole folder is a link.
	if err := errors.Join(os.Rename(web, web+"2"), os.Symlink(outside, web)); err != nil {
		t.Fatal(err)
	}
	page := webcache.WebPage{Key: "http://a/", FetchedAt: now, FreshUntil: now, Body: []byte("x")}
	if err := s.PutWebPage(t.Context(), page); !errors.As(err, new(*private.Error)) {
		t.Errorf("kept through a link: %v", err)
	}
	for _, path := range []string{mine, filepath.Join(web+"2", "notes.txt"),
		filepath.Join(web+"2", filepath.Base(name))} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
	if b, err := os.ReadFile(mine); string(b) != "page" {
		t.Errorf("%q %v", b, err)
	}
}
