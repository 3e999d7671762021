package page

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
)

// files are the files of the page. Libraries are compressed.
//
//go:embed static
var files embed.FS

const staticPath = "/page/static/"

// policy is the content security policy. FullCalendar adds its rules to a style element
// that is empty, through the object model: the hash stands for the empty text, so it
// allows no other style element. Its icons are a font in its own rules. Trusted Types
// enforce that DOMPurify sanitizes every text before it becomes HTML (app/trusted.js).
const policy = "default-src 'none'; script-src 'self'; style-src 'self' " +
	"'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; img-src 'self'; font-src data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types dompurify default"

// setHeaders sets the headers of every answer of the page.
func setHeaders(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
}

// staticName returns the name of an embedded file from the path of a request.
func staticName(urlPath string) (name string, ok bool) {
	name, ok = strings.CutPrefix(urlPath, staticPath)
	if !ok || strings.HasSuffix(name, "/") || path.Clean("/"+name) != "/"+name {
		return "", false
	}
	f, err := files.Open(path.Join("static", name))
	if err != nil {
		f, err = files.Open(path.Join("static", name) + packed)
	}
	if err != nil {
		return "", false
	}
	f.Close()
	return name, true
}

// packed ends the names of libraries, which are embedded in their compressed form.
const packed = ".gz"

func content(name string) ([]byte, error) {
	plain, err := files.ReadFile(path.Join("static", name))
	if err == nil {
		return plain, nil
	}
	z, err := files.Open(path.Join("static", name) + packed)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	r, err := gzip.NewReader(z)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// compressed returns the compressed form of an embedded file with a content.
func compressed(name string, content []byte) []byte {
	if z, err := files.ReadFile(path.Join("static", name) + packed); err == nil {
		return z
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(content) // a buffer does not fail
	_ = z.Close()
	return b.Bytes()
}

func serveFile(w http.ResponseWriter, r *http.Request, name string, status int) {
	setHeaders(w)
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // the system's table of types may be wrong
	case ".js":
		kind = "text/javascript; charset=utf-8"
	case ".css":
		kind = "text/css; charset=utf-8"
	case ".html":
		kind = "text/html; charset=utf-8"
	case ".svg":
		kind = "image/svg+xml"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Vary", "Accept-Encoding")
	body, err := content(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		body = compressed(name, body)
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the browser may have gone
	}
}
