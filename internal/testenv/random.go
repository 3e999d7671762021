package testenv

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Random returns a random source for a test and logs its seed. TECHO_TEST_SEED
// sets the seed, which repeats the choices of a failed test.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("TECHO_TEST_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal("TECHO_TEST_SEED:", err)
		}
		seed = n
	}
	t.Logf("TECHO_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
