package testenv

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Random returns a random source for a test and logs its seed. By default each run of
// a test makes the same choices, like the seed corpus of a fuzz test: a failure is
// then the work of a change, not of chance. TECHO_TEST_LONG=1 and
// TECHO_TEST_SEED=random make new choices; TECHO_TEST_SEED=N repeats those of a seed.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := seedOf(t.Name())
	switch text := os.Getenv("TECHO_TEST_SEED"); {
	case text == "random" || text == "" && Long():
		seed = rand.Uint64()
	case text != "":
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal("TECHO_TEST_SEED:", err)
		}
		seed = n
	}
	t.Logf("TECHO_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// seedOf returns the seed of a test in ordinary runs.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum64()
}
