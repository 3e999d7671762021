package tables

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// bench is one run of the program.
type bench struct {
	dir   string // for programs and stores; removed at the end
	techo string
	hello string
	files []string // data files of the command line
	peak  int64    // memory of the scans, in bytes; 0 if unknown
}

// prepare goes to the folder of techo's sources and builds the programs. Their folder is
// there too, because a temporary folder may be in memory.
func prepare() (*bench, error) {
	if _, err := os.Stat("bench"); err != nil {
		if err := os.Chdir(".."); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp(".", ".bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{}
	if b.dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if b.techo, err = b.build("techo", "."); err != nil {
		return b, err
	}
	if b.hello, err = b.build("hello", "./hello", "-C", "bench"); err != nil {
		return b, err
	}
	fmt.Printf("%s, %s/%s, %d cores\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	return b, nil
}

// build builds a package as releases are built and returns the path of a copy of
// the program. A copy, as after an installation, starts 13 to 23 % faster than the
// file that the linker has written.
func (b *bench) build(name, source string, flags ...string) (string, error) {
	linked, program := filepath.Join(b.dir, name+".linked"), filepath.Join(b.dir, name)
	args := slices.Concat([]string{"build"}, flags, []string{"-trimpath", "-tags=urfave_cli_no_template",
		"-ldflags=-s -w", "-o", linked, source}) // -C comes first
	command := exec.Command("go", args...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", source, err, out)
	}
	content, err := os.ReadFile(linked)
	if err != nil {
		return "", err
	}
	return program, errors.Join(os.WriteFile(program, content, 0o755), os.Remove(linked))
}

// sized returns n divided by TECHO_BENCH_DIVISOR, but at least 2.
func sized(n int) int {
	if divisor, err := strconv.Atoi(os.Getenv("TECHO_BENCH_DIVISOR")); err == nil && divisor > 1 {
		return max(n/divisor, 2)
	}
	return n
}

// store returns the path of a new store.
func (b *bench) store(name string) string { return filepath.Join(b.dir, name+".store") }

// add returns the command line that adds a memo.
func (b *bench) add(store, name string) []string {
	return []string{b.techo, "memo", "add", name, "Tanaka likes ramen, above all miso", "--priority", "3", "--store",
		store}
}

// table prints a Markdown table.
func table(title string, rows ...[]string) {
	fmt.Printf("\n### %s\n\n", title)
	for i, r := range rows {
		fmt.Println("| " + strings.Join(r, " | ") + " |")
		if i == 0 {
			fmt.Println(strings.Repeat("|---", len(r)) + "|")
		}
	}
}
