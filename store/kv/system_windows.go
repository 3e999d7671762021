package kv

import (
	"errors"

	"golang.org/x/sys/windows"
)

// readOnlyTables is false where Badger cannot open a database to be read only.
const readOnlyTables = false

// syncFolder does nothing: Windows has no such thing.
func syncFolder(string) error { return nil }

func isNoMemory(err error) bool { return errors.Is(err, windows.ERROR_NOT_ENOUGH_MEMORY) }
