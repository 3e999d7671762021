package folder

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
)

// # A backup
//
// A backup is one consistent state of a key space, in one stream. Numbers are
// big-endian.
//
//	head     "techo backup\n\x00\x00\x00" version(4)
//	chunk    length(4) sum(4) operations, as in the journal; all are puts, in key order
//	end      zero(4) records(8) SHA-256(32) of everything before the digest
//
// A stream without an end, or with data after it, is damaged.
const (
	backupMagic   = "techo backup\n\x00\x00\x00"
	backupVersion = 1
	chunkSize     = 256 << 10
)

// IsBackup reports whether a stream begins as a backup does.
func IsBackup(r io.Reader) bool {
	head := make([]byte, len(backupMagic))
	_, err := io.ReadFull(r, head)
	return err == nil && string(head) == backupMagic
}

// WriteBackup writes one consistent state of an engine and returns its number of
// records.
func WriteBackup(ctx context.Context, e kv.Engine, to io.Writer) (records int64, err error) {
	digest := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(to, digest), 1<<20)
	if _, err := out.Write(binary.BigEndian.AppendUint32([]byte(backupMagic), backupVersion)); err != nil {
		return 0, err
	}
	var chunk []byte
	flush := func() error {
		head := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)))
		_, err := out.Write(append(binary.BigEndian.AppendUint32(head, disk.Checksum(chunk)), chunk...))
		chunk = chunk[:0]
		return err
	}
	err = e.Snapshot(ctx, func(tx kv.Tx) error {
		for p, err := range kv.Pairs(tx, kv.Range{}) {
			if err != nil {
				return err
			}
			chunk = journal.AppendPut(chunk, p.Key, p.Value)
			records++
			if len(chunk) < chunkSize {
				continue
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := flush(); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(chunk) > 0 {
		err = flush()
	}
	if err != nil {
		return 0, err
	}
	end := binary.BigEndian.AppendUint64(make([]byte, 4), uint64(records))
	if _, err := out.Write(end); err != nil {
		return 0, err
	}
	if err := out.Flush(); err != nil {
		return 0, err
	}
	_, err = to.Write(digest.Sum(nil))
	return records, err
}

// errDamaged is returned for a backup that does not read as it was written.
var errDamaged = errors.New("the backup is damaged")

// ReadBackup calls put for each record of a backup and returns their number. An
// error may come after some records were passed on: a caller that must not act on
// a damaged backup reads it twice.
func ReadBackup(from io.Reader, name string, put func(key, value []byte) error) (records int64, err error) {
	r := &backupReader{name: name, in: bufio.NewReaderSize(from, 1<<20), digest: sha256.New()}
	records, err = r.read(put)
	if errors.Is(err, errDamaged) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = kv.Corrupt(name, kv.Incomplete)
	}
	return records, err
}

type backupReader struct {
	name   string
	in     *bufio.Reader
	digest hash.Hash
}

// next reads n bytes and adds them to the digest.
func (r *backupReader) next(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(r.in, b); err != nil {
		return nil, err
	}
	r.digest.Write(b)
	return b, nil
}

func (r *backupReader) read(put func(key, value []byte) error) (records int64, err error) {
	head, err := r.next(len(backupMagic) + 4)
	if err != nil {
		return 0, err
	}
	if string(head[:len(backupMagic)]) != backupMagic {
		return 0, errDamaged
	}
	if v := int(binary.BigEndian.Uint32(head[len(backupMagic):])); v > backupVersion {
		return 0, &kv.VersionError{Path: r.name, Found: v, Known: backupVersion}
	} else if v < backupVersion {
		return 0, errDamaged
	}
	for {
		length, err := r.next(4)
		if err != nil {
			return 0, err
		}
		n := binary.BigEndian.Uint32(length)
		if n == 0 {
			return records, r.end(records)
		}
		if n > chunkSize+kv.MaxValue+kv.MaxKey+64 {
			return 0, errDamaged
		}
		body, err := r.next(int(n) + 4)
		if err != nil {
			return 0, err
		}
		if disk.Checksum(body[4:]) != binary.BigEndian.Uint32(body) {
			return 0, errDamaged
		}
		ok := journal.Operations(body[4:], func(op byte, key, value []byte) {
			if err == nil && op == journal.OpPut {
				records++
				err = put(key, value)
			}
		})
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, errDamaged
		}
	}
}

func (r *backupReader) end(records int64) error {
	count, err := r.next(8)
	if err != nil {
		return err
	}
	want := r.digest.Sum(nil)
	got, err := r.next(len(want))
	if err != nil {
		return err
	}
	if _, err := r.in.ReadByte(); err == nil {
		return errDamaged // data after the end
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(got, want) || int64(binary.BigEndian.Uint64(count)) != records {
		return errDamaged
	}
	return nil
}
