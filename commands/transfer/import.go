package transfer

import (
	"context"

	"techo/commands/ingest"
	"techo/commands/line"
	"techo/commands/run"
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
