package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"path/filepath"
	"strings"
	"testing"
)

// TestSource checks rules that the compiler does not: only main ends the process,
// only commands uses the process's streams, arguments and environment, nothing
// runs at import, and no function has more than 90 lines.
func TestSource(t *testing.T) {
	goFiles(t, 0, func(f goFile) {
		if strings.HasSuffix(f.path, "_test.go") || strings.HasPrefix(f.path, "bench/") ||
			strings.HasPrefix(f.path, "internal/testenv/") {
			return
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil {
					t.Errorf("%s: an init function", f.set.Position(n.Pos()))
				}
				if lines := f.set.Position(n.End()).Line - f.set.Position(n.Pos()).Line; lines > 90 {
					t.Errorf("%s: %s has %d lines, at most 90", f.set.Position(n.Pos()), n.Name.Name, lines)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "os" {
					where := allowedIn(n.Sel.Name)
					if where != "" && !strings.HasPrefix(f.path, where) && f.path != "packaging/build/main.go" {
						t.Errorf("%s: os.%s belongs into %s", f.set.Position(n.Pos()), n.Sel.Name, where)
					}
				}
			}
			return true
		})
	})
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

// TestMacFiles checks that docs/windows.md names every file of the program that is built for macOS
// and not for Linux.
func TestMacFiles(t *testing.T) {
	page := readPage(t, "docs/windows.md")
	_, page, _ = strings.Cut(page, "\n## macOS\n")
	linux, mac := build.Default, build.Default
	linux.GOOS, linux.GOARCH, mac.GOOS, mac.GOARCH = "linux", "amd64", "darwin", "arm64"
	n := 0
	goFiles(t, parser.ImportsOnly, func(f goFile) {
		if strings.HasSuffix(f.path, "_test.go") || strings.HasPrefix(f.path, "bench/") ||
			strings.HasPrefix(f.path, "internal/testenv/") {
			return
		}
		dir, name := filepath.Split(f.path)
		onLinux, err := linux.MatchFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		if onMac, err := mac.MatchFile(dir, name); err != nil || !onMac || onLinux {
			return
		}
		if n++; !strings.Contains(page, "`"+f.path+"`") {
			t.Errorf("%s is not in docs/windows.md", f.path)
		}
	})
	if n < 10 {
		t.Errorf("%d files", n)
	}
}
