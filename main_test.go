package main

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("u", false, "write what the scripts print into their golden files")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"techo": main})
}

// TestScript runs the scripts, each in a folder, a home and a store of its own.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TECHO_NOW", "2024-01-20T14:00:00+09:00")
			e.Setenv("TZ", "Asia/Tokyo")
			e.Setenv("LANG", "C")
			e.Setenv("XDG_DATA_HOME", "")
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("USER", "tanaka")
			return os.Mkdir(e.WorkDir+"/home", 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":  exitCode,
			"serve": serveFolder,
		},
	})
}
