package commands

//lint:file-ignore SA1019 Clients announce their folders as roots until protocol 2026-07-28 replaces them.

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	mcpface "techo/commands/mcp"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// folder makes a folder with one file that is named after it.
func folder(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "f.txt"), []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + strings.ReplaceAll(path, " ", "%20")
}

// reads wants a file to be readable, or forbidden.
func reads(t *testing.T, c *mcp.ClientSession, dir string, want bool) {
	t.Helper()
	text, isError := callMCP(t, c, "read_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "f.txt")))
	if isError == want || isError &&
		!(strings.Contains(text, `"code":"forbidden"`) && strings.Contains(text, "--root DIR")) {
		t.Errorf("%s: want readable %v, got %s", dir, want, text)
	}
}

// TestMCPRoots confines the tools for files to the start folder and to what the
// client lists, also when that changes.
func TestMCPRoots(t *testing.T) {
	for _, version := range []string{"2025-06-18", mcpface.ManyRequests} {
		t.Run(version, func(t *testing.T) {
			w, elsewhere := newWorld(t), t.TempDir()
			w.dir = folder(t, t.TempDir(), "start")
			first, second := folder(t, elsewhere, "a b#%"), folder(t, elsewhere, "second")
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			uri := strings.NewReplacer("%", "%25", "#", "%23", " ", "%20").Replace(filepath.ToSlash(first))
			client.AddRoots(&mcp.Root{URI: "file://" + uri})
			c := w.clientOf(t, client, version)
			reads(t, c, w.dir, true)
			reads(t, c, first, true)
			reads(t, c, second, false)
			if text, isError := callMCP(t, c, "write_file",
				fmt.Sprintf(`{"path":%q,"content":"x"}`, filepath.Join(second, "g.txt"))); !isError ||
				!strings.Contains(text, "forbidden") {
				t.Errorf("written: %s", text)
			}
			client.AddRoots(&mcp.Root{URI: fileURI(second)})
			eventually(t, func() bool {
				_, isError := callMCP(t, c, "read_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(second, "f.txt")))
				return !isError
			})
			client.RemoveRoots("file://" + uri)
			eventually(t, func() bool {
				_, isError := callMCP(t, c, "read_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(first, "f.txt")))
				return isError
			})
			reads(t, c, second, true)
		})
	}
}

// eventually waits for a notification to arrive.
func eventually(t *testing.T, done func() bool) {
	t.Helper()
	for range 500 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("it did not come about")
}

// TestMCPRootsSaid lets --root replace the folders of the client, and --root /
// allow all.
func TestMCPRootsSaid(t *testing.T) {
	w, elsewhere := newWorld(t), t.TempDir()
	w.dir = folder(t, t.TempDir(), "start")
	said, listed := folder(t, elsewhere, "said"), folder(t, elsewhere, "listed")
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	client.AddRoots(&mcp.Root{URI: fileURI(listed)})
	c := w.clientOf(t, client, "2025-06-18", "--root", said)
	reads(t, c, said, true)
	reads(t, c, w.dir, false)
	reads(t, c, listed, false)
	if filepath.Separator == '/' {
		c = w.client(t, nil, "--root", "/")
		reads(t, c, said, true)
		reads(t, c, w.dir, true)
	}
}

// TestMCPRootsNone allows the start folder alone when the client has no roots,
// and follows a link that leads there.
func TestMCPRootsNone(t *testing.T) {
	w, elsewhere := newWorld(t), t.TempDir()
	dir, other := folder(t, elsewhere, "start"), folder(t, elsewhere, "other")
	w.dir = filepath.Join(elsewhere, "link")
	if err := os.Symlink(dir, w.dir); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	options := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}} // and so without roots
	c := w.client(t, options)
	reads(t, c, w.dir, true)
	reads(t, c, dir, true)
	reads(t, c, other, false)
	reads(t, c, filepath.Join(w.dir, "out"), false)
	for _, call := range []string{`{"pattern":"text","path":%q}`, `{"pattern":"*","path":%q}`} {
		tool := map[bool]string{true: "grep", false: "glob"}[strings.Contains(call, "text")]
		if text, isError := callMCP(t, c, tool, fmt.Sprintf(call, other)); !isError ||
			!strings.Contains(text, "forbidden") {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

// TestMCPRootsLate goes on with the start folder when a client does not answer.
func TestMCPRootsLate(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	roots, err := mcpface.NewClientRoots(dir, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	roots.Wait, roots.Latest, roots.Listed = time.Millisecond, make(chan struct{}), []string{"/stale"}
	r := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}}
	if got := roots.Allowed(context.Background(), r); !slices.Equal(got, []string{dir}) {
		t.Errorf("allowed %q", got)
	}
}

// TestRootPath takes file URIs of this machine and nothing else.
func TestRootPath(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///a/b":          "/a/b",
		"file://localhost/a":   "/a",
		"FILE:///a%20b%3F%23c": "/a b?#c",
		"file:///%E6%9C%AC":    "/本",
		"file:///":             "/",
		"file:///a?b":          "", "file:///a#b": "", "file:///a#": "", "file:///a?": "",
		"file://host/a": "", "http://localhost/a": "", "file:a": "", "/a": "", "": "", "file:///a%00": "",
		"file://%": "",
	} {
		got, err := mcpface.RootPath(uri)
		if filepath.ToSlash(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", uri, got, err, want)
		}
	}
}

// TestClientRootsFolders leaves out what is no folder, and says so.
func TestClientRootsFolders(t *testing.T) {
	dir := folder(t, t.TempDir(), "a")
	log := &buffer{}
	roots, err := mcpface.NewClientRoots(t.TempDir(), slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	got := roots.Folders([]*mcp.Root{
		nil, {URI: fileURI(filepath.Join(dir, "none"))}, {URI: fileURI(filepath.Join(dir, "f.txt"))},
		{URI: "https://example.com/"},
		{URI: fileURI(dir)}, {URI: fileURI(dir)},
	})
	real, _ := filepath.EvalSymlinks(dir)
	if !slices.Equal(got, []string{real}) {
		t.Errorf("folders %q", got)
	}
	if n := strings.Count(log.String(), "a root of the client is ignored"); n != 3 {
		t.Errorf("%d log lines\n%s", n, log)
	}
}
