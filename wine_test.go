package main

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv/winetest"
)

// wineLeftOut are the scripts that TestWine leaves out, with the reason.
var wineLeftOut = map[string]string{
	"fs_glob": "its look into skipped folders may take 150 ms, and Wine is slower",
	"grep":    "likewise",
}

// buildForWine builds a program for Windows by a command of go, and makes a Wine to run it.
func buildForWine(t *testing.T, command ...string) (wine *winetest.Wine, program string) {
	t.Helper()
	if !winetest.On() {
		t.Skip("runs with TECHO_TEST_WINE=1 only: it needs Wine")
	}
	dir := t.TempDir()
	wine, err := winetest.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(wine.Close)
	program = filepath.Join(dir, "windows.exe") // not the name of a program of the scripts
	if err := winetest.Build(program, command...); err != nil {
		t.Fatal(err)
	}
	return wine, program
}

// TestWine runs the scripts with the Windows program, under Wine. TECHO_TEST_WINE_ONLY chooses some of
// them.
func TestWine(t *testing.T) {
	wine, tests := buildForWine(t, "test", "-c", "techo")
	programs := wine.Programs(t, "awk", "cat", "chmod", "cp", "find", "grep", "ls", "printf", "rm", "sed", "sh",
		"sleep", "test", "touch")
	which := "-test.skip=^TestScript$/^(" + strings.Join(slices.Collect(maps.Keys(wineLeftOut)), "|") + ")$"
	if only := os.Getenv("TECHO_TEST_WINE_ONLY"); only != "" {
		which = "-test.run=^TestScript$/^(" + only + ")$"
	}
	c := wine.Command("wine", tests, "-test.v", "-test.parallel=4", "-test.timeout=1h", "-test.run=^TestScript$",
		which)
	c.Env = append(c.Env, "WINEPATH=Z:"+strings.ReplaceAll(programs, "/", `\`), "TECHO_TEST_WINE=")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%d scripts passed", strings.Count(string(out), "--- PASS: TestScript/"))
}

// TestWineConsole runs the Windows program in a console: Japanese, colours, and Ctrl-C.
func TestWineConsole(t *testing.T) {
	wine, program := buildForWine(t, "build", ".")
	in, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer keys.Close()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Second) // a call listens for Ctrl-C from its 20th millisecond; before, Wine ends it with 0
		_, _ = keys.WriteString("\x03")
		<-r.Context().Done()
	}))
	defer server.Close()
	store := "Z:" + t.TempDir() + "/store"
	for _, call := range []struct {
		args, want string
		code       int
	}{
		{"todo add 牛乳を買う --due 2020-01-05", "タスクを追加しました: 牛乳を買う", 0},
		{"todo list", "\x1b[31m2020/1/5(日)\x1b[0m  牛乳を買う [期限切れ]", 0},
		{"memo nope", "「nope」というコマンドはありません", 2},
		{"web fetch " + server.URL + " --allow-private", "Error: ", 130},
	} {
		c := wine.Command("script", "-qec", "wine "+program+" --lang ja -o text "+call.args, "/dev/null")
		c.Stdin, c.Env = in, append(c.Env, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "TECHO_STORE="+store)
		out, _ := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != call.code || !strings.Contains(string(out), call.want) {
			t.Errorf("%s: exit code %d, %q", call.args, code, out)
		}
	}
}

// TestWinePaths gives the Windows program long paths, shares and reserved names.
func TestWinePaths(t *testing.T) {
	wine, program := buildForWine(t, "build", ".")
	dir := "Z:" + t.TempDir()
	long := dir + "/" + strings.Repeat(strings.Repeat("長い名前", 12)+"/", 6)
	for _, call := range []struct {
		args, want string
		code       int
	}{
		{"fs write " + long + "a.txt --content one", `"created":true`, 0},
		{"fs write " + long + "A.TXT --content two", `"created":false`, 0},
		{`fs read \\?\` + strings.ReplaceAll(long, "/", `\`) + "a.txt", `"text":"two"`, 0},
		{"memo add a x --priority 1 --store " + long + "store", `"memo":{`, 0},
		{`memo list --store \\server\share\store`, "The store would lie on a network file system", 4},
		{"fs write C:/NUL --content x", "a name that Windows does not give to files", 2},
		{"fs write C:/aux.md --content x", "a name that Windows does not give to files", 2},
		{"fs write C:/a.txt:b --content x", "a name that Windows does not give to files", 2},
	} {
		c := wine.Command("wine", append([]string{program}, strings.Fields(call.args)...)...)
		c.Env = append(c.Env, "LC_ALL=C.UTF-8", "TECHO_STORE="+dir+"/store")
		out, _ := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != call.code || !strings.Contains(string(out), call.want) {
			t.Errorf("%s: exit code %d, %q", call.args, code, out)
		}
	}
}
