//go:build unix

package private

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestReadSecret refuses a secret that other users may read or change, and one
// behind a link.
func TestReadSecret(t *testing.T) {
	for _, test := range []struct {
		mode os.FileMode
		link bool
		want Reason // "" is accepted
	}{
		{0o600, false, ""}, {0o400, false, ""}, {0o640, false, Readable}, {0o604, false, Readable},
		{0o620, false, Writable}, {0o600, true, Link},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "secret")
		if err := os.WriteFile(path, []byte("s"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, test.mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		name := "secret"
		if test.link {
			name = "link"
			if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		f, err := OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.ReadSecret(name, 10)
		f.Close()
		refused := new(Error)
		switch {
		case test.want == "" && (err != nil || string(b) != "s"):
			t.Errorf("%v: %q, %v", test, b, err)
		case test.want != "" && (!errors.As(err, &refused) || refused.Reason != test.want):
			t.Errorf("%v: %v", test, err)
		}
	}
}
