//go:build !linux

package disk

import "os"

func dropCache(*os.File) {}

// DropMapped does nothing here: these systems take mapped pages back by themselves.
func DropMapped([]byte) {}
