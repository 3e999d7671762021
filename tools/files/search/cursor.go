package search

import (
	"strconv"
	"strings"

	"techo/tools"
	"techo/tools/files/paths"
)

var wrongCursor = tools.Text("must be the next_cursor of a result")

// cursor is a position in the results.
type cursor struct {
	path string // relative to the searched folder
	line int    // the last line that was returned
	part int    // unless 0, only the first matches of the line were returned
}

func (c cursor) String() string {
	text := paths.Show(c.path) + ":" + strconv.Itoa(c.line)
	if c.part > 0 {
		text += "." + strconv.Itoa(c.part)
	}
	return text
}

// skips returns the number of the last line that a search from here skips.
func (c cursor) skips() int {
	if c.part > 0 {
		return c.line - 1
	}
	return c.line
}

func parseCursor(text string) (c cursor, err error) {
	if text == "" {
		return c, nil
	}
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return c, strconv.ErrSyntax
	}
	c.path = paths.Plain(text[:at])
	line, part, parted := strings.Cut(text[at+1:], ".")
	if parted {
		c.part, err = strconv.Atoi(part)
	}
	if err == nil {
		c.line, err = strconv.Atoi(line)
	}
	if c.line < 0 || c.part < 0 {
		err = strconv.ErrRange
	}
	return c, err
}

// wholeFile is the line of a cursor after the last line of a file.
const wholeFile = 1 << 30
