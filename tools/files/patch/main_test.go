package patch

import (
	"testing"

	"techo/tools/files/filestest"
)

func TestMain(m *testing.M) { filestest.Main(m) }

var (
	check    = filestest.Check
	put      = filestest.Put
	codeOf   = filestest.CodeOf
	putFiles = filestest.PutFiles
	testEnv  = filestest.Env
	contents = filestest.Contents
	freeEnv  = filestest.FreeEnv
)
