package paths

import (
	"os"
	"testing"

	"techo/tools/files/filestest"
)

func TestMain(m *testing.M) { os.Exit(filestest.Run(m)) }

var (
	put  = filestest.Put
	link = filestest.Link
)
