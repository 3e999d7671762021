// Package export writes what is kept into files, whole or not at all.
package export

import (
	"context"
	"io"

	"techo/store"
)

// Backup writes a backup of a store to a file, which appears when it is whole
// and durable. It returns the number of records and of bytes.
func Backup(ctx context.Context, st *store.Store, path string) (records, size int64, err error) {
	err = writeFile(path, func(w io.Writer) error {
		c := &counter{to: w}
		records, err = st.Backup(ctx, c)
		size = c.n
		return err
	})
	return records, size, err
}

// Private writes a file that only its owner can read, whole or not at all.
func Private(path string, b []byte) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// counter counts what goes through it.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

// File writes a body to a file, which appears when it is whole and durable.
func File(path string, body []byte) error {
	return writeFile(path, func(w io.Writer) error {
		_, err := w.Write(body)
		return err
	})
}
