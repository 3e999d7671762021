package edit

import (
	"context"
	"strings"

	editstore "techo/store/edit"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

const insertName = "insert_text"

// Insert is the tool insert_text: it inserts lines into a file.
var Insert = &tools.Tool{
	Name:    insertName,
	For:     tools.Agents,
	Command: "fs insert",
	Aliases: []string{"fs append"},
	About:   "Insert lines into a file",
	More: "The text is inserted after the given line: 0 is the beginning of the file, -1 its end. " +
		"It becomes lines of its own with the file's line ends.",
	Notes: []tools.Note{
		{Text: "%s undoes it.", Names: []string{"fs undo"}},
	},
	Effect:    tools.Changes,
	Forbidden: paths.Forbidden,
	Words:     []string{"path", "line", "text"},
	Examples: []tools.Example{
		{Does: "Insert a line after the first", Line: `fs insert draft/plan.md 1 "1. Think"`},
		{Does: "Append a line", Line: `fs insert draft/plan.md -1 "2. Write"`},
	},
	Run: tools.Func[InsertIn, EditOut](insertText),
}

// InsertIn is the input of insert_text.
type InsertIn struct {
	Path         string `json:"path" minLength:"1" doc:"The path to the file" list:"bare"`
	Line         int    `json:"line" minimum:"-1" doc:"Insert after this line; 0 is the beginning, -1 the end"`
	NewText      string `json:"text" minLength:"1" doc:"The lines to insert" list:"bare"`
	ExpectedHash string `json:"expected_hash,omitempty" doc:"Fail if the file no longer has this hash"`

	Encoding document.Encoding `json:"encoding,omitempty" doc:"The file's encoding (default: detected)" list:"-"`
	DryRun   bool              `json:"dry_run,omitempty" doc:"Show what would change without changing it" list:"bare"`
}

func insertText(ctx context.Context, env *tools.Env, in InsertIn) (out EditOut, err error) {
	w := &change.Target{Given: in.Path, Encoding: in.Encoding, ExpectedHash: in.ExpectedHash}
	all := []*change.Target{w}
	defer change.CloseAll(all)
	if err := change.OpenAll(ctx, env, all, !in.DryRun); err != nil {
		return out, err
	}
	if err := insertInto(env, w, in); err != nil {
		return out, err
	}
	out = edited(env, EditIn{DryRun: in.DryRun}, all)
	if in.DryRun {
		return out, nil
	}
	kept, err := change.Commit(ctx, env, editstore.Edit{Tool: insertName}, all)
	kept.Report(&out.Undoable, &out.Notes, &out.Message)
	return out, err
}

// insertInto computes the content with the inserted lines.
func insertInto(env *tools.Env, w *change.Target, in InsertIn) error {
	if err := w.Load(env); err != nil {
		return err
	}
	c, err := w.Charset(env)
	if err != nil {
		return err
	}
	d := document.New(w.Before, c)
	starts := d.LineStarts()
	line, lines := in.Line, len(starts)-1
	if line < 0 {
		line = lines
	}
	if line > lines {
		e := tools.InvalidField(env, "/line", "must be at most %d, the number of lines, not %d", lines, line)
		return e.WithHint(env.Hint("Append with -1"))
	}
	at := starts[line]
	with, e := w.Encode(env, c, insertedAt(d, at, in.NewText), "/text")
	if e != nil {
		return e
	}
	s := document.Step{d.Splice(at, at, with)}
	if e := w.MayEdit(env, c, w.Before, s); e != nil {
		return e
	}
	var back document.Step
	w.After, back = s.Apply(w.Before)
	w.Undo, w.Count = []document.Step{back}, 1
	w.Compare(d.Text.String, c.Decode(w.After).String)
	return nil
}

// insertedAt returns lines with the line ends of an offset in the text. Behind a last line without
// an end, the last of them has none either.
func insertedAt(d *document.Document, at int, lines string) string {
	end := d.NewlineAt(at)
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString(strings.TrimRight(line, "\r\n") + end)
	}
	if at > 0 && at == len(d.Text.String) && !strings.HasSuffix(d.Text.String, "\n") {
		return end + strings.TrimSuffix(b.String(), end)
	}
	return b.String()
}
