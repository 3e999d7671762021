package pattern

import "golang.org/x/sys/cpu"

// vector is how many bytes the vector code takes at a time.
const vector = 32

// hasVectors reports whether this processor has the instructions.
var hasVectors = cpu.X86.HasAVX2

// findPair finds the first place below n where a stands, and b at distance
// from it, -1 when there is none. n is a multiple of vector; text is readable
// from min(0, distance) to n + max(0, distance).
//
//go:noescape
func findPair(text *byte, n int, a, b byte, distance int) int

// findTables finds the first place below n whose next window bytes, 2 to 4
// or 8, leave a bucket, -1 when there is none. n is a multiple of vector; text is
// readable to n + window - 1.
//
//go:noescape
func findTables(text *byte, n int, t *tables, window int) int
