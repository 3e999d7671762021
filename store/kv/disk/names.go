package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"techo/internal/atomicfile"
	"techo/store/kv"
)

// These are the names that techo generates in a store's folder. No other file is
// ever removed.

const (
	JournalName     = "journal"
	JournalKeysName = JournalName + KeysExt
	IDName          = "id"
	LockName        = "lock"
	QueueName       = "queue"
	TablesName      = "tables"
	IgnoreName      = ".gitignore"
	CacheName       = "web" // the folder of cached web pages

	ManifestName = "MANIFEST"
	ManifestCopy = ManifestName + ".copy"
	tableExt     = ".sst"
	KeysExt      = ".keys"
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

// IsOurs reports whether an entry of a store's folder may have this name.
func IsOurs(name string) bool {
	switch name {
	case JournalName, JournalKeysName, IDName, LockName, QueueName, IgnoreName, TablesName, CacheName:
		return true
	}
	return isJournalTemp(name)
}

// isJournalTemp reports whether a journal has this name until it is complete.
func isJournalTemp(name string) bool {
	return atomicfile.IsTemp(name, atomicfile.TempPrefix(JournalName))
}

// Holds reports whether an entry of a store's folder with this name holds data
// that cannot be recreated.
func Holds(name string) bool {
	return IsOurs(name) && name != IgnoreName && name != CacheName && !isJournalTemp(name)
}

// Exists reports whether a folder holds a store. A folder that cannot be read is taken for one,
// and so is a file: opening it reports the reason.
func Exists(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		_, err = os.Stat(dir) // on Windows, ENOTDIR is fs.ErrNotExist
		return !errors.Is(err, fs.ErrNotExist)
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return Holds(e.Name()) })
}

// IsTableName reports whether techo generates this name in the folder of the
// tables.
func IsTableName(name string) bool {
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if name == ManifestName || name == ManifestCopy || IsManifestDraft(name) {
		return true
	}
	rest, ok := strings.CutSuffix(name, tableExt)
	if !ok {
		rest, ok = strings.CutSuffix(name, KeysExt)
	}
	return ok && digits(rest)
}

func IsManifestDraft(name string) bool {
	return atomicfile.IsTemp(name, atomicfile.TempPrefix(ManifestName)) ||
		atomicfile.IsTemp(name, atomicfile.TempPrefix(ManifestCopy))
}

// ForgetCached asks the system to drop the store's files from the page cache, so
// that the next read comes from the disk. It has no effect on some systems; Check
// then reads cached pages.
func ForgetCached(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		ForgetFile(path)
		return nil
	})
}

// ForgetFile is ForgetCached for one file.
func ForgetFile(path string) {
	if f, err := os.Open(path); err == nil {
		dropCache(f)
		f.Close()
	}
}

// NoSpace wraps the system's error for a full disk in ErrNoSpace.
func NoSpace(err error) error {
	if err != nil && IsFull(err) {
		return fmt.Errorf("%w: %w", kv.ErrNoSpace, err)
	}
	return err
}

// CheckLocal fails when a folder, or its nearest existing parent, is on a network
// file system.
func CheckLocal(dir string, kindOf func(string) string) error {
	at := dir
	for filepath.Dir(at) != at {
		if _, err := os.Stat(at); err == nil {
			break
		}
		at = filepath.Dir(at)
	}
	if kind := kindOf(at); kind != "" {
		return &kv.NetworkError{Path: dir, Kind: kind}
	}
	return nil
}
