package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"techo/commands"
	"techo/commands/run/runtest"
	"techo/commands/system"
	"techo/internal/testenv"
	"techo/store"
)

var update = flag.Bool("update", false, "write the output into the golden files")

func TestMain(m *testing.M) {
	store.SecretKiB = 64
	testscript.Main(m, map[string]func(){
		"techo": func() { as("techo") }, "person": func() { as("person") }, "real": main,
	})
}

// slashes writes the paths of Windows with slashes, as the scripts have them.
type slashes struct{ io.Writer }

// drivePath matches an absolute path, also in JSON.
var drivePath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[A-Za-z]:(\\|/)[^\s"';,]*`) })

func (s slashes) Write(b []byte) (int, error) {
	_, err := s.Writer.Write(drivePath().ReplaceAllFunc(b, func(path []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(path, []byte(`\\`), []byte("/")), []byte(`\`), []byte("/"))
	}))
	return len(b), err
}

// accountName is the variable in which scripts have the home folder of their account. Only this
// test program reads it.
const accountName = "TEST_ACCOUNT"

func as(program string) {
	world := scripted(system.OS(), program)
	if runtime.GOOS == "windows" {
		world.Stdout = slashes{world.Stdout}
	}
	os.Exit(commands.Main(world))
}

// scripted returns the system of a program of the scripts: techo runs without a terminal, person at
// one, where the lines of PERSON_TYPES are typed.
func scripted(world system.System, program string) system.System {
	world.Account = func() (string, error) { return world.Getenv(accountName), nil }
	if program == "person" {
		world.StdinTerminal = true
		if lines := world.Getenv("PERSON_TYPES"); lines != "" {
			world.Terminal = runtest.Types(strings.Split(lines, "|")...)
		}
	}
	return world
}

// guardScript names addresses of strangers.
const guardScript = "web_fetch_guard"

// TestScript runs each script with its own folder, home and store.
func TestScript(t *testing.T) {
	p := scripts(t, false)
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p.Files = calledScripts(t, files, testenv.OnDatabase())
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		if strings.TrimPrefix(filepath.Base(e.WorkDir), "script-") == guardScript {
			e.T().Skip("runs in TestGuardScript")
		}
		return setup(e)
	}
	testscript.Run(t, p)
}

// TestScriptRooted runs the scripts of the file tools again, confined to their folder. A
// difference that is meant has the condition [rooted].
func TestScriptRooted(t *testing.T) {
	p := scripts(t, true)
	p.UpdateScripts = false
	p.Files, _ = filepath.Glob("testdata/script/fs_*.txtar")
	p.Files = calledScripts(t, append(p.Files, "testdata/script/grep.txtar"), true)
	testscript.Run(t, p)
}

// TestGuardScript runs a script where no stranger can be reached.
func TestGuardScript(t *testing.T) {
	if !testenv.Isolated(t) {
		return
	}
	p := scripts(t, false)
	p.Files = []string{"testdata/script/" + guardScript + ".txtar"}
	testscript.Run(t, p)
}

// scripts returns how scripts run. Rooted ones may use only their folder.
func scripts(t *testing.T, rooted bool) testscript.Params {
	return testscript.Params{
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(e *testscript.Env) error { return setUpScript(t, e, rooted) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"call":     callTecho,
			"code":     exitCode,
			"serve":    serveFolder,
			"endpoint": serveEndpoint,
		},
		Condition: func(name string) (bool, error) {
			if name == "rooted" {
				return rooted, nil
			}
			return condition(name)
		},
	}
}

func setUpScript(t *testing.T, e *testscript.Env, rooted bool) error {
	e.Setenv("TECHO_NOW", "2024-01-20T14:00:00+09:00")
	e.Setenv("TZ", "Asia/Tokyo")
	e.Setenv("LANG", "C")
	e.Setenv("XDG_DATA_HOME", "")
	e.Setenv("HOME", e.WorkDir+"/home")
	e.Setenv("APPDATA", e.WorkDir+"/home/.config") // of Windows
	e.Setenv(accountName, e.WorkDir+"/home")
	e.Setenv("USER", "tanaka")
	if rooted {
		e.Setenv("TECHO_ROOTS", e.WorkDir)
	}
	if testenv.OnDatabase() {
		if reason := folderScripts[strings.TrimPrefix(filepath.Base(e.WorkDir), "script-")]; reason != "" {
			e.T().Skip(reason)
		}
		e.Setenv("TECHO_STORE", testenv.MigratedDatabase(t, migrate))
	}
	return os.Mkdir(e.WorkDir+"/home", 0o755)
}

func migrate(ctx context.Context, address string) error {
	_, _, err := store.Migrate(ctx, address, store.Options{Now: time.Now})
	return err
}

// folderScripts are the scripts that TECHO_TEST_STORE=postgres leaves out, with what they
// show and a store in a database does not have.
var folderScripts = map[string]string{
	"config_list":      "settings without TECHO_STORE",
	"config_set":       "the settings of a workspace with a store",
	"config_unset":     "likewise",
	"doctor":           "rescue from a damaged folder",
	"init":             "a store in the folder of a workspace",
	"memory_workspace": "a store in the folder of a workspace, beside the person's own",
	"memory_check":     "sources in a workspace with a store",
	"memory_review":    "sources in a workspace with a store",
	"mcp_install":      "the address of the store is not the default one",
	"page":             "likewise",
	"serve":            "likewise",
	"setup":            "likewise",
	"store_compact":    "compaction",
	"store_copy":       "a copy of the default folder",
	"store_migrate":    "the formats of a folder",
	"store_restore":    "a restore into a folder",
	"store_trust":      "a store in the folder of a workspace",
	"store_verify":     "tables",
	"web_fetch":        "the cache of web pages",
}
