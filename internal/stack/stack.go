// Package stack makes the stack of a goroutine large before it is needed.
package stack

// Grow makes room for 24 KiB on the stack of the calling goroutine. Called while
// the stack is almost empty, it replaces several later enlargements, each of which
// copies the stack and adjusts its frames.
func Grow() { grow(false) }

// grow has a large frame, for which the runtime makes room when it is entered. The
// frame is used, and so cleared, only if touch is true.
//
//go:noinline
func grow(touch bool) (sum byte) {
	if touch {
		var frame [24 << 10]byte
		for i := range frame {
			sum += frame[i]
			frame[i] = sum
		}
	}
	return sum
}
