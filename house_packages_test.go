package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// size is the size of a package, without tests and generated files.
type size struct {
	files, lines int
	knot         int // files that all reach one another through names of the package
	keys         int // types of context keys
}

// packageLimit is the largest size of a package.
var packageLimit = size{files: 25, lines: 5000, knot: 15, keys: 3}

// largePackages are the packages that are still larger. Lower the numbers as they fall.
var largePackages = map[string]size{
	"store/search": {knot: 17},
}

// TestHousePackages limits the size of packages: a reader holds one in mind.
func TestHousePackages(t *testing.T) {
	all := map[string][]goFile{}
	goFiles(t, parser.ParseComments, func(f goFile) {
		if !strings.HasSuffix(f.path, "_test.go") && !strings.Contains(f.path, "testdata/") &&
			!ast.IsGenerated(f.tree) {
			all[path.Dir(f.path)] = append(all[path.Dir(f.path)], f)
		}
	})
	for dir, files := range all {
		got, limit, larger := sizeOf(t, files), packageLimit, largePackages[dir]
		if got.files > max(limit.files, larger.files) || got.lines > max(limit.lines, larger.lines) ||
			got.knot > max(limit.knot, larger.knot) || got.keys > max(limit.keys, larger.keys) {
			t.Errorf("%s has %+v, at most %+v or %+v", dir, got, limit, larger)
		}
	}
	if len(all) < 50 {
		t.Errorf("found %d packages", len(all))
	}
}

// sizeOf measures a package.
func sizeOf(t *testing.T, files []goFile) (s size) {
	t.Helper()
	keys := map[string]bool{}
	for _, f := range files {
		s.lines += strings.Count(string(f.text), "\n")
		for _, key := range contextKeys(f.tree) {
			keys[key] = true
		}
	}
	s.files, s.keys = len(files), len(keys)
	for _, group := range knots(references(t, files)) {
		s.knot = max(s.knot, len(group))
	}
	return s
}

// contextKeys returns the types of the keys under which a file puts values into contexts.
func contextKeys(f *ast.File) (keys []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 3 {
			return true
		}
		fn, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || fn.Sel.Name != "WithValue" {
			return true
		}
		if key, ok := call.Args[1].(*ast.CompositeLit); ok {
			if name, ok := key.Type.(*ast.Ident); ok {
				keys = append(keys, name.Name)
			}
		} else if name, ok := call.Args[1].(*ast.Ident); ok {
			keys = append(keys, name.Name)
		}
		return true
	})
	return keys
}

// references returns, for each file of a package, the other files that declare names that it
// uses. Methods and fields do not count.
func references(t *testing.T, files []goFile) [][]int {
	t.Helper()
	declared := map[string][]int{} // a name has several files if they are for different systems
	for i, f := range files {
		for _, name := range topLevel(f.tree) {
			declared[name] = append(declared[name], i)
		}
	}
	uses := make([][]int, len(files))
	for i, f := range files {
		resolved, err := parser.ParseFile(f.set, f.path, f.text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range resolved.Unresolved { // in this file
			for _, to := range declared[name.Name] {
				if to != i && !slices.Contains(uses[i], to) {
					uses[i] = append(uses[i], to)
				}
			}
		}
	}
	return uses
}

// topLevel returns the names that a file declares, without methods.
func topLevel(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// knots returns the strongly connected components of a graph, by Tarjan's algorithm.
func knots(edges [][]int) (groups [][]int) {
	index, low := make([]int, len(edges)), make([]int, len(edges)) // from 1; 0 is not visited
	open := make([]bool, len(edges))
	var stack []int
	next := 0
	var visit func(v int)
	visit = func(v int) {
		next++
		index[v], low[v] = next, next
		stack, open[v] = append(stack, v), true
		for _, w := range edges[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if open[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		for _, w := range stack[at:] {
			open[w] = false
		}
		groups = append(groups, slices.Clone(stack[at:]))
		stack = stack[:at]
	}
	for v := range edges {
		if index[v] == 0 {
			visit(v)
		}
	}
	return groups
}

// TestSizeOf measures a package of four files. Three of them use each other.
func TestSizeOf(t *testing.T) {
	var files []goFile
	for _, text := range []string{
		"package p\n\nfunc a() { b := 1; _ = b; c() }\n",
		"package p\n\nimport \"context\"\n\ntype key struct{}\n\nfunc b(x context.Context) { " +
			"_ = context.WithValue(x, key{}, 1); a() }\n",
		"package p\n\ntype t struct{ a int }\n\nconst (\n\tone = 1\n\ttwo = one\n)\n\nfunc c() { b(nil) }\n",
		"package p\n\nfunc (t) a() { var x t; _ = x.a; _ = t{a: two} }\n",
	} {
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, "", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, goFile{text: []byte(text), set: set, tree: tree})
	}
	if got, want := sizeOf(t, files), (size{files: 4, lines: 23, knot: 3, keys: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := references(t, files); !slices.Equal(got[3], []int{2}) {
		t.Errorf("the last file uses %v", got[3])
	}
}
