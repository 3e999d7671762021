package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dgraph-io/badger/v4/table"
	"google.golang.org/protobuf/encoding/protowire"

	"techo/internal/private"
)

// # The manifest
//
// The folder tables is a Badger v4 database. Its MANIFEST lists the tables:
//
//	magic    "Bdgr" external version 0 (2) Badger's version 8 (2)
//	length   of the change set, 4 bytes
//	sum      CRC-32C of the change set, 4 bytes
//	change set, a protobuf message
//
//	ManifestChangeSet  1 changes (ManifestChange), 100 generation
//	ManifestChange     1 id, 3 level, 100 size, 101 tail, 102 sum, 103 low,
//	                   104 high, 105 run, 106 version
//
// Badger skips the fields from 100 on. Each change creates a table. Runs are
// numbered from the newest; the tables of a run follow each other in the order
// of their keys. The oldest runs have the levels 6, 5, … 1 of their own, and all
// newer runs share level 0. Badger reads the entry with the highest version,
// wherever it is, and a newer run has a higher version.
//
// Badger appends to its MANIFEST. techo writes a new one beside it, syncs it and
// renames it, so that it has exactly one change set. MANIFEST.copy has the same
// bytes. Only a rescue reads it.
const (
	manifestMagic = "Bdgr\x00\x00\x00\x08"
	lowestLevel   = 6
)

// Field numbers of the manifest's messages.
const (
	fieldChanges    = 1
	fieldGeneration = 100

	fieldID      = 1
	fieldLevel   = 3
	fieldSize    = 100
	fieldTail    = 101
	fieldSum     = 102
	fieldLow     = 103
	fieldHigh    = 104
	fieldRun     = 105
	fieldVersion = 106
)

// manifest is the content of a MANIFEST.
type manifest struct {
	generation uint64        // at least the journal's
	runs       [][]tableInfo // the newest first
}

// tableInfo describes a table.
type tableInfo struct {
	id        uint64
	size      int64
	tail      int64 // offset of the index
	sum       uint32
	low, high []byte // least and greatest key
	version   uint64 // of all entries
}

func (i tableInfo) name() string { return table.IDToFilename(i.id) }

// levelOf returns the level of one of so many runs, counted from the newest.
func levelOf(run, runs int) uint64 {
	if older := runs - 1 - run; older < lowestLevel {
		return uint64(lowestLevel - older)
	}
	return 0
}

func (m manifest) encode() []byte {
	number := func(b []byte, field protowire.Number, value uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), value)
	}
	text := func(b []byte, field protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
	}
	var set []byte
	for n, run := range m.runs {
		for _, i := range run {
			c := number(nil, fieldID, i.id)
			c = number(c, fieldLevel, levelOf(n, len(m.runs)))
			c = number(c, fieldSize, uint64(i.size))
			c = number(c, fieldTail, uint64(i.tail))
			c = number(c, fieldSum, uint64(i.sum))
			c = text(c, fieldLow, i.low)
			c = text(c, fieldHigh, i.high)
			c = number(c, fieldRun, uint64(n))
			c = number(c, fieldVersion, i.version)
			set = text(set, fieldChanges, c)
		}
	}
	set = number(set, fieldGeneration, m.generation)
	b := binary.BigEndian.AppendUint32([]byte(manifestMagic), uint32(len(set)))
	return append(binary.BigEndian.AppendUint32(b, sum(set)), set...)
}

// decodeManifest is the inverse of encode.
func decodeManifest(data []byte) (m manifest, err error) {
	const header = len(manifestMagic) + 8
	if len(data) < header || string(data[:len(manifestMagic)]) != manifestMagic {
		return m, reason(NotManifest)
	}
	set := data[header:]
	switch n := binary.BigEndian.Uint32(data[len(manifestMagic):]); {
	case uint64(n) > uint64(len(set)):
		return m, reason(CutOff, len(data))
	case uint64(n) < uint64(len(set)):
		return m, reason(ChangedByOther)
	case sum(set) != binary.BigEndian.Uint32(data[header-4:]):
		return m, reason(WrongChecksum)
	}
	err = eachField(set, func(field protowire.Number, number uint64, text []byte) error {
		switch field {
		case fieldGeneration:
			m.generation = number
		case fieldChanges:
			return m.addChange(text)
		}
		return nil
	})
	if err == nil && m.generation == 0 {
		err = reason(WrittenByOther)
	}
	return m, err
}

