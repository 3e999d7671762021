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
	"techo/tools"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// clientRoots are the folders that confine the tools for files while techo
// serves one client over stdin and stdout and no --root was given: the folder
// that the server was started in, and the roots that the client lists.
//
// Before protocol 2026-07-28 the server asks for the list (roots/list) after
// the initialization and after each notifications/roots/list_changed. Calls
// that come meanwhile wait for the answer. From 2026-07-28 on a server cannot
// send requests: a call that leads out of the start folder is answered with an
// input request for the roots, and the client sends them with its second try.
type clientRoots struct {
	start string // absolute, without links
	log   *slog.Logger
	Wait  time.Duration // how long a call waits for the client's answer

	mu     sync.Mutex
	Listed []string
	Latest chan struct{} // closed when the latest request is answered; nil before the first one
}

// rootsWait is how long a call waits for the roots of its client. After that
// only the start folder is allowed.
const rootsWait = 5 * time.Second

// rootsRequest is the key of the input request for the roots.
const rootsRequest = "roots"

// NewClientRoots returns the roots of a server that starts in a folder.
func NewClientRoots(dir string, log *slog.Logger) (*clientRoots, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	return &clientRoots{start: real, log: log, Wait: rootsWait}, err
}

// ask requests the roots of a client that has the capability. The list that
// was known before does not count any more.
func (c *clientRoots) ask(session *mcp.ServerSession) {
	known := session.InitializeParams()
	if known == nil || !listsRoots(known.Capabilities) || known.ProtocolVersion >= ManyRequests {
		return
	}
	answered := make(chan struct{})
	c.mu.Lock()
	c.Listed, c.Latest = nil, answered
	c.mu.Unlock()
	go func() {
		defer close(answered)
		// The session ends the request when it ends itself.
		said, err := session.ListRoots(context.Background(), nil)
		if err != nil {
			c.log.Warn("the client did not list its roots", "error", err)
			return
		}
		listed := c.Folders(said.Roots)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.Latest == answered {
			c.Listed = listed
		}
	}()
}

// listsRoots reports whether a client has the capability.
func listsRoots(client *mcp.ClientCapabilities) bool { return client != nil && client.RootsV2 != nil }

// Allowed returns the folders that a call may use.
func (c *clientRoots) Allowed(ctx context.Context, r *mcp.CallToolRequest) []string {
	if r.ProtocolVersion() >= ManyRequests {
		said, _ := r.Params.InputResponses[rootsRequest].(*mcp.ListRootsResult)
		if said == nil {
			return []string{c.start}
		}
		return append([]string{c.start}, c.Folders(said.Roots)...)
	}
	if _, latest := c.known(); latest == nil { // a client that did not send notifications/initialized
		c.ask(r.Session)
	}
	late := time.NewTimer(c.Wait)
	defer late.Stop()
	for {
		_, latest := c.known()
		if latest == nil {
			return []string{c.start}
		}
		select {
		case <-latest:
			if listed, last := c.known(); last == latest { // not asked again meanwhile
				return append([]string{c.start}, listed...)
			}
		case <-late.C:
			c.log.Warn("the client has not listed its roots yet", "waited", c.Wait)
			return []string{c.start}
		case <-ctx.Done():
			return []string{c.start}
		}
	}
}

// known returns what the client listed last, and the end of the latest request.
func (c *clientRoots) known() (listed []string, latest chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Listed, c.Latest
}

// wants reports whether the client should be asked for its roots before a
// call fails with e.
func (c *clientRoots) wants(r *mcp.CallToolRequest, e *tools.Error) bool {
	return e.Code == tools.Forbidden && r.ProtocolVersion() >= ManyRequests &&
		listsRoots(r.ClientCapabilities()) && r.Params.InputResponses[rootsRequest] == nil
}

// Folders returns the folders that a client's roots stand for. A root that is
// no folder here is logged and left out.
func (c *clientRoots) Folders(roots []*mcp.Root) []string {
	var found []string
	for _, root := range roots {
		if root == nil {
			continue
		}
		path, err := RootPath(root.URI)
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

// RootPath returns the path of a file URI. A URI with a query or a fragment is
// refused: its path would be another, wider folder than the one that was meant.
func RootPath(uri string) (string, error) {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return "", err
	case !strings.EqualFold(u.Scheme, "file") || u.Opaque != "":
		return "", errors.New("not a file URI")
	case u.Host != "" && !strings.EqualFold(u.Host, "localhost"):
		return "", errors.New("a folder of another machine")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(uri, "#"):
		return "", errors.New("a file URI with a query or a fragment")
	case strings.ContainsRune(u.Path, 0):
		return "", errors.New("a path that holds NUL")
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
