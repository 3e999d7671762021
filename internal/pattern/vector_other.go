//go:build !amd64

package pattern

// Other processors have no vector code.
const (
	vector     = 32
	hasVectors = false
)

func findPair(*byte, int, byte, byte, int) int { return -1 }

func findTables(*byte, int, *tables, int) int { return -1 }
