//go:build linux && amd64

package proof

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"techo/internal/testenv"
)

// disk is a small file system with a file that fills it, the ballast.
type disk struct {
	dir     string
	ballast string
}

// disks are the kinds of file systems.
var disks = map[string]func(t *testing.T) *disk{"tmpfs": tmpfs, "ext4": ext4}

func mounted(t *testing.T, dir string) *disk {
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return &disk{dir, filepath.Join(dir, "ballast")}
}

func tmpfs(t *testing.T) *disk {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=20m"); err != nil {
		testenv.Forbidden(t, "mounting a tmpfs: "+err.Error())
	}
	return mounted(t, dir)
}

func ext4(t *testing.T) *disk {
	image, dir := filepath.Join(t.TempDir(), "image"), t.TempDir()
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 24<<20); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin") // mkfs.ext4 is in the PATH of root only
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", "-m", "0", image).CombinedOutput(); err != nil {
		testenv.Missing(t, fmt.Sprintf("mkfs.ext4: %v %s", err, out))
	}
	if out, err := exec.Command("mount", "-o", "loop", image, dir).CombinedOutput(); err != nil {
		testenv.Forbidden(t, fmt.Sprintf("mounting an image: %v %s", err, out))
	}
	return mounted(t, dir)
}

func (d *disk) free(t *testing.T) int64 {
	var st syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &st); err != nil {
		t.Fatal(err)
	}
	return int64(st.Bavail) * st.Bsize
}

// grow enlarges the ballast by a number of bytes, or to the end of the disk, and
// reports whether the disk is full.
func (d *disk) grow(t *testing.T, bytes int64) (full bool) {
	f, err := os.OpenFile(d.ballast, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return errors.Is(err, syscall.ENOSPC)
	}
	defer f.Close()
	if _, err = f.Write(make([]byte, bytes)); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	return err != nil
}

func (d *disk) fill(t *testing.T) {
	f, err := os.OpenFile(d.ballast, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return // no space even for a name
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Error(err)
		return
	}
	for size, step := st.Size(), int64(64<<20); step >= 512; step /= 2 {
		for err := error(nil); err == nil; {
			if err = syscall.Fallocate(int(f.Fd()), 0, size, step); err == nil {
				size += step
			}
		}
	}
	_ = d.grow(t, 4096)
}

func (d *disk) empty(t *testing.T) {
	if err := os.Remove(d.ballast); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// fits checks an answer on a disk that may be full, and reports whether the call
// had enough space.
func fits(t *testing.T, a answer) bool {
	t.Helper()
	if a.Code != 0 && (a.Code != 6 || a.errorCode() != "no_space") {
		t.Errorf("%.2000v", a)
	}
	return a.Code == 0
}

// addBatch adds one memo of any size.
func addBatch(t *testing.T, store, name string, n note) answer {
	t.Helper()
	c := command(t.Context(), store, "call", "--batch")
	c.Stdin = strings.NewReader(n.line(name))
	a := collect(c)
	a.wantClean(t)
	if a.Code == 0 && a.Doc["error"] != nil {
		a.Code = 6 // the exit code of the single call; fits checks the rest
	}
	return a
}

// TestDiskFills fills a disk in steps of 64 KB and makes calls at each step.
func TestDiskFills(t *testing.T) {
	testenv.All(t, "mounts and fills file systems")
	for kind, make := range disks {
		t.Run(kind, func(t *testing.T) { fillUp(t, make(t)) })
	}
}

// filling is a store on a disk that is being filled.
type filling struct {
	*disk
	store   string
	want    notes
	refused int // calls without enough space
}

func fillUp(t *testing.T, d *disk) {
	r := testenv.Random(t)
	f := &filling{disk: d, store: filepath.Join(d.dir, "store"), want: notes{}}
	f.want.write(t, f.store, some(r, "first", 150), false)
	steps := 0
	for full := 0; full < 6 && !t.Failed(); steps++ {
		f.step(t, r, steps, full > 0)
		if testenv.Long() || full > 0 || steps%8 == 0 {
			f.want.mustHold(t, f.store)
		}
		step := int64(64 << 10)
		if !testenv.Long() && d.free(t) > 3<<20 {
			step = 1 << 20
		}
		if d.grow(t, step) {
			d.fill(t)
			full++
		}
	}
	t.Logf("%d steps, %d memos, refused %d calls, free %d", steps, len(f.want), f.refused, d.free(t))
	if f.refused == 0 {
		t.Error("the disk was never full")
	}
	d.empty(t)
	f.want["again"] = note{"room", "", 2}
	mustTecho(t, f.store, "memo", "add", "again", "room", "--priority", "2")
	mustTecho(t, f.store, "store", "compact")
	f.want.mustHold(t, f.store)
}

// step makes the calls of one step: it adds a small memo; every eighth step also a
// large memo, which does not fit the journal, and a compaction; and on a full disk
// it removes a memo, which needs space, too.
func (f *filling) step(t *testing.T, r *rand.Rand, n int, full bool) {
	name, small := fmt.Sprintf("step-%03d", n), randomNote(r, r.IntN(500))
	f.keep(t, name, small, techo(t, f.store, "memo", "add", name, small.Content, "--priority",
		fmt.Sprint(small.Priority), "--detail", small.Detail))
	if n%8 == 3 && n < 32 { // a compaction needs as much free space as the store has
		large := randomNote(r, 300<<10)
		f.keep(t, "large-"+name, large, addBatch(t, f.store, "large-"+name, large))
	}
	if n%8 == 7 && !fits(t, techo(t, f.store, "store", "compact")) {
		f.refused++
	}
	if old := fmt.Sprintf("first-%03d", n); full && f.want[old] != (note{}) &&
		fits(t, techo(t, f.store, "memo", "remove", old)) {
		delete(f.want, old)
	}
}

func (f *filling) keep(t *testing.T, name string, n note, a answer) {
	if fits(t, a) {
		f.want[name] = n
	} else {
		f.refused++
	}
}
