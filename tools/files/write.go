package files

import (
	"context"
	"errors"
	"slices"
	"strings"

	"techo/internal/charset"
	"techo/store"
	"techo/tools"
)

// Write is the tool write_file: it writes whole files.
var Write = &tools.Tool{
	Name:    "write_file",
	For:     tools.Agents,
	Command: "fs write",
	About:   "Write a whole file, creating or replacing it",
	More: "To change part of a file, use techo fs edit. The write is atomic and keeps the file's mode, owner and, if " +
		"it is certain, encoding; a new file is UTF-8. Line ends are taken from the content. Missing folders are " +
		"created. create_only never " +
		"replaces a file; expected_hash replaces only the version that was read. techo fs undo undoes the last write.",
	Effect:    tools.Changes,
	Forbidden: forbiddenPath,
	Words:     []string{"path", "content"},
	Examples: []tools.Example{
		{Does: "Create a file", Line: `fs write draft/plan.md "# Plan" --create-only`},
		{Does: "Write standard input", Line: `fs write copy.json - < input.json`},
	},
	Run: tools.Func[WriteIn, WriteOut](writeFile),
}

// WriteIn is the input of write_file.
type WriteIn struct {
	Path         string       `json:"path" minLength:"1" doc:"The path to the file to write"`
	Content      string       `json:"content" doc:"The complete content"`
	ExpectedHash string       `json:"expected_hash,omitempty" doc:"Fail if the file no longer has this hash"`
	CreateOnly   bool         `json:"create_only,omitempty" doc:"Fail if the file exists"`
	Parents      bool         `json:"parents" default:"true" doc:"Create missing folders"`
	Encoding     textEncoding `json:"encoding,omitempty" doc:"The encoding (default: the file's)"`
}

// WriteOut is the result of write_file.
type WriteOut struct {
	Path     string   `json:"path"`
	Created  bool     `json:"created"`
	Bytes    int      `json:"bytes"`
	Hash     string   `json:"hash"`
	Encoding string   `json:"encoding"`
	Folders  []string `json:"created_folders,omitempty"`
	Undoable bool     `json:"undoable"`
	Notes    []string `json:"notes,omitempty"`
	Message  string   `json:"message"`
}

// Text returns the message and the notes.
func (o WriteOut) Text(*tools.Env) string {
	return strings.Join(slices.Concat([]string{o.Message}, folderLines(o.Folders), o.Notes), "\n")
}

func writeFile(ctx context.Context, env *tools.Env, in WriteIn) (out WriteOut, err error) {
	// Another process may create the file between the check and the write. Then check
	// again.
	for range 10 {
		if out, err = writeOnce(ctx, env, in); !errors.Is(err, errCreatedMeanwhile) {
			return out, err
		}
	}
	return out, changedMeanwhile(env, in.Path)
}

func writeOnce(ctx context.Context, env *tools.Env, in WriteIn) (out WriteOut, err error) {
	p, err := locate(env, in.Path)
	if err != nil {
		return out, err
	}
	var made newFolders
	defer made.removeAfter(env, &err)
	if in.Parents {
		if err := made.makeFor(env, in.Path, false); err != nil {
			return out, err
		}
	}
	c := &target{given: in.Path, asked: in.Encoding, expectedHash: in.ExpectedHash, change: newChange(p)}
	if c.change.file, err = p.openFile(ctx, env, true); err != nil {
		return out, belowFile(env, p, err)
	}
	defer c.close()
	if err := checkWrite(env, c, in); err != nil {
		return out, err
	}
	if out, err = encodeWrite(env, c, in); err != nil {
		return out, err
	}
	if !out.Created && string(c.before) == string(c.after) {
		return out, nil
	}
	out.Folders = made.shown(env)
	changes := []*change{c.change}
	kept := recordEdit(ctx, env, store.FileEdit{Tool: "write_file", Folders: made}, changes)
	out.Undoable, out.Notes = kept.ok, append(out.Notes, kept.notes...)
	out.Message += kept.suffix
	if err := apply(env, changes); err != nil {
		kept.forget(ctx, err)
		return out, err
	}
	out.Notes = append(out.Notes, notesOf(env, changes)...)
	return out, nil
}

// checkWrite refuses an unexpected state of the file, and reads the file.
func checkWrite(env *tools.Env, c *target, in WriteIn) error {
	switch there := c.change.file.file != nil; {
	case c.dir == nil:
		return missingFolder(env, c.shown)
	case !there && in.ExpectedHash != "":
		return c.missing(env)
	case there && in.CreateOnly:
		return env.Fail(tools.AlreadyExists, "%s already exists", c.shown).
			WithHint(env.Hint("To replace it, leave out --create-only"))
	case !there:
		return nil
	}
	return c.load(env)
}

// encodeWrite encodes the new content: in the requested encoding, or in the old
// file's, with its byte order mark.
func encodeWrite(env *tools.Env, c *target, in WriteIn) (out WriteOut, err error) {
	out = WriteOut{Path: in.Path, Created: c.change.file.file == nil}
	to, bom := charset.UTF8(), []byte(nil)
	if old, guessed := charset.Detect(c.before); old != nil && in.Encoding == "" {
		if guessed && !charset.IsASCII(in.Content) {
			e := c.guessedOnly(env, old)
			return out, e.WithHint(env.Hint("It looks like %s; set --encoding to the one that the file "+
				"is to have, such as utf-8", old.Name()))
		}
		to = old
		if m := charset.Marked(c.before); m != nil {
			bom = m.BOM()
		}
	}
	if in.Encoding != "" {
		to = in.Encoding.charset()
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
	c.replace(append(bom[:len(bom):len(bom)], b...))
	out.Bytes, out.Hash, out.Encoding = len(c.after), c.hash(), to.Name()
	out.Message = env.Localize("Successfully wrote %s", in.Path)
	if out.Created {
		out.Message = env.Localize("Successfully created %s", in.Path)
	} else if was, is := newline(string(c.before)), newline(in.Content); to.Name() == "utf-8" && was != is &&
		was != "none" && is != "none" {
		out.Notes = append(out.Notes, env.Localize("The line ends were %s and are %s now", was, is))
	}
	return out, nil
}
