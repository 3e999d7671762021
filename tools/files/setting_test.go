package files

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"techo/tools"
)

// rooted makes testEnv confine its tools to the working folder.
var rooted bool

// TestMain runs all tests twice: without roots, and with the working folder as the root.
// Both must give the same, so no test can forget one of them. A test of what is meant to
// differ asks for freeEnv or confined.
func TestMain(m *testing.M) {
	code := m.Run()
	for _, once := range []string{"test.list", "test.fuzz", "test.bench"} {
		if flag.Lookup(once).Value.String() != "" {
			os.Exit(code)
		}
	}
	if testing.Verbose() || code != 0 {
		fmt.Println("With roots:")
	}
	rooted = true
	os.Exit(max(code, m.Run()))
}

// testEnv is the environment of a call from a folder, in the setting of this run.
func testEnv(dir string) *tools.Env {
	if !rooted {
		return freeEnv(dir)
	}
	return rootedEnv(dir, dir)
}

// freeEnv is an environment without roots.
func freeEnv(dir string) *tools.Env { return &tools.Env{Dir: dir, Zone: time.UTC, Now: time.Now} }

// rootedEnv is an environment with roots. They are closed when they are no longer used.
func rootedEnv(dir string, names ...string) *tools.Env {
	env := freeEnv(dir)
	env.Roots = sync.OnceValues(func() (roots []*os.Root, err error) {
		for _, name := range names {
			real, err := filepath.EvalSymlinks(name)
			if err != nil {
				return nil, err
			}
			root, err := os.OpenRoot(real)
			if err != nil {
				return nil, err
			}
			roots = append(roots, root)
		}
		return roots, nil
	})
	return env
}
