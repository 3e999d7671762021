//go:build !linux

package lineage

// Of returns the zero Tree. Only Linux shows the ancestors of a process.
func Of(int) Tree { return Tree{} }
