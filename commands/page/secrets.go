package page

import (
	"crypto/rand"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"time"
)

// Limits of links and sessions.
const (
	maxLinks    = 16 // unused at once; a further one replaces the oldest
	maxSessions = 64

	// LinkLife is how long a link can be opened.
	LinkLife = 10 * time.Minute

	sessionLife = 12 * time.Hour // since the last request
)

// digest is the SHA-256 of a secret. Secrets are looked up by their digest, so the time
// of a look-up reveals nothing about them.
type digest [sha256.Size]byte

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

// grant is what a secret stands for.
type grant struct {
	ends  time.Time
	proof digest // of a session: a second secret, which only the script of the page has

	unlocked time.Time // until then the person's secret has unlocked the session
}

// secrets is a bounded set of secrets that expire.
type secrets struct {
	max    int
	life   time.Duration
	renews bool // each use extends the life
	now    func() time.Time

	mu  sync.Mutex
	all map[digest]*grant
}

// add creates a secret for a grant, whose end it sets. It drops expired ones, and the oldest above the limit.
func (s *secrets) add(g grant) (secret string, ends time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[digest]*grant{}
	}
	now := s.now()
	maps.DeleteFunc(s.all, func(_ digest, g *grant) bool { return !g.ends.After(now) })
	secret, g.ends = rand.Text(), now.Add(s.life)
	s.all[digestOf(secret)] = &g
	if len(s.all) > s.max {
		byEnd := func(a, b digest) int { return s.all[a].ends.Compare(s.all[b].ends) }
		delete(s.all, slices.MinFunc(slices.Collect(maps.Keys(s.all)), byEnd))
	}
	return secret, g.ends
}

// use calls fn with the grant of a valid secret and reports whether there is one. If fn
// returns false, the secret is valid no longer.
func (s *secrets) use(secret string, fn func(*grant) (keep bool)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := digestOf(secret)
	g := s.all[d]
	if g == nil || !g.ends.After(s.now()) {
		delete(s.all, d)
		return false
	}
	if s.renews {
		g.ends = s.now().Add(s.life)
	}
	if !fn(g) {
		delete(s.all, d)
	}
	return true
}
