//go:build nobadger

package main

import "errors"

// openBadger fails. The tag nobadger is for versions of techo whose go.sum does not
// have all that a Badger database imports.
func openBadger(string) (engine, error) { return nil, errors.New("built without Badger") }
