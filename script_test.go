package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// exitCode runs a command that must end with an exit code:
//
//	code 2 techo memo nope
//
// The commands stdout, stderr and cmp use its output, as after exec.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [word…]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if e := new(exec.ExitError); errors.As(err, &e) {
		got = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	checkCode(ts, got, args[0], ts.ReadFile("stdout"))
}

// checkCode checks the exit code of a command, and the rules for all errors.
func checkCode(ts *testscript.TestScript, got int, want, out string) {
	if strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
	if withoutHint(out) {
		ts.Fatalf("an error without a hint: %s", out)
	} else if strings.HasPrefix(out, `{"error":{`) && !strings.Contains(out, `"tool":"`) {
		ts.Fatalf("an error without a tool: %s", out)
	}
}

// withoutHint reports whether an output is an error without a hint. An interrupted command
// needs none.
func withoutHint(out string) bool {
	switch {
	case strings.HasPrefix(out, `{"error":{"code":"cancelled"`):
		return false
	case strings.HasPrefix(out, `{"error":{`):
		return !strings.Contains(out, `"hint":"`)
	}
	return strings.HasPrefix(out, "Error: ") && !strings.Contains(out, "\nHint: ")
}

// condition adds two conditions. With [unprivileged] the user is not root, so that the permissions
// of files apply; Windows has other permissions. With [links] symbolic links can be made: Wine
// reports that it made one, and has not.
func condition(name string) (bool, error) {
	switch name {
	case "unprivileged":
		return os.Geteuid() > 0, nil
	case "links":
		return hasLinks(), nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// hasLinks makes a symbolic link and looks at it.
var hasLinks = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "links")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	link := filepath.Join(dir, "link")
	if os.Symlink("target", link) != nil {
		return false
	}
	_, err = os.Readlink(link)
	return err == nil
})

// serveFolder serves a folder on the loopback and sets $URL to its address, $HOST to that
// without http://:
//
//	serve site
//
// The path redirect/ARG redirects to /ARG, status/N answers with that status, and
// etag/ARG returns the page ARG with an ETag.
func serveFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve folder")
	}
	files := http.FileServer(http.Dir(ts.MkAbs(args[0])))
	mux := http.NewServeMux()
	mux.Handle("/", files)
	mux.HandleFunc("/redirect/{to...}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/"+r.PathValue("to"), http.StatusFound)
	})
	mux.HandleFunc("/status/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		http.Error(w, "the body", n)
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("URL", server.URL)
	ts.Setenv("HOST", strings.TrimPrefix(server.URL, "http://"))
}
