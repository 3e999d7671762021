//go:build unix

package folder

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"techo/internal/private"
	"techo/internal/testenv"
	"techo/store/kv/disk"
)

// TestModes creates stores under several umasks.
func TestModes(t *testing.T) {
	sh := testenv.Tool(t, "sh")
	for _, umask := range []string{"000", "022", "077"} {
		dir := filepath.Join(t.TempDir(), "store")
		c := startCommand(t, "modes", dir, exec.Command(sh, "-c", "umask "+umask+`; exec "$0"`, os.Args[0]))
		if err := c.Wait(); err != nil {
			t.Fatalf("umask %s: %v: %s", umask, err, c.stderr)
		}
		for path, info := range folderOf(t, dir) {
			want := fs.FileMode(0o600)
			if info.IsDir() {
				want = 0o700
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("umask %s: %s has mode %o", umask, path, got)
			}
		}
	}
}

// TestOthersMayWrite opens up a store and each of its entries to others.
func TestOthersMayWrite(t *testing.T) {
	for _, name := range []string{".", disk.LockName, disk.QueueName, disk.JournalName, disk.JournalKeysName,
		disk.IDName, disk.TablesName} {
		for _, more := range []os.FileMode{0o020, 0o002} {
			t.Run(fmt.Sprintf("%s %o", name, more), func(t *testing.T) {
				dir, _ := mergedStore(t)
				path := filepath.Join(dir, name)
				st, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, st.Mode().Perm()|more); err != nil {
					t.Fatal(err)
				}
				wantRefused(t, dir, private.Writable)
			})
		}
	}
}

// TestOthersStore gives a store, or one of its entries, to another user.
func TestOthersStore(t *testing.T) {
	if os.Getuid() != 0 {
		testenv.Missing(t, "root, to give a folder to another user")
	}
	for _, name := range []string{".", disk.LockName, disk.QueueName, disk.JournalName, disk.JournalKeysName,
		disk.IDName, disk.TablesName} {
		t.Run(name, func(t *testing.T) {
			dir, _ := mergedStore(t)
			if err := os.Chown(filepath.Join(dir, name), 65534, 65534); err != nil {
				t.Fatal(err)
			}
			wantRefused(t, dir, private.Owner)
		})
	}
}
