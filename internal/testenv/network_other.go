//go:build !linux

package testenv

import "testing"

// Isolated ends the test as Missing does: only Linux has networks of one process.
func Isolated(t *testing.T) bool {
	t.Helper()
	Missing(t, "a network of its own")
	return false
}
