// Package winetest runs the Windows program in tests, under Wine. It needs the programs wine,
// wineserver and x86_64-w64-mingw32-gcc (Debian: wine, wine64, gcc-mingw-w64-x86-64), and that
// setarch may fix the places of memory.
package winetest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// variable selects the tests. Its value is 1, or a folder for the prefix, which then serves
// again.
const variable = "TECHO_TEST_WINE"

// On reports whether tests run the Windows program.
func On() bool { return os.Getenv(variable) != "" }

// Wine is a prefix, the folder of Wine's drives and registry.
type Wine struct{ Prefix string }

//go:embed testdata/bcryptprimitives.c
var library []byte

// fixed runs a program with its memory always at the same places, also in the programs that it
// starts. Otherwise Debian's Wine 8 exits with 1 once in some thousand starts, before the program
// runs, and says so only with WINEDEBUG=err+virtual: "failed to map the shared user data". Its
// loader lies at 0x7d000000, and Linux puts the heap at random into the GiB behind it, sometimes
// where Windows has that page.
const fixed = "setarch -R"

// New makes a prefix in a folder, unless TECHO_TEST_WINE names one that is ready, and starts Wine
// there until Close. Debian's otherwise ends with each program, and takes a second to start. Its
// services keep the output of the program that starts them, so that one has none.
func New(dir string) (*Wine, error) {
	w := &Wine{filepath.Join(dir, "prefix")}
	if named := os.Getenv(variable); filepath.IsAbs(named) {
		w.Prefix = named
	}
	if err := os.MkdirAll(w.Prefix, 0o700); err != nil {
		return nil, err
	}
	w.Close() // what a test that was killed left
	init := w.Command("wine", "wineboot", "--init")
	init.Env = append(init.Env, "WINEDLLOVERRIDES=mscoree,mshtml=") // no questions about .NET and HTML
	for _, c := range []*exec.Cmd{w.Command("wineserver", "--persistent"), init} {
		if err := c.Run(); err != nil {
			return nil, fmt.Errorf("%v: %w", c.Args, err)
		}
	}
	to := filepath.Join(w.Prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(to); err == nil {
		return w, nil
	}
	source := filepath.Join(dir, "bcryptprimitives.c")
	if err := os.WriteFile(source, library, 0o600); err != nil {
		return nil, err
	}
	out, err := w.Command("x86_64-w64-mingw32-gcc", "-Wall", "-O2", "-shared", "-nostdlib", "-e", "DllMain",
		"-Wl,--image-base=0x1e0000000,--disable-dynamicbase", "-o", to, source, "-ladvapi32",
		"-lkernel32").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("bcryptprimitives.dll: %w\n%s", err, out)
	}
	return w, nil
}

// Close ends all programs of the prefix.
func (w *Wine) Close() { _ = w.Command("wineserver", "--kill").Run() }

// Command returns a command that uses the prefix.
func (w *Wine) Command(name string, args ...string) *exec.Cmd {
	words := append(append(strings.Fields(fixed), name), args...)
	c := exec.Command(words[0], words[1:]...)
	c.Env = append(os.Environ(), w.env()...)
	return c
}

// env is the environment of Wine. Without GODEBUG, Wine 8 faults where Go interrupts a thread.
func (w *Wine) env() []string {
	return []string{"WINEPREFIX=" + w.Prefix, "WINEDEBUG=-all", "GODEBUG=asyncpreemptoff=1"}
}

// Build runs go build or go test -c for Windows.
func Build(output string, args ...string) error {
	c := exec.Command("go", append([]string{args[0], "-buildvcs=false", "-o", output}, args[1:]...)...)
	c.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", c.Args, err, out)
	}
	return nil
}

// Wrap writes a program of this system that runs a program of Windows. A signal to
// it hits the other one.
func (w *Wine) Wrap(path, program string) error {
	text := fmt.Sprintf("#!/bin/sh\nexport '%s'\nexec %s wine '%s' \"$@\"\n", strings.Join(w.env(), "' '"), fixed,
		program)
	return os.WriteFile(path, []byte(text), 0o755)
}
