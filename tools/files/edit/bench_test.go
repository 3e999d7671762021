package edit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/tools"
)

// BenchmarkEdit edits a file of a megabyte, without a store.
func BenchmarkEdit(b *testing.B) {
	dir := b.TempDir()
	env := &tools.Env{Dir: dir}
	text := strings.Repeat("another line of a file of source code\n", 14_000)
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte(text+"value = 0;\n"+text), 0o644); err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := edit(env, replace("f", fmt.Sprintf("value = %d;", i),
			fmt.Sprintf("value = %d;", i+1))); err != nil {
			b.Fatal(err)
		}
	}
}
