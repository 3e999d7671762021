package store

import (
	"fmt"
	"strings"
)

// description is the text of a record: a line for each field that is set.
type description struct{ strings.Builder }

func (d *description) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *description) field(name, value string) {
	switch {
	case value == "":
	case strings.Contains(value, "\n"):
		d.line("%s:\n  %s", name, strings.ReplaceAll(value, "\n", "\n  "))
	default:
		d.line("%s: %s", name, value)
	}
}

// describing begins the text of a record.
func describing(kind Kind, id string) *description {
	d := &description{}
	d.line("%s %s", kind, id)
	return d
}
