//go:build !linux

package main

import "os"

// peakMemory returns 0, which means unknown.
func peakMemory(*os.ProcessState) int64 { return 0 }
