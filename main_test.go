package main

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"techo/commands"
	"techo/commands/system"
	"techo/internal/lineage"
)

var update = flag.Bool("update", false, "write the output into the golden files")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"techo": main, "person": person})
}

// person runs techo in another process tree, because techo refuses answers from
// the process tree that asked.
func person() {
	world := system.OS()
	world.Lineage = func() lineage.Tree {
		return lineage.Tree{Processes: []lineage.Process{{PID: 2}}, Session: 2, Space: "elsewhere", Cgroup: "another"}
	}
	os.Exit(commands.Main(world))
}

// TestScript runs each script with its own folder, home and store.
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
		Condition: condition,
	})
}
