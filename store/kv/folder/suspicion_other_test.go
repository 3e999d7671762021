//go:build !linux

package folder

import "testing"

func cachedPages(*testing.T, string, func(string)) int { return 0 }
