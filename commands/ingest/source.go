package ingest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"techo/commands/system"
	"techo/internal/charset"
	"techo/internal/confine"
	"techo/tools"
)

// importSource is a file, a folder of notes or stdin.
type importSource struct {
	Env    *tools.Env
	Reader io.Reader
	folder folder // instead of a reader, if it has a path
	Format string
	size   int64     // 0 if unknown
	file   time.Time // when it was changed, or when stdin is read
	closer func() error

	exports bool // files of JSON in a folder of an export are read, too

	// allUsers gives notes of an exported folder to the user of the folder.
	allUsers bool

	whole    bool            // notes stay whole
	allTurns bool            // also what the assistant said in a conversation
	left     map[string]int  // what is left out, by the reason
	first    string          // the first user that a memory of mem0 names
	told     map[string]bool // what ChatGPT knows in all conversations

	// texts are the members of a record that are texts, in any form that is read.
	texts []string
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
	wrong := func(message tools.Text) error { return env.Invalid("/format", message) }
	mixed := in.Format == "auto" || in.Format == "markdown"
	if in.File == "-" && in.Format == "markdown" {
		return nil, wrong("Notes cannot be read from stdin: name a note or a folder")
	}
	if in.File == "-" {
		return &importSource{Env: env, Reader: w.Stdin, Format: in.Format, file: env.Now()}, nil
	}
	at, err := tools.Confined(env, w.Path(in.File))
	if err != nil {
		return nil, err
	}
	path := at.Full()
	st, err := at.Stat()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, env.Fail(tools.NotFound, "There is no such file: %s", path).
			WithHint(env.Hint("Check the path; - reads stdin"))
	case err != nil:
		return nil, fileProblem(env, path, err)
	case st.IsDir() && !mixed:
		return nil, wrong("A folder must contain Markdown notes: leave --format out")
	case st.IsDir():
		return &importSource{Env: env, folder: folder{dir: path, at: at, told: map[string]bool{}}, Format: in.Format, file: st.ModTime()}, nil
	}
	f, _, err := at.OpenRegular()
	if err != nil {
		return nil, fileProblem(env, path, err)
	}
	s, err := fileSource(env, f, at, in.Format, st.Size())
	if s == nil || s.closer == nil {
		_ = f.Close() // it was only read from
	}
	if s != nil {
		s.file = st.ModTime()
	}
	return s, err
}

// fileSource returns a file as a source: a note or an archive by its content or name, or JSON. The
// source closes f only if it has a closer.
func fileSource(env *tools.Env, f *os.File, at confine.Place, format string, size int64) (*importSource, error) {
	path := at.Full()
	head := make([]byte, 512)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		n = 0 // reading it tells the fault
	}
	ending := strings.ToLower(filepath.Ext(path))
	head = bytes.TrimSpace(bytes.TrimPrefix(head[:n], []byte("\ufeff")))
	switch {
	case isArchive(head) && format != "auto" && format != "markdown":
		return nil, env.Fail(tools.InvalidInput, "%s is a zip archive", path).
			WithHint(env.Hint("Leave %s out", tools.Flag("format")))
	case isArchive(head):
		opened, doubled, err := openArchive(env, f, path, size)
		if err != nil {
			return nil, err
		}
		source := &importSource{Env: env, Format: format, folder: opened, closer: f.Close}
		for range doubled {
			source.leaveOut("a second file of the same name")
		}
		return source, nil
	case format == "markdown" || format == "auto" && isMarkdown(path):
		return &importSource{Env: env, folder: folder{dir: path, at: at, told: map[string]bool{}}, Format: format}, nil
	case format == "auto" && len(head) > 0 && charset.Marked(head) == nil && head[0] != '{' && head[0] != '[' &&
		!strings.HasPrefix(ending, ".json") && ending != ".ndjson":
		return nil, env.Fail(tools.InvalidInput, "%s is neither JSON nor Markdown", path).
			WithHint(env.Hint("%s takes any text as a note, %s each valid line",
				tools.Flag("format", "markdown"), tools.Flag("format", "jsonl")))
	}
	return &importSource{Env: env, Reader: f, Format: format, size: size, closer: f.Close}, nil
}
