package pattern

import "golang.org/x/sys/cpu"

// vector is the number of bytes the vector code processes at once.
const vector = 32

// hasVectors reports whether the processor supports AVX2.
var hasVectors = cpu.X86.HasAVX2

// findPair returns the first offset below n at which byte a occurs with byte b at
// the given distance, or -1. n is a multiple of vector; text must be readable from
// min(0, distance) to n + max(0, distance).
//
//go:noescape
func findPair(text *byte, n int, a, b byte, distance int) int

// findTables returns the first offset below n whose window of 2 to 4, or 8, bytes
// has a compatible bucket, or -1. n is a multiple of vector; text must be readable
// to n + window - 1.
//
//go:noescape
func findTables(text *byte, n int, t *tables, window int) int
