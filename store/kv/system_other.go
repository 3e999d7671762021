//go:build !linux && !darwin && !windows

package kv

// networkKind knows no network file systems here.
func networkKind(string) string { return "" }
