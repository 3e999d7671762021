package memory

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"techo/store/ledger"
	"techo/store/memfile"
	"techo/tools"
)

// Tool answers the commands of the memory tool of Anthropic, memory_20250818. Models know its texts,
// so it has them in no other language.
var Tool = &tools.Tool{
	Name:      "memory",
	For:       tools.Agents,
	Command:   "memory tool",
	ExactVerb: true,
	About:     "Keep files below /memories (Anthropic's memory tool)",
	More: "View the folder /memories before you start a task, and keep progress and knowledge there as you go. " +
		"The files are kept in the store, for one user: search_memory finds them too, and the history has all " +
		"changes. view shows a folder or a file; create makes a new file; str_replace and insert change one; delete " +
		"and rename also take folders.",
	Effect:  tools.Changes,
	InStore: true,
	Words:   []string{"command", "path"},
	Plain:   true,
	Examples: []tools.Example{
		{Does: "Create a file", Line: `memory tool create /memories/team/tanaka.md --file-text "Likes ramen"`},
		{Does: "See all files", Line: `memory tool view /memories -o text`},
		{Does: "Change a text",
			Line: `memory tool str_replace /memories/team/tanaka.md --old-str ramen --new-str soba -o text`},
	},
	When: func(env *tools.Env) *tools.Error {
		if env.Memory.Files {
			return nil
		}
		return env.Fail(tools.Unavailable, "The memory tool is switched off").
			WithHint(env.Hint("Add %s (TECHO_MEMORY_TOOL=1)", tools.Flag("memory-tool")))
	},
	Run: tools.Func[ToolIn, ToolOut](runTool),
}

// ToolIn is the input of memory.
type ToolIn struct {
	Command    string `json:"command" enum:"view,create,str_replace,insert,delete,rename" doc:"What to do"`
	Path       string `json:"path,omitempty" doc:"The file or folder, e.g. /memories/notes.md; not for rename"`
	ViewRange  []int  `json:"view_range,omitempty" maxItems:"2" doc:"view: the first and the last line, -1 is the end"`
	FileText   string `json:"file_text,omitempty" doc:"create: the text of the file"`
	OldStr     string `json:"old_str,omitempty" doc:"str_replace: the text to replace; it must occur once"`
	NewStr     string `json:"new_str,omitempty" doc:"str_replace: the text to put there"`
	InsertLine *int   `json:"insert_line,omitempty" doc:"insert: the line to insert after; 0 is before the first"`
	InsertText string `json:"insert_text,omitempty" doc:"insert: the text to insert"`
	OldPath    string `json:"old_path,omitempty" doc:"rename: the present path"`
	NewPath    string `json:"new_path,omitempty" doc:"rename: the path to be"`
}

// ToolOut is the result of memory, also of a command that could not be done.
type ToolOut struct {
	outcome tools.Code // "" if the command was done

	All     string `json:"text"`
	Message string `json:"message"`
}

// Text returns the text that Anthropic documents.
func (o ToolOut) Text(*tools.Env) string { return o.All }

// Outcome returns the error code of a command that could not be done.
func (o ToolOut) Outcome() tools.Code { return o.outcome }

// answer is the answer of a command. Its message is the first line.
func answer(code tools.Code, text string) ToolOut {
	first, _, _ := strings.Cut(text, "\n")
	return ToolOut{outcome: code, All: text, Message: strings.TrimSuffix(first, ":")}
}

func runTool(ctx context.Context, env *tools.Env, in ToolIn) (out ToolOut, err error) {
	if err := in.complete(env); err != nil {
		return out, err
	}
	paths := []*string{&in.Path}
	if in.Command == "rename" {
		paths = []*string{&in.OldPath, &in.NewPath}
	}
	for _, p := range paths {
		if *p, err = memfile.Clean(*p); err != nil {
			return out, explainFile(env, err)
		}
	}
	effect := tools.Changes
	if in.Command == "view" {
		effect = tools.Reads
	}
	st, err := env.Store(ctx, effect)
	if err != nil {
		return out, err
	}
	text, err := in.run(ctx, memfile.Of(st.Ledger), env.User)
	if code, said := in.failure(err); said != "" {
		return answer(code, said), nil
	}
	if err != nil {
		return out, explainFile(env, err)
	}
	return answer("", text), nil
}

// complete returns an error for an input that lacks a field of its command.
func (in *ToolIn) complete(env *tools.Env) error {
	needed := map[string]bool{"path": in.Path != ""}
	switch in.Command {
	case "rename":
		needed = map[string]bool{"old_path": in.OldPath != "", "new_path": in.NewPath != ""}
	case "str_replace":
		needed["old_str"] = in.OldStr != ""
	case "insert":
		needed["insert_line"] = in.InsertLine != nil
	case "view":
		if len(in.ViewRange) == 1 {
			return tools.InvalidField(env, "/view_range", "needs the first and the last line")
		}
	}
	for _, field := range []string{"path", "old_path", "new_path", "old_str", "insert_line"} {
		if there, asked := needed[field]; asked && !there {
			return tools.InvalidField(env, "/"+field, "is required for %s", in.Command)
		}
	}
	return nil
}

