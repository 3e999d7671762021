package main

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// guides are the pages about the code.
var guides = []string{"docs/tour.md", "DESIGN.md", "CONTRIBUTING.md"}

var (
	fenced    = regexp.MustCompile("(?s)```(\\w*)\n(.*?)```")
	quoted    = regexp.MustCompile("`([^`]+)`")
	aPath     = regexp.MustCompile(`\b(?:commands|internal|locales|store|testdata|tools)(?:/\w+(?:\.\w+)?)+`)
	aFile     = regexp.MustCompile(`^\w+\.(?:go|txtar)$`)
	aName     = regexp.MustCompile(`^\w+(?:\.\w+)+$`)
	mixedCase = regexp.MustCompile(`^[A-Za-z]*[a-z][A-Z][A-Za-z]*$`)
	step      = regexp.MustCompile("(?m)^\\| `([\\w.]+)` \\| `([\\w./]+\\.go)` \\|")
	foreign   = regexp.MustCompile(`^(?:net|os|time|urfave)\.`) // names of other modules
)

// declarations are the names that the module declares, as the pages write them: Name, Type.Method,
// package.Name and package.Type.Method. Each has the files with such a declaration.
type declarations map[string][]string

func declared(t *testing.T) declarations {
	all := declarations{}
	goFiles(t, func(f goFile) {
		add := func(name string) {
			all[name] = append(all[name], f.path)
			all[f.tree.Name.Name+"."+name] = append(all[f.tree.Name.Name+"."+name], f.path)
		}
		for _, d := range f.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				all[d.Name.Name] = append(all[d.Name.Name], f.path)
				add(strings.TrimPrefix(receiver(d)+"."+d.Name.Name, "."))
			case *ast.GenDecl:
				for _, s := range d.Specs {
					for _, name := range declares(s) {
						add(name.Name)
					}
				}
			}
		}
	})
	return all
}

// declares returns the names of a declaration of types, variables or constants.
func declares(s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

// receiver returns the type of the receiver of a method, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if generic, ok := of.(*ast.IndexListExpr); ok { // with several parameters
		of = generic.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	return strings.Trim(fmt.Sprint(of), "&{}")
}

// TestGuideNames checks that the files, functions and types that the pages about the code name
// exist, and that a row with a function and a file names the file that declares it.
func TestGuideNames(t *testing.T) {
	all := declared(t)
	files := map[string]bool{}
	for _, of := range all {
		for _, f := range of {
			files[path.Base(f)] = true
		}
	}
	for _, page := range guides {
		text := readPage(t, page)
		for _, p := range aPath.FindAllString(text, -1) {
			if _, err := os.Stat(p); err != nil && !strings.Contains(p, "FAMILY") {
				t.Errorf("%s names %s: %v", page, p, err)
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			name := strings.TrimSuffix(m[1], "()")
			switch {
			case aFile.MatchString(name):
				if _, err := os.Stat(path.Join("testdata/script", name)); err != nil && !files[name] {
					t.Errorf("%s names the file %s", page, name)
				}
			case foreign.MatchString(name) || strings.HasSuffix(name, ".md"):
			case (aName.MatchString(name) || mixedCase.MatchString(name)) && all[name] == nil:
				t.Errorf("%s names %s, which nothing declares", page, name)
			}
		}
		for _, m := range step.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(all[m[1]], m[2]) {
				t.Errorf("%s: %s does not declare %s, but %v", page, m[2], m[1], all[m[1]])
			}
		}
	}
}

// TestTourCode checks that the Go code of the tour is in the file that the sentence before it names.
func TestTourCode(t *testing.T) {
	tour := readPage(t, "docs/tour.md")
	n := 0
	for _, m := range fenced.FindAllStringSubmatchIndex(tour, -1) {
		if tour[m[2]:m[3]] != "go" {
			continue
		}
		n++
		named := quoted.FindAllStringSubmatch(fenced.ReplaceAllString(tour[:m[0]], ""), -1)
		source := readPage(t, named[len(named)-1][1])
		if !strings.Contains(plain(source), plain(tour[m[4]:m[5]])) {
			t.Errorf("%s has other code than the tour", named[len(named)-1][1])
		}
	}
	if n == 0 {
		t.Error("the tour has no code")
	}
}

func plain(text string) string { return strings.Join(strings.Fields(text), " ") }
