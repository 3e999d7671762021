//go:build linux && amd64

package proof

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"techo/internal/testenv"
)

// TestInject makes each system call of a call fail in turn: all of them in a long
// run, otherwise a random sample of each scene. Then the call fails at the same place
// and from there on.
func TestInject(t *testing.T) {
	needTracer(t)
	s := makeStates(t)
	r := testenv.Random(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, sc := range s.scenes() {
		t.Run(strings.ReplaceAll(sc.name, " ", "-"), func(t *testing.T) {
			var c tally
			var plain []byte
			play := func(worker int) *stage {
				return &stage{s, sc, filepath.Join(root, fmt.Sprint(i, "-", worker)), plain, &c}
			}
			made := map[string]int{}
			for range 3 { // a batch may be one transaction or two
				p, err := play(0).play(t, fault{})
				if err != nil || p.Code != 0 || len(p.Docs) != sc.docs {
					t.Fatalf("%v: %s", err, p.brief())
				}
				plain = p.Out
				for call, n := range p.made {
					made[call] = max(made[call], n)
				}
			}
			faults := everyFault(made)
			if !testenv.Long() {
				r.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
				faults = faults[:5]
			}
			each(len(faults), func(i int) {
				st := play(i + 1)
				st.tryBoth(t, faults[i])
				_ = os.RemoveAll(st.dir)
			})
			t.Logf("%d faults, system calls %v, came to %v, slowest %v", len(faults), made, c.of,
				c.slowest.Round(time.Millisecond))
		})
	}
}

// everyFault returns the faults for the system calls that a call makes, each once.
func everyFault(made map[string]int) (all []fault) {
	for _, call := range slices.Sorted(maps.Keys(made)) {
		for _, errno := range errnos(call) {
			for n := range made[call] {
				all = append(all, fault{call, n + 1, errno, false})
			}
		}
	}
	return all
}

// tryBoth tries a fault once, and from there on if that differs: after the fault the
// program made another call of that name.
func (s *stage) tryBoth(t *testing.T, f fault) {
	came, again := s.try(t, f)
	if !came {
		s.tally.count("never came")
	}
	if again && f.errno != killed && f.errno != syscall.EINTR {
		f.ever = true
		s.try(t, f)
	}
}
