package mcp

//lint:file-ignore SA1019 Clients announce their folders as roots until protocol 2026-07-28 replaces them.

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/tools"
)

// clientRoots are the folders that confine the file tools while techo serves one
// client over stdin and stdout without --root: the folder in which the server was
// started, and the roots that the client lists.
//
// Before protocol 2026-07-28, the server requests the list (roots/list) after the
// initialization and after each notifications/roots/list_changed. Calls that
// arrive meanwhile wait for the answer. From 2026-07-28 on, a server cannot send
// requests: a call that needs another folder returns an input request for the
// roots, and the client repeats the call with them.
type clientRoots struct {
	start string // absolute, without links
	log   *slog.Logger
	wait  time.Duration // how long a call waits for the client's answer

	mu     sync.Mutex
	listed []string
	latest chan struct{} // closed when the latest request is answered; nil before the first request
}

// rootsWait is how long a call waits for the roots of its client. After that,
// only the start folder is allowed.
const rootsWait = 5 * time.Second

// rootsRequest is the key of the input request for the roots.
const rootsRequest = "roots"

func newClientRoots(dir string, log *slog.Logger) (*clientRoots, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	return &clientRoots{start: real, log: log, wait: rootsWait}, err
}

// request requests the roots of a client that has the capability. The previous
// list becomes invalid.
func (c *clientRoots) request(session *mcp.ServerSession) {
	client := session.InitializeParams()
	if client == nil || !listsRoots(client.Capabilities) || client.ProtocolVersion >= inputRequestVersion {
		return
	}
	answered := make(chan struct{})
	c.mu.Lock()
	c.listed, c.latest = nil, answered
	c.mu.Unlock()
	go func() {
		defer close(answered)
		result, err := session.ListRoots(context.Background(), nil) // ends with the session
		if err != nil {
			c.log.Warn("the client did not list its roots", "error", err)
			return
		}
		listed := c.folders(result.Roots)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.latest == answered {
			c.listed = listed
		}
	}()
}

func listsRoots(client *mcp.ClientCapabilities) bool { return client != nil && client.RootsV2 != nil }

// allowed returns the folders that a call may use.
func (c *clientRoots) allowed(ctx context.Context, r *mcp.CallToolRequest) []string {
	if r.ProtocolVersion() >= inputRequestVersion {
		response, _ := r.Params.InputResponses[rootsRequest].(*mcp.ListRootsResult)
		if response == nil {
			return []string{c.start}
		}
		return append([]string{c.start}, c.folders(response.Roots)...)
	}
	if _, latest := c.state(); latest == nil { // the client did not send notifications/initialized
		c.request(r.Session)
	}
	late := time.NewTimer(c.wait)
	defer late.Stop()
	for {
		_, latest := c.state()
		if latest == nil {
			return []string{c.start}
		}
		select {
		case <-latest:
			if listed, last := c.state(); last == latest { // no newer request
				return append([]string{c.start}, listed...)
			}
		case <-late.C:
			c.log.Warn("the client has not listed its roots yet", "waited", c.wait)
			return []string{c.start}
		case <-ctx.Done():
			return []string{c.start}
		}
	}
}

// state returns the last list of the client and the channel of the latest request.
func (c *clientRoots) state() (listed []string, latest chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listed, c.latest
}

// missing reports whether a call failed with e because the client has not sent its
// roots yet, and can send them.
func (c *clientRoots) missing(r *mcp.CallToolRequest, e *tools.Error) bool {
	return e.Code == tools.Forbidden && r.ProtocolVersion() >= inputRequestVersion &&
		listsRoots(r.ClientCapabilities()) && r.Params.InputResponses[rootsRequest] == nil
}

// folders returns the folders of a client's roots. A root that is not a folder of
// this machine is logged and left out.
func (c *clientRoots) folders(roots []*mcp.Root) []string {
	var found []string
	for _, root := range roots {
		if root == nil {
			continue
		}
		path, err := rootPath(root.URI)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if st, e := os.Stat(path); err == nil && e == nil && !st.IsDir() {
			err = errors.New("not a folder")
		} else if err == nil {
			err = e
		}
		if err != nil {
			c.log.Warn("a root of the client is ignored", "uri", root.URI, "error", err)
			continue
		}
		if path != c.start && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// rootPath returns the path of a file URI. A URI with a query or a fragment is an
// error: without it, the path could be a folder above the intended one.
func rootPath(uri string) (string, error) {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return "", err
	case !strings.EqualFold(u.Scheme, "file") || u.Opaque != "":
		return "", errors.New("not a file URI")
	case u.Host != "" && !strings.EqualFold(u.Host, "localhost"):
		return "", errors.New("a folder on another machine")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(uri, "#"):
		return "", errors.New("a file URI with a query or a fragment")
	case strings.ContainsRune(u.Path, 0):
		return "", errors.New("a path that contains NUL")
	}
	path := filepath.FromSlash(u.Path)
	if filepath.Separator == '\\' && len(path) > 2 && path[2] == ':' { // \C:\Users
		path = path[1:]
	}
	if !filepath.IsAbs(path) {
		return "", errors.New("not an absolute path")
	}
	return path, nil
}
