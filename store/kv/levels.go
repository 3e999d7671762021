package kv

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
)

// # The list of tables
//
// tables.N/levels names Badger's tables, so that they can be read without
// opening a Badger database, which costs more than the reading:
//
//	techo tables 1 generation 12
//	6 000031 4194304 4128768 1c291ca3 00…ffff 7f…ffff
//	sum 89abcdef
//
// A line has the level, the id, the size, where the index begins, the CRC-32C
// from there to the end, and the least and the greatest key, in Badger's form.
// The sum is that of the lines above.
const levelsName = "levels"

// tableInfo is one line of the list.
type tableInfo struct {
	level     int
	id        uint64
	size      int64
	tail      int64 // where the index begins
	sum       uint32
	low, high []byte
}

func (i tableInfo) name() string { return table.IDToFilename(i.id) }

// readLevels reads and checks the list of a folder.
func readLevels(path string) (generation uint64, infos []tableInfo, err error) {
	name := filepath.Join(path, levelsName)
	text, err := os.ReadFile(name)
	if st, e := os.Stat(path); errors.Is(err, os.ErrNotExist) || e == nil && !st.IsDir() {
		return 0, nil, &CorruptError{Path: name, Reason: "missing"}
	}
	if err != nil {
		return 0, nil, err
	}
	wrong := func(reason string) error { return &CorruptError{Path: name, Reason: reason} }
	at := bytes.LastIndex(text, []byte("sum "))
	if at < 0 || string(text[at:]) != fmt.Sprintf("sum %08x\n", sum(text[:at])) {
		return 0, nil, wrong("wrong checksum")
	}
	lines := bufio.NewScanner(bytes.NewReader(text[:at]))
	lines.Buffer(nil, 1<<20)
	version := 0
	if lines.Scan(); !scanned(lines.Text(), "techo tables %d generation %d", &version, &generation) || version != 1 {
		return 0, nil, wrong("unknown head")
	}
	for lines.Scan() {
		var i tableInfo
		var low, high string
		if !scanned(lines.Text(), "%d %d %d %d %x %s %s", &i.level, &i.id, &i.size, &i.tail, &i.sum, &low, &high) {
			return 0, nil, wrong("unknown line")
		}
		var e1, e2 error
		i.low, e1 = hex.DecodeString(low)
		i.high, e2 = hex.DecodeString(high)
		if e1 != nil || e2 != nil {
			return 0, nil, wrong("unknown key")
		}
		infos = append(infos, i)
	}
	return generation, infos, lines.Err()
}

func scanned(line, format string, fields ...any) bool {
	n, err := fmt.Sscanf(line, format, fields...)
	return err == nil && n == len(fields)
}

// writeLevels writes the list of a folder.
func writeLevels(path string, generation uint64, infos []tableInfo) error {
	var b strings.Builder
	fmt.Fprintf(&b, "techo tables 1 generation %d\n", generation)
	for _, i := range infos {
		fmt.Fprintf(&b, "%d %06d %d %d %08x %x %x\n", i.level, i.id, i.size, i.tail, i.sum, i.low, i.high)
	}
	fmt.Fprintf(&b, "sum %08x\n", sum([]byte(b.String())))
	return os.WriteFile(filepath.Join(path, levelsName), []byte(b.String()), 0o600)
}

// listTables makes the list of the tables that a Badger database has. What is
// known of tables that it took over is taken from old; of new ones every block
// is checked.
func listTables(path string, old []tableInfo) ([]tableInfo, error) {
	manifest, err := readManifest(path)
	if err != nil {
		return nil, err
	}
	var infos []tableInfo
	for id, m := range manifest.Tables {
		i := tableInfo{level: int(m.Level), id: id}
		if at := slices.IndexFunc(old, func(o tableInfo) bool { return o.id == id }); at >= 0 {
			known := old[at]
			known.level = i.level
			infos = append(infos, known)
			continue
		}
		if err := i.describe(filepath.Join(path, i.name())); err != nil {
			return nil, err
		}
		infos = append(infos, i)
	}
	slices.SortFunc(infos, func(a, b tableInfo) int {
		if a.level != b.level {
			return a.level - b.level
		}
		return bytes.Compare(a.low, b.low)
	})
	return infos, nil
}

func readManifest(path string) (badger.Manifest, error) {
	f, err := os.Open(filepath.Join(path, badger.ManifestFilename))
	if errors.Is(err, os.ErrNotExist) {
		return badger.Manifest{}, &CorruptError{Path: filepath.Join(path, badger.ManifestFilename), Reason: "missing"}
	}
	if err != nil {
		return badger.Manifest{}, err
	}
	defer f.Close()
	manifest, _, err := badger.ReplayManifestFile(f, 0, badgerOptions(path))
	if err != nil {
		err = &CorruptError{Path: f.Name(), Reason: err.Error()}
	}
	return manifest, err
}

// describe reads a new table once, wholly.
func (i *tableInfo) describe(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	// At the end of a table: index, its length, its checksum, that one's length.
	size := len(data)
	i.size = int64(size)
	if size < 8 {
		return &CorruptError{Path: name, Reason: "too short"}
	}
	at := size - 4 - int(binary.BigEndian.Uint32(data[size-4:])) - 4
	if at < 0 || at > size-8 {
		return &CorruptError{Path: name, Reason: "no index"}
	}
	i.tail = int64(at) - int64(binary.BigEndian.Uint32(data[at:]))
	if i.tail < 0 {
		return &CorruptError{Path: name, Reason: "no index"}
	}
	i.sum = sum(data[i.tail:])
	t, err := openTable(name, *i)
	if err != nil {
		return err
	}
	defer t.Close(-1)
	i.low, i.high = bytes.Clone(t.Smallest()), bytes.Clone(t.Biggest())
	if err := t.VerifyChecksum(); err != nil {
		return &CorruptError{Path: name, Reason: err.Error()}
	}
	return nil
}
