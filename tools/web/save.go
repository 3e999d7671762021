package web

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"techo/export"
	"techo/internal/confine"
	"techo/internal/page"
	"techo/internal/pdftext"
	"techo/tools"
	"techo/tools/internet"
)

// openTarget opens the file for --save, or returns nil without one. It runs before
// the fetch, so that errors are cheap.
func (f *fetch) openTarget() (*export.Target, error) {
	path := internet.Of(f.env).Save
	if path == "" {
		return nil, nil
	}
	roots, err := tools.Roots(f.env)
	if err != nil {
		return nil, err
	}
	t, err := export.NewTarget(roots, path, internet.Of(f.env).Overwrite, internet.Of(f.env).Parents)
	return t, f.saveError(err)
}

// relative returns folders as the file tools show them: in the working folder relative to it.
func relative(env *tools.Env, folders []string) (shown []string) {
	here := env.Dir
	if real, err := filepath.EvalSymlinks(here); err == nil {
		here = real
	}
	for _, folder := range folders {
		for _, dir := range []string{env.Dir, here} { // within roots, folders have no links
			if short, err := filepath.Rel(dir, folder); err == nil && filepath.IsLocal(short) {
				folder = short
				break
			}
		}
		shown = append(shown, filepath.ToSlash(folder))
	}
	return shown
}

// save writes the complete body to the file, or nothing.
func (f *fetch) save(to *export.Target, r *response) error {
	switch {
	case r.large:
		return f.env.Fail(tools.LimitExceeded, "the body has more than %d MB; nothing was saved", maxSaved>>20)
	case r.incomplete:
		e := f.env.Fail(tools.Upstream, "the body ended early, after %s; nothing was saved",
			f.env.Count(len(r.body), "%d byte", "%d bytes"))
		e.Retryable = true
		return e
	}
	return f.saveError(to.Write(r.body))
}

// saveError explains why a file cannot be written.
func (f *fetch) saveError(err error) error {
	path := internet.Of(f.env).Save
	reason := new(fs.PathError)
	switch {
	case err == nil || errors.Is(err, syscall.ENOSPC):
		return err
	case errors.As(err, new(*confine.OutsideError)):
		return tools.Outside(f.env, path).WithHint(f.env.Hint("Use a file in a %s folder", tools.Flag("root")))
	case errors.Is(err, fs.ErrExist):
		return f.env.Fail(tools.AlreadyExists, "%s already exists; nothing was saved", path).
			WithHint(f.env.Hint("Use another file, or %s to replace it", tools.Flag("force")))
	case errors.As(err, &reason):
		return f.env.Invalid("/save", "cannot write %s: %v", path, reason.Err).
			WithHint(f.env.Hint("Use a file in an existing folder"))
	}
	return err
}

// reserve waits for the memory that parsing a body needs, so that a server parses
// only a few large pages at once.
func (f *fetch) reserve(ctx context.Context, r *response) (release func(), err error) {
	if f.env.Room == nil {
		return func() {}, nil
	}
	need := int64(len(r.body)) * 4 // as text, in the result, and as JSON
	switch {
	case pdftext.Is(r.body):
		need += pdftext.MaxMemory
	case f.in.Format != "raw":
		need = max(need, page.Weight(string(r.body)))
	}
	return f.env.Room.Wait(ctx, need)
}

// target returns the URL that a text means. A host without a scheme, as typed into a
// browser, is read by https.
func target(text string) string {
	text = strings.TrimSpace(text)
	if isHostAlone(text) {
		return "https://" + text
	}
	return text
}

// isHostAlone reports whether a text is a URL without its scheme: a host with a dot,
// localhost or an address, which a port and a path may follow.
func isHostAlone(text string) bool {
	u, err := url.Parse("https://" + text)
	if err != nil || u.User != nil || strings.ContainsFunc(text, unicode.IsSpace) {
		return false
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || strings.EqualFold(host, "localhost") {
		return true
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	top := strings.ToLower(labels[len(labels)-1])
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	if len(labels) < 2 || slices.Contains(labels, "") || utf8.RuneCountInString(top) < 2 ||
		!strings.HasPrefix(top, "xn--") && strings.ContainsFunc(top, notLetter) {
		return false
	}
	return host != text || !slices.Contains(documents(), top)
}

// documents are the ends of names that are files before they are hosts: readme.md, if
// there is no such file here, is not to be fetched from a stranger.
func documents() []string {
	return []string{"atom", "csv", "htm", "html", "json", "md", "mht", "mhtml", "pdf", "rss", "txt", "xht", "xhtml",
		"xml", "zip"}
}
