//go:build !linux && !darwin && !windows

package disk

import "syscall"

// freeOf returns the free bytes of a file system.
func freeOf(st *syscall.Statfs_t) int64 { return int64(uint64(st.Bavail) * uint64(st.Bsize)) }

// NetworkKind knows no network file systems here.
func NetworkKind(string) string { return "" }
