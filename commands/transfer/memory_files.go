package transfer

import (
	"context"

	"techo/commands/ingest"
	"techo/commands/line"
	"techo/commands/run"
	"techo/export"
	"techo/tools"
)

type exportFilesIn struct {
	ToDir string `json:"to_dir" minLength:"1" doc:"The folder to update"`
}

func exportMemoryFilesCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "export memory-files",
		About:   "Export the files of the memory tool to a folder",
		More: "The folder has the files below /memories of one user, with their paths and bytes; folders without a " +
			"file are left out. import memory-files reads it. For cron: each run writes only changed files, and " +
			"removes deleted ones. A file in the way that others created or changed is kept, and the error conflict " +
			"names it.",
		Effect: tools.Reads,
		Examples: []tools.Example{
			{Does: "The files of one user", Line: "export memory-files --to-dir files --user tanaka"},
		},
	}, func(ctx context.Context, env *tools.Env, in exportFilesIn) (out exportOut, err error) {
		dir, err := tools.Confined(env, s.System.Path(in.ToDir))
		if err == nil {
			err = notThroughServer(s, env, "export memory-files")
		}
		if err != nil {
			return out, err
		}
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		m, err := export.MemoryFiles(ctx, st, dir, env.User)
		return exported(env, dir, m, err)
	})}
}

func importMemoryFilesCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
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
	}, func(ctx context.Context, env *tools.Env, in ingest.FolderRequest) (ingest.Report, error) {
		if err := notThroughServer(s, env, "import memory-files"); err != nil {
			return ingest.Report{}, err
		}
		return ingest.MemoryFiles(ctx, env, s.System, in)
	})}
}

func notThroughServer(s *run.Run, env *tools.Env, what string) error {
	address, err := s.ServerAddress()
	if err == nil && address != "" {
		err = env.Fail(tools.Unavailable, "%s does not work through a server", what).
			WithHint(env.Hint("Run it on the server"))
	}
	return err
}
