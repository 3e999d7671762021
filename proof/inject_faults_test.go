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
// run, otherwise a random sample of each scene.
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
			p, err := play(0).play(t, fault{})
			if err != nil || p.Code != 0 || len(p.Docs) != sc.docs {
				t.Fatalf("%v: %s", err, p.brief())
			}
			plain = p.Out
			beyond := 0
			if testenv.Long() {
				beyond = 4 // handling a fault makes more calls
			}
			faults := everyFault(p.made, beyond)
			if !testenv.Long() {
				r.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
				faults = faults[:5]
			}
			each(len(faults), func(i int) {
				if !play(i+1).try(t, faults[i]) {
					c.count("never came")
				}
				_ = os.RemoveAll(play(i + 1).dir)
			})
			t.Logf("%d faults, system calls %v, came to %v, slowest %v", len(faults), p.made, c.of,
				c.slowest.Round(time.Millisecond))
		})
	}
}

// everyFault returns the faults for the system calls that a call makes, and for a
// few more of each name.
func everyFault(made map[string]int, beyond int) (all []fault) {
	for _, call := range slices.Sorted(maps.Keys(made)) {
		for _, errno := range errnos(call) {
			for n := range made[call] + beyond {
				all = append(all, fault{call, n + 1, errno, false})
				if errno != killed && errno != syscall.EINTR {
					all = append(all, fault{call, n + 1, errno, true})
				}
			}
		}
	}
	return all
}
