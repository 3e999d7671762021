package store

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"techo/store/event"
	"techo/store/ledger"
	"techo/store/memory"
	"techo/store/search"
)

// TestPrefixes gives every prefix to one kind of record, and every kind prefixes of two
// letters.
func TestPrefixes(t *testing.T) {
	owner := map[ledger.Prefix]string{}
	for _, k := range schemas().All {
		for _, s := range k.Prefixes {
			if len(s) != 2 {
				t.Errorf("%s: prefix %q", k.Name, s)
			}
			if owner[s] != "" {
				t.Errorf("prefix %q belongs to %s and to %s", s, owner[s], k.Name)
			}
			owner[s] = k.Name
		}
	}
	owner[ledger.SharedRecords], owner[ledger.SpaceMembers] = "spaces", "spaces"
	for _, s := range append(search.Prefixes(), declaredPrefixes(t)...) {
		if owner[ledger.Prefix(s)] == "" {
			t.Errorf("prefix %q belongs to no kind of record", s)
		}
	}
}

func prefixFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/keys.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	return append(files, "ledger/prefix.go")
}

// declaredPrefixes returns the values of the constants of type ledger.Prefix.
func declaredPrefixes(t *testing.T) (all []string) {
	t.Helper()
	for _, name := range prefixFiles(t) {
		ast.Inspect(parseFile(t, name), func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil {
				return true
			}
			if text := fmt.Sprint(types.ExprString(spec.Type)); text == "Prefix" || text == "ledger.Prefix" {
				all = append(all, stringOf(t, spec.Values[0]))
			}
			return true
		})
	}
	if len(all) < 50 {
		t.Fatalf("only %d prefixes: %q", len(all), all)
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

// TestPrefixLiterals finds the prefixes, and bytes of one or two letters, only where prefixes are
// declared and in the index of package search.
func TestPrefixLiterals(t *testing.T) {
	known := map[string]bool{}
	for _, s := range append(search.Prefixes(), declaredPrefixes(t)...) {
		known[s] = true
	}
	declaring := append(prefixFiles(t), "search/index.go")
	for _, pattern := range []string{"*.go", "[^kp]*/*.go"} { // not of the engines
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, name := range files {
			if slices.Contains(declaring, name) || strings.HasSuffix(name, "_test.go") {
				continue
			}
			ast.Inspect(parseFile(t, name), func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Field:
					return n.Tag == nil
				case *ast.BasicLit:
					if n.Kind == token.STRING && known[stringOf(t, n)] {
						t.Errorf("%s: prefix %s is written out", name, n.Value)
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
	p := event.Place{Calendar: "予定", Series: true, Level: 3, From: -5}
	if got, id, ok := event.CutPlace(p.Key(p.Records(), "id")); !ok || got != p || id != "id" {
		t.Errorf("%+v, %q, %v", got, id, ok)
	}
	if id, ok := event.CutGroup(event.GroupKey("g", "id")); !ok || id != "id" {
		t.Errorf("%q, %v", id, ok)
	}
	l := memory.Timeline{User: 7, Session: 9}
	if got, at, ok := memory.TimelineOf(l.Key(memory.Moment{At: -3, Order: 2, Text: 2, ID: "id"})); !ok || got != l ||
		at != -3 {
		t.Errorf("%v, %d, %v", got, at, ok)
	}
	for _, short := range []string{"", "c", "ci", "ci\x05ab", "pl123"} {
		if _, _, ok := event.CutPlace([]byte(short)); ok {
			t.Errorf("%q is a place", short)
		}
		if _, _, ok := memory.TimelineOf([]byte(short)); ok {
			t.Errorf("%q is a timeline", short)
		}
	}
}
