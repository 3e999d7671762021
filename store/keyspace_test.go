package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"techo/store/search"
)

// TestSpaces gives every space to one record kind, and every kind spaces of two
// letters.
func TestSpaces(t *testing.T) {
	owner := map[space]string{}
	for _, k := range schemas().All {
		for _, s := range k.Prefixes {
			if len(s) != 2 {
				t.Errorf("%s: space %q", k.Name, s)
			}
			if owner[s] != "" {
				t.Errorf("space %q belongs to %s and to %s", s, owner[s], k.Name)
			}
			owner[s] = k.Name
		}
	}
	owner[sharedRecords], owner[spaceMembers] = "spaces", "spaces"
	for _, s := range append(search.Spaces(), declaredSpaces(t)...) {
		if owner[space(s)] == "" {
			t.Errorf("space %q belongs to no record kind", s)
		}
	}
}

// declaredSpaces returns the values of the constants of type space.
func declaredSpaces(t *testing.T) (all []string) {
	t.Helper()
	file := parseFile(t, "keyspace.go")
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "space" {
			all = append(all, stringOf(t, spec.Values[0]))
		}
		return true
	})
	if len(all) < 30 {
		t.Fatalf("only %d spaces: %q", len(all), all)
	}
	return all
}

func parseFile(t *testing.T, name string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func stringOf(t *testing.T, e ast.Expr) string {
	t.Helper()
	text, err := strconv.Unquote(e.(*ast.BasicLit).Value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSpaceLiterals finds the spaces, and bytes of one or two letters, nowhere
// but in keyspace.go and in the index of package search.
func TestSpaceLiterals(t *testing.T) {
	known := map[string]bool{}
	for _, s := range append(search.Spaces(), declaredSpaces(t)...) {
		known[s] = true
	}
	for _, pattern := range []string{"*.go", "search/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, name := range files {
			if name == "keyspace.go" || name == "search/index.go" || strings.HasSuffix(name, "_test.go") {
				continue
			}
			ast.Inspect(parseFile(t, name), func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Field:
					return n.Tag == nil
				case *ast.BasicLit:
					if n.Kind == token.STRING && known[stringOf(t, n)] {
						t.Errorf("%s: space %s is written out", name, n.Value)
					}
				case *ast.CallExpr:
					if a, ok := n.Fun.(*ast.ArrayType); !ok || a.Len != nil || len(n.Args) != 1 {
						return true
					}
					if l, ok := n.Args[0].(*ast.BasicLit); ok && len(stringOf(t, l)) <= 2 {
						t.Errorf("%s: prefix %s is written out", name, l.Value)
					}
				}
				return true
			})
		}
	}
}

// TestKeys parses the keys that have a parser.
func TestKeys(t *testing.T) {
	p := place{Calendar: "予定", Series: true, Level: 3, From: -5}
	if got, id, ok := cutPlace(p.key(p.records(), "id")); !ok || got != p || id != "id" {
		t.Errorf("%+v, %q, %v", got, id, ok)
	}
	if id, ok := cutGroup(groupKey("g", "id")); !ok || id != "id" {
		t.Errorf("%q, %v", id, ok)
	}
	l := timeline{user: 7, session: 9}
	if got, at, ok := timelineOf(l.key(moment{at: -3, order: 2, text: 2, id: "id"})); !ok || got != l || at != -3 {
		t.Errorf("%v, %d, %v", got, at, ok)
	}
	for _, short := range []string{"", "c", "ci", "ci\x05ab", "pl123"} {
		if _, _, ok := cutPlace([]byte(short)); ok {
			t.Errorf("%q is a place", short)
		}
		if _, _, ok := timelineOf([]byte(short)); ok {
			t.Errorf("%q is a timeline", short)
		}
	}
}
