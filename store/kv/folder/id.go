package folder

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/lock"
)

// # The id of a store
//
// The file id holds 16 random bytes in hexadecimal and a newline. It identifies
// the store, so that trust in one store does not pass to another one at the same
// path. A restore and a repair keep it. Any other content is replaced by a new id.
const idBytes = 16

// ReadID returns the id of the store in a folder, or "" for a store without one.
// It opens no other file, and so is safe for a store that is not trusted.
func ReadID(dir string) (string, error) {
	f, err := disk.OpenEntry(os.O_RDONLY, dir, disk.IDName)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readID(f)
}

func readID(f *os.File) (string, error) {
	b := make([]byte, 2*idBytes+2) // one byte more than an id
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	id, ok := strings.CutSuffix(string(b[:n]), "\n")
	if !ok || len(id) != 2*idBytes || strings.Trim(id, "0123456789abcdef") != "" {
		return "", nil
	}
	return id, nil
}

// MakeID returns the id of the store in a folder, and creates one when it is
// missing. The id is durable when MakeID returns.
func MakeID(dir string) (string, error) {
	if err := disk.CheckOwner(dir); err != nil {
		return "", err
	}
	id, err := makeID(dir, true, lock.Limit)
	return id, disk.NoSpace(err)
}

// makeID is MakeID without the checks. The lock on the file keeps two processes
// from creating different ids; makeID waits for it for a limited time.
func makeID(dir string, durable bool, limit time.Duration) (id string, err error) {
	f, err := disk.OpenEntry(os.O_RDWR|os.O_CREATE, dir, disk.IDName)
	if err != nil {
		return "", err
	}
	defer f.Close()
	started := time.Now()
	for err = lock.Try(f); errors.Is(err, lock.ErrHeld); err = lock.Try(f) {
		if waited := time.Since(started); waited >= limit {
			return "", &kv.BusyError{Waited: waited}
		}
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		return "", err
	}
	if id, err = readID(f); err != nil {
		return "", err
	}
	if id == "" {
		b := make([]byte, idBytes)
		_, _ = rand.Read(b) // never fails
		id = hex.EncodeToString(b)
		if _, err := f.WriteAt([]byte(id+"\n"), 0); err != nil {
			return "", err
		}
		if err := f.Truncate(int64(len(id) + 1)); err != nil {
			return "", err
		}
	}
	if durable {
		if err := f.Sync(); err != nil {
			return "", err
		}
		err = disk.Current.SyncFolder(filepath.Join(dir, disk.IDName))
	}
	return id, err
}
