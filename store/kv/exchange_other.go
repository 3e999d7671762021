//go:build !linux

package kv

// exchange swaps two folders.
func exchange(a, b string) error { return swap(a, b) }
