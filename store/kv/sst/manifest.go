package sst

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
	"techo/store/kv"
	"techo/store/kv/disk"
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

// Manifest is the content of a MANIFEST.
type Manifest struct {
	Generation uint64   // at least the journal's
	Runs       [][]Info // the newest first
}

// Info describes a table.
type Info struct {
	ID        uint64
	Size      int64
	Tail      int64 // offset of the index
	Sum       uint32
	Low, High []byte // least and greatest key
	version   uint64 // of all entries
}

func (i Info) Name() string { return table.IDToFilename(i.ID) }

// levelOf returns the level of one of so many runs, counted from the newest.
func levelOf(run, runs int) uint64 {
	if older := runs - 1 - run; older < lowestLevel {
		return uint64(lowestLevel - older)
	}
	return 0
}

func (m Manifest) encode() []byte {
	number := func(b []byte, field protowire.Number, value uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), value)
	}
	text := func(b []byte, field protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
	}
	var set []byte
	for n, run := range m.Runs {
		for _, i := range run {
			c := number(nil, fieldID, i.ID)
			c = number(c, fieldLevel, levelOf(n, len(m.Runs)))
			c = number(c, fieldSize, uint64(i.Size))
			c = number(c, fieldTail, uint64(i.Tail))
			c = number(c, fieldSum, uint64(i.Sum))
			c = text(c, fieldLow, i.Low)
			c = text(c, fieldHigh, i.High)
			c = number(c, fieldRun, uint64(n))
			c = number(c, fieldVersion, i.version)
			set = text(set, fieldChanges, c)
		}
	}
	set = number(set, fieldGeneration, m.Generation)
	b := binary.BigEndian.AppendUint32([]byte(manifestMagic), uint32(len(set)))
	return append(binary.BigEndian.AppendUint32(b, disk.Checksum(set)), set...)
}

func decodeManifest(data []byte) (m Manifest, err error) {
	const header = len(manifestMagic) + 8
	if len(data) < header || string(data[:len(manifestMagic)]) != manifestMagic {
		return m, kv.Because(kv.NotManifest)
	}
	set := data[header:]
	switch n := binary.BigEndian.Uint32(data[len(manifestMagic):]); {
	case uint64(n) > uint64(len(set)):
		return m, kv.Because(kv.CutOff, len(data))
	case uint64(n) < uint64(len(set)):
		return m, kv.Because(kv.ChangedByOther)
	case disk.Checksum(set) != binary.BigEndian.Uint32(data[header-4:]):
		return m, kv.Because(kv.WrongChecksum)
	}
	err = eachField(set, func(field protowire.Number, number uint64, text []byte) error {
		switch field {
		case fieldGeneration:
			m.Generation = number
		case fieldChanges:
			return m.addChange(text)
		}
		return nil
	})
	if err == nil && m.Generation == 0 {
		err = kv.Because(kv.WrittenByOther)
	}
	return m, err
}

func (m *Manifest) addChange(change []byte) error {
	var i Info
	var run int
	err := eachField(change, func(field protowire.Number, number uint64, text []byte) error {
		switch field {
		case fieldID:
			i.ID = number
		case fieldSize:
			i.Size = int64(number)
		case fieldTail:
			i.Tail = int64(number)
		case fieldSum:
			i.Sum = uint32(number)
		case fieldLow:
			i.Low = text
		case fieldHigh:
			i.High = text
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
	if i.Size <= 0 || i.Tail < 0 || i.Tail > i.Size || run < len(m.Runs)-1 || run > len(m.Runs) {
		return kv.Because(kv.UndescribedTable, i.ID)
	}
	if run == len(m.Runs) {
		m.Runs = append(m.Runs, nil)
	}
	m.Runs[run] = append(m.Runs[run], i)
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

// ReadManifest reads and checks the manifest.
func ReadManifest(dir string) (Manifest, error) { return ReadManifestFile(dir, disk.ManifestName) }

// ReadManifestFile is ReadManifest for the manifest or its copy.
func ReadManifestFile(dir, name string) (m Manifest, err error) {
	data, err := readTableEntry(dir, name)
	if err != nil {
		return m, err
	}
	if m, err = decodeManifest(data); err != nil {
		path := filepath.Join(dir, disk.TablesName, name)
		return Manifest{}, &kv.CorruptError{Path: path, Reason: kv.ReasonOf(err)}
	}
	return m, nil
}

// readTableEntry reads a small file in the folder of the tables. A missing file
// is corruption.
func readTableEntry(dir, name string) ([]byte, error) {
	f, err := disk.OpenEntry(os.O_RDONLY, dir, disk.TablesName, name)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, kv.Corrupt(filepath.Join(dir, disk.TablesName, name), kv.Missing)
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

// Install replaces the manifest and its copy durably. It calls verify last before
// the manifest is renamed. When it has been renamed, either manifest may be in
// place after an error.
func (m Manifest) Install(in *private.Folder, verify func() error) error {
	if err := m.write(in, disk.ManifestCopy, func() error { return nil }); err != nil {
		return err
	}
	if err := m.write(in, disk.ManifestName, verify); err != nil {
		return err
	}
	return disk.Current.SyncFolder(filepath.Join(in.Path(), disk.ManifestName))
}

// write replaces the manifest or its copy. It calls verify last before the file is renamed. The caller syncs
// the folder.
func (m Manifest) write(in *private.Folder, name string, verify func() error) error {
	f, err := disk.Current.CreateTemp(in, name)
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
		case n == disk.ManifestName:
			listed = true
		case disk.IsTableName(n) && n != disk.ManifestCopy && !disk.IsManifestDraft(n):
			return nil
		}
	}
	if listed { // the sync of an earlier call may have failed
		return disk.Current.SyncFolder(filepath.Join(in.Path(), disk.ManifestName))
	}
	if err := disk.Current.SyncFolder(in.Path()); err != nil { // the folder may be new as well
		return err
	}
	return Manifest{Generation: 1}.Install(in, func() error { return nil })
}

// ManifestGeneration returns the generation of the manifest, 0 when it is
// missing or damaged.
func ManifestGeneration(dir string) uint64 {
	m, err := ReadManifest(dir)
	if err != nil {
		return 0
	}
	return m.Generation
}
