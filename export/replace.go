package export

import (
	"io"
	"io/fs"

	"techo/internal/atomicfile"
)

// Replace writes a file atomically. Readers see the old content or the new
// content.
func Replace(path string, content []byte, mode fs.FileMode) error {
	return atomicfile.WritePath(path, atomicfile.Options{Chmod: mode}, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// writeFile writes the output of write to a file that only its owner can read.
func writeFile(path string, write func(io.Writer) error) error {
	return atomicfile.WritePath(path, atomicfile.Options{}, write)
}
