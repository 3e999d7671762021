package edit

import (
	"os"
	"testing"

	"techo/tools/files/filestest"
)

func TestMain(m *testing.M) { os.Exit(filestest.Run(m)) }

var (
	check     = filestest.Check
	put       = filestest.Put
	link      = filestest.Link
	codeOf    = filestest.CodeOf
	confined  = filestest.Confined
	putFiles  = filestest.PutFiles
	testEnv   = filestest.Env
	withStore = filestest.WithStore
	contents  = filestest.Contents
	freeEnv   = filestest.FreeEnv
	encoded   = filestest.Encoded
)
