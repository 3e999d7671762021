// Package tables measures techo beside other programs, and prints the tables of docs/benchmarks.md.
package tables

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
	{"crowd", crowd},
	{"kills", kills},
	{"readers", readers},
	{"calls", callsBesideWriters},
	{"servers", servers},
	{"modules", modules},
	{"hooks", hooks},
	{"team", team},
	{"scale", scale},
	{"web", web},
	{"search", search},
	{"scan", scans},
	{"edit", edit},
	{"memories", memories},
	{"growth", growth},
	{"export", exports},
	{"retrieval", retrieval},
	{"peers", peers},
	{"calendar", calendars},
	{"page", pages},
}

// Print prints the tables with some names, or all if args has none. The other arguments are data files.
func Print(args []string) error {
	b, err := prepare()
	if err == nil {
		b.files = dataFiles(args)
		err = b.run(args)
	}
	if b != nil {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	return err
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
