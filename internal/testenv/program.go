package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// releaseTags is the flag of go build for the build tags of a release, as in
// .ci/release.
const releaseTags = "-tags=urfave_cli_no_template"

// Program returns the path of techo: with TECHO_TEST_ALL=1 of a release, which the first call in a
// test process builds, otherwise of this test program, which Main makes techo. The package's
// TestMain must be Main.
func Program(t testing.TB) string {
	t.Helper()
	path, err := Build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Main runs a package's tests and removes the program of Program. In that program it runs techo:
//
//	func TestMain(m *testing.M) {
//		testenv.Main(m, func() int { return commands.Main(system.OS()) })
//	}
func Main(m interface{ Run() int }, techo func() int) {
	if self, err := os.Executable(); err == nil && filepath.Base(self) == programName() {
		os.Exit(techo())
	}
	code := m.Run()
	os.RemoveAll(folder())
	os.Exit(code)
}

// Build is Program for a TestMain.
var Build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder(), programName())
	if !Full() {
		return path, CopyOwn(path)
	}
	command := exec.Command("go", "build", "-buildvcs=false", releaseTags, "-o", path, "techo")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// CopyOwn gives this test program another path. A symbolic link would not: os.Executable follows it.
func CopyOwn(path string) error {
	self, err := os.Executable()
	if err != nil || os.Link(self, path) == nil {
		return err
	}
	content, err := os.ReadFile(self) // in another file system
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o755)
}

func programName() string {
	if runtime.GOOS == "windows" {
		return "techo.exe"
	}
	return "techo"
}

// folder creates the folder of the program.
var folder = sync.OnceValue(func() string {
	path, err := os.MkdirTemp("", "techo-test-")
	if err != nil {
		panic(err)
	}
	return path
})
