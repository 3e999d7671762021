package kv

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"techo/internal/atomicfile"
)

// These are the names that techo generates in a store's folder. No other file is
// ever removed.

const (
	journalName     = "journal"
	journalKeysName = journalName + keysExt
	idName          = "id"
	lockName        = "lock"
	queueName       = "queue"
	tablesName      = "tables"
	ignoreName      = ".gitignore"
	cacheName       = "web" // the folder of cached web pages

	manifestName = "MANIFEST"
	manifestCopy = manifestName + ".copy"
	tableExt     = ".sst"
	keysExt      = ".keys"
)

// IsCacheName reports whether techo generates this name in the folder web: two
// hexadecimal numbers, or the name of a draft.
func IsCacheName(name string) bool {
	id, sum, two := strings.Cut(name, "-")
	if atomicfile.IsTemp(name, CacheTempPrefix) {
		return true
	}
	const hex = "0123456789abcdef"
	return two && len(id) == 32 && len(sum) == 16 && strings.Trim(id, hex) == "" && strings.Trim(sum, hex) == ""
}

// CacheTempPrefix begins the names of files in the folder web while they are
// written; see package atomicfile.
const CacheTempPrefix = "new-"

// isOurs reports whether an entry of a store's folder may have this name.
func isOurs(name string) bool {
	switch name {
	case journalName, journalKeysName, idName, lockName, queueName, ignoreName, tablesName, cacheName:
		return true
	}
	return isJournalTemp(name)
}

// isJournalTemp reports whether a journal has this name until it is complete.
func isJournalTemp(name string) bool {
	return atomicfile.IsTemp(name, atomicfile.TempPrefix(journalName))
}

// Holds reports whether an entry of a store's folder with this name holds data
// that cannot be recreated.
func Holds(name string) bool {
	return isOurs(name) && name != ignoreName && name != cacheName && !isJournalTemp(name)
}

// Exists reports whether a folder holds a store. A folder that cannot be read is taken for one.
func Exists(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return Holds(e.Name()) })
}

// isTableName reports whether techo generates this name in the folder of the
// tables.
func isTableName(name string) bool {
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if name == manifestName || name == manifestCopy || isManifestDraft(name) {
		return true
	}
	rest, ok := strings.CutSuffix(name, tableExt)
	if !ok {
		rest, ok = strings.CutSuffix(name, keysExt)
	}
	return ok && digits(rest)
}

func isManifestDraft(name string) bool {
	return atomicfile.IsTemp(name, atomicfile.TempPrefix(manifestName)) ||
		atomicfile.IsTemp(name, atomicfile.TempPrefix(manifestCopy))
}
