package testenv

import (
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
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

// Buffer is a text that several goroutines write and read.
type Buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Damage is a way to damage a file.
type Damage struct {
	Name  string
	Apply func(r *rand.Rand, content []byte) []byte // may change content in place
}

// Damages returns the usual ways to damage a file that is not empty.
func Damages() []Damage {
	return []Damage{
		{"bit", func(r *rand.Rand, b []byte) []byte { b[r.IntN(len(b))] ^= 1 << r.IntN(8); return b }},
		{"byte of the last 100", func(r *rand.Rand, b []byte) []byte {
			b[len(b)-1-r.IntN(min(100, len(b)))] ^= 1 + byte(r.IntN(255))
			return b
		}},
		{"sector", func(r *rand.Rand, b []byte) []byte {
			at := r.IntN((len(b)+511)/512) * 512
			for i := range b[at:min(at+512, len(b))] {
				b[at+i] = byte(r.Uint32())
			}
			return b
		}},
		{"page", func(r *rand.Rand, b []byte) []byte {
			at := r.IntN((len(b)+4095)/4096) * 4096
			clear(b[at:min(at+4096, len(b))])
			return b
		}},
		{"cut", func(r *rand.Rand, b []byte) []byte { return b[:r.IntN(len(b))] }},
		{"last byte cut", func(_ *rand.Rand, b []byte) []byte { return b[:len(b)-1] }},
		{"zeros appended", func(r *rand.Rand, b []byte) []byte { return append(b, make([]byte, 1+r.IntN(5000))...) }},
		{"garbage appended", func(r *rand.Rand, b []byte) []byte { return fmt.Append(b, r.Uint64()) }},
		{"emptied", func(*rand.Rand, []byte) []byte { return nil }},
	}
}

// Symlink creates a symbolic link. A system that refuses it ends the test as Missing
// does: Windows needs a privilege.
func Symlink(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		Missing(t, "symbolic links: "+err.Error())
	}
}

// OpenFiles counts the file descriptors of this process. A system without /proc ends
// the test as Missing does.
func OpenFiles(t testing.TB) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		Missing(t, "a list of the open files: "+err.Error())
	}
	return len(names)
}

// Snapshot returns a description of everything below a folder: paths, modes,
// targets of links and contents, and times if wanted.
func Snapshot(t testing.TB, dir string, times bool) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		data, _ := os.ReadFile(path) // none of a folder
		to, _ := os.Readlink(path)
		fmt.Fprintf(&b, "%s %v %q %x", path, st.Mode(), to, data)
		if times {
			fmt.Fprintf(&b, " %v", st.ModTime())
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
