//go:build linux && amd64

package proof

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"techo/internal/testenv"
)

// # Replaying power failures
//
// Each scene is recorded once. Then the power fails before each of its effects, in
// both models of disk_model_test.go, with and without luck. The content of the disk
// is written to a folder. In it techo must find every acknowledged write and each
// other write completely or not at all, must be able to write, and must verify.
//
// As a control, syncs are removed from the recording. Then something must be lost; a
// sync whose removal loses nothing is reported.

// blackout is a scene: calls during which the power fails.
type blackout struct {
	name    string
	prepare func(dir string)
	calls   []cutCall
	check   func(t *testing.T, dir string, done []bool) []string
}

// cutCall is a call of a scene.
type cutCall struct {
	words  []string // DIR is replaced by the folder
	stdin  string
	docs   int  // documents of its answer
	killed bool // before its first sync
}

// record makes the calls of a scene.
func (b *blackout) record(t *testing.T, dir string) *recording {
	t.Helper()
	b.prepare(dir)
	c, err := newRecorder(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, call := range b.calls {
		c.call = i
		r := &tracer{under: dir, recorder: c, decide: func(name, _ string) syscall.Errno {
			if call.killed && name == "fsync" {
				return killed
			}
			return 0
		}}
		words := slices.Clone(call.words)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "DIR", dir)
		}
		a, err := r.run(t, command(t.Context(), filepath.Join(dir, "store"), words...), call.stdin)
		if err != nil || !call.killed && (a.Code != 0 || len(a.Docs) != call.docs) {
			t.Fatalf("%s: %v: %s", b.name, err, a.brief())
		}
	}
	return &c.recording
}

// done returns which documents were acknowledged before the cut.
func (b *blackout) done(r *recording, cut int) (done []bool) {
	for i, call := range b.calls {
		var out []byte
		for _, e := range r.effects[:cut] {
			if e.kind == answered && e.call == i {
				out = append(out, e.data...)
			}
		}
		lines := bytes.SplitAfter(out, []byte("\n"))
		for n := range call.docs {
			done = append(done, n < len(lines) && bytes.HasSuffix(lines[n], []byte("\n")))
		}
	}
	return done
}

// replay repeats power failures in a recorded scene.
type replay struct {
	*blackout
	*recording
	dir string // for the states

	mu    sync.Mutex
	seen  map[any]bool
	count int
}

// point is a repeatable power failure.
type point struct {
	model model
	luck  luck
	cut   int
	seed  uint64
}

// try simulates a power failure and returns the problems after it. fresh is false for
// a state that was checked before.
func (p *replay) try(t *testing.T, at point, ignored func(int) bool) (wrong []string, fresh bool) {
	o := &outage{p.recording, at.model, at.luck, at.cut, ignored, rand.New(rand.NewPCG(at.seed, 2))}
	s := o.strike()
	done := p.done(p.recording, at.cut)
	key := fmt.Sprint(s.digest(), done)
	p.mu.Lock()
	known := p.seen[key]
	p.seen[key] = true
	p.count++
	dir := filepath.Join(p.dir, fmt.Sprint(p.count))
	p.mu.Unlock()
	if known {
		return nil, false
	}
	if err := s.write(dir); err != nil {
		return []string{err.Error()}, true
	}
	defer os.RemoveAll(dir)
	return p.check(t, dir, done), true
}

// points returns power failures before each effect, those without luck first.
func (p *replay) points(r *rand.Rand, chances int) (all []point) {
	for cut := range len(p.effects) + 1 {
		for _, m := range []model{strictPOSIX, ext4Ordered} {
			all = append(all, point{m, nothing, cut, 0}, point{m, everything, cut, 0})
			for range chances {
				all = append(all, point{m, chance, cut, r.Uint64()})
			}
		}
	}
	return all
}

func (p *replay) describe(at point) string {
	next := "the end"
	if at.cut < len(p.effects) {
		next = p.effects[at.cut].label
	}
	return fmt.Sprintf("%s, %v, luck %d, seed %d, before effect %d (%s)", p.name, at.model, at.luck, at.seed, at.cut,
		next)
}

