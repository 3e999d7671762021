package rescue

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4/table"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/sst"
)

// tables reads all tables, the oldest first.
func (r *Reading) tables() error {
	if r.generation == 1 {
		return nil
	}
	infos, err := r.listed()
	if err != nil {
		return err
	}
	sorting.By(infos, func(a, b sst.Info) int { return cmp.Compare(a.ID, b.ID) })
	for _, i := range infos {
		if err := r.table(i); err != nil {
			return err
		}
	}
	return nil
}

// listed returns the tables in the manifest, in its copy, or in the folder.
func (r *Reading) listed() (infos []sst.Info, err error) {
	runs, err := readManifestRuns(r.dir, disk.ManifestName, r.generation)
	if !errors.As(err, new(*kv.CorruptError)) {
		return slices.Concat(runs...), err
	}
	path, damage := filepath.Join(r.dir, disk.TablesName, disk.ManifestName), kv.ReasonOf(err)
	if runs, err = readManifestRuns(r.dir, disk.ManifestCopy, r.generation); err == nil && r.there(runs) {
		r.found(path, kv.CopyUsed, damage)
		return slices.Concat(runs...), nil
	}
	infos = r.unlisted()
	if len(infos) > 0 || r.generation > 0 {
		r.Unnamed++
		r.found(path, kv.DeletedMayReturn, damage)
	}
	return infos, nil
}

// readManifestRuns returns the runs in a manifest of at least this generation.
func readManifestRuns(dir, name string, generation uint64) ([][]sst.Info, error) {
	m, err := sst.ReadManifestFile(dir, name)
	if err == nil && m.Generation < generation {
		err = kv.Corrupt(filepath.Join(dir, disk.TablesName, name), kv.OlderThanJournal)
	}
	return m.Runs, err
}

// unlisted returns the tables in the folder, known by their ids only.
func (r *Reading) unlisted() (infos []sst.Info) {
	names, _ := os.ReadDir(filepath.Join(r.dir, disk.TablesName))
	for _, n := range names {
		if id, ok := table.ParseFileID(n.Name()); ok && n.Type().IsRegular() {
			infos = append(infos, sst.Info{ID: id})
		}
	}
	return infos
}

// table copies the readable blocks of a table.
func (r *Reading) table(i sst.Info) error {
	t := tableRescue{Reading: r, Info: i, path: filepath.Join(r.dir, disk.TablesName, i.Name())}
	data, err := r.read(t.path, disk.TablesName, i.Name())
	if errors.Is(err, os.ErrNotExist) || errors.As(err, new(*kv.CorruptError)) {
		r.found(t.path, kv.RecordsLost, reasonOrMissing(err))
		return t.name([][2][]byte{{i.Low, i.High}})
	}
	if err != nil {
		return err
	}
	t.data = data
	return t.read()
}
