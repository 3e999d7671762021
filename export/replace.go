package export

import (
	"io"
	"io/fs"
	"os"
)

// Replace puts a file in the place of another, or makes it: whoever looks sees
// the old content or the new one, whole. Its mode is set before others than
// its owner can read it.
func Replace(path string, content []byte, mode fs.FileMode) error {
	err := writeFile(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
