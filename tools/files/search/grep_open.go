package search

import (
	"bytes"
	"context"
	"io"
	"os"

	"techo/tools"
	"techo/tools/files/hostfiles"
	"techo/tools/files/paths"
)

// stdinName is the path of a result in what was piped in, as in ripgrep.
const stdinName = "<stdin>"

// content is what is searched: an open file, or what was piped in.
type content interface {
	io.ReadSeeker
	io.ReaderAt
	io.Closer
}

// piped is the content of stdin.
type piped struct{ *bytes.Reader }

func (piped) Close() error { return nil }

// startOf finds what to search. The path - is stdin if the command line says so.
func startOf(s *lineSearch, env *tools.Env, given string) (p paths.Place, isFolder bool, err error) {
	if given == "-" && hostfiles.Of(env).Stdin != nil {
		s.stdin = hostfiles.Of(env).Stdin
		return paths.Place{Shown: stdinName}, false, nil
	}
	p, st, err := openStart(env, given)
	return p, err == nil && st.IsDir(), err
}

// searchFile searches a single file, whatever its name and type.
func (s *lineSearch) searchFile(ctx context.Context, p paths.Place, t *tree) error {
	f, err := openSingle(s, p)
	if err != nil {
		return err
	}
	defer f.Close()
	s.stopAfter = func(string) {}
	s.searchOpen(ctx, t, f, s.after.skips())
	return nil
}

// searchOpen searches an open file after line past.
func (s *lineSearch) searchOpen(ctx context.Context, t *tree, f content, past int) {
	if len(s.searchers) == 0 {
		s.searchers = make([]*searcher, 1)
	}
	one := s.searcher(ctx, t, 0)
	one.skipLines = past
	one.report("", one.searchReader(f))
}

// openSingle opens the single file that is searched.
func openSingle(s *lineSearch, p paths.Place) (content, error) {
	if s.stdin != nil {
		return piped{bytes.NewReader(s.stdin)}, nil
	}
	return p.Open()
}

// reopen opens a file again that was searched before.
func (s *lineSearch) reopen(p paths.Place, t *tree, path string) (content, error) {
	if t.root == nil {
		return openSingle(s, p)
	}
	return t.root.OpenFile(path, os.O_RDONLY|paths.NonBlocking, 0)
}
