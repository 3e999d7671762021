// Package splice sets and removes values in the text of a JSON or TOML configuration
// file, and leaves every other byte unchanged.
package splice

import "errors"

// ErrShape reports that the path to the value crosses something other than an
// object or a table.
var ErrShape = errors.New("another kind of value is in the way")

// Format is the format of a configuration file. Its methods fail for a text that they
// cannot parse; the errors of Set may also be ErrShape.
type Format interface {
	// Get returns the value at a path. ok is false without one.
	Get(text []byte, path []string) (value any, ok bool, err error)

	// Set returns text with the value at a path replaced or inserted.
	Set(text []byte, path []string, value any) ([]byte, error)

	// Remove returns text without the value at a path, and text itself without one.
	Remove(text []byte, path []string) ([]byte, error)
}
