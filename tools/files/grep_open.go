package files

import (
	"bytes"
	"context"
	"io"
	"os"

	"techo/tools"
	"techo/tools/files/hostfiles"
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
func startOf(s *search, env *tools.Env, given string) (p place, isFolder bool, err error) {
	if given == "-" && hostfiles.Of(env).Stdin != nil {
		s.stdin = hostfiles.Of(env).Stdin
		return place{shown: stdinName}, false, nil
	}
	p, st, err := openStart(env, given)
	return p, err == nil && st.IsDir(), err
}

// searchFile searches a single file, whatever its name and type.
func (s *search) searchFile(ctx context.Context, p place, t *tree) error {
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
func (s *search) searchOpen(ctx context.Context, t *tree, f content, past int) {
	if len(s.searchers) == 0 {
		s.searchers = make([]*searcher, 1)
	}
	one := s.searcher(ctx, t, 0)
	one.skipLines = past
	one.report("", one.searchReader(f))
}

// openSingle opens the single file that is searched.
func openSingle(s *search, p place) (content, error) {
	if s.stdin != nil {
		return piped{bytes.NewReader(s.stdin)}, nil
	}
	return p.open()
}

// reopen opens a file again that was searched before.
func (s *search) reopen(p place, t *tree, path string) (content, error) {
	if t.root == nil {
		return openSingle(s, p)
	}
	return t.root.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
}
