package edit

import (
	"context"
	"errors"
	"slices"
	"strings"

	"techo/internal/charset"
	editstore "techo/store/edit"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

// Write is the tool write_file: it writes whole files.
var Write = &tools.Tool{
	Name:    "write_file",
	For:     tools.Agents,
	Command: "fs write",
	About:   "Write a whole file, creating or replacing it",
	Details: "The write is atomic and keeps the file's mode, owner and, if it is certain, encoding; a " +
		"new file is UTF-8. Line ends are taken from the content. Missing folders are created. " +
		"create_only never replaces a file; expected_hash replaces only the version that was " +
		"read.",
	Notes: []tools.Note{
		{Text: "To change part of a file, use %s.", Names: []string{"fs edit"}},
		{Text: "%s undoes the last write.", Names: []string{"fs undo"}},
	},
	Effect:    tools.Changes,
	Forbidden: paths.Forbidden,
	Words:     []string{"path", "content"},
	Examples: []tools.Example{
		{Does: "Create a file", Line: `fs write draft/plan.md "# Plan" --create-only`},
		{Does: "Write standard input", Line: `fs write copy.json - < input.json`},
	},
	Run: tools.Func[WriteIn, WriteOut](writeFile),
}

// WriteIn is the input of write_file.
type WriteIn struct {
	Path         string            `json:"path" minLength:"1" doc:"The path to the file to write" list:"bare"`
	Content      string            `json:"content" doc:"The complete content" list:"bare"`
	ExpectedHash string            `json:"expected_hash,omitempty" doc:"Fail if the file no longer has this hash"`
	CreateOnly   bool              `json:"create_only,omitempty" doc:"Fail if the file exists" list:"bare"`
	Parents      bool              `json:"parents" default:"true" doc:"Create missing folders" list:"bare"`
	Encoding     document.Encoding `json:"encoding,omitempty" doc:"The encoding (default: the file's)" list:"-"`
}

// WriteOut is the result of write_file.
type WriteOut struct {
	Path     string `json:"path"`
	Created  bool   `json:"created"`
	Bytes    int    `json:"bytes"`
	Hash     string `json:"hash"`
	Encoding string `json:"encoding"`

	Normalized []string `json:"normalized,omitempty"` // "path" if the name has another Unicode form
	Folders    []string `json:"created_folders,omitempty"`
	Undoable   bool     `json:"undoable"`
	Notes      []string `json:"notes,omitempty"`
	Message    string   `json:"message"`
}

// Text returns the message and the notes.
func (o WriteOut) Text(*tools.Env) string {
	return strings.Join(slices.Concat([]string{o.Message}, change.FolderLines(o.Folders), o.Notes), "\n")
}

func writeFile(ctx context.Context, env *tools.Env, in WriteIn) (out WriteOut, err error) {
	// Another process may create the file between the check and the write. Then check
	// again.
	for range 10 {
		if out, err = writeOnce(ctx, env, in); !errors.Is(err, change.ErrCreatedMeanwhile) {
			break
		}
	}
	return out, err
}

func writeOnce(ctx context.Context, env *tools.Env, in WriteIn) (out WriteOut, err error) {
	p, err := paths.Locate(env, in.Path)
	if err != nil {
		return out, err
	}
	if p.Normalized {
		in.Path = p.Shown
	}
	var made change.Folders
	defer made.RemoveAfter(env, &err)
	if in.Parents {
		if err := made.MakeFor(env, in.Path, false); err != nil {
			return out, err
		}
	}
	c := &change.Target{Given: in.Path, Encoding: in.Encoding, ExpectedHash: in.ExpectedHash, Change: change.New(p)}
	if c.File, err = p.OpenFile(ctx, env, true); err != nil {
		return out, change.BelowFile(env, p, err)
	}
	defer c.Close()
	if err := checkWrite(env, c, in); err != nil {
		return out, err
	}
	if out, err = encodeWrite(env, c, in); err != nil {
		return out, err
	}
	if p.Normalized {
		out.Normalized = document.RelaxPath.Names()
		out.Notes = append(out.Notes, env.Localize("%s: the name is in another Unicode form (NFC or NFD)", p.Shown))
	}
	if !out.Created && string(c.Before) == string(c.After) {
		return out, nil
	}
	out.Folders = made.Shown(env)
	kept, err := change.Commit(ctx, env, editstore.Edit{Tool: "write_file", Folders: made}, []*change.Target{c})
	kept.Report(&out.Undoable, &out.Notes, &out.Message)
	return out, err
}

// checkWrite refuses an unexpected state of the file, and reads the file.
func checkWrite(env *tools.Env, c *change.Target, in WriteIn) error {
	switch there := c.Opened != nil; {
	case c.Dir == nil:
		return change.MissingFolder(env, c.Shown)
	case !there && in.ExpectedHash != "":
		return c.Missing(env)
	case there && in.CreateOnly:
		return env.Fail(tools.AlreadyExists, "%s already exists", c.Shown).
			WithHint(env.Hint("To replace it, leave out %s", tools.Field("create_only")))
	case !there:
		return nil
	}
	return c.Load(env)
}

// encodeWrite encodes the new content: in the requested encoding, or in the old
// file's, with its byte order mark.
func encodeWrite(env *tools.Env, c *change.Target, in WriteIn) (out WriteOut, err error) {
	out = WriteOut{Path: in.Path, Created: c.Opened == nil}
	to, bom := charset.UTF8(), []byte(nil)
	if old, guessed := charset.Detect(c.Before); old != nil && in.Encoding == "" {
		if guessed && !charset.IsASCII(in.Content) {
			e := c.GuessedOnly(env, old)
			return out, e.WithHint(env.Hint("It looks like %s; set %s to the one that the file is to have, such as utf-8",
				old.Name(), tools.Field("encoding")))
		}
		to = old
		if m := charset.Marked(c.Before); m != nil {
			bom = m.BOM()
		}
	}
	if in.Encoding != "" {
		to = in.Encoding.Charset()
		if strings.HasPrefix(string(in.Encoding), "utf-16") {
			bom = to.BOM()
		}
	}
	text := in.Content
	if bom != nil {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	b, err := to.Encode(text)
	if bad := new(charset.UnencodableError); errors.As(err, &bad) {
		e := tools.InvalidField(env, "/content", "contains %q, which the encoding %s does not have", string(bad.Rune),
			bad.Charset)
		return out, e.WithHint(env.Hint("Write the file in another encoding: utf-8"))
	}
	if err != nil {
		return out, err
	}
	c.Replace(append(bom[:len(bom):len(bom)], b...))
	out.Bytes, out.Hash, out.Encoding = len(c.After), c.Hash(), to.Name()
	out.Message = env.Localize("Successfully wrote %s", in.Path)
	if out.Created {
		out.Message = env.Localize("Successfully created %s", in.Path)
	} else if was, is := document.Newline(string(c.Before)), document.Newline(in.Content); to.Name() == "utf-8" &&
		was != is && was != "none" && is != "none" {
		out.Notes = append(out.Notes, env.Localize("The line ends were %s and are %s now", was, is))
	}
	return out, nil
}
