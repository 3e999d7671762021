//go:build !windows

package system

// Language knows only the locale.
func Language() string { return "" }

// Zone says that this is not Windows.
func Zone() (name string, windows bool) { return "", false }
