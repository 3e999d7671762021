package ledger

import (
	"fmt"
	"strings"
)

// Description is the text of a record: a line for each field that is set.
type Description struct{ strings.Builder }

func (d *Description) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *Description) Field(name, value string) {
	switch {
	case value == "":
	case strings.Contains(value, "\n"):
		d.line("%s:\n  %s", name, strings.ReplaceAll(value, "\n", "\n  "))
	default:
		d.line("%s: %s", name, value)
	}
}

// Describing begins the text of a record.
func Describing(kind Kind, id string) *Description {
	d := &Description{}
	d.line("%s %s", kind, id)
	return d
}
