package mcp

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
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/internal/mcptest"
	"techo/internal/testenv"
)

// serveStdio starts a server in dir, with the folders of --root, and connects a client
// over its stdin and stdout.
func serveStdio(t *testing.T, dir string, client *mcp.Client, version string, roots ...string) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var stderr testenv.Buffer
	r := runtest.New(t, run.Given{Roots: roots}, families())
	r.System.Dir, r.System.Stdin, r.System.Stdout, r.System.Stderr = dir, fromClient, toClient, &stderr
	ended := make(chan int, 1)
	go func() {
		code := ServeStdio(t.Context(), r, hostOf(t, r))
		toClient.Close()
		ended <- code
	}()
	c := mcptest.Connect(t, client, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, version)
	t.Cleanup(func() {
		c.Close()
		if code := <-ended; code != 0 || stderr.String() != "" {
			t.Errorf("exit code %d: %s", code, &stderr)
		}
	})
	return c
}

// folder creates a folder with the file f.txt.
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
	return "file://" + strings.NewReplacer("%", "%25", "#", "%23", " ", "%20").Replace(path)
}

// reads checks whether a client can read a folder, or gets the error forbidden.
func reads(t *testing.T, c *mcp.ClientSession, dir string, want bool) {
	t.Helper()
	text, isError := mcptest.Call(t, c, "read_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "f.txt")))
	if isError == want || isError &&
		!(strings.Contains(text, `"code":"forbidden"`) && strings.Contains(text, "--root DIR")) {
		t.Errorf("%s: want readable %v, got %s", dir, want, text)
	}
}

// TestRoots confines the file tools to the start folder and the roots of the client,
// which can change.
func TestRoots(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			dir, elsewhere := folder(t, t.TempDir(), "start"), t.TempDir()
			first, second := folder(t, elsewhere, "a b#%"), folder(t, elsewhere, "second")
			client := mcptest.NewClient(nil)
			client.AddRoots(&mcp.Root{URI: fileURI(first)})
			c := serveStdio(t, dir, client, version)
			reads(t, c, dir, true)
			reads(t, c, first, true)
			reads(t, c, second, false)
			if text, isError := mcptest.Call(t, c, "write_file",
				fmt.Sprintf(`{"path":%q,"content":"x"}`, filepath.Join(second, "g.txt"))); !isError ||
				!strings.Contains(text, "forbidden") {
				t.Errorf("written: %s", text)
			}
			client.AddRoots(&mcp.Root{URI: fileURI(second)})
			eventuallyReads(t, c, second, true)
			client.RemoveRoots(fileURI(first))
			eventuallyReads(t, c, first, false)
			reads(t, c, second, true)
		})
	}
}

// eventuallyReads waits until a client can, or cannot, read a folder.
func eventuallyReads(t *testing.T, c *mcp.ClientSession, dir string, want bool) {
	t.Helper()
	testenv.Eventually(t, func() bool {
		_, isError := mcptest.Call(t, c, "read_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "f.txt")))
		return isError != want
	})
}

// TestRootsReplaced checks that --root replaces the roots of the client, and that
// --root / allows all folders.
func TestRootsReplaced(t *testing.T) {
	dir, elsewhere := folder(t, t.TempDir(), "start"), t.TempDir()
	named, listed := folder(t, elsewhere, "named"), folder(t, elsewhere, "listed")
	client := mcptest.NewClient(nil)
	client.AddRoots(&mcp.Root{URI: fileURI(listed)})
	c := serveStdio(t, dir, client, "2025-06-18", named)
	reads(t, c, named, true)
	reads(t, c, dir, false)
	reads(t, c, listed, false)
	if filepath.Separator == '/' {
		c = serveStdio(t, dir, mcptest.NewClient(nil), "", "/")
		reads(t, c, named, true)
		reads(t, c, dir, true)
	}
}

// TestNoRoots allows only the start folder, here through a link to it, when the client
// has no roots.
func TestNoRoots(t *testing.T) {
	elsewhere := t.TempDir()
	dir, other := folder(t, elsewhere, "start"), folder(t, elsewhere, "other")
	link := filepath.Join(elsewhere, "link")
	testenv.Symlink(t, dir, link)
	testenv.Symlink(t, other, filepath.Join(dir, "out"))
	withoutRoots := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	c := serveStdio(t, link, mcptest.NewClient(withoutRoots), "")
	reads(t, c, link, true)
	reads(t, c, dir, true)
	reads(t, c, other, false)
	reads(t, c, filepath.Join(link, "out"), false)
	for tool, input := range map[string]string{
		"grep": `{"pattern":"text","path":%q}`, "glob": `{"pattern":"*","path":%q}`,
	} {
		if text, isError := mcptest.Call(t, c, tool, fmt.Sprintf(input, other)); !isError ||
			!strings.Contains(text, "forbidden") {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

// TestRootsLate uses the start folder when a client does not answer.
func TestRootsLate(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	roots, err := newClientRoots(dir, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	roots.wait, roots.latest, roots.listed = time.Millisecond, make(chan struct{}), []string{"/stale"}
	r := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}}
	if got := roots.allowed(context.Background(), r); !slices.Equal(got, []string{dir}) {
		t.Errorf("allowed %q", got)
	}
}

// TestRootPath accepts file URIs of this machine and nothing else.
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
		got, err := rootPath(uri)
		if filepath.ToSlash(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", uri, got, err, want)
		}
	}
}

// TestClientRootsFolders logs and leaves out roots that are not folders.
func TestClientRootsFolders(t *testing.T) {
	dir := folder(t, t.TempDir(), "a")
	var log testenv.Buffer
	roots, err := newClientRoots(t.TempDir(), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	got := roots.folders([]*mcp.Root{
		nil, {URI: fileURI(filepath.Join(dir, "none"))}, {URI: fileURI(filepath.Join(dir, "f.txt"))},
		{URI: "https://example.com/"},
		{URI: fileURI(dir)}, {URI: fileURI(dir)},
	})
	real, _ := filepath.EvalSymlinks(dir)
	if !slices.Equal(got, []string{real}) {
		t.Errorf("folders %q", got)
	}
	if n := strings.Count(log.String(), "a root of the client is ignored"); n != 3 {
		t.Errorf("%d log lines\n%s", n, &log)
	}
}
