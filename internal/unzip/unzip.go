// Package unzip reads ZIP archives, of 4 GB and more, too. The standard library's package, which also
// writes archives and shows them as file systems, adds 80 KB to a program.
package unzip

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"time"
)

// Errors of Files and Open.
var (
	ErrDamaged   = errors.New("the archive is damaged")
	ErrEncrypted = errors.New("the file is encrypted")
	ErrMethod    = errors.New("the file is compressed in an unknown way")
)

// File is a regular file of an archive.
type File struct {
	Name    string // as the archive has it: perhaps not UTF-8, and anything as a path
	Size    int64  // in bytes, as the archive says
	Changed time.Time

	archive io.ReaderAt
	flags   uint16
	method  uint16
	sum     uint32 // CRC-32
	packed  int64
	at      int64 // of the local header
}

// Signatures and sizes of the parts of an archive.
const (
	fileMark, entryMark, endMark, end64Mark, locatorMark = "PK\x03\x04", "PK\x01\x02", "PK\x05\x06", "PK\x06\x06",
		"PK\x06\x07"
	fileSize, entrySize, endSize, end64Size, locatorSize = 30, 46, 22, 56, 20
)

var little = binary.LittleEndian

// Files lists the regular files of an archive of size bytes in its order. Times without a zone are in
// zone.
func Files(archive io.ReaderAt, size int64, zone *time.Location) (all []*File, err error) {
	at, n, err := directory(archive, size)
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if _, err := archive.ReadAt(b, at); err != nil {
		return nil, damaged(err)
	}
	for len(b) > 0 {
		if len(b) < entrySize || string(b[:4]) != entryMark {
			return nil, ErrDamaged
		}
		name, extra := int(little.Uint16(b[28:])), int(little.Uint16(b[30:]))
		whole := entrySize + name + extra + int(little.Uint16(b[32:]))
		if whole > len(b) {
			return nil, ErrDamaged
		}
		f := entry(b[:entrySize], zone)
		f.archive, f.Name = archive, string(b[entrySize:entrySize+name])
		f.extend(b[entrySize+name : entrySize+name+extra])
		if f.at < 0 || f.packed < 0 || f.Size < 0 || f.at > size-f.packed {
			return nil, ErrDamaged
		}
		kind := little.Uint32(b[38:]) >> 28 // of a file on Unix: 8 is regular, 0 unknown
		if unix := b[5] == 3 || b[5] == 19; name > 0 && f.Name[name-1] != '/' && (!unix || kind == 0 || kind == 8) {
			all = append(all, f)
		}
		b = b[whole:]
	}
	return all, nil
}

// damaged returns ErrDamaged for an archive that ends early.
func damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrDamaged
	}
	return err
}

// directory finds the list of an archive's files: where it begins, and its size.
func directory(archive io.ReaderAt, size int64) (at, n int64, err error) {
	tail := make([]byte, min(size, endSize+math.MaxUint16+locatorSize))
	if _, err := archive.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	i := bytes.LastIndex(tail, []byte(endMark))
	if i < 0 || i > len(tail)-endSize || i+endSize+int(little.Uint16(tail[i+endSize-2:])) > len(tail) {
		return 0, 0, ErrDamaged
	}
	n, at = int64(little.Uint32(tail[i+12:])), int64(little.Uint32(tail[i+16:]))
	if l := i - locatorSize; l >= 0 && string(tail[l:l+4]) == locatorMark {
		end := make([]byte, end64Size)
		where := int64(little.Uint64(tail[l+8:]))
		if where < 0 || where > size-end64Size {
			return 0, 0, ErrDamaged
		}
		if _, err := archive.ReadAt(end, where); err != nil {
			return 0, 0, damaged(err)
		}
		if string(end[:4]) != end64Mark {
			return 0, 0, ErrDamaged
		}
		n, at = int64(little.Uint64(end[40:])), int64(little.Uint64(end[48:]))
	}
	if at < 0 || n < 0 || at > size || n > size-at {
		return 0, 0, ErrDamaged
	}
	return at, n, nil
}

// entry reads the fixed part of an entry of the list.
func entry(b []byte, zone *time.Location) *File {
	day, clock := int(little.Uint16(b[14:])), int(little.Uint16(b[12:]))
	return &File{flags: little.Uint16(b[8:]), method: little.Uint16(b[10:]), sum: little.Uint32(b[16:]),
		packed: int64(little.Uint32(b[20:])), Size: int64(little.Uint32(b[24:])), at: int64(little.Uint32(b[42:])),
		Changed: time.Date(1980+day>>9, time.Month(day>>5&15), day&31, clock>>11, clock>>5&63, clock&31*2, 0, zone)}
}

// extend reads the numbers that do not fit into an entry, and the time in UTC.
func (f *File) extend(extra []byte) {
	for len(extra) >= 4 {
		kind, n := little.Uint16(extra), int(little.Uint16(extra[2:]))
		if n > len(extra)-4 {
			return
		}
		field := extra[4 : 4+n]
		extra = extra[4+n:]
		switch {
		case kind == 0x0001:
			for _, number := range []*int64{&f.Size, &f.packed, &f.at} {
				if *number == math.MaxUint32 && len(field) >= 8 {
					*number, field = int64(little.Uint64(field)), field[8:]
				}
			}
		case kind == 0x5455 && n >= 5 && field[0]&1 != 0:
			f.Changed = time.Unix(int64(int32(little.Uint32(field[1:]))), 0)
		}
	}
}

// Open returns the content of a file. It has at most Size bytes, and reading it ends with ErrDamaged
// if it has not exactly these.
func (f *File) Open() (io.Reader, error) {
	head := make([]byte, fileSize)
	if _, err := f.archive.ReadAt(head, f.at); err != nil {
		return nil, damaged(err)
	}
	from := f.at + fileSize + int64(little.Uint16(head[26:])) + int64(little.Uint16(head[28:]))
	packed := io.NewSectionReader(f.archive, from, f.packed)
	switch {
	case string(head[:4]) != fileMark:
		return nil, ErrDamaged
	case f.flags&1 != 0:
		return nil, ErrEncrypted
	case f.method == 0:
		return &content{packed, f.Size, crc32.NewIEEE(), f.sum}, nil
	case f.method == 8:
		return &content{flate.NewReader(packed), f.Size, crc32.NewIEEE(), f.sum}, nil
	}
	return nil, ErrMethod
}

// content checks what it reads.
type content struct {
	in   io.Reader
	left int64
	sum  hash.Hash32
	want uint32
}

// Read reads at most what is left.
func (c *content) Read(b []byte) (n int, err error) {
	if int64(len(b)) > c.left {
		b = b[:c.left]
	}
	if len(b) > 0 {
		n, err = c.in.Read(b)
		c.left -= int64(n)
		_, _ = c.sum.Write(b[:n]) // never fails
	}
	wrong := new(flate.CorruptInputError)
	switch {
	case c.left == 0 && c.sum.Sum32() == c.want:
		return n, io.EOF
	case c.left == 0, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, wrong):
		return n, ErrDamaged
	}
	return n, err
}
