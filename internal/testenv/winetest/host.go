package winetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Programs makes a folder with programs of Windows. Each runs the program of this system with its
// name, since Wine cannot wait for that. In a shell, the programs of the first folder on PATH of
// the caller have their names, so a script calls techo as it does elsewhere.
func (w *Wine) Programs(t testing.TB, names ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	h := &host{w, t.TempDir()}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	program := filepath.Join(folder, "host")
	if err := Build(program, "build", "techo/internal/testenv/winetest/host"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "address"), []byte(server.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.Link(program, filepath.Join(folder, name+".exe")); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"techo", "person"} {
		text := "#!/bin/sh\nexec " + fixed + " wine \"$WINE_PROGRAMS/" + name + ".exe\" \"$@\"\n"
		if err := os.WriteFile(filepath.Join(h.wrappers, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

type host struct {
	wine     *Wine
	wrappers string // a folder with programs that run one of Windows
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct {
		Args, Env []string
		Dir       string
		Stdin     []byte
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for i, a := range call.Args {
		call.Args[i] = slashed(a)
	}
	c := exec.CommandContext(r.Context(), call.Args[0], call.Args[1:]...)
	c.Dir, c.Stdin = h.here(call.Dir), bytes.NewReader(call.Stdin)
	c.Env = append(h.environment(call.Env), h.wine.env()...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	code := 0
	if err := c.Run(); err != nil {
		code = 126
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			code = exit.ExitCode()
		} else {
			stderr.WriteString(err.Error())
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"Code": code, "Stdout": stdout.Bytes(), "Stderr": stderr.Bytes()})
}

// environment translates the environment of a program of Windows. Wine replaces HOME and
// LOCALAPPDATA, so other variables name the folders in it.
func (h *host) environment(windows []string) (env []string) {
	for _, v := range windows {
		name, value, _ := strings.Cut(v, "=")
		if strings.EqualFold(name, "HOME") {
			env = append(env, "XDG_DATA_HOME="+value+"/.local/share", "XDG_CONFIG_HOME="+value+"/.config",
				"XDG_STATE_HOME="+value+"/.local/state")
		}
		if strings.HasPrefix(strings.ToUpper(name), "XDG_") && value == "" {
			continue
		}
		if !strings.EqualFold(name, "PATH") {
			env = append(env, v) // techo in a shell needs it so
			continue
		}
		first, _, _ := strings.Cut(value, ";")
		env = append(env, "WINE_PROGRAMS="+h.here(first),
			"PATH="+h.wrappers+":"+os.Getenv("PATH"))
	}
	return env
}

// drivePath matches an absolute path of Windows in a text.
var drivePath = regexp.MustCompile(`\b[A-Za-z]:\\[^\s'";,]*`)

// slashed writes the paths of Windows in a text with slashes, which shells leave alone.
func slashed(text string) string {
	return drivePath.ReplaceAllStringFunc(text, func(path string) string {
		return strings.ReplaceAll(path, `\`, "/")
	})
}

// here returns the path in this system of a path of Windows.
func (h *host) here(path string) string {
	if len(path) < 2 {
		return path
	}
	drive, err := filepath.EvalSymlinks(filepath.Join(h.wine.Prefix, "dosdevices", strings.ToLower(path[:2])))
	if err != nil {
		return path
	}
	return filepath.Join(drive, strings.ReplaceAll(path[2:], `\`, "/"))
}
