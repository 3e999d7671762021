package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHostile checks that every case in docs/hostile.md has its test.
func TestHostile(t *testing.T) {
	page, err := os.ReadFile("docs/hostile.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| ([WASFRP][0-9]+) \\| .* \\| `(\\S+) (\\S+)` \\|$").FindAllSubmatch(page, -1)
	cases := regexp.MustCompile(`(?m)^\| [A-Z][0-9]+ \|`).FindAll(page, -1)
	if len(rows) != len(cases) || len(cases) < 100 {
		t.Fatalf("%d of %d cases name a test", len(rows), len(cases))
	}
	for _, row := range rows {
		id, folder, name := string(row[1]), string(row[2]), string(row[3])
		if strings.HasSuffix(name, ".txtar") {
			if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			continue
		}
		if !hasTest(t, folder, name) {
			t.Errorf("%s: there is no %s in %s", id, name, folder)
		}
	}
}

func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(source, []byte("func "+name+"(t *testing.T)")) {
			return true
		}
	}
	return false
}
