package vectors

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"testing"

	"techo/internal/testenv"
)

// TestNearer compares the nearest sketches with those of a list that is sorted, of few distances and of many.
func TestNearer(t *testing.T) {
	r := testenv.Random(t)
	for _, words := range []int{1, 3, 4} {
		for range 50 {
			mask := uint64(1)<<r.IntN(64) - 1
			random := func() (sketch []uint64) {
				for range words {
					sketch = append(sketch, r.Uint64()&mask)
				}
				return sketch
			}
			n := nearer{question: random(), most: 1 + r.IntN(40), having: make([]int, 64*words+1), farthest: 64 * words,
				keep: func(num uint32) bool { return num%5 != 0 }}
			var want []distant
			for first := uint32(0); first < 500; first += 100 {
				var chunk []byte
				for num := first; num < first+uint32(r.IntN(100)); num++ {
					d, any := distant{num: num}, uint64(0)
					for i, w := range random() {
						chunk = binary.LittleEndian.AppendUint64(chunk, w)
						d.distance += bits.OnesCount64(w ^ n.question[i])
						any |= w
					}
					if any != 0 && num%5 != 0 {
						want = append(want, d)
					}
				}
				n.add(first, chunk)
			}
			slices.SortFunc(want, func(a, b distant) int {
				return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(b.num, a.num))
			})
			var nums []uint32
			for _, d := range want[:min(n.most, len(want))] {
				nums = append(nums, d.num)
			}
			slices.Sort(nums)
			slices.Reverse(nums)
			if got := n.best(); !slices.Equal(got, nums) {
				t.Fatalf("%d words: %v, want %v", words, got, nums)
			}
		}
	}
}
