// Package identifier finds words that are written by rule, such as getUser, 3f2a9bc and "the exact
// phrase".
package identifier

import (
	"slices"
	"strings"

	"techo/internal/lazyregexp"
)

var form = lazyregexp.New(`[A-Za-z]+[0-9][A-Za-z0-9]*|[0-9]+[A-Za-z][A-Za-z0-9]{3,}|[0-9]{5,}|` +
	`[a-z][A-Z][a-z]|[A-Za-z0-9]_[A-Za-z0-9]|[a-z]\.[a-z]|"[^"]+"|「[^」]+」|“[^”]+”`)

// In reports whether a text has an identifier, a hash, a long number or a quotation: what it finds
// by these words is meant to the letter.
func In(text string) bool { return form.Get().MatchString(text) }

// Names returns the names of code and the hashes of a text, as written: getUser, user_by_id,
// 3f2a9bc, 0x7fff, and also GitHub.
func Names(text string) []string {
	return slices.DeleteFunc(name.Get().FindAllString(text, -1), func(word string) bool {
		return !named.Get().MatchString(word) || strings.Trim(word, "0123456789_") == ""
	})
}

var (
	name  = lazyregexp.New(`[A-Za-z0-9_]+`)
	named = lazyregexp.New(`[a-z]{2}[A-Z][a-z]|[A-Za-z0-9]_[A-Za-z0-9]|` +
		`^0x[0-9A-Fa-f]+$|^(?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]{5,}$`)
)
