package ingest

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"techo/internal/charset"
	"techo/internal/confine"
	"techo/internal/regular"
	"techo/tools"
)

// folder is a folder of notes or of an export, or one note: on the disk, or in an archive.
type folder struct {
	dir    string               // its path
	at     confine.Place        // of dir, or of the archive
	packed map[string]*zip.File // by path, if it is an archive
	told   map[string]bool      // which folders have conversations, as far as it is known
}

// packedPaths returns the paths of an archive's files in the order of a folder.
func (f folder) packedPaths() []string {
	return slices.SortedFunc(maps.Keys(f.packed), func(a, b string) int {
		at := 0
		for at < min(len(a), len(b)) && a[at] == b[at] {
			at++
		}
		switch a, b := a[at:], b[at:]; {
		case strings.HasPrefix(a, separator) && b != "":
			return -1
		case strings.HasPrefix(b, separator) && a != "":
			return 1
		default:
			return strings.Compare(a, b)
		}
	})
}

const separator = string(filepath.Separator)

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
	file, st, err := f.at.Named(where).OpenRegular()
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
	st, err := f.at.Named(where).Lstat()
	return err == nil && st.Mode().IsRegular()
}

// hasConversations reports whether a folder has the conversations of an export.
func (f folder) hasConversations(folder string) bool {
	has, known := f.told[folder]
	if !known {
		has = f.findConversations(folder)
		f.told[folder] = has
	}
	return has
}

func (f folder) findConversations(folder string) bool {
	if f.packed == nil {
		entries, _ := f.at.Named(folder).Entries() // what cannot be listed has none
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return areConversations(e.Name()) })
	}
	for where := range f.packed {
		if filepath.Dir(where) == folder && areConversations(filepath.Base(where)) {
			return true
		}
	}
	return false
}

func areConversations(name string) bool {
	return strings.HasPrefix(name, "conversations") && filepath.Ext(name) == ".json"
}

// decoded returns the text of a note: UTF-8, or another encoding in which no byte is wrong. In one
// of single bytes hardly any can be, so that it proves nothing.
func decoded(b []byte) (string, bool) {
	if utf8.Valid(b) {
		return string(b), true
	}
	c, _ := charset.Detect(b)
	if c == nil || c.OneByte() {
		return "", false
	}
	text := c.Decode(b)
	return text.String, !text.Lossy
}

// fileProblem returns the error for a file that cannot be read.
func fileProblem(env *tools.Env, path string, err error) error {
	if confine.Escapes(err) || errors.Is(err, regular.ErrNotFile) || errors.As(err, new(*regular.TooLargeError)) {
		return tools.AsError(env, err)
	}
	return env.Fail(tools.Forbidden, "Cannot read %s: %v", path, err)
}

// # Archives
//
// ChatGPT and Claude deliver an export as a ZIP archive. It is read like the folder that unpacking it
// makes, under the path that this folder would have, but nothing is written: a name leads nowhere, and
// what the person has said lies in no temporary file.

// An archive may unpack to maxGrowth times its size, or to freeSize bytes. Conversations as JSON and
// notes unpack to less than 20 times theirs; DEFLATE allows 1,032.
const (
	maxGrowth = 200
	freeSize  = 16 << 20
)

// isArchive reports whether a file begins like a ZIP archive.
func isArchive(head []byte) bool {
	return strings.HasPrefix(string(head), "PK\x03\x04") || strings.HasPrefix(string(head), "PK\x05\x06")
}

// openArchive returns the files of a ZIP archive, and how many have the name of another one.
func openArchive(env *tools.Env, f *os.File, file string, size int64) (opened folder, doubled int, err error) {
	archive, err := zip.NewReader(f, size)
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return opened, 0, env.Fail(tools.InvalidInput, "%s is a damaged zip archive", file).
			WithHint(env.Hint("Download or copy it again"))
	}
	if err != nil {
		return opened, 0, fileProblem(env, file, err)
	}
	whole, most := uint64(0), uint64(max(freeSize, maxGrowth*size))
	files := slices.DeleteFunc(archive.File, func(f *zip.File) bool { return !f.Mode().IsRegular() })
	for _, f := range files {
		if whole += min(f.UncompressedSize64, 1<<50); whole > most {
			return opened, 0, env.Fail(tools.LimitExceeded, "%s would unpack to more than %d times its size", file,
				maxGrowth).WithHint(env.Hint("If you trust it, unpack it and import the folder"))
		}
	}
	opened = folder{dir: strings.TrimSuffix(file, filepath.Ext(file)), packed: map[string]*zip.File{}, told: map[string]bool{}}
	names := archiveNames(files)
	if top := onlyFolder(names); top != "" {
		opened.dir = filepath.Join(filepath.Dir(opened.dir), top)
		for i, name := range names {
			names[i] = strings.TrimPrefix(name, top+"/")
		}
	}
	for i, name := range names {
		where := filepath.Join(opened.dir, filepath.FromSlash(name))
		switch {
		case isHidden(name):
		case opened.packed[where] != nil:
			doubled++
		default:
			opened.packed[where] = files[i]
			if t := files[i].Modified; t.Location() == time.UTC { // a clock without its zone
				_, offset := t.In(env.Zone).Zone()
				files[i].Modified = t.Add(-time.Duration(offset) * time.Second)
			}
		}
	}
	return opened, doubled, nil
}

// archiveNames returns the paths of files below the folder that unpacking the archive makes, without
// ".." and in UTF-8.
func archiveNames(files []*zip.File) (names []string) {
	for _, f := range files {
		name, ok := decoded([]byte(f.Name))
		if !ok {
			name = strings.ToValidUTF8(f.Name, "\ufffd")
		}
		names = append(names, strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/"))
	}
	return names
}

// onlyFolder returns the folder that all files of an archive are in, or "".
func onlyFolder(names []string) (folder string) {
	for _, name := range names {
		top, _, below := strings.Cut(name, "/")
		switch {
		case isHidden(name):
		case !below, folder != "" && folder != top:
			return ""
		default:
			folder = top
		}
	}
	return folder
}

// isHidden reports whether a path in an archive has a hidden part, or is what macOS adds.
func isHidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") || strings.HasPrefix(name, "__MACOSX/")
}
