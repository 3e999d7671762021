package store

import (
	"os"
	"testing"
)

// damage changes the bytes of a file.
func damage(t *testing.T, path string, do func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, do(b), 0o600); err != nil {
		t.Fatal(err)
	}
}
