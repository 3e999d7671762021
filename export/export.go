// Package export writes records to files and folders. Every file appears complete
// or not at all.
package export

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"techo/store"
)

// Backup writes a backup of a store to a file, atomically and durably. It returns
// the number of records and the size in bytes.
func Backup(ctx context.Context, st *store.Store, path string) (records, size int64, err error) {
	err = writeFile(path, func(w io.Writer) error {
		c := &counter{to: w}
		records, err = st.Backup(ctx, c)
		size = c.n
		return err
	})
	return records, size, err
}

// Private atomically writes a file that only its owner can read.
func Private(path string, b []byte) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// Secret atomically writes a value as JSON to a file that only its owner can read, in a
// folder for the owner alone, which it creates if it is missing.
func Secret(path string, value any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return Private(path, b)
}

// counter counts the bytes written through it.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

// Stream atomically writes the output of write to a file that only its owner can
// read.
func Stream(path string, write func(io.Writer) error) error { return writeFile(path, write) }
