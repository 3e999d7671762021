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

// Program builds techo on the first call in a test process and returns its path: as a release
// with TECHO_TEST_ALL=1, otherwise from the packages that the tests have compiled anyway. The
// package's TestMain must be Main, which removes the folder.
func Program(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Main runs a package's tests and removes the program that Program built:
//
//	func TestMain(m *testing.M) { testenv.Main(m) }
func Main(m *testing.M) {
	defer os.RemoveAll(folder())
	m.Run()
}

var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder(), "techo")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	command := exec.Command("go", "build", "-buildvcs=false", "-o", path, "techo")
	if Full() {
		command = exec.Command("go", "build", "-buildvcs=false", releaseTags, "-o", path, "techo")
		command.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// folder creates the folder of the program.
var folder = sync.OnceValue(func() string {
	path, err := os.MkdirTemp("", "techo-test-")
	if err != nil {
		panic(err)
	}
	return path
})
