package transfer

import (
	"context"

	"techo/commands/ingest"
	"techo/commands/line"
	"techo/commands/run"
	"techo/export"
	"techo/tools"
)

func importMemoriesCommand(s *run.Run) *line.Command {
	return &line.Command{Streams: true, Tool: tools.Define(tools.Tool{
		Command: "import memories",
		Aliases: []string{"memory import"},
		About:   "Import memories from a file",
		More: "The file is JSON Lines, a JSON list, the memory.json of an MCP memory server, the export " +
			"of ChatGPT or Claude, of which what you said is imported, the JSON of mem0, a Markdown " +
			"note, a folder of notes, or a zip archive of any of these. A note has its title and the " +
			"facts of its front matter; its topic is its first tag or else the folder, and its path, " +
			"so that it supersedes what it was before. It is of the time that its front matter or its " +
			"name gives it, else of its file. Links stay in the text; of basic-memory each observation and relation is a memory; of CLAUDE.md, AGENTS.md and the " +
			"like, and of the folder memories of a memory tool, each statement is one, with its " +
			"headings (--whole: the note). What a file does not say any more when it is imported " +
			"again is superseded by what it says instead, or removed. What somebody has removed stays away " +
			"(removed counts it), unless --again is given. A line of JSON Lines is " +
			"{\"full_text\":…,\"caption\":…,\"session\":…,\"created_at\":…,\"id\":…}, perhaps with " +
			"the other fields of an exported memory; only full_text is required. Memories that exist " +
			"already are counted and stay unchanged, so an interrupted import can be run again. " +
			"Invalid lines are reported and skipped. All memories belong to one user (--user) unless " +
			"--all-users is given.",
		Effect:  tools.Changes,
		Sharing: tools.OneSpace,
		Words:   []string{"file"},
		Examples: []tools.Example{
			{Does: "Import JSON Lines", Line: `import memories memories.jsonl`},
			{Does: "Show what an import would do", Line: `import memories memories.jsonl --dry-run`},
			{Does: "Import the export of ChatGPT or Claude as it was delivered", Line: `import memories export.zip`},
			{Does: "From stdin, all or nothing", Line: `import memories - --strict < memories.jsonl`},
		},
	}, func(ctx context.Context, env *tools.Env, in ingest.MemoryRequest) (ingest.Report, error) {
		if in.AllUsers && tools.Space(env) != "" {
			return ingest.Report{}, env.Fail(tools.InvalidInput, "The memories of a shared space belong to the space").
				WithHint(env.Hint("Leave %s out", tools.Flag("all-users")))
		}
		address, err := s.ServerAddress()
		if err != nil || address == "" {
			return ingest.Memories(ctx, env, s.System, in)
		}
		if in.AllUsers {
			return ingest.Report{}, env.Fail(tools.Unavailable, "%s does not work through a server", "all_users").
				WithHint(env.Hint("Each request to a server acts for one user, whom the token decides, so that no " +
					"client writes the memories of others. Run it on the server, or import the memories of each user " +
					"with the user's token"))
		}
		send, err := sender(ctx, s, env, address)
		if err != nil {
			return ingest.Report{}, err
		}
		return ingest.MemoriesTo(ctx, env, s.System, in, send)
	})}
}

func importMemosCommand(s *run.Run) *line.Command {
	return &line.Command{Streams: true, Tool: tools.Define(tools.Tool{
		Command: "import memos",
		Aliases: []string{"memo import"},
		About:   "Import memos from a file or a folder",
		More: "The counterpart of export memos: it reads the folder or a file that export memos wrote, and keeps " +
			"ids and times. It also reads JSON Lines, a JSON list and the output of memo list. A memo is an " +
			"object with name, content and priority, and perhaps tags, detail, id, created_at and updated_at. " +
			"Memos that exist already are counted and stay unchanged. Invalid memos, and those whose name " +
			"belongs to a different memo, are reported and skipped.",
		Effect:  tools.Changes,
		Sharing: tools.OneSpace,
		Words:   []string{"file"},
		Examples: []tools.Example{
			{Does: "Import the folder of export memos", Line: `import memos memos`},
			{Does: "From stdin, all or nothing", Line: `import memos - --strict < memos.jsonl`},
		},
	}, func(ctx context.Context, env *tools.Env, in ingest.MemoRequest) (ingest.Report, error) {
		address, err := s.ServerAddress()
		if err != nil || address == "" {
			return ingest.Memos(ctx, env, s.System, in)
		}
		send, err := sender(ctx, s, env, address)
		if err != nil {
			return ingest.Report{}, err
		}
		return ingest.MemosTo(ctx, env, s.System, in, send)
	})}
}

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