// run carries out a command with clean paths.
func (in *ToolIn) run(ctx context.Context, files memfile.Files, user string) (text string, err error) {
	switch in.Command {
	case "view":
		return in.view(ctx, files, user)
	case "create":
		return "File created successfully at: " + in.Path, files.Create(ctx, user, in.Path, in.FileText)
	case "str_replace":
		err = files.Edit(ctx, user, in.Path, func(old string) (edited string, err error) {
			edited, text, err = replaced(old, in.Path, in.OldStr, in.NewStr)
			return edited, err
		})
		return text, err
	case "insert":
		err = files.Edit(ctx, user, in.Path, func(old string) (string, error) {
			return inserted(old, *in.InsertLine, in.InsertText)
		})
		return "The file " + in.Path + " has been edited.", err
	case "delete":
		return "Successfully deleted " + in.Path, files.Delete(ctx, user, in.Path)
	}
	return "Successfully renamed " + in.OldPath + " to " + in.NewPath,
		files.Rename(ctx, user, in.OldPath, in.NewPath)
}

func (in *ToolIn) view(ctx context.Context, files memfile.Files, user string) (string, error) {
	f, err := files.File(ctx, user, in.Path)
	if err == nil {
		return numberedFile(in.Path, f.Text, in.ViewRange)
	}
	if missing := new(ledger.NotFoundError); !errors.As(err, &missing) {
		return "", err
	}
	tree, err := files.Tree(ctx, user)
	if err == nil && !tree.IsFolder(in.Path) {
		err = &ledger.NotFoundError{Kind: ledger.KindMemoryFile, Name: in.Path}
	}
	return folderText(in.Path, tree), err
}

// failure returns the documented text for an error, "" for one without.
func (in *ToolIn) failure(err error) (code tools.Code, text string) {
	var (
		missing *ledger.NotFoundError
		taken   *ledger.TakenError
		said    *textError
	)
	switch {
	case errors.As(err, &said):
		return said.code, said.text
	case errors.As(err, &missing) && in.Command == "view":
		return tools.NotFound, "The path " + in.Path + " does not exist. Please provide a valid path."
	case errors.As(err, &missing) && in.Command == "str_replace":
		return tools.NotFound, "Error: The path " + in.Path + " does not exist. Please provide a valid path."
	case errors.As(err, &missing):
		return tools.NotFound, "Error: The path " + cmp.Or(in.OldPath, in.Path) + " does not exist"
	case errors.As(err, &taken) && in.Command == "rename" && taken.Name == in.NewPath:
		return tools.AlreadyExists, "Error: The destination " + in.NewPath + " already exists"
	case errors.As(err, &taken) && taken.Name == in.Path:
		return tools.AlreadyExists, "Error: File " + in.Path + " already exists"
	}
	return "", ""
}

// explainFile converts errors of memory files that have no documented text.
func explainFile(env *tools.Env, err error) error {
	var (
		path  *memfile.PathError
		taken *ledger.TakenError
		limit *ledger.LimitError
		root  *memfile.RootError
		in    *memfile.InsideError
	)
	switch {
	case errors.As(err, &path):
		return pathFault(env, path)
	case errors.As(err, &root):
		return env.Fail(tools.Forbidden, "The folder %s itself stays as it is", memfile.Root).
			WithHint(env.Hint("Name a file or a folder in it"))
	case errors.As(err, &in):
		return env.Fail(tools.InvalidInput, "A folder cannot move into itself (path: %s)", in.Path)
	case errors.As(err, &taken):
		return env.Fail(tools.AlreadyExists, "A file is where a folder would be (path: %s)", taken.Name).
			WithHint(env.Hint("Rename that file, or choose another path"))
	case errors.As(err, &limit) && limit.What == "memory files":
		return env.Fail(tools.LimitExceeded, "There are at most %d memory files and folders", limit.Max).
			WithHint(env.Hint("Delete or join some"))
	case errors.As(err, &limit) && limit.What == "bytes of memory files":
		return env.Fail(tools.LimitExceeded, "All memory files have at most %d bytes, this would be %d", limit.Max,
			limit.Got).
			WithHint(env.Hint("Delete or shorten some"))
	case errors.As(err, &limit):
		return env.Fail(tools.LimitExceeded, "A memory file has at most %d bytes, not %d", limit.Max, limit.Got).
			WithHint(env.Hint("Keep it as several files"))
	}
	return Explain(env, err)
}

// RefusedFile explains why an imported file was refused.
func RefusedFile(env *tools.Env, err error) string {
	if differs := new(memfile.DiffersError); errors.As(err, &differs) {
		return env.Localize("%s exists already, with another text", differs.Path)
	}
	if e := new(tools.Error); errors.As(explainFile(env, err), &e) {
		return e.Message
	}
	return err.Error()
}

// pathFault returns the error for a path that is refused.
func pathFault(env *tools.Env, e *memfile.PathError) error {
	example := env.Hint("Use a path such as /memories/notes/tea.md")
	switch e.Reason {
	case memfile.Outside:
		return env.Fail(tools.Forbidden, "The path %q does not begin with /memories", e.Path).WithHint(example)
	case memfile.Climbs:
		return env.Fail(tools.Forbidden, "The path %q would leave /memories", e.Path).WithHint(example)
	case memfile.Long:
		return env.Fail(tools.InvalidInput, "A path has at most %d bytes, and each name in it at most 255",
			memfile.MaxPath)
	}
	return env.Fail(tools.InvalidInput, "The path %q has an invisible character", e.Path).WithHint(example)
}
