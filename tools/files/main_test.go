package files

import (
	"testing"

	"techo/tools/files/filestest"
)

func TestMain(m *testing.M) { filestest.Main(m) }
