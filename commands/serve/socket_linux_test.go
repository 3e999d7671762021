package serve

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"techo/tools"
)

// TestSocketMode checks the mode of a socket all the time while it is created
// without a umask.
func TestSocketMode(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	for range 50 {
		dir := t.TempDir()
		path, done := filepath.Join(dir, "s"), make(chan struct{})
		seen := make(chan fs.FileMode, 1)
		go func() {
			defer close(seen)
			for {
				st, err := os.Lstat(path)
				if err == nil && st.Mode().Perm() != 0o600 {
					seen <- st.Mode()
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		}()
		l, err := listenSocket(t.Context(), &tools.Env{}, path, quiet())
		close(done)
		if err != nil {
			t.Fatal(err)
		}
		if mode, wide := <-seen; wide {
			t.Fatalf("the socket had mode %v", mode)
		}
		l.Close()
	}
}

// TestSocketOneServer starts servers on the path of an abandoned socket at once:
// one of them listens, and the others fail.
func TestSocketOneServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	for range 20 {
		left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err != nil {
			t.Fatal(err)
		}
		left.SetUnlinkOnClose(false)
		left.Close()
		listeners := make(chan net.Listener)
		for range 8 {
			go func() {
				l, err := listenSocket(t.Context(), &tools.Env{}, path, quiet())
				if err != nil && !errors.Is(err, syscall.EADDRINUSE) {
					t.Error(err)
				}
				listeners <- l
			}()
		}
		var won []net.Listener
		for range 8 {
			if l := <-listeners; l != nil {
				won = append(won, l)
			}
		}
		if len(won) != 1 {
			t.Fatalf("%d servers listen on one socket", len(won))
		}
		won[0].Close()
	}
}
