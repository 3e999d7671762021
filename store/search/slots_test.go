package search

import (
	"slices"
	"sync"
	"testing"

	"techo/internal/testenv"
)

// TestSlots draws numbers in several processes that learn of each other's now and then. A
// number that a process knows to be taken is not drawn.
func TestSlots(t *testing.T) {
	r := testenv.Random(t)
	for window := uint32(windowSize); window < 40*windowSize; window += windowSize {
		processes := make([]Slots, 1+r.IntN(4))
		known := make([]map[uint32]bool, len(processes))
		taken := map[uint32]bool{}
		for len(taken) < mayFill {
			i := r.IntN(len(processes))
			if known[i] == nil {
				known[i] = map[uint32]bool{}
			}
			var num uint32
			if r.IntN(8) == 0 {
				if num = processes[i].takeBeside(window, taken); taken[num] {
					t.Fatalf("%d is taken", num)
				}
				for n := range taken {
					known[i][n] = true
				}
			} else if num, _ = processes[i].take(window); known[i][num] && len(known[i]) < windowSize {
				t.Fatalf("%d is known to be taken", num)
			}
			if num < window || num >= window+windowSize {
				t.Fatalf("%d is not in the window from %d", num, window)
			}
			taken[num], known[i][num] = true, true
		}
	}
}

// TestSlotsFull finds the only free number after all others were given, some of them twice.
func TestSlotsFull(t *testing.T) {
	var s Slots
	for range 2 * windowSize {
		s.take(0)
	}
	taken := map[uint32]bool{}
	for n := range uint32(windowSize) {
		taken[n] = true
	}
	delete(taken, 77)
	if num := s.takeBeside(0, taken); num != 77 {
		t.Errorf("%d, want 77", num)
	}
}

// TestSlotsTogether gives concurrent callers different numbers, and counts them.
func TestSlotsTogether(t *testing.T) {
	var s Slots
	nums := make([]uint32, windowSize)
	var all sync.WaitGroup
	for i := range nums {
		all.Go(func() { nums[i], _ = s.take(0) })
	}
	all.Wait()
	slices.Sort(nums)
	if len(slices.Compact(nums)) != windowSize {
		t.Error("a number was given twice")
	}
	if _, given := s.take(windowSize); given != 1 {
		t.Errorf("%d given of the next window, want 1", given)
	}
}
