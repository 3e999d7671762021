//go:build linux && amd64

package proof

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDatabaseFull fills the disk of a database: writes are refused, reads go on, and
// nothing that was acknowledged is lost.
func TestDatabaseFull(t *testing.T) {
	s := startDatabase(t)
	small := tmpfs(t)
	if err := errors.Join(os.Chmod(filepath.Dir(small.dir), 0o755), s.Give(small.dir)); err != nil {
		t.Fatal(err)
	}
	query(t, s, "CREATE TABLESPACE small LOCATION '"+small.dir+"'", "ALTER ROLE techo SET default_tablespace = small")
	t.Cleanup(func() { _ = s.Kill() }) // it has files open on the disk
	address := filled(t, migrated(t, s.Address("full")))
	small.grow(t, small.free(t)-1<<20)
	memos, full := map[string]string{"ramen": "Tanaka likes ramen"}, false
	for n := 0; n < 200 && !full; n++ {
		name := fmt.Sprint("memo-", n)
		a := techo(t, address, "memo", "add", name, "x", "--priority", "3", "--detail", incompressible())
		if full = a.Code != 0; full {
			wantRefused(t, a, refusal{"no_space", false, []string{"The disk of the database is full", "No space left"}})
		} else {
			memos[name] = "x"
		}
	}
	if !full {
		t.Error("the disk did not become full")
	}
	wantReading(t, address)
	wantMemos(t, address, memos)
	if err := os.Remove(small.ballast); err != nil {
		t.Fatal(err)
	}
	mustTecho(t, address, "memo", "add", "after", "x", "--priority", "3")
	memos["after"] = "x"
	wantMemos(t, address, memos)
	mustTecho(t, address, "store", "verify", "--deep")
}

// incompressible returns a text of some kilobytes.
func incompressible() string {
	var b strings.Builder
	for b.Len() < 4000 {
		b.WriteString(rand.Text())
	}
	return b.String()
}
