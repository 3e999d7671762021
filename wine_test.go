package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv/winetest"
)

// wineLeftOut are the scripts that TestWine leaves out, with what Wine 8 lacks.
var wineLeftOut = map[string]string{
	"config_set":  "symbolic links",
	"fs_glob":     "the short look into skipped folders ends early",
	"fs_list":     "symbolic links",
	"fs_remove":   "symbolic links",
	"grep":        "the short look into skipped folders ends early",
	"mcp_install": "PATH in the form of Unix",
	"page":        "Unix sockets",
	"serve":       "services of Unix",
	"setup":       "Zed keeps its settings in another folder",
	"store_trust": "symbolic links",

	"store_compact": "a file in the place of a store is called missing (exit code 3 in place of 2)",
}

// TestWine runs the scripts with the Windows program, under Wine.
func TestWine(t *testing.T) {
	if !winetest.On() {
		t.Skip("runs with TECHO_TEST_WINE=1 only: it needs Wine")
	}
	dir := t.TempDir()
	wine, err := winetest.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer wine.Close()
	tests := filepath.Join(dir, "techo.test.exe")
	if err := winetest.Build(tests, "test", "-c", "techo"); err != nil {
		t.Fatal(err)
	}
	pattern := "^TestScript$"
	if only := os.Getenv("TECHO_TEST_WINE_ONLY"); only != "" {
		pattern += "/^(" + only + ")$"
	}
	c := wine.Command("wine", tests, "-test.run="+pattern, "-test.timeout=2h",
		"-test.skip=^TestScript$/^("+strings.Join(slices.Collect(maps.Keys(wineLeftOut)), "|")+")$")
	programs := wine.Programs(t, "awk", "cat", "chmod", "cp", "find", "grep", "ls", "printf", "rm", "sed", "sh",
		"sleep", "test")
	c.Env = append(c.Env, "WINEPATH=Z:"+strings.ReplaceAll(programs, "/", `\`), "TECHO_TEST_WINE=")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
