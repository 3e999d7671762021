// Bench compares techo with other programs and prints the tables of
// docs/benchmarks.md:
//
//	go run ./bench                     all tables
//	go run ./bench start flat          these tables only
//	go run ./bench retrieval FILE.json…
//
// The environment selects more:
//
//	TECHO_BENCH_DIVISOR   divides the number of rounds and records, for a trial run
//	TECHO_BENCH_MEMORIES  the number of memories, instead of 1,000,000 or 100,000
//	TECHO_BENCH_OLD       a checkout of an earlier version, for the tables "writers" and "calendar"
//	TECHO_BENCH_RG        further ripgrep programs, separated as in PATH
//	TECHO_BENCH_TREE      the folder to search, instead of five copies of Go's sources
//
// Processes are measured from outside and by turns, so that other load on the
// machine affects all of them alike. Compare ratios of medians, not times.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// suite is a function that prints one or more tables.
type suite struct {
	name string
	run  func(*bench) error
}

var suites = []suite{
	{"start", start},
	{"sqlite", sqlite},
	{"small", small},
	{"flat", flat},
	{"batch", batch},
	{"writers", writers},
	{"crowd", crowd},
	{"kills", kills},
	{"servers", servers},
	{"team", team},
	{"scale", scale},
	{"web", web},
	{"search", search},
	{"scan", scans},
	{"edit", edit},
	{"memories", memories},
	{"export", exports},
	{"retrieval", retrieval},
	{"calendar", calendars},
	{"page", pages},
}

func main() {
	b, err := prepare()
	if err == nil {
		b.files = dataFiles(os.Args[1:])
		err = b.run(os.Args[1:])
	}
	if b != nil {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		os.Exit(1)
	}
}

// run runs the named suites, or all if there are no arguments.
func (b *bench) run(args []string) error {
	for _, s := range suites {
		if len(args) > 0 && !slices.Contains(args, s.name) {
			continue
		}
		if err := s.run(b); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}
