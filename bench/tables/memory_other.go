//go:build !linux

package tables

import "os"

// peakMemory returns 0, which means unknown.
func peakMemory(*os.ProcessState) int64 { return 0 }

func forgetPeak() {}
