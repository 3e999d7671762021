package disk

import (
	"syscall"
	"testing"
)

// TestFreeBytesUnits covers file systems that count in fragments, and those that
// report no size at all.
func TestFreeBytesUnits(t *testing.T) {
	for name, c := range map[string]struct {
		st   syscall.Statfs_t
		want int64
	}{
		"blocks":    {syscall.Statfs_t{Bsize: 4096, Frsize: 4096, Blocks: 100, Bavail: 10}, 40960},
		"fragments": {syscall.Statfs_t{Bsize: 1 << 20, Frsize: 4096, Blocks: 100, Bavail: 10}, 40960},
		"old":       {syscall.Statfs_t{Bsize: 4096, Blocks: 100, Bavail: 10}, 40960},
		"full":      {syscall.Statfs_t{Bsize: 4096, Frsize: 4096, Blocks: 100}, 0},
		"unknown":   {syscall.Statfs_t{Bsize: 4096, Frsize: 4096}, -1},
	} {
		if got := freeOf(&c.st); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}
