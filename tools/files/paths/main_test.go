package paths

import (
	"testing"

	"techo/tools/files/filestest"
)

func TestMain(m *testing.M) { filestest.Main(m) }

var (
	put  = filestest.Put
	link = filestest.Link
)
