package files

import (
	"context"
	"errors"
	"strings"

	"techo/internal/charset"
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
	w := &target{anyForm: true, Edited: Edited{Path: in.Path,
		EditOptions: EditOptions{ExpectedHash: in.ExpectedHash, Encoding: in.Encoding}}}
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
	kept, err := commitAll(ctx, env, insertName, all)
	out.Undoable, out.Notes = kept.ok, append(out.Notes, kept.notes...)
	out.Message += kept.suffix
	return out, err
}

// insertInto computes the content with the inserted lines.
func insertInto(env *tools.Env, w *target, in InsertIn) error {
	if err := w.load(env); err != nil {
		return err
	}
	c, err := w.encoding(env)
	if err != nil {
		return err
	}
	p := newPatchText(newDocument(w.before, c))
	line := in.Line
	if line < 0 {
		line = p.len()
	}
	if line > p.len() {
		e := invalidField(env, "/line", "must be at most %d, the number of lines, not %d", p.len(), line)
		return e.WithHint(env.Hint("Append with -1"))
	}
	var added []hunkLine
	for text := range strings.Lines(in.NewText) {
		added = append(added, hunkLine{op: '+', text: strings.TrimRight(text, "\r\n")})
	}
	with, err := c.Encode(p.added(added, line, line, false))
	if bad := new(charset.UnencodableError); errors.As(err, &bad) {
		if w.guessed { // the guess may be the reason
			return guessedOnly(env, encodingAt(w), w.shown, c)
		}
		return unencodable(env, "/text", bad)
	}
	if err != nil {
		return err
	}
	s := step{{p.inFile(p.starts[line]), 0, with}}
	if e := mayEdit(env, w, c, w.before, s); e != nil {
		return e
	}
	var back step
	w.after, back = s.apply(w.before)
	w.undo, w.n = []step{back}, 1
	w.diff, w.diffCut = unified(w.shown, p.text.String, c.Decode(w.after).String)
	return nil
}
