package commands

import (
	"context"

	"techo/commands/ingest"
	"techo/commands/line"
	"techo/commands/run"
	"techo/tools"
)

// importMemoriesCommand imports memories from a file.
func importMemoriesCommand(s *run.Run) *line.Command {
	return &line.Command{Streams: true, Tool: tools.Define(tools.Tool{
		Command: "import memories",
		Aliases: []string{"memory import"},
		About:   "Import memories from a file",
		More: "The file is JSON Lines, a JSON list, the memory.json of an MCP memory server, a Markdown note " +
			"or a folder of notes. A line of JSON Lines is " +
			"{\"full_text\":…,\"caption\":…,\"session\":…,\"created_at\":…,\"id\":…}; only full_text is " +
			"required. Memories that exist already are counted and stay unchanged, so an interrupted import " +
			"can be run again. Invalid lines are reported and skipped. All memories belong to one user (--user).",
		Effect: tools.Changes,
		Words:  []string{"file"},
		Examples: []tools.Example{
			{Does: "Import JSON Lines", Line: `import memories memories.jsonl`},
			{Does: "From stdin, all or nothing", Line: `import memories - --strict < memories.jsonl`},
		},
	}, func(ctx context.Context, env *tools.Env, in ingest.Request) (ingest.Report, error) {
		return ingest.Memories(ctx, env, s.System, in)
	})}
}
