package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestSource checks rules that the compiler does not: only main ends the process,
// only commands uses the process's streams, arguments and environment, nothing
// runs at import, and no function has more than 90 lines.
func TestSource(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "bench/") ||
			strings.HasPrefix(path, "internal/testenv/") {
			return nil
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil {
					t.Errorf("%s: an init function", set.Position(n.Pos()))
				}
				if lines := set.Position(n.End()).Line - set.Position(n.Pos()).Line; lines > 90 {
					t.Errorf("%s: %s has %d lines, at most 90", set.Position(n.Pos()), n.Name.Name, lines)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "os" {
					if where := allowedIn(n.Sel.Name); where != "" && !strings.HasPrefix(path, where) {
						t.Errorf("%s: os.%s belongs into %s", set.Position(n.Pos()), n.Sel.Name, where)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// allowedIn returns the package path that may use a name of package os, or "" for
// all packages.
func allowedIn(name string) string {
	switch name {
	case "Exit":
		return "main.go"
	case "Stdin", "Stdout", "Stderr", "Args", "Getenv", "LookupEnv", "Environ", "Setenv":
		return "commands/"
	}
	return ""
}
