//go:build !linux

package lineage

// SystemUsers reports that this system has one set of users.
func SystemUsers() bool { return true }
