package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// floors are the packages of the program from top to bottom, each with the packages below it.
// A package imports packages of its own floor and of lower ones. The longest path counts.
var floors = []string{
	"techo",
	"techo/commands",
	"techo/tools/", // the families
	"techo/export",
	"techo/tools",
	"techo/store",
	"techo/locales",
	"techo/internal",
}

// shared are the packages in tools that are no families: every family may use them.
var shared = []string{"schema", "failure", "jsontree", "message", "papers", "when", "person", "internet"}

// homes are the packages that may import a library. A library that is not here may be imported by
// any package.
var homes = map[string][]string{
	"github.com/dgraph-io/badger":        {"techo/store/kv"},
	"github.com/tidwall/btree":           {"techo/store/kv", "techo/store/pg"},
	"github.com/jackc/pgx":               {"techo/store/pg"},
	"github.com/klauspost/compress":      {"techo/locales", "techo/store/replica"},
	"filippo.io/age":                     {"techo/store/replica"},
	"golang.org/x/sys":                   {"techo/export", "techo/store/kv", "techo/internal", "techo/tools/files", "techo/commands"},
	"golang.org/x/net":                   {"techo/internal", "techo/commands"},
	"golang.org/x/text":                  {"techo/store", "techo/tools", "techo/internal"},
	"golang.org/x/term":                  {"techo/commands"},
	"golang.org/x/crypto":                {"techo/store"},
	"golang.org/x/time":                  {"techo/commands"},
	"github.com/andybalholm/brotli":      {"techo/tools/web"},
	"github.com/ledongthuc/pdf":          {"techo/internal/pdftext"},
	"github.com/go-json-experiment/json": {"techo/tools/jsontree"},
	"github.com/google/renameio":         {"techo/internal/atomicfile"},
	"github.com/urfave/cli":              {"techo/commands/line"},
	"github.com/rivo/uniseg":             {"techo/internal/lineedit"},
	"github.com/pelletier/go-toml":       {"techo/internal/splice"},
	"github.com/tailscale/hujson":        {"techo/internal/splice"},
	"github.com/modelcontextprotocol":    {"techo/commands/mcp", "techo/internal/mcptest"},
	"github.com/goccy/go-yaml":           {"techo/commands/ingest"},
	"github.com/bmatcuk/doublestar":      {"techo/tools/files"},
	"github.com/rogpeppe/go-internal":    {"techo/tools/files", "techo/commands/google", "techo/store"}, // its diff and its locks
	"github.com/chromedp":                {"techo/internal/browser"},
	"github.com/google/jsonschema-go":    {}, // for tests, as the following
	"github.com/anishathalye/porcupine":  {"techo/store/kv/kvtest"},
	"github.com/prometheus/common":       {},
	"github.com/creack/pty":              {},
	"net/http":                           {"techo/commands", "techo/tools", "techo/internal/testenv", "techo/internal/browser"},
	"os/signal":                          {"techo/commands"},
}

// below reports whether a package is at a path or below it.
func below(pkg, path string) bool {
	return strings.HasPrefix(pkg+"/", strings.TrimSuffix(path, "/")+"/")
}

// floorOf returns the index of a package's floor.
func floorOf(pkg string) int {
	if familyOf(pkg) != "" {
		return slices.Index(floors, "techo/tools/")
	}
	best := 0
	for i, path := range floors {
		if !strings.HasSuffix(path, "/") && below(pkg, path) && len(path) >= len(floors[best]) {
			best = i
		}
	}
	return best
}

// familyOf returns the family of tools that a package belongs to, or "".
func familyOf(pkg string) string {
	path, ok := strings.CutPrefix(pkg, "techo/tools/")
	if family, _, _ := strings.Cut(path, "/"); ok && !slices.Contains(shared, family) {
		return family
	}
	return ""
}

// TestImports checks that imports point down, that no family imports another one, and that each
// outside library has its home.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "techo/proof" || below(p.ImportPath, "techo/packaging") {
			continue // they test and pack the program
		}
		for _, i := range p.Imports {
			if below(i, "techo") {
				if floorOf(i) < floorOf(p.ImportPath) {
					t.Errorf("%s must not import %s, which is above it", p.ImportPath, i)
				}
				if from, to := familyOf(p.ImportPath), familyOf(i); from != "" && to != "" && from != to {
					t.Errorf("%s must not import another family: %s", p.ImportPath, i)
				}
				continue
			}
			for library, allowed := range homes {
				if below(i, library) && !slices.ContainsFunc(allowed, func(home string) bool { return below(p.ImportPath, home) }) {
					t.Errorf("only %v may import %s, not %s", allowed, i, p.ImportPath)
				}
			}
		}
	}
}

// TestSource checks rules that the compiler does not: only main ends the process, only commands
// uses the process's streams, arguments and environment, and nothing runs at import.
func TestSource(t *testing.T) {
	goFiles(t, func(f goFile) {
		if strings.HasSuffix(f.path, "_test.go") || strings.HasPrefix(f.path, "internal/testenv/") {
			return
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil {
					t.Errorf("%s: an init function", f.set.Position(n.Pos()))
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "os" {
					home := homeOf(n.Sel.Name)
					if home != "" && !strings.HasPrefix(f.path, home) && f.path != "packaging/build/main.go" {
						t.Errorf("%s: os.%s belongs into %s", f.set.Position(n.Pos()), n.Sel.Name, home)
					}
				}
			}
			return true
		})
	})
}

// homeOf returns the path that may use a name of package os, or "" if every package may.
func homeOf(name string) string {
	switch name {
	case "Exit":
		return "main.go"
	case "Stdin", "Stdout", "Stderr", "Args", "Getenv", "LookupEnv", "Environ", "Setenv":
		return "commands/"
	}
	return ""
}

// goFile is a parsed file of this module. Its path has slashes.
type goFile struct {
	path string
	set  *token.FileSet
	tree *ast.File
}

func goFiles(t *testing.T, use func(goFile)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			if path == "bench" { // a module of its own
				return fs.SkipDir
			}
			return err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err == nil {
			use(goFile{filepath.ToSlash(path), set, tree})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