// play records a scene.
func (s *powerStages) play(t *testing.T, b *blackout) *replay {
	dir := filepath.Join(s.root, b.name)
	p := &replay{blackout: b, recording: b.record(t, dir), dir: dir + "-states", seen: map[any]bool{}}
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPowerFailure simulates power failures in every scene.
func TestPowerFailure(t *testing.T) {
	needTracer(t)
	s := newPowerStages(t)
	want, chances := 14, 2
	if testenv.Long() {
		want, chances = 800, 40
	}
	for _, b := range s.blackouts() {
		t.Run(b.name, func(t *testing.T) {
			p := s.play(t, &b)
			all := p.points(s.random, chances)
			s.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			tried, lost := p.search(t, all, want, func(int) bool { return false })
			for _, l := range lost {
				t.Error(l)
			}
			t.Logf("%d effects, %d states", len(p.effects), tried)
		})
	}
}

// search tries points until enough states were checked or one was wrong.
func (p *replay) search(t *testing.T, all []point, want int, ignored func(int) bool) (tried int, lost []string) {
	var mu sync.Mutex
	each(len(all), func(i int) {
		mu.Lock()
		enough := tried >= want || len(lost) > 0
		mu.Unlock()
		if enough {
			return
		}
		wrong, fresh := p.try(t, all[i], ignored)
		mu.Lock()
		defer mu.Unlock()
		if fresh {
			tried++
		}
		if len(wrong) > 0 {
			lost = append(lost, fmt.Sprintf("%s: %.1500s", p.describe(all[i]), strings.Join(wrong, "\n")))
		}
	})
	return tried, lost
}

// needless are the syncs whose removal no power failure shows, by scene, or "" for
// all scenes.
var needless = map[string][]string{
	// The watermark in the queue shows that a journal was removed later. Only a rescue of a
	// damaged store reads the key files and the copy of the manifest. A store without an id
	// gets a new one.
	"": {"sync store/queue", "sync store.new/queue", "sync store/tables/.keys", "sync store.new/journal.keys",
		"sync store/tables/.MANIFEST.copy.techo", "sync store.new/id"},
	// The writer cannot see that these entries were synced before.
	"killed": {"sync .", "sync store"},
	// The records of the fresh store are written to tables of the store, which are synced.
	"restore": {"sync store.new", "sync store.new/journal"},
	// Likewise. The check does not look at the copy of the damaged store, an entry of ".".
	"repair": {"sync .", "sync store.new", "sync store.new/journal"},
}

// TestPowerFailureControl removes syncs from the recordings: all of them and, in a
// long run, separately for each file or folder. Then something must be lost.
func TestPowerFailureControl(t *testing.T) {
	needTracer(t)
	s := newPowerStages(t)
	for _, b := range s.blackouts() {
		t.Run(b.name, func(t *testing.T) {
			p := s.play(t, &b)
			p.without(t, s.random, "all syncs", 200, func(int) bool { return true })
			if !testenv.Long() {
				return
			}
			syncs := map[string][]int{}
			for i, e := range p.effects {
				if e.kind == synced || e.kind == syncedFS {
					name := digits.ReplaceAllString(e.label, "")
					syncs[name] = append(syncs[name], i)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(syncs)) {
				want := 1000
				if slices.Contains(slices.Concat(needless[""], needless[p.name]), name) {
					want = -200
				}
				p.without(t, s.random, name, want, func(n int) bool { return slices.Contains(syncs[name], n) })
			}
		})
	}
}

var digits = regexp.MustCompile(`-?[0-9]+`)

// without removes syncs and must then lose something within want states or, if want
// is negative, must lose nothing.
func (p *replay) without(t *testing.T, r *rand.Rand, name string, want int, ignored func(int) bool) {
	t.Helper()
	tried, lost := p.search(t, p.later(r, max(want, -want)), max(want, -want), ignored)
	switch {
	case want > 0 && len(lost) == 0:
		t.Errorf("without %s nothing was lost in %d states", name, tried)
	case want < 0 && len(lost) > 0:
		t.Errorf("without %s: %s", name, lost[0])
	}
	t.Logf("without %s: %d states, lost %v", name, tried, len(lost) > 0)
}

// later returns power failures in which only the certain effects are written, enough
// for a number of states.
func (p *replay) later(r *rand.Rand, states int) (all []point) {
	clear(p.seen)
	for cut := range len(p.effects) + 1 {
		all = append(all, point{strictPOSIX, nothing, cut, 0})
		for range 3 * states / len(p.effects) {
			all = append(all, point{strictPOSIX, chance, cut, r.Uint64()})
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}
