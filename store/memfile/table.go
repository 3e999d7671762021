package memfile

import (
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

var table = &ledger.Table[File, struct{}]{
	Kind: ledger.KindMemoryFile, Records: Records, Indexes: []ledger.Prefix{sizes},
	Key:    func(f *File) []byte { return Key(f.User, f.Path) },
	ID:     func(f *File) string { return f.Path },
	Encode: func(f *File) ([]byte, error) { return ledger.Encode(recordOf(f)) },
	Decode: Decode,
	Index:  func(f *File) []kv.Pair { return []kv.Pair{{Key: sizeKey(f.User, f.Path), Value: f.size()}} },
	Follow: followInSearch, Check: checkIndex, Free: free,
}

// record is the record of a file or a folder; its key has the user and the path.
type record struct {
	Text    string `json:"text"`
	Folder  bool   `json:"folder,omitempty"`
	Created int64  `json:"created"` // milliseconds since 1970
	Updated int64  `json:"updated"`
	Num     uint32 `json:"num,omitempty"` // in the search index
}

func recordOf(f *File) record {
	return record{f.Text, f.Folder, f.CreatedAt.UnixMilli(), f.UpdatedAt.UnixMilli(), f.num}
}

// Decode decodes a record.
func Decode(key, value []byte) (File, error) {
	user, path, ok := ledger.CutNamed(key)
	if !ok || len(path) == 0 {
		return File{}, ledger.Finding(ledger.UnknownKey, ledger.KindMemoryFile, string(key), nil)
	}
	f := File{User: user, Path: string(path)}
	r, err := ledger.DecodeJSON[record](ledger.KindMemoryFile, f.Path, value)
	if err != nil {
		return f, err
	}
	if clean, err := Clean(f.Path); err != nil || clean != f.Path {
		return f, ledger.Finding(ledger.WrongKey, ledger.KindMemoryFile, f.Path, err)
	}
	f.Text, f.Folder, f.num = r.Text, r.Folder, r.Num
	f.CreatedAt, f.UpdatedAt = time.UnixMilli(r.Created), time.UnixMilli(r.Updated)
	return f, nil
}

// free returns an error if an undo must not restore a file: there is something else now, or a file
// where its folder would be.
func free(tx *ledger.Tx, now, before *File) error {
	tree, err := readTree(tx, before.User)
	if err != nil {
		return err
	}
	if now == nil && !before.Folder && tree.Has(before.Path) {
		return taken(before.Path)
	}
	for above := Parent(before.Path); above != ""; above = Parent(above) {
		if tree.Has(above) && !tree.IsFolder(above) {
			return taken(above)
		}
	}
	instead, more := 0, 1
	if now != nil {
		instead, more = len(now.Text), 0
	}
	return tree.fits(len(before.Text), instead, more)
}

// Schema describes the keys of memory files.
func Schema() ledger.Schema {
	s := table.Schema("memory_files")
	s.Recorded = []ledger.Recorded{{
		Kind: ledger.KindMemoryFile, Prefixes: []ledger.Prefix{Records}, Numbers: []string{`,"num":`},
		Local: pathOf, ID: recordID, Describe: describe,
		Current: func(tx *ledger.Tx, owner string, paths []string) ([][]byte, error) {
			return tx.GetMany(ledger.KeysOfIDs(paths, keyOf(owner)))
		},
		Restore: func(tx *ledger.Tx, c ledger.Change) error {
			tx.SetOwner(c.Owner)
			return table.Recorded(keyOf(c.Owner), nil).Restore(tx, c)
		},
	}}
	s.Outdated = func(tx *ledger.Tx) ([]ledger.Refreshing, error) {
		return tx.IfOutdated(index(), refresh)
	}
	return s
}

func keyOf(user string) func(path string) []byte {
	return func(path string) []byte { return Key(ledger.NormalUser(user), path) }
}

func describe(_ *ledger.Tx, path string, value []byte) (title, text string, err error) {
	r, err := ledger.DecodeJSON[record](ledger.KindMemoryFile, path, value)
	d := ledger.Describing(ledger.KindMemoryFile, path)
	d.Field("text", r.Text)
	return path, d.String(), err
}
