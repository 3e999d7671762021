package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func wrong(t *testing.T, s *Secret) *WrongSecretError {
	t.Helper()
	e := new(WrongSecretError)
	if err := s.Check("not the secret"); !errors.As(err, &e) {
		t.Fatalf("%v", err)
	}
	return e
}

// TestSecret sets, checks, changes and removes a secret, with attempts that are slowed down.
func TestSecret(t *testing.T) {
	state, now := t.TempDir(), time.Unix(1_700_000_000, 0)
	open := func() *Secret { return &Secret{state, func() time.Time { return now }, 64} } // another process
	if set, err := open().IsSet(); set || err != nil {
		t.Fatalf("%v, %v", set, err)
	}
	if !open().Suggest("ask") || open().Suggest("ask") || !open().Suggest("setup") {
		t.Error("it must be suggested once")
	}
	if err := open().Set("１２３４５６ パス", ""); err != nil {
		t.Fatal(err)
	}
	if err := open().Check("123456 パス"); err != nil { // of another width
		t.Error(err)
	}
	var last *WrongSecretError
	for range freeAttempts {
		last = wrong(t, open())
	}
	if last.Early || last.Next.Sub(now) != time.Second {
		t.Errorf("%+v", last)
	}
	if e := new(WrongSecretError); !errors.As(open().Check("123456 パス"), &e) || !e.Early {
		t.Error("the right secret counts while no attempt does")
	}
	now = now.Add(time.Second)
	if e := wrong(t, open()); e.Early || e.Next.Sub(now) != 2*time.Second {
		t.Errorf("%+v", e)
	}
	now = now.Add(-48 * time.Hour) // the clock is set back
	if e := wrong(t, open()); !e.Early || e.Next.Sub(now) != maxDelay {
		t.Errorf("%+v", e)
	}
	now = now.Add(maxDelay)
	if err := open().Check("123456 パス"); err != nil {
		t.Error(err)
	}
	if e := wrong(t, open()); e.Next != now {
		t.Errorf("the right secret leaves a delay: %+v", e)
	}
	version, _ := open().Version()
	for _, other := range []string{"", version + "0"} { // of a prompt that began before another one's end
		if open().Set("an agent's", other) != ErrSecretChanged || open().Remove(other) != ErrSecretChanged {
			t.Errorf("version %q replaces the secret", other)
		}
	}
	path := filepath.Join(state, "techo", secretFile)
	st, err := os.Stat(path)
	text, _ := os.ReadFile(path)
	if err != nil || st.Mode().Perm() != 0o600 || strings.Contains(string(text), "123456") {
		t.Errorf("%v %v\n%s", st.Mode(), err, text)
	}
	if err := open().Remove(version); err != nil {
		t.Fatal(err)
	}
	if set, _ := open().IsSet(); set {
		t.Error("it is still set")
	}
}

// TestSecretDelay adds up the delays of an attack: 10,000 wrong secrets take months.
func TestSecretDelay(t *testing.T) {
	total := time.Duration(0)
	for wrong := 1; wrong <= 10_000; wrong++ {
		d := secretDelay(wrong)
		if d < 0 || d > maxDelay || wrong > 1 && d < secretDelay(wrong-1) {
			t.Fatalf("%d: %v", wrong, d)
		}
		total += d
	}
	if total < 24*time.Hour {
		t.Errorf("10,000 attempts take %v", total)
	}
}

// TestSecretCrowd attempts wrong secrets at once: as many are compared as one after another.
func TestSecretCrowd(t *testing.T) {
	state := t.TempDir()
	at := time.Unix(1_700_000_000, 0)
	s := &Secret{state, func() time.Time { return at }, 64}
	if err := s.Set("right one", ""); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	compared := make(chan bool, 20)
	for range cap(compared) {
		wait.Go(func() {
			e := new(WrongSecretError)
			_ = errors.As(SecretIn(state, func() time.Time { return at }).Check("wrong one"), &e)
			compared <- !e.Early
		})
	}
	wait.Wait()
	close(compared)
	n := 0
	for ok := range compared {
		if ok {
			n++
		}
	}
	if n != freeAttempts {
		t.Errorf("%d attempts were compared", n)
	}
}

// TestSecretDamaged refuses a file that is no hash, or that others may read.
func TestSecretDamaged(t *testing.T) {
	state := t.TempDir()
	s := SecretIn(state, time.Now)
	if err := s.Set("a secret", ""); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(state, "techo", secretFile)
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), `"kib":65536`) {
		t.Errorf("it takes too little memory to guess: %s", text)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.IsSet(); err == nil {
		t.Error("no hash")
	}
	if err := s.Set("a secret", ""); err == nil {
		t.Error("a damaged file is replaced")
	}
	_ = os.Remove(path)
	if err := s.Set("a secret", ""); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.IsSet(); err == nil {
		t.Error("others may read it")
	}
}
