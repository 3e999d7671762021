//go:build !linux

package kv

import "testing"

func cachedPages(*testing.T, string, func(string)) int { return 0 }
