package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// goFile is a parsed file of this module. Its path has slashes.
type goFile struct {
	path string
	text []byte
	set  *token.FileSet
	tree *ast.File
}

// goFiles calls use with each Go file of the module.
func goFiles(t *testing.T, mode parser.Mode, use func(goFile)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, path, text, mode|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		use(goFile{filepath.ToSlash(path), text, set, tree})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
