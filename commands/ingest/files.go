package ingest

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"techo/internal/charset"
	"techo/internal/regular"
	"techo/tools"
)

// folder is a folder of notes or of an export, or one note: on the disk, or in an archive.
type folder struct {
	dir    string               // its path
	packed map[string]*zip.File // by path, if it is an archive
}

// packedPaths returns the paths of an archive's files in the order of a folder.
func (f folder) packedPaths() (all []string) {
	for where := range f.packed {
		all = append(all, where)
	}
	parts := func(where string) []string { return strings.Split(where, string(filepath.Separator)) }
	slices.SortFunc(all, func(a, b string) int { return slices.Compare(parts(a), parts(b)) })
	return all
}

// content is an opened file of an import.
type content struct {
	io.Reader
	io.Closer

	size    int64
	changed time.Time
}

// open opens a file on the disk or in the archive.
func (f folder) open(where string) (content, error) {
	if packed := f.packed[where]; packed != nil {
		return unpack(packed)
	}
	if f.packed != nil {
		return content{}, os.ErrNotExist
	}
	file, st, err := regular.Open(where)
	if err != nil {
		return content{}, err
	}
	return content{file, file, st.Size(), st.ModTime()}, nil
}

// Errors of files in an archive.
var (
	errDamaged   = errors.New("the file is damaged")
	errEncrypted = errors.New("the file is encrypted")
)

// encrypted is the flag of an encrypted file, which the library ignores.
const encrypted = 1

// unpack opens a file of an archive. Reading ends with errDamaged if the file is not as the archive
// says, also if it is larger.
func unpack(f *zip.File) (content, error) {
	if f.Flags&encrypted != 0 {
		return content{}, errEncrypted
	}
	r, err := f.Open()
	if err != nil {
		return content{}, damaged(err)
	}
	return content{&packedReader{r}, r, int64(f.UncompressedSize64), f.Modified}, nil
}

type packedReader struct{ io.Reader }

func (r *packedReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	return n, damaged(err)
}

// damaged returns errDamaged for an error that is not the disk's.
func damaged(err error) error {
	disk := new(fs.PathError)
	if err == nil || err == io.EOF || errors.Is(err, zip.ErrAlgorithm) || errors.As(err, &disk) {
		return err
	}
	return errDamaged
}

// readFile reads a file of at most most bytes; long is true for a larger one.
func (f folder) readFile(where string, most int64) (b []byte, long bool, changed time.Time, err error) {
	c, err := f.open(where)
	if err != nil {
		return nil, false, changed, err
	}
	defer c.Close()
	if c.size > most {
		return nil, true, c.changed, nil
	}
	b, err = io.ReadAll(io.LimitReader(c, most+1)) // it may have grown
	return b, int64(len(b)) > most, c.changed, err
}

// has reports whether the disk or the archive has a regular file.
func (f folder) has(where string) bool {
	if f.packed != nil {
		return f.packed[where] != nil
	}
	st, err := os.Lstat(where)
	return err == nil && st.Mode().IsRegular()
}

// hasConversations reports whether a folder has the conversations of an export.
func (f folder) hasConversations(folder string) bool {
	if f.packed == nil {
		found, err := filepath.Glob(filepath.Join(globbed(folder), "conversations*.json"))
		return err == nil && len(found) > 0
	}
	for where := range f.packed {
		name := filepath.Base(where)
		if filepath.Dir(where) == folder && strings.HasPrefix(name, "conversations") && filepath.Ext(name) == ".json" {
			return true
		}
	}
	return false
}

// globbed returns a pattern that matches a folder alone.
func globbed(folder string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(folder)
}

// decoded returns the text of a note: UTF-8, or another encoding in which no byte is wrong. In one of
// Western Europe no byte can be, so that it proves nothing.
func decoded(b []byte) (string, bool) {
	if utf8.Valid(b) {
		return string(b), true
	}
	c, _ := charset.Detect(b)
	if c == nil || c.Name() == "windows-1252" {
		return "", false
	}
	text := c.Decode(b)
	return text.String, !text.Lossy
}

// fileProblem returns the error for a file that cannot be read.
func fileProblem(env *tools.Env, path string, err error) error {
	if errors.Is(err, regular.ErrNotFile) || errors.As(err, new(*regular.TooLargeError)) {
		return tools.AsError(env, err)
	}
	return env.Fail(tools.Forbidden, "Cannot read %s: %v", path, err)
}
