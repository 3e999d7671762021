package kv

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4/table"
)

// tables reads all tables, the oldest first.
func (r *rescue) tables() error {
	if r.generation == 1 {
		return nil
	}
	infos, err := r.listed()
	if err != nil {
		return err
	}
	slices.SortFunc(infos, func(a, b tableInfo) int { return cmp.Compare(a.id, b.id) })
	for _, i := range infos {
		if err := r.table(i); err != nil {
			return err
		}
	}
	return nil
}

// listed returns the tables in the manifest, in its copy, or in the folder.
func (r *rescue) listed() (infos []tableInfo, err error) {
	runs, err := readManifestRuns(r.dir, manifestName, r.generation)
	if !errors.As(err, new(*CorruptError)) {
		return slices.Concat(runs...), err
	}
	path, damage := filepath.Join(r.dir, tablesName, manifestName), ReasonOf(err)
	if runs, err = readManifestRuns(r.dir, manifestCopy, r.generation); err == nil && r.there(runs) {
		r.found(path, CopyUsed, damage)
		return slices.Concat(runs...), nil
	}
	infos = r.unlisted()
	if len(infos) > 0 || r.generation > 0 {
		r.Unnamed++
		r.found(path, DeletedMayReturn, damage)
	}
	return infos, nil
}

// readManifestRuns returns the runs in a manifest of at least this generation.
func readManifestRuns(dir, name string, generation uint64) ([][]tableInfo, error) {
	m, err := readManifestFile(dir, name)
	if err == nil && m.generation < generation {
		err = corrupt(filepath.Join(dir, tablesName, name), OlderThanJournal)
	}
	return m.runs, err
}

// unlisted returns the tables in the folder, known by their ids only.
func (r *rescue) unlisted() (infos []tableInfo) {
	names, _ := os.ReadDir(filepath.Join(r.dir, tablesName))
	for _, n := range names {
		if id, ok := table.ParseFileID(n.Name()); ok && n.Type().IsRegular() {
			infos = append(infos, tableInfo{id: id})
		}
	}
	return infos
}

// table copies the readable blocks of a table.
func (r *rescue) table(i tableInfo) error {
	t := tableRescue{rescue: r, tableInfo: i, path: filepath.Join(r.dir, tablesName, i.name())}
	data, err := r.read(t.path, tablesName, i.name())
	if errors.Is(err, os.ErrNotExist) || errors.As(err, new(*CorruptError)) {
		r.found(t.path, RecordsLost, reasonOrMissing(err))
		return t.name([][2][]byte{{i.low, i.high}})
	}
	if err != nil {
		return err
	}
	t.data = data
	return t.read()
}
