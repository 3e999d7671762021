//go:build !linux

package disk

import "os"

func dropCache(*os.File) {}
