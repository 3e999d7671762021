//go:build !linux

package change

import "os"

// copyAttributes does nothing. Extended attributes are only implemented on Linux.
func copyAttributes(_, _ *os.File) error { return nil }
