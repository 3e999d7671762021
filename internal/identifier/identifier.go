// Package identifier finds words that are written by rule, such as getUser, 3f2a9bc and "the exact
// phrase".
package identifier

import (
	"regexp"
	"sync"
)

var form = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z]+[0-9][A-Za-z0-9]*|[0-9]+[A-Za-z][A-Za-z0-9]{3,}|[0-9]{5,}|` +
		`[a-z][A-Z][a-z]|[A-Za-z0-9]_[A-Za-z0-9]|[a-z]\.[a-z]|"[^"]+"|「[^」]+」|“[^”]+”`)
})

// In reports whether a text has an identifier, a hash, a long number or a quotation: what it finds
// by these words is meant to the letter.
func In(text string) bool { return form().MatchString(text) }
