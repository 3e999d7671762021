package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"slices"
)

func sorted(files []file) []file {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return files
}

func (f file) mode() int64 {
	if f.program {
		return 0o755
	}
	return 0o644
}

// tarred returns an archive of files, without compression.
func (r release) tarred(files []file) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range sorted(files) {
		h := &tar.Header{Name: f.name, Mode: f.mode(), Size: int64(len(f.content)), ModTime: r.time,
			Format: tar.FormatUSTAR}
		if f.name[len(f.name)-1] == '/' { // a folder, which the user of an image may write to
			h.Typeflag, h.Mode, h.Uid, h.Gid = tar.TypeDir, 0o700, imageUser, imageUser
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// zipped compresses content with gzip.
func zipped(content []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// tgz returns a compressed archive.
func (r release) tgz(files []file) ([]byte, error) {
	content, err := r.tarred(files)
	if err != nil {
		return nil, err
	}
	return zipped(content)
}

func (r release) zip(files []file) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(0)
		h.CreatorVersion = 3 << 8 // Unix
		h.ExternalAttrs = uint32(0o100000|f.mode()) << 16
		part, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
