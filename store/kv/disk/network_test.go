package disk

import (
	"errors"
	"path/filepath"
	"testing"

	"techo/store/kv"
)

// TestLocalPlace asks about the nearest folder that is there.
func TestLocalPlace(t *testing.T) {
	dir := t.TempDir()
	mounted := func(path string) string {
		if path == dir {
			return "nfs"
		}
		return ""
	}
	for _, place := range []string{dir, filepath.Join(dir, "a"), filepath.Join(dir, "a", "b")} {
		var e *kv.NetworkError
		if err := CheckLocal(place, mounted); !errors.As(err, &e) || e.Kind != "nfs" || e.Path != place {
			t.Errorf("%s: %v", place, err)
		}
	}
	if err := CheckLocal(filepath.Dir(dir), mounted); err != nil {
		t.Error(err)
	}
	if kind := NetworkKind(dir); kind != "" {
		t.Errorf("the temporary folder is said to lie on %s", kind)
	}
}
