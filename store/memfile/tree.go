package memfile

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
)

// Entry is a file, or a folder that was made.
type Entry struct {
	Path   string
	Bytes  int // of a file
	Folder bool
}

// Tree has the files and folders of a user, sorted by path, without texts.
type Tree []Entry

func readTree(tx *ledger.Tx, user string) (t Tree, err error) {
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: sizeKey(user, "")}) {
		if err != nil {
			return nil, err
		}
		_, path, ok := ledger.CutNamed(p.Key)
		n, w := binary.Uvarint(p.Value)
		if !ok || w <= 0 {
			return nil, ledger.Finding(ledger.Unreadable, ledger.KindMemoryFile, string(path), nil)
		}
		t = append(t, Entry{string(path), max(int(n)-1, 0), n == 0})
	}
	return t, nil
}

func (t Tree) find(path string) (int, bool) {
	return slices.BinarySearchFunc(t, path, func(e Entry, path string) int { return cmp.Compare(e.Path, path) })
}

// Has reports whether there is a file or a folder.
func (t Tree) Has(path string) bool {
	_, ok := t.find(path)
	return ok || t.IsFolder(path)
}

// IsFolder reports whether there is a folder.
func (t Tree) IsFolder(path string) bool {
	if path == Root {
		return true
	}
	if i, ok := t.find(path); ok {
		return t[i].Folder
	}
	i, _ := t.find(path + "/")
	return i < len(t) && Below(t[i].Path, path)
}

// In returns what is in a folder at the given depths, from 1, each folder before what is in it. The
// size of a folder is that of all files in it, at any depth.
func (t Tree) In(folder string, depth int) (all []Entry) {
	at := map[string]int{}
	for _, e := range t {
		if !Below(e.Path, folder) {
			continue
		}
		names := strings.Split(e.Path[len(folder)+1:], "/")
		for i := range min(depth, len(names)) {
			path := folder + "/" + strings.Join(names[:i+1], "/")
			place, ok := at[path]
			if !ok {
				place = len(all)
				at[path] = place
				all = append(all, Entry{Path: path, Folder: i+1 < len(names) || e.Folder})
			}
			all[place].Bytes += e.Bytes
		}
	}
	sorting.By(all, func(a, b Entry) int {
		return slices.Compare(strings.Split(a.Path, "/"), strings.Split(b.Path, "/"))
	})
	return all
}

// keys returns the keys of a file, or of a folder and all that is in it.
func (t Tree) keys(user, path string) (keys [][]byte) {
	for _, e := range t {
		if e.Path == path || Below(e.Path, path) {
			keys = append(keys, Key(user, e.Path))
		}
	}
	return keys
}

// Bytes returns the size of all files in a folder.
func (t Tree) Bytes(folder string) (n int) {
	for _, e := range t {
		if Below(e.Path, folder) {
			n += e.Bytes
		}
	}
	return n
}

// fits returns a LimitError if more files, or a text of so many bytes in place of another one, exceed
// a limit.
func (t Tree) fits(bytes, instead, more int) error {
	all := t.Bytes(Root) + bytes - instead
	switch {
	case bytes > MaxFile:
		return &ledger.LimitError{What: "bytes of a memory file", Max: MaxFile, Got: bytes}
	case bytes > instead && all > MaxAll:
		return &ledger.LimitError{What: "bytes of memory files", Max: MaxAll, Got: all}
	case more > 0 && len(t)+more > MaxFiles:
		return &ledger.LimitError{What: "memory files", Max: MaxFiles, Got: len(t) + more}
	}
	return nil
}

func (t Tree) with(e Entry) Tree {
	i, _ := t.find(e.Path)
	return slices.Insert(slices.Clone(t), i, e)
}

// without returns the tree without a path and all below it.
func (t Tree) without(path string) Tree {
	return slices.DeleteFunc(slices.Clone(t), func(e Entry) bool { return e.Path == path || Below(e.Path, path) })
}
