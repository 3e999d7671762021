package sst

import (
	"errors"
	"os"
	"strings"

	"github.com/dgraph-io/badger/v4/table"

	"techo/internal/private"
	"techo/store/kv/disk"
)

// writeDurably writes and syncs a file. The caller syncs its folder.
func writeDurably(data []byte, dir string, names ...string) error {
	f, err := disk.Current.Open(os.O_WRONLY|os.O_CREATE|os.O_TRUNC, dir, names...)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// MakeFolder opens the folder of the tables, and creates it when it is missing.
// The caller makes its entry in the store's folder durable before anything relies
// on it.
func MakeFolder(dir string) (*private.Folder, error) {
	in, err := OpenFolder(dir)
	if !errors.Is(err, os.ErrNotExist) {
		return in, err
	}
	around, err := private.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer around.Close()
	return disk.Current.MakeFolder(around, disk.TablesName)
}

// OpenFolder opens the folder of the tables.
func OpenFolder(dir string) (*private.Folder, error) {
	around, err := private.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer around.Close()
	return around.Folder(disk.TablesName)
}

// Sweep removes the files that are not of these runs. Files in use, which some
// systems do not remove, are left for the next compaction.
func Sweep(in *private.Folder, runs [][]Info) {
	keep := map[string]bool{disk.ManifestName: true, disk.ManifestCopy: true}
	for _, run := range runs {
		for _, i := range run {
			keep[i.Name()], keep[KeysName(i.ID)] = true, true
		}
	}
	disk.SweepFolder(in, disk.IsTableName, keep)
}

// NextTable returns the first id that no table and no key file has. A copy of the
// store may share its files by links, so no existing file is written again.
func NextTable(in *private.Folder) (id uint64, err error) {
	names, err := in.Entries()
	if err != nil {
		return 0, err
	}
	id = 1
	for _, n := range names {
		name := n.Name()
		if number, ok := strings.CutSuffix(name, disk.KeysExt); ok {
			name = number + ".sst"
		}
		if taken, ok := table.ParseFileID(name); ok && taken >= id {
			id = taken + 1
		}
	}
	return id, nil
}
