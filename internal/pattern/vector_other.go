//go:build !amd64

package pattern

// There is no vector code of our own for this processor.
const (
	vector     = 32
	hasVectors = false
)

func findPair(*byte, int, byte, byte, int) int { return -1 }

func findTables(*byte, int, *tables, int) int { return -1 }
