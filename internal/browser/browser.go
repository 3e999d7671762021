// Package browser loads a page in a headless Chromium, Chrome or Edge and returns the HTML
// that its scripts made.
//
// The page is a stranger's program. So the browser has a new profile in a temporary folder,
// an environment of its own, and no network but a proxy inside this process, whose rules the
// caller sets (Gate). It is driven over a pipe, not a port, and ends with the pipe. Limits
// of time, memory and bytes hold for its processes together, which are killed at the end.
package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"time"
)

// MaxMemory is the memory in bytes that all processes of a browser may take together.
const MaxMemory = 1 << 30

// Limits of a rendering.
const (
	maxBytes    = 32 << 20
	maxHTML     = 5 << 20 // characters of the result
	maxMessage  = 64 << 20
	maxPages    = 6 // documents that follow each other
	maxRequests = 1000
	patience    = 15 * time.Second // for a page that does not become quiet
	quiet       = 500 * time.Millisecond
	reserved    = 3 * time.Second // of the caller's time, to end scripts
)

// Gate decides what the browser may reach.
type Gate interface {
	// Check returns an error for an address that the browser must not request. document
	// is set for a page, and not for scripts or data.
	Check(ctx context.Context, u *url.URL, document bool) error

	// Dial connects to "host:port", if the address that it finds is allowed.
	Dial(ctx context.Context, network, addr string) (net.Conn, error)

	// Via returns the proxy for an address, or nil for a direct connection.
	Via(u *url.URL) (*url.URL, error)
}

// Job is a page to load.
type Job struct {
	Program  string // path of the browser
	URL      *url.URL
	Headers  http.Header // for the page only, on its host
	Agent    string      // added to the browser's own User-Agent
	Language string      // Accept-Language
	Gate     Gate

	patience time.Duration // 0 means the default
	quiet    time.Duration // likewise
}

// Page is a page after its scripts ran.
type Page struct {
	URL     *url.URL
	HTML    string
	Browser string // name and version
	Busy    bool   // the page did not become quiet in time; the HTML may lack something
}

// fault is an error without details.
type fault string

func (f fault) Error() string { return string(f) }

// Errors of a rendering.
const (
	ErrNone        = fault("no browser")             // none is installed
	ErrUnsupported = fault("not on this system")     // such as Windows
	ErrCrashed     = fault("the browser stopped")    // by a crash or at a limit
	ErrMemory      = fault("the page took too much") // memory
	ErrBusy        = fault("a script never ends")    // so that there is no HTML
)

// StartError means that the browser did not start.
type StartError struct{ Reason string }

func (e *StartError) Error() string { return "browser: " + e.Reason }

// LoadError means that the browser did not load the page.
type LoadError struct{ Reason string }

func (e *LoadError) Error() string { return "page: " + e.Reason }

// Find returns the first browser that is installed. It looks in the usual places only,
// since whoever calls chooses PATH.
func Find() (string, error) {
	places := []string{"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome-stable",
		"/usr/bin/google-chrome", "/opt/google/chrome/chrome", "/usr/bin/microsoft-edge-stable",
		"/usr/bin/microsoft-edge", "/opt/microsoft/msedge/msedge", "/usr/local/bin/chromium"}
	if runtime.GOOS == "darwin" {
		places = []string{"/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"}
	}
	for _, path := range places {
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", ErrNone
}

// Render loads a page, waits until it is quiet, and returns its HTML. A page that is not
// quiet in time is returned as it is then. ctx must have a deadline.
func Render(ctx context.Context, job Job) (*Page, error) {
	s, err := begin(ctx, job.Program, job.Gate)
	if err != nil {
		return nil, err
	}
	defer s.end()
	return s.render(job)
}

type session struct {
	ctx     context.Context
	stop    context.CancelCauseFunc
	gate    *proxy
	process *process
}

func begin(ctx context.Context, program string, rules Gate) (*session, error) {
	if _, ok := ctx.Deadline(); !ok {
		return nil, errors.New("browser: no deadline")
	}
	gate, err := newProxy(ctx, rules)
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	p, err := start(program, gate.address())
	if err != nil {
		gate.close()
		return nil, err
	}
	s := &session{gate: gate, process: p}
	s.ctx, s.stop = context.WithCancelCause(ctx)
	go p.watch(s.ctx, s.stop)
	return s, nil
}

func (s *session) end() {
	s.stop(nil)
	s.process.end()
	s.gate.close()
}

// render loads a page in a tab of its own.
func (s *session) render(job Job) (*Page, error) {
	wait := job.patience
	if end, _ := s.ctx.Deadline(); wait == 0 {
		wait = min(patience, max(time.Until(end)-reserved, time.Second))
	}
	t, err := open(s.ctx, s.process.link, job, s.gate)
	if err == nil {
		defer t.close()
		err = t.navigate(s.ctx)
	}
	var page *Page
	if err == nil {
		page, err = t.settle(s.ctx, wait)
	}
	switch cause := context.Cause(s.ctx); {
	case err == nil:
		return page, nil
	case cause != nil:
		return nil, cause
	case s.gate.refusal() != nil && errors.As(err, new(*LoadError)):
		return nil, s.gate.refusal()
	case s.process.link.started.Load():
		return nil, err
	}
	return nil, &StartError{s.process.reason()}
}
