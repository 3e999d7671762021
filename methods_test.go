package main

import (
	"go/ast"
	"path"
	"strings"
	"testing"
)

// maxMethods is how many methods a type may have, including the methods of
// embedded types of this module.
const maxMethods = 20

// typeName is a type of this module: the folder of its package and its name.
type typeName struct{ dir, name string }

// crowded are the types that still have more methods. Lower a number when it
// falls.
var crowded = map[typeName]int{
	{"internal/recur", "walker"}:          22,
	{"store", "Store"}:                    84, // of all kinds
	{"store/event", "Tx"}:                 49,
	{"store/event", "Events"}:             22, // 10 of the ledger
	{"store/memory", "Memories"}:          25, // 10 of the ledger
	{"store/kv", "Local"}:                 29,
	{"store/kv/journal", "Log"}:           27,
	{"store/kv/rescue", "tableRescue"}:    24,
	{"store/search", "Index"}:             33,
	{"store/search", "finding"}:           52,
	{"tools/calendar/google", "Calendar"}: 22,
	{"tools/calendar/ics", "reader"}:      22,
	{"tools/files/change", "Change"}:      28,
	{"tools/files/search", "searcher"}:    27,
	{"tools/files/change", "Target"}:      36,
}

// TestMethods rejects types with too many methods. Such a type should be several
// types.
func TestMethods(t *testing.T) {
	declared := map[typeName]map[string]bool{}
	embedded := map[typeName][]typeName{}
	goFiles(t, 0, func(f goFile) {
		if !strings.HasSuffix(f.path, "_test.go") {
			readTypes(f.tree, path.Dir(f.path), declared, embedded)
		}
	})
	var methods func(of typeName, all map[string]bool)
	methods = func(of typeName, all map[string]bool) {
		for name := range declared[of] {
			all[name] = true
		}
		for _, other := range embedded[of] {
			methods(other, all)
		}
	}
	for of := range declared {
		all := map[string]bool{}
		if methods(of, all); len(all) > max(maxMethods, crowded[of]) {
			t.Errorf("%s.%s has %d methods, at most %d", of.dir, of.name, len(all), max(maxMethods, crowded[of]))
		}
	}
	if len(declared) < 100 || len(embedded) < 10 {
		t.Errorf("found %d types with methods, %d that embed others", len(declared), len(embedded))
	}
}

// readTypes adds the methods of a file, and the types of this module that its
// structs embed.
func readTypes(f *ast.File, dir string, declared map[typeName]map[string]bool, embedded map[typeName][]typeName) {
	imports := map[string]string{}
	for _, i := range f.Imports {
		if rest, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "techo/"); ok {
			imports[path.Base(rest)] = rest
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch d := n.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				return false
			}
			of := namedType(d.Recv.List[0].Type, dir, nil)
			if declared[of] == nil {
				declared[of] = map[string]bool{}
			}
			declared[of][d.Name.Name] = true
			return false
		case *ast.TypeSpec:
			s, ok := d.Type.(*ast.StructType)
			if !ok {
				return false
			}
			of := typeName{dir, d.Name.Name}
			for _, field := range s.Fields.List {
				if field.Names == nil {
					embedded[of] = append(embedded[of], namedType(field.Type, dir, imports))
				}
			}
			return false
		}
		return true
	})
}

// namedType returns the name of a type in a package that has these imports.
func namedType(x ast.Expr, dir string, imports map[string]string) typeName {
	switch x := x.(type) {
	case *ast.StarExpr:
		return namedType(x.X, dir, imports)
	case *ast.IndexExpr:
		return namedType(x.X, dir, imports)
	case *ast.IndexListExpr:
		return namedType(x.X, dir, imports)
	case *ast.SelectorExpr:
		if from, ok := x.X.(*ast.Ident); ok {
			return typeName{imports[from.Name], x.Sel.Name}
		}
	case *ast.Ident:
		return typeName{dir, x.Name}
	}
	return typeName{}
}
