package ingest

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"techo/tools"
)

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
	opened = folder{strings.TrimSuffix(file, filepath.Ext(file)), map[string]*zip.File{}}
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