// addChange adds the table of a change.
func (m *manifest) addChange(change []byte) error {
	var i tableInfo
	var run int
	err := eachField(change, func(field protowire.Number, number uint64, text []byte) error {
		switch field {
		case fieldID:
			i.id = number
		case fieldSize:
			i.size = int64(number)
		case fieldTail:
			i.tail = int64(number)
		case fieldSum:
			i.sum = uint32(number)
		case fieldLow:
			i.low = text
		case fieldHigh:
			i.high = text
		case fieldRun:
			run = int(number)
		case fieldVersion:
			i.version = number
		}
		return nil
	})
	if err != nil {
		return err
	}
	if i.size <= 0 || i.tail < 0 || i.tail > i.size || run < len(m.runs)-1 || run > len(m.runs) {
		return reason(UndescribedTable, i.id)
	}
	if run == len(m.runs) {
		m.runs = append(m.runs, nil)
	}
	m.runs[run] = append(m.runs[run], i)
	return nil
}

// eachField calls use for the fields of a protobuf message, with the number of
// a varint or the bytes of a field with a length, which are part of the message.
func eachField(message []byte, use func(field protowire.Number, number uint64, text []byte) error) error {
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		var number uint64
		var text []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			text, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(field, kind, message)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		if err := use(field, number, text); err != nil {
			return err
		}
	}
	return nil
}

// readManifest reads and checks the manifest.
func readManifest(dir string) (manifest, error) { return readManifestFile(dir, manifestName) }

// readManifestFile is readManifest for the manifest or its copy.
func readManifestFile(dir, name string) (m manifest, err error) {
	data, err := readTableEntry(dir, name)
	if err != nil {
		return m, err
	}
	if m, err = decodeManifest(data); err != nil {
		return manifest{}, &CorruptError{filepath.Join(dir, tablesName, name), ReasonOf(err)}
	}
	return m, nil
}

// readTableEntry reads a small file in the folder of the tables. A missing file
// is corruption.
func readTableEntry(dir, name string) ([]byte, error) {
	f, err := openTableEntry(dir, name, os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, corrupt(filepath.Join(dir, tablesName, name), Missing)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const usual = 1 << 16 // bytes at most
	size := int64(0)
	if st, err := f.Stat(); err == nil {
		size = min(st.Size(), usual)
	}
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead)) // else a dozen reads
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// install replaces the manifest and its copy durably. It calls verify last before
// the manifest is renamed. When it has been renamed, either manifest may be in
// place after an error.
func (m manifest) install(in *private.Folder, verify func() error) error {
	if err := m.write(in, manifestCopy); err != nil {
		return err
	}
	if err := m.writeAfter(in, manifestName, verify); err != nil {
		return err
	}
	return disk.syncFolder(filepath.Join(in.Path(), manifestName))
}

// write replaces the manifest or its copy. The caller syncs the folder.
func (m manifest) write(in *private.Folder, name string) error {
	return m.writeAfter(in, name, func() error { return nil })
}

// writeAfter is write with a call of verify last before the file is renamed.
func (m manifest) writeAfter(in *private.Folder, name string, verify func() error) error {
	f, err := disk.createTemp(in, name)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(m.encode()); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := verify(); err != nil {
		return err
	}
	return f.Replace()
}

// createManifest makes an empty folder of tables an empty database, so that
// Badger can open it before the first compaction has ended. The manifest is
// durable before the first table is written.
func createManifest(in *private.Folder) error {
	entries, err := in.Entries()
	if err != nil {
		return err
	}
	listed := false
	for _, e := range entries {
		switch n := e.Name(); {
		case n == manifestName:
			listed = true
		case isTableName(n) && n != manifestCopy && !isManifestDraft(n):
			return nil
		}
	}
	if listed { // the sync of an earlier call may have failed
		return disk.syncFolder(filepath.Join(in.Path(), manifestName))
	}
	if err := disk.syncFolder(in.Path()); err != nil { // the folder may be new as well
		return err
	}
	return manifest{generation: 1}.install(in, func() error { return nil })
}

// manifestGeneration returns the generation of the manifest, 0 when it is
// missing or damaged.
func manifestGeneration(dir string) uint64 {
	m, err := readManifest(dir)
	if err != nil {
		return 0
	}
	return m.generation
}
