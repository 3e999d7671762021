package ingest

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"unicode/utf8"

	"techo/commands/system"
	"techo/export"
	"techo/internal/confine"
	"techo/store/ledger"
	"techo/store/memfile"
	"techo/tools"
	"techo/tools/memory"
)

// FolderRequest is the input of the command import memory-files.
type FolderRequest struct {
	Dir    string `json:"dir" minLength:"1" doc:"The folder" list:"bare"`
	Strict bool   `json:"strict,omitempty" doc:"Import nothing if a file cannot be imported"`
}

// MemoryFiles imports the files of a folder as memory files, in one change.
func MemoryFiles(ctx context.Context, env *tools.Env, w system.System, in FolderRequest) (out Report, err error) {
	at, err := tools.Confined(env, w.Path(in.Dir))
	if err != nil {
		return out, err
	}
	dir := at.Full()
	if st, err := at.Stat(); err != nil || !st.IsDir() {
		return out, env.Fail(tools.NotFound, "There is no such folder: %s", dir).
			WithHint(env.Hint("Check the path"))
	}
	read := folderFiles{env: env, dir: dir, at: at, out: Report{Errors: []importError{}}}
	if err := at.Walk(read.visit); err != nil {
		return out, fileProblem(env, dir, err)
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	err = st.Group(ctx, func(ctx context.Context) error {
		out = read.out // without the results of an earlier run
		out.Errors = append([]importError{}, out.Errors...)
		done, err := memfile.Of(st.Ledger).Import(ctx, env.User, read.files)
		for i, d := range done {
			switch {
			case d.Err != nil:
				file := noteName(memfile.Root, read.files[i].Path)
				out.skip(place{out.Skipped + 1, file}, memory.RefusedFile(env, d.Err))
			case d.Created:
				out.Imported++
			default:
				out.Existing++
			}
		}
		if in.Strict && out.Skipped > 0 {
			return cmp.Or(err, errBadLine)
		}
		return err
	})
	if errors.Is(err, errBadLine) {
		return Report{}, out.nothing(env)
	}
	out.finish(env, env.Count(out.Imported, "%d memory file", "%d memory files"), nil)
	return out, err
}

// folderFiles are the files of a folder as memory files.
type folderFiles struct {
	env   *tools.Env
	dir   string
	at    confine.Place
	files []memfile.File
	bytes int
	out   Report // with what cannot be read
}

// visit reads a file, unless it keeps an export. It follows no link.
func (r *folderFiles) visit(path string, d fs.DirEntry, err error) error {
	name := noteName(r.dir, path)
	switch {
	case path == r.dir:
		return err
	case err == nil && export.OwnName(name) && d.IsDir():
		return filepath.SkipDir
	case err == nil && (export.OwnName(name) || d.IsDir()):
		return nil
	}
	text, why := "", ""
	switch {
	case err != nil:
	case !d.Type().IsRegular():
		why = r.env.Localize("is a link or a special file")
	default:
		text, err = r.read(path)
	}
	limit := new(ledger.LimitError)
	switch {
	case errors.As(err, &limit):
		why = memory.RefusedFile(r.env, limit)
	case err != nil:
		why = r.env.Localize("cannot be read: %v", err)
	case why == "" && !utf8.ValidString(text):
		why = r.env.Localize("is not valid UTF-8")
	}
	if why != "" {
		r.out.skip(place{r.out.Skipped + 1, name}, why)
		return nil
	}
	r.bytes += len(text)
	r.files = append(r.files, memfile.File{Path: memfile.Root + "/" + name, Text: text})
	return nil
}

// read reads a file, unless the store could not have it.
func (r *folderFiles) read(path string) (string, error) {
	at := r.at.Named(path)
	st, err := at.Lstat()
	switch {
	case err != nil:
		return "", err
	case st.Size() > memfile.MaxFile:
		return "", &ledger.LimitError{What: "bytes of a memory file", Max: memfile.MaxFile, Got: int(st.Size())}
	case r.bytes+int(st.Size()) > memfile.MaxAll:
		return "", &ledger.LimitError{What: "bytes of memory files", Max: memfile.MaxAll, Got: r.bytes + int(st.Size())}
	case len(r.files) >= memfile.MaxFiles:
		return "", &ledger.LimitError{What: "memory files", Max: memfile.MaxFiles, Got: len(r.files) + 1}
	}
	b, err := at.Read(memfile.MaxFile)
	return string(b), err
}
