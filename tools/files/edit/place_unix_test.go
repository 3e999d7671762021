//go:build unix

package edit

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/files/filestest"
)

// makeSpecial creates special files, such as pipes.
func makeSpecial(t *testing.T, dir string) []string {
	t.Helper()
	check(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	t.Chdir(dir) // socket paths are limited in length
	l, err := net.Listen("unix", "socket")
	check(t, err)
	t.Cleanup(func() { l.Close() })
	names := []string{"fifo", "socket"}
	// /dev/zero; fails without root rights
	if syscall.Mknod(filepath.Join(dir, "device"), syscall.S_IFCHR|0o666, 1<<8|5) == nil {
		names = append(names, "device")
	}
	return names
}

// TestRootsRace keeps replacing a folder by a link to the outside while files in
// it are read and written. Windows does not exchange a folder that is in use.
func TestRootsRace(t *testing.T) {
	filestest.Once(t)
	base := t.TempDir()
	in := filepath.Join(base, "in")
	put(t, filepath.Join(in, "d/f.txt"), "inside")
	put(t, filepath.Join(base, "out/f.txt"), "outside")
	link(t, filepath.Join(base, "out"), filepath.Join(in, "l"))
	env := confined(t, in, in)

	var stop atomic.Bool
	swapped := make(chan int)
	go func() {
		n := 0
		for d, l, side := filepath.Join(in, "d"), filepath.Join(in, "l"), filepath.Join(in, "side"); !stop.Load(); n++ {
			_ = os.Rename(d, side)
			_ = os.Rename(l, d)
			_ = os.Rename(d, l)
			_ = os.Rename(side, d)
		}
		swapped <- n
	}()
	answers := map[string]int{}
	happened := func() bool {
		for _, way := range []string{"", "write "} {
			if answers[way] == 0 || answers[way+string(tools.Forbidden)]+answers[way+string(tools.NotFound)] == 0 {
				return false
			}
		}
		return true
	}
	least, most := time.Now().Add(testenv.Pick(500*time.Millisecond, 2*time.Second)), time.Now().Add(10*time.Second)
	for time.Now().Before(least) || !happened() && time.Now().Before(most) {
		text, err := readText(env, "d/f.txt")
		if err == nil && text != "inside" {
			t.Errorf("read %q", text)
		}
		answers[string(codeOf(err))]++
		_, err = writeFile(context.Background(), env, WriteIn{Path: "d/f.txt", Content: "inside"})
		answers["write "+string(codeOf(err))]++
	}
	stop.Store(true)
	t.Logf("%d exchanges, answers: %v", <-swapped, answers)
	text, err := os.ReadFile(filepath.Join(base, "out/f.txt"))
	if err != nil || string(text) != "outside" {
		t.Errorf("the outside now reads %q, %v", text, err)
	}
	names, err := os.ReadDir(filepath.Join(base, "out"))
	if err != nil || len(names) != 1 {
		t.Errorf("the outside now holds %v, %v", names, err)
	}
	if !happened() {
		t.Errorf("the race did not happen: %v", answers)
	}
}

// TestRootsDevices expects special files to be refused without waiting for a peer.
func TestRootsDevices(t *testing.T) {
	dir := t.TempDir()
	special := makeSpecial(t, dir)
	for _, env := range []*tools.Env{confined(t, dir, dir), confined(t, dir)} {
		for _, name := range special {
			done := make(chan error, 2)
			go func() {
				_, err := readText(env, name)
				done <- err
				_, err = writeFile(context.Background(), env, WriteIn{Path: name, Content: "x"})
				done <- err
			}()
			for range 2 {
				select {
				case err := <-done:
					if codeOf(err) != tools.Forbidden || !strings.Contains(err.Error(), name) {
						t.Errorf("%s: %v", name, err)
					}
				case <-time.After(10 * time.Second):
					t.Fatalf("%s: still waiting", name)
				}
			}
		}
	}
}
