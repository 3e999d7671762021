package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"techo/commands/system"
	"techo/export"
	"techo/store"
	"techo/store/memfile"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/memory"
)

// FileRequest is the input of the command import memory-files.
type FileRequest struct {
	Dir    string `json:"dir" minLength:"1" doc:"The folder, or a file of JSON Lines; - is stdin"`
	Strict bool   `json:"strict,omitempty" doc:"Import nothing if a file cannot be imported"`
}

func (in FileRequest) request() Request {
	return Request{File: in.Dir, Format: "auto", Strict: in.Strict}
}

// MemoryFile is a line of an export of memory files.
type MemoryFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// MemoryFiles imports the files of a folder as memory files.
func MemoryFiles(ctx context.Context, env *tools.Env, w system.System, in FileRequest) (Report, error) {
	return fileKind().run(ctx, env, w, in.request())
}

// MemoryFilesTo imports them through a server.
func MemoryFilesTo(ctx context.Context, env *tools.Env, w system.System, in FileRequest, send Send) (Report, error) {
	return through(fileKind(), fileTools(), send).run(ctx, env, w, in.request())
}

func fileTools() []*tools.Tool { return fileKind().tools("memory_files", "memory import") }

// fileKind returns the import of memory files, which belong to the user of the call.
func fileKind() kind[memfile.File] {
	return kind[memfile.File]{
		parser: func(env *tools.Env) parser[memfile.File] {
			return func(raw []byte) (memfile.File, int, string) {
				var f MemoryFile
				if err := json.Unmarshal(raw, &f); err != nil || f.Path == "" {
					return memfile.File{}, 0, env.Localize("is not a file as export memory-files writes it")
				}
				return memfile.File{User: env.User, Path: f.Path, Text: f.Text}, len(f.Text), ""
			}
		},
		read: func(s *importSource) {
			s.every = true
			s.split = func(l importLine, use func(importLine) error) error { return use(l) }
			s.note = memoryFileNote
		},
		add: func(ctx context.Context, st *store.Store, files []memfile.File, _ int) (all []result, _ int, err error) {
			done, err := memfile.Of(st.Ledger).Import(ctx, files[0].User, files)
			for _, d := range done {
				all = append(all, result{created: d.Created, err: d.Err})
			}
			return all, 0, err
		},
		refusal: memory.RefusedFile,
		count:   func(env *tools.Env, n int) string { return env.Count(n, "%d memory file", "%d memory files") },
	}
}

// files returns all files of a folder but those of an export itself. A link is an error.
func (s *importSource) files() (all []noteFile, err error) {
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case path == s.dir && err != nil:
			return err
		case err == nil && export.OwnName(filepath.Base(path)) && filepath.Dir(path) == s.dir:
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case err == nil && d.IsDir():
			return nil
		case err == nil && !d.Type().IsRegular():
			err = errSpecial
		}
		all = append(all, noteFile{path, err, err != nil})
		return nil
	})
	return all, err
}

var errSpecial = errors.New("a link or a special file")

// memoryFileNote returns a file as a line of JSON Lines.
func memoryFileNote(n noteText) (lines [][]byte, problem string, err error) {
	line, err := jsontree.Marshal(MemoryFile{memfile.Root + "/" + filepath.ToSlash(n.name), n.text})
	return [][]byte{line}, "", err
}
