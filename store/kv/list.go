package kv

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dgraph-io/badger/v4/table"
)

// # The list of tables
//
// tables/list.N names the tables of generation N:
//
//	techo tables 1 generation 12
//	0 000031 4194304 4128768 1c291ca3 00…ff 7f…ff
//	sum 89abcdef
//
// A line has the run, the id, the size, where the index begins, the CRC-32C
// from there to the end, and the least and the greatest key. Runs are numbered
// from the newest, the tables of a run follow each other in the order of their
// keys. The sum is that of the lines above.
const listName = "list."

// tableInfo is one line of the list.
type tableInfo struct {
	id        uint64
	size      int64
	tail      int64 // where the index begins
	sum       uint32
	low, high []byte
}

func (i tableInfo) name() string { return table.IDToFilename(i.id) }

func listPath(dir string, generation uint64) string {
	return filepath.Join(dir, tablesName, listName+strconv.FormatUint(generation, 10))
}

// readList reads and checks the list of a generation: the tables of each run,
// the newest run first.
func readList(dir string, generation uint64) (runs [][]tableInfo, err error) {
	path := listPath(dir, generation)
	wrong := func(reason string) error { return &CorruptError{Path: path, Reason: reason} }
	text, err := os.ReadFile(path)
	if st, e := os.Stat(filepath.Dir(path)); errors.Is(err, os.ErrNotExist) || e == nil && !st.IsDir() {
		return nil, wrong("missing")
	}
	if err != nil {
		return nil, err
	}
	at := max(bytes.LastIndex(text, []byte("sum ")), 0)
	if string(text[at:]) != fmt.Sprintf("sum %08x\n", sum(text[:at])) {
		return nil, wrong("wrong checksum")
	}
	lines := strings.Split(strings.TrimSuffix(string(text[:at]), "\n"), "\n")
	if lines[0] != listHead(generation) {
		return nil, wrong("unknown head: " + lines[0])
	}
	for _, line := range lines[1:] {
		run, i, err := parseInfo(line)
		if err != nil || run < len(runs)-1 || run > len(runs) {
			return nil, wrong("unknown line: " + line)
		}
		if run == len(runs) {
			runs = append(runs, nil)
		}
		runs[run] = append(runs[run], i)
	}
	return runs, nil
}

func listHead(generation uint64) string {
	return fmt.Sprintf("techo tables 1 generation %d", generation)
}

func parseInfo(line string) (run int, i tableInfo, err error) {
	f := strings.Split(line, " ")
	if len(f) != 7 {
		return 0, i, errors.New("not seven fields")
	}
	number := func(s string, base int) uint64 {
		n, e := strconv.ParseUint(s, base, 63)
		err = errors.Join(err, e)
		return n
	}
	key := func(s string) []byte {
		b, e := hex.DecodeString(s)
		err = errors.Join(err, e)
		return b
	}
	run = int(number(f[0], 10))
	i = tableInfo{
		id: number(f[1], 10), size: int64(number(f[2], 10)), tail: int64(number(f[3], 10)),
		sum: uint32(number(f[4], 16)), low: key(f[5]), high: key(f[6]),
	}
	if i.tail > i.size {
		err = errors.Join(err, errors.New("an index behind the end"))
	}
	return run, i, err
}

// writeList writes the list of a generation, durably.
func writeList(dir string, generation uint64, runs [][]tableInfo) error {
	b := []byte(listHead(generation) + "\n")
	for n, run := range runs {
		for _, i := range run {
			b = fmt.Appendf(b, "%d %06d %d %d %08x %x %x\n", n, i.id, i.size, i.tail, i.sum, i.low, i.high)
		}
	}
	b = fmt.Appendf(b, "sum %08x\n", sum(b))
	return writeDurably(listPath(dir, generation), b)
}

// writeDurably writes a file that nobody reads before the journal's head says
// so. Its entry in the folder is the caller's to sync.
func writeDurably(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
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
