package run

import (
	"techo/tools"
)

// RootHint is the hint for a server without --root.
func RootHint() tools.Text {
	return "Start the server with --root DIR to offer the files there"
}

// noFiles is the error of a call that needs files of a server without --root.
func noFiles(env *tools.Env) *tools.Error {
	return env.Fail(tools.Unavailable, "This server offers no files").
		WithHint(env.Hint(RootHint()))
}
