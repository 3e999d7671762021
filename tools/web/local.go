package web

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"techo/internal/confine"
	"techo/internal/page"
	"techo/internal/regular"
	"techo/tools"
	"techo/tools/message"
)

// given returns the body that the caller gave instead of a URL: HTML itself, or the
// path of a file. It returns nil for a URL.
func (f *fetch) given() (*fetched, error) {
	text := f.in.URL
	if isMarkup(text) {
		f.in.URL = "-"
		body := &response{url: &url.URL{}, redirects: []string{}, status: http.StatusOK,
			header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, body: []byte(text)}
		body.truncate(f.bodyLimit())
		return &fetched{response: *body, at: f.env.Now()}, nil
	}
	path, ok := filePath(text)
	if !ok {
		return nil, nil
	}
	f.bare = isHostAlone(path)
	got, err := local{f.env}.open(path, f.bodyLimit())
	outside := new(tools.Error)
	if errors.As(err, &outside) && outside.Code == tools.Forbidden && target(path) != path {
		return nil, nil // it names a host
	}
	return got, err
}

// filePath returns the path of a file, which may be missing, unless a text is a URL or HTML.
func filePath(text string) (path string, ok bool) {
	path = strings.TrimSpace(text)
	u, err := url.Parse(path)
	return path, path != "" && !isMarkup(text) && (err != nil || u.Scheme == "" && u.Host == "") &&
		len(path) <= maxURL && !strings.ContainsAny(path, "\x00\r\n")
}

// Here reports whether an input names files only. A name that could be a host names a
// file if there is one.
func (FetchIn) Here(env *tools.Env, input []byte) bool {
	var in struct {
		URL  string   `json:"url"`
		URLs []string `json:"urls"`
	}
	if json.Unmarshal(input, &in) != nil {
		return false
	}
	return !slices.ContainsFunc(append(in.URLs, in.URL), func(text string) bool {
		path, ok := filePath(text)
		if ok && target(path) != path {
			_, err := os.Stat(filepath.Join(env.Dir, path))
			ok = err == nil
		}
		return !ok
	})
}

// isMarkup reports whether a text is HTML rather than an address.
func isMarkup(text string) bool {
	return page.LooksLikeHTML([]byte(text)) || strings.HasPrefix(strings.TrimSpace(text), "<")
}

type local struct{ env *tools.Env }

// open reads a file within the roots. It returns nil if the file is missing.
func (l local) open(path string, limit int) (*fetched, error) {
	full := path
	if !filepath.IsAbs(full) {
		full = l.env.Dir + string(filepath.Separator) + path
	}
	real, err := confine.Follow(full)
	if err != nil {
		return nil, nil
	}
	file, err := l.within(path, real)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err != nil {
		return nil, l.unreadable(path, err)
	}
	r := &response{url: &url.URL{}, redirects: []string{}, status: http.StatusOK, header: http.Header{}, body: body}
	r.truncate(limit)
	return &fetched{response: *r, at: l.env.Now()}, nil
}

// within opens a regular file that the roots contain.
func (l local) within(path, real string) (*os.File, error) {
	roots, err := tools.Roots(l.env)
	if err != nil {
		return nil, fs.ErrNotExist // no files here: the text can only be a URL
	}
	open := regular.Opener(os.OpenFile)
	if len(roots) > 0 {
		root, inside := confine.Find(roots, real)
		if root == nil {
			return nil, tools.Outside(l.env, path).WithHint(l.env.Hint("Use a file in a %s folder", tools.Flag("root")))
		}
		real, open = inside, root.OpenFile
	}
	file, _, err := regular.OpenBy(open, real)
	switch {
	case errors.Is(err, regular.ErrNotFile), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENXIO):
		err = message.NewError("not a regular file")
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err != nil {
		return nil, l.unreadable(path, err)
	}
	return file, nil
}

func (l local) unreadable(path string, err error) error {
	if reason := new(fs.PathError); errors.As(err, &reason) {
		err = reason.Err
	}
	return l.env.Invalid("/url", "cannot read %s: %v", path, err)
}

// truncate limits the size of the body.
func (out *response) truncate(limit int) {
	if len(out.body) > limit {
		out.body, out.incomplete, out.large = out.body[:limit], true, true
	}
}
