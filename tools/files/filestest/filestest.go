// Package filestest has what the tests of the packages beside it share. Only tests import it.
package filestest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"techo/internal/charset"
	"techo/internal/testenv"
	"techo/store"
	"techo/tools"
)

// rooted makes Env confine its tools to the working folder.
var rooted bool

// Run runs all tests twice and returns the exit code: without roots, and with the working folder as
// the root.
// Both must give the same, so no test can forget one of them. A test of what is meant to
// differ asks for FreeEnv or Confined.
func Run(m *testing.M) (code int) {
	code = m.Run()
	for _, once := range []string{"test.list", "test.fuzz", "test.bench"} {
		if flag.Lookup(once).Value.String() != "" {
			return code
		}
	}
	if testing.Verbose() || code != 0 {
		fmt.Println("With roots:")
	}
	rooted = true
	return max(code, m.Run())
}

// IsRooted reports whether Env confines its tools.
func IsRooted() bool { return rooted }

// Env is the environment of a call from a folder, in the setting of this run.
func Env(dir string) *tools.Env {
	if !rooted {
		return FreeEnv(dir)
	}
	return rootedEnv(dir, dir)
}

// FreeEnv is an environment without roots.
func FreeEnv(dir string) *tools.Env {
	return &tools.Env{Dir: dir, Cache: testenv.Cache(), Zone: time.UTC, Now: time.Now}
}

// rootedEnv is an environment with roots. They are closed when they are no longer used.
func rootedEnv(dir string, names ...string) *tools.Env {
	env := FreeEnv(dir)
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

// Confined returns an Env for the working folder dir with roots.
func Confined(t *testing.T, dir string, roots ...string) *tools.Env {
	t.Helper()
	env := rootedEnv(dir, roots...)
	_, err := env.Roots()
	Check(t, err)
	return env
}

// Check ends a test that failed.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Put writes a file and creates its folders.
func Put(t testing.TB, path, text string) string {
	t.Helper()
	Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	Check(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// Link makes a symbolic link and its folders.
func Link(t *testing.T, target, path string) {
	t.Helper()
	Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testenv.Symlink(t, target, path)
}

// Names lists a folder.
func Names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	Check(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// CodeOf returns the code of an error of a tool, or "".
func CodeOf(err error) tools.Code {
	if e := new(tools.Error); errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// PutFiles writes files into a new folder.
func PutFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		Put(t, filepath.Join(dir, name), text)
	}
	return dir
}

// WithStore is Env with a store, which records changes for undo.
func WithStore(t *testing.T, dir string) *tools.Env {
	t.Helper()
	return AddStore(t, Env(dir))
}

// AddStore opens a store for an environment.
func AddStore(t *testing.T, env *tools.Env) *tools.Env {
	t.Helper()
	o := store.Options{Write: true, Now: time.Now, Given: true}
	st, err := store.Open(testenv.Place(t, store.Migrate, o), o)
	Check(t, err)
	t.Cleanup(func() { st.Close() })
	env.Open = func(context.Context, bool) (*store.Store, error) { return st, nil }
	return env
}

// Contents returns the files of a folder that a patch may change.
func Contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(b)
		return err
	})
	Check(t, err)
	return all
}

// Encoded returns a text in an encoding.
func Encoded(t *testing.T, name, text string) []byte {
	t.Helper()
	c, ok := charset.Find(name)
	if !ok {
		t.Fatal(name)
	}
	b, err := c.Encode(text)
	Check(t, err)
	return b
}

// Call calls the function of a tool.
func Call[Out, In any](ctx context.Context, tool *tools.Tool, env *tools.Env, in In) (Out, error) {
	return tool.Run.(tools.Func[In, Out])(ctx, env, in)
}

// Linked makes a file with two names, which is written in place.
func Linked(t *testing.T, path, text string) {
	t.Helper()
	Put(t, path, text)
	Check(t, os.Link(path, path+".other"))
}

// Once skips a test that does not depend on the setting when all tests run again with roots, unless
// all tests were asked for.
func Once(t *testing.T) {
	t.Helper()
	if rooted && !testenv.Full() {
		t.Skip("ran without roots")
	}
}
