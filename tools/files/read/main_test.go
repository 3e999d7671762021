package read

import (
	"os"
	"testing"

	"techo/tools/files/filestest"
)

func TestMain(m *testing.M) { os.Exit(filestest.Run(m)) }

var (
	check   = filestest.Check
	put     = filestest.Put
	codeOf  = filestest.CodeOf
	testEnv = filestest.Env
)
