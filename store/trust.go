package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"techo/internal/atomicfile"
	"techo/internal/private"
	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/kv/folder"
	"techo/store/ledger"
)

// ID returns the id of the store in a folder, "" without one. It reads nothing
// else.
func ID(dir string) (string, error) { return folder.ReadID(dir) }

// IDOf returns the id of an open store, "" if it was never written. The id of a shared space
// has the space's name as well.
func IDOf(ctx context.Context, s *ledger.Ledger) (string, error) {
	if s.Space != "" {
		id, err := IDOf(ctx, s.Root())
		return id + "/" + s.Space, err
	}
	if f, ok := s.Engine.(kv.Folder); ok {
		return folder.ReadID(f.Folder())
	}
	i, err := s.Engine.Info(ctx)
	return i.ID, err
}

// MakeID returns the id of the store in a folder, and assigns a missing one. It
// fails if another user could control the store.
func MakeID(dir string) (string, error) { return folder.MakeID(dir) }

// Trusted is a store that the person agreed to use at its path. Another store at
// the same path has another id and is not trusted.
type Trusted struct {
	Path string `json:"path"` // absolute, without links
	ID   string `json:"store_id"`
}

// TrustRecords lists the trusted stores.
//
// Each store has its own file in the folder "trusted" of techo's state, named by a
// digest of the store's path. Files appear and disappear in one step, so
// concurrent processes need no lock.
type TrustRecords struct{ state string }

// TrustIn returns the records below a folder of state, such as ~/.local/state.
func TrustIn(state string) TrustRecords { return TrustRecords{state} }

const (
	stateFolder = "techo"
	trustFolder = "trusted"

	trustTempPrefix = "new-"
	trustTempAge    = time.Hour // at which a temporary file counts as abandoned

	maxTrustBytes = 64 << 10 // of a record, which is mostly a path
)

// open opens the folder of the records. It fails with fs.ErrNotExist when
// nothing was ever trusted.
func (r TrustRecords) open() (*private.Folder, error) {
	around, err := private.OpenFolder(filepath.Join(r.state, stateFolder))
	if err != nil {
		return nil, err
	}
	defer around.Close()
	return around.Folder(trustFolder)
}

// make opens the folder of the records and creates it if needed.
func (r TrustRecords) make() (*private.Folder, error) {
	around, err := makeState(r.state)
	if err != nil {
		return nil, err
	}
	defer around.Close()
	return around.MakeFolder(trustFolder)
}

// makeState opens techo's folder in a folder of state, and creates it if needed.
func makeState(state string) (*private.Folder, error) {
	path := filepath.Join(state, stateFolder)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	return private.OpenFolder(path)
}

// trustName returns the file name of the record for a path.
func trustName(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])
}

// isTrustName reports whether trustName returns such names.
func isTrustName(name string) bool {
	return len(name) == 2*sha256.Size && strings.Trim(name, "0123456789abcdef") == ""
}

// Find returns the record for a path; ok is false without one.
func (r TrustRecords) Find(path string) (s Trusted, ok bool, err error) {
	in, err := r.open()
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	defer in.Close()
	s, err = readTrust(in, trustName(path))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	return s, err == nil && s.Path == path, err
}

func readTrust(in *private.Folder, name string) (s Trusted, err error) {
	b, err := in.ReadFile(name, maxTrustBytes)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("%s: %w", filepath.Join(in.Path(), name), err)
	}
	return s, nil
}

// Add records a trusted store and replaces the record of another one at the path.
func (r TrustRecords) Add(s Trusted) error {
	in, err := r.make()
	if err != nil {
		return err
	}
	defer in.Close()
	atomicfile.Sweep(in.Root(), trustTempPrefix, trustTempAge)
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return atomicfile.Write(in.Root(), trustName(s.Path), append(b, '\n'), atomicfile.Options{Prefix: trustTempPrefix})
}

// Remove removes the record for a path; ok is false without one.
func (r TrustRecords) Remove(path string) (ok bool, err error) {
	in, err := r.open()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer in.Close()
	err = in.Remove(trustName(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// All returns all trusted stores in the order of their paths. It skips unreadable
// records, which grant nothing.
func (r TrustRecords) All() ([]Trusted, error) {
	all := []Trusted{}
	in, err := r.open()
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	entries, err := in.Entries()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !isTrustName(e.Name()) {
			continue
		}
		if s, err := readTrust(in, e.Name()); err == nil && trustName(s.Path) == e.Name() {
			all = append(all, s)
		}
	}
	sorting.By(all, func(a, b Trusted) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}
