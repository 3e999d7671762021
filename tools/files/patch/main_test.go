package patch

import (
	"os"
	"testing"

	"techo/tools/files/filestest"
)

func TestMain(m *testing.M) { os.Exit(filestest.Run(m)) }

var (
	check    = filestest.Check
	put      = filestest.Put
	codeOf   = filestest.CodeOf
	putFiles = filestest.PutFiles
	testEnv  = filestest.Env
	contents = filestest.Contents
	freeEnv  = filestest.FreeEnv
)
