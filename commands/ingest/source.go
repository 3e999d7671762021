package ingest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"techo/commands/system"
	"techo/tools"
)

// importSource is a file, a folder of notes or stdin.
type importSource struct {
	Env    *tools.Env
	Reader io.Reader
	dir    string // instead of a reader: a folder of notes, or one note
	Format string
	size   int64 // 0 if unknown
	closer func() error

	exports bool // files of JSON in a folder of an export are read, too

	// allUsers gives notes of an exported folder to the user of the folder.
	allUsers bool

	whole    bool            // notes stay whole
	allTurns bool            // also what the assistant said in a conversation
	left     map[string]int  // what is left out, by the reason
	first    string          // the first user that a memory of mem0 names
	told     map[string]bool // what the person has told ChatGPT for all conversations

	// split passes the records of a line to use, each as a line of its own.
	split func(l importLine, use func(importLine) error) error
	// note returns the records of a Markdown note as lines, or why it has none.
	note func(n noteText) (lines [][]byte, problem string, err error)
}

func (s *importSource) close() {
	if s.closer != nil {
		_ = s.closer() // it was only read from
	}
}

// openSource opens the file to import.
func openSource(w system.System, env *tools.Env, in Request) (*importSource, error) {
	wrong := func(message tools.Text) error {
		e := env.Fail(tools.InvalidInput, message)
		e.Details = []tools.Detail{{Path: "/format", Message: e.Message}}
		return e
	}
	if in.File == "-" && in.Format == "markdown" {
		return nil, wrong("Notes cannot be read from stdin: name a note or a folder")
	}
	if in.File == "-" {
		return &importSource{Env: env, Reader: w.Stdin, Format: in.Format}, nil
	}
	path, err := tools.Confined(env, w.Path(in.File))
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, env.Fail(tools.NotFound, "There is no such file: %s", path).
			WithHint(env.Hint("Check the path; - reads stdin"))
	case err != nil:
		return nil, fileProblem(env, path, err)
	case st.IsDir() && in.Format != "auto" && in.Format != "markdown":
		return nil, wrong("A folder must contain Markdown notes: leave --format out")
	case st.IsDir() || in.Format == "markdown" || in.Format == "auto" && isMarkdown(path):
		return &importSource{Env: env, dir: path, Format: in.Format}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileProblem(env, path, err)
	}
	if e := noJSON(env, f, path, in.Format); e != nil {
		_ = f.Close()
		return nil, e
	}
	return &importSource{Env: env, Reader: f, Format: in.Format, size: st.Size(), closer: f.Close}, nil
}

// noJSON returns the error for a file that is not JSON from its first byte on, and whose name does
// not say so either.
func noJSON(env *tools.Env, f *os.File, path, format string) error {
	head := make([]byte, 512)
	n, err := f.ReadAt(head, 0)
	head = bytes.TrimSpace(bytes.TrimPrefix(head[:n], []byte("\ufeff")))
	if err != nil && !errors.Is(err, io.EOF) || len(head) == 0 {
		return nil // reading it tells the fault
	}
	switch ending := strings.ToLower(filepath.Ext(path)); {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return env.Fail(tools.InvalidInput, "%s is a zip archive", path).
			WithHint(env.Hint("Unpack it and import the folder"))
	case format != "auto", head[0] == '{', head[0] == '[', strings.HasPrefix(ending, ".json"), ending == ".ndjson":
		return nil
	}
	return env.Fail(tools.InvalidInput, "%s is neither JSON nor Markdown", path).
		WithHint(env.Hint("--format markdown takes any text as a note, --format jsonl each valid line"))
}

// fileProblem returns the error for a file that cannot be read.
func fileProblem(env *tools.Env, path string, err error) error {
	return env.Fail(tools.Forbidden, "Cannot read %s: %v", path, err)
}
