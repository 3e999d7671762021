package files

import (
	"context"
	"strings"

	"techo/store"
	"techo/tools"
)

const insertName = "insert_text"

// Insert is the tool insert_text: it inserts lines into a file.
var Insert = &tools.Tool{
	Name:    insertName,
	For:     tools.Agents,
	Command: "fs insert",
	Aliases: []string{"fs append"},
	About:   "Insert lines into a file",
	More: "The text is inserted after the given line: 0 is the beginning of the file, -1 its end. It becomes lines " +
		"of its own with the file's line ends. techo fs undo undoes it.",
	Effect:    tools.Changes,
	Forbidden: forbiddenPath,
	Words:     []string{"path", "line", "text"},
	Examples: []tools.Example{
		{Does: "Insert a line after the first", Line: `fs insert draft/plan.md 1 "1. Think"`},
		{Does: "Append a line", Line: `fs insert draft/plan.md -1 "2. Write"`},
	},
	Run: tools.Func[InsertIn, EditOut](insertText),
}

// InsertIn is the input of insert_text.
type InsertIn struct {
	Path         string       `json:"path" minLength:"1" doc:"The path to the file"`
	Line         int          `json:"line" minimum:"-1" doc:"Insert after this line; 0 is the beginning, -1 the end"`
	NewText      string       `json:"text" minLength:"1" doc:"The lines to insert"`
	ExpectedHash string       `json:"expected_hash,omitempty" doc:"Fail if the file no longer has this hash"`
	Encoding     textEncoding `json:"encoding,omitempty" doc:"The file's encoding (default: detected)"`
	DryRun       bool         `json:"dry_run,omitempty" doc:"Show what would change without changing it"`
}

func insertText(ctx context.Context, env *tools.Env, in InsertIn) (out EditOut, err error) {
	w := &target{given: in.Path, asked: in.Encoding, expectedHash: in.ExpectedHash, anyForm: true}
	all := []*target{w}
	defer closeAll(all)
	if err := openAll(ctx, env, all, !in.DryRun); err != nil {
		return out, err
	}
	if err := insertInto(env, w, in); err != nil {
		return out, err
	}
	out = edited(env, EditIn{DryRun: in.DryRun}, all)
	if in.DryRun {
		return out, nil
	}
	kept, err := commitAll(ctx, env, store.FileEdit{Tool: insertName}, all)
	out.Undoable, out.Notes = kept.ok, append(out.Notes, kept.notes...)
	out.Message += kept.suffix
	return out, err
}

// insertInto computes the content with the inserted lines.
func insertInto(env *tools.Env, w *target, in InsertIn) error {
	if err := w.load(env); err != nil {
		return err
	}
	c, err := w.charset(env)
	if err != nil {
		return err
	}
	d := newDocument(w.before, c)
	starts := d.lineStarts()
	line, lines := in.Line, len(starts)-1
	if line < 0 {
		line = lines
	}
	if line > lines {
		e := tools.InvalidField(env, "/line", "must be at most %d, the number of lines, not %d", lines, line)
		return e.WithHint(env.Hint("Append with -1"))
	}
	at := starts[line]
	with, e := w.encode(env, c, insertedAt(d, at, in.NewText), "/text")
	if e != nil {
		return e
	}
	s := step{d.splice(at, at, with)}
	if e := w.mayEdit(env, c, w.before, s); e != nil {
		return e
	}
	var back step
	w.after, back = s.apply(w.before)
	w.undo, w.n = []step{back}, 1
	w.compare(d.text.String, c.Decode(w.after).String)
	return nil
}

// insertedAt returns lines with the line ends of an offset in the text. Behind a last line without
// an end, the last of them has none either.
func insertedAt(d *document, at int, lines string) string {
	end := d.newlineAt(at)
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString(strings.TrimRight(line, "\r\n") + end)
	}
	if at > 0 && at == len(d.text.String) && !strings.HasSuffix(d.text.String, "\n") {
		return end + strings.TrimSuffix(b.String(), end)
	}
	return b.String()
}
