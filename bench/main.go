// Bench measures techo beside its peers, in one run, and prints the tables of
// docs/benchmarks.md:
//
//	go run ./bench            all
//	go run ./bench start flat only these
//	go run ./bench retrieval FILE.json…
//
// Whole processes are measured, interleaved, so that what else the machine
// does hits all of them alike. Ratios of medians are what counts.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// suite is one table.
type suite struct {
	name string
	run  func(*bench) error
}

var suites = []suite{
	{"start", start},
	{"sqlite", sqlite},
	{"flat", flat},
	{"batch", batch},
	{"crowd", crowd},
	{"servers", servers},
	{"scale", scale},
	{"web", web},
	{"search", search},
	{"edit", edit},
	{"memories", memories},
	{"export", exports},
	{"retrieval", retrieval},
	{"calendar", calendars},
}

func main() {
	b, err := prepare()
	if err == nil {
		defer os.RemoveAll(b.dir)
		b.files = dataFiles(os.Args[1:])
		for _, s := range suites {
			if len(os.Args) > 1 && !slices.Contains(os.Args[1:], s.name) {
				continue
			}
			if err = s.run(b); err != nil {
				err = fmt.Errorf("%s: %w", s.name, err)
				break
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	dir   string
	techo string
	hello string
	files []string // that the command line names
}

// prepare builds what is measured, in a folder on the disk of this one, since
// a temporary folder may lie in memory.
func prepare() (*bench, error) {
	dir, err := os.MkdirTemp(".", ".bench-")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	b := &bench{dir: dir, techo: filepath.Join(dir, "techo"), hello: filepath.Join(dir, "hello")}
	for target, source := range map[string]string{b.techo: ".", b.hello: "./bench/hello"} {
		build := exec.Command("go", "build", "-trimpath", "-o", target, source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
		if out, err := build.CombinedOutput(); err != nil {
			return b, fmt.Errorf("build %s: %w\n%s", source, err, out)
		}
	}
	fmt.Printf("%s, %s/%s, %d cores\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	return b, nil
}

// store names a new store.
func (b *bench) store(name string) string { return filepath.Join(b.dir, name+".store") }

// add is the command line that adds a memo.
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
