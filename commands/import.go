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
		About:   "Take in memories from a file",
		More: "A line of JSON lines is {\"full_text\":…,\"caption\":…,\"session\":…,\"created_at\":…,\"id\":…}, " +
			"of which only full_text is required. What is kept already is counted and left as it is, so an import " +
			"that was interrupted is simply run again. A bad line is reported and skipped. Everything becomes the " +
			"memory of one user (--user).",
		Effect: tools.Changes,
		Words:  []string{"file"},
		Examples: []tools.Example{
			{Does: "Take in JSON lines", Line: `import memories memories.jsonl`},
			{Does: "From stdin, all or nothing", Line: `import memories - --strict < memories.jsonl`},
		},
	}, func(ctx context.Context, env *tools.Env, in ingest.Request) (ingest.Report, error) {
		return ingest.Memories(ctx, env, s.System, in)
	})}
}
