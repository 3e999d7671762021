// Package lazyregexp keeps regular expressions that are compiled at their first use: every call of
// techo initializes all packages of the program and uses few of their expressions.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression that takes no memory before its first use.
type Regexp struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// New returns the expression. The compiler turns its calls in variables of a package into data.
func New(text string) *Regexp { return &Regexp{text: text} }

// Get returns the compiled expression. It panics if the text is not an expression.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.text) })
	return r.compiled
}
