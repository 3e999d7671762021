package page

import (
	"testing"
	"time"
)

func TestSecrets(t *testing.T) {
	now := time.Unix(0, 0)
	s := secrets{max: 3, life: time.Minute, now: func() time.Time { return now }}
	once := func(*grant) bool { return false }
	keep := func(*grant) bool { return true }

	first, ends := s.add(grant{})
	if !ends.Equal(now.Add(time.Minute)) || s.use("", keep) || s.use(first+"x", keep) {
		t.Error("an unknown secret is valid")
	}
	if !s.use(first, keep) || !s.use(first, once) || s.use(first, keep) {
		t.Error("a secret is not used once")
	}
	late, _ := s.add(grant{})
	if now = now.Add(time.Minute); s.use(late, keep) {
		t.Error("an expired secret is valid")
	}
	var all []string
	for range 5 {
		one, _ := s.add(grant{})
		all, now = append(all, one), now.Add(time.Second)
	}
	for i, one := range all {
		if got := s.use(one, keep); got != (i >= 2) {
			t.Errorf("secret %d: %v; the newest three are valid", i, got)
		}
	}
	s.renews = true
	for range 3 {
		if now = now.Add(50 * time.Second); !s.use(all[4], keep) {
			t.Error("a secret in use has expired")
		}
	}
}
