package kv

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// # Format 1
//
// Stores of format 1 have a list of tables instead of a manifest. tables/list.N
// lists the tables of generation N:
//
//	techo tables 1 generation 12
//	0 000031 4194304 4128768 1c291ca3 00…ff 7f…ff
//	sum 89abcdef
//
// A line has the run, the id, the size, the offset of the index, the CRC-32C
// from there to the end, and the least and the greatest key. Runs are numbered
// from the newest. The sum covers the lines above it. tables/list.N.copy has the
// same bytes.
//
// Each value in a table of format 1 follows the CRC-32C of its key and itself.
//
// Such a store is read as it is. The first compaction rewrites all its tables
// in the current format.
const (
	listName = "list."
	listCopy = ".copy"
)

func listPath(dir string, generation uint64) string {
	return filepath.Join(dir, tablesName, listName+strconv.FormatUint(generation, 10))
}

// readList reads and checks the list of a generation: the tables of each run,
// the newest run first.
func readList(dir string, generation uint64) (runs [][]tableInfo, err error) {
	return readListFile(dir, filepath.Base(listPath(dir, generation)), generation)
}

// readListFile is readList for a list or its copy.
func readListFile(dir, name string, generation uint64) (runs [][]tableInfo, err error) {
	wrong := func(code ReasonCode, args ...any) error {
		return corrupt(filepath.Join(dir, tablesName, name), code, args...)
	}
	text, err := readTableEntry(dir, name)
	if err != nil {
		return nil, err
	}
	at := max(bytes.LastIndex(text, []byte("sum ")), 0)
	if string(text[at:]) != fmt.Sprintf("sum %08x\n", sum(text[:at])) {
		return nil, wrong(WrongChecksum)
	}
	lines := strings.Split(strings.TrimSuffix(string(text[:at]), "\n"), "\n")
	if lines[0] != fmt.Sprintf("techo tables 1 generation %d", generation) {
		return nil, wrong(UnknownHeader, lines[0])
	}
	for _, line := range lines[1:] {
		run, i, err := parseInfo(line)
		if err != nil || run < len(runs)-1 || run > len(runs) {
			return nil, wrong(UnknownLine, line)
		}
		if run == len(runs) {
			runs = append(runs, nil)
		}
		runs[run] = append(runs[run], i)
	}
	return runs, nil
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

// unsealValue removes and verifies the checksum in front of a value of format 1.
func unsealValue(key, sealed []byte) (value []byte, ok bool) {
	if len(sealed) < 4 || sum(key, sealed[4:]) != binary.BigEndian.Uint32(sealed) {
		return nil, false
	}
	return sealed[4:], true
}
