package transfer

import (
	"context"

	"techo/commands/ingest"
	"techo/commands/line"
	"techo/commands/run"
	"techo/export"
	"techo/store"
	"techo/store/memfile"
	"techo/tools"
)

// exportMemoryFilesCommand writes the files of the memory tool to a folder.
func exportMemoryFilesCommand(s *run.Run) *line.Command {
	about := tools.Tool{
		Command: "export memory-files",
		About:   "Export the files of the memory tool to a folder, or as JSON Lines",
		More: "The folder has the files below /memories of one user, with their paths and their bytes. import " +
			"memory-files reads both forms. Folders without a file are left out. For cron: each run writes only " +
			"changed files, and removes the files of deleted records. A file in the way " +
			"that others created or changed is kept, and the error conflict names it. Files are never " +
			"incomplete, and concurrent runs wait for each other.",
		Effect: tools.Reads,
		Examples: []tools.Example{
			{Does: "The files of one user", Line: "export memory-files --to-dir files --user tanaka"},
			{Does: "A file of JSON Lines", Line: "export memory-files --to files.jsonl"},
		},
	}
	each := func(ctx context.Context, env *tools.Env, st *store.Store, _ exportIn, use func(any) error) error {
		return eachMemoryFile(ctx, env, st, "", lineOfFile, func(_ string, f any) error { return use(f) })
	}
	folder := func(ctx context.Context, env *tools.Env, st *store.Store, _ exportIn, dir string) (
		export.Mirrored, error) {
		return export.MemoryFiles(ctx, st, dir, env.User)
	}
	target := func(in exportIn) (exportIn, string) { return in, "" }
	return exportCommand(s, about, target, folder, each, elsewhere{exportMemoryFilesTool(), export.MemoryFilesFrom})
}

// lineOfFile returns a memory file as a line of JSON Lines.
func lineOfFile(f *memfile.File) any { return ingest.MemoryFile{Path: f.Path, Text: f.Text} }

// eachMemoryFile calls use for the files behind a path, in the order of their paths.
func eachMemoryFile(ctx context.Context, env *tools.Env, st *store.Store, after string,
	record func(*memfile.File) any, use usePlaced) error {
	all, err := memfile.Of(st.Ledger).All(ctx, env.User)
	if err != nil {
		return err
	}
	for i, f := range all {
		if f.Folder || f.Path <= after {
			continue
		}
		if err := use(f.Path, record(&all[i])); err != nil {
			return err
		}
	}
	return nil
}

// exportMemoryFilesTool returns the memory files of the caller, page by page.
func exportMemoryFilesTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "export_memory_files", Command: "memory export",
		HelpCommand: "export memory-files", Effect: tools.Reads, About: "Return a page of all memory files",
		For: tools.Agents},
		func(ctx context.Context, env *tools.Env, in exportPageIn) (out exportPage, err error) {
			st, err := env.Store(ctx, tools.Reads)
			if err != nil {
				return out, err
			}
			record := lineOfFile
			if in.Files {
				record = func(f *memfile.File) any { return export.MemoryFileEntry(*f) }
				out.User = env.User
				if out.Store, err = store.IDOf(ctx, st.Ledger); err != nil {
					return out, err
				}
			}
			err = out.fill(env, func(use usePlaced) error {
				return eachMemoryFile(ctx, env, st, in.After, record, use)
			})
			return out, err
		})
}

// importMemoryFilesCommand imports a folder as files of the memory tool.
func importMemoryFilesCommand(s *run.Run) *line.Command {
	return &line.Command{Streams: true, Tool: tools.Define(tools.Tool{
		Command: "import memory-files",
		About:   "Import a folder as files of the memory tool",
		More: "Each file of the folder and its subfolders becomes a file below /memories, with the same path and " +
			"bytes. It must be a text in UTF-8. A file that exists already with the same text is counted and stays " +
			"unchanged; one with another text is reported and stays, too. Links are reported and not followed. To " +
			"import the statements in the files as memories, use import memories.",
		Effect: tools.Changes,
		Words:  []string{"dir"},
		Examples: []tools.Example{
			{Does: "Import the folder of export memory-files", Line: `import memory-files files`},
			{Does: "All files or none", Line: `import memory-files files --strict`},
		},
	}, func(ctx context.Context, env *tools.Env, in ingest.FileRequest) (ingest.Report, error) {
		address, err := s.ServerAddress()
		if err != nil || address == "" {
			return ingest.MemoryFiles(ctx, env, s.System, in)
		}
		send, err := sender(ctx, s, env, address)
		if err != nil {
			return ingest.Report{}, err
		}
		return ingest.MemoryFilesTo(ctx, env, s.System, in, send)
	})}
}
