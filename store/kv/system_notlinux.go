//go:build !linux

package kv

import "os"

func dropCache(*os.File) {}
