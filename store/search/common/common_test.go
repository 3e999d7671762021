package common

import (
	"slices"
	"testing"
)

func TestCommonWords(t *testing.T) {
	if !slices.IsSorted(commonWords[:]) {
		t.Error("not in the order of the letters")
	}
}
