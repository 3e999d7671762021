package change

import (
	"testing"

	"techo/tools/files/filestest"
)

func TestMain(m *testing.M) { filestest.Main(m) }

var (
	check   = filestest.Check
	put     = filestest.Put
	freeEnv = filestest.FreeEnv
)
