package locales_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"techo/commands/page"
)

var update = flag.Bool("update", false, "add new texts to the catalogues and remove stale ones")

// text is an English text of the code and the files that use it.
type text struct {
	id    string
	files []string
}

// textsOfCode returns the texts of all packages in the order of the source:
// each constant of type message.Text, recur.Reason or kv.ReasonCode, each doc tag of a struct's
// field, and the texts in the scripts of the page.
func textsOfCode(t *testing.T) []text {
	t.Helper()
	c := &collector{t: t, set: token.NewFileSet(), index: map[string]int{}, exports: map[string]string{}}
	list := c.list()
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(c.exports[path]) }
	c.imports = importer.ForCompiler(c.set, "gc", lookup)
	for _, p := range list {
		c.collect(p)
	}
	for _, text := range page.Texts() {
		c.addIn(text.ID, text.File)
	}
	return c.texts
}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	ImportMap               map[string]string
	DepOnly                 bool
}

type collector struct {
	t       *testing.T
	set     *token.FileSet
	imports types.Importer
	exports map[string]string // import path to export file
	texts   []text
	index   map[string]int // id to its place in texts
}

// list returns the packages of the module. It compiles what they import.
func (c *collector) list() (own []listed) {
	c.t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			slices.SortFunc(own, func(a, b listed) int { return strings.Compare(a.ImportPath, b.ImportPath) })
			return own
		} else if err != nil {
			c.t.Fatal(err)
		}
		c.exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			own = append(own, p)
		}
	}
}

// collect adds the texts of one package.
func (c *collector) collect(p listed) {
	c.t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			c.t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := (&types.Config{Importer: c.imports}).Check(p.ImportPath, c.set, files, info); err != nil {
		c.t.Fatal(err)
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				c.checkErrors(n, info)
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Message" && isErrorText(n.Value, info) {
					c.t.Errorf("%s: use env.Cause, so that the error is translated", c.set.Position(n.Pos()))
				}
			}
			switch n := n.(type) {
			case *ast.Field:
				c.addTag(n)
				return true
			case ast.Expr:
				tv := info.Types[n]
				if isText(tv.Type) && tv.Value != nil && tv.Value.Kind() == constant.String {
					if _, name := n.(*ast.Ident); !name {
						c.add(constant.StringVal(tv.Value), n.Pos())
					}
					return false // the parts of a sum are no texts of their own
				}
			}
			return true
		})
	}
}

// checkErrors reports an error that is passed to a text as a string, which cannot be
// translated.
func (c *collector) checkErrors(call *ast.CallExpr, info *types.Info) {
	signature, ok := info.Types[call.Fun].Type.(*types.Signature)
	if !ok {
		return
	}
	takesText := false
	if f, ok := call.Fun.(*ast.SelectorExpr); ok {
		takesText = isText(info.Types[f.X].Type) // Text.In
	}
	for p := range signature.Params().Variables() {
		takesText = takesText || isText(p.Type())
	}
	for _, arg := range call.Args {
		if takesText && isErrorText(arg, info) {
			c.t.Errorf("%s: pass the error itself, so that it is translated", c.set.Position(arg.Pos()))
		}
	}
}

// isErrorText reports whether an expression is a call of the method Error of an
// error.
func isErrorText(x ast.Expr, info *types.Info) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	failure := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return ok && method.Sel.Name == "Error" && types.Implements(info.Types[method.X].Type, failure)
}

func isText(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	switch named.Obj().Pkg().Path() + "." + named.Obj().Name() {
	case "techo/tools/message.Text", "techo/internal/recur.Reason", "techo/store/kv.ReasonCode":
		return true
	}
	return false
}

func (c *collector) addTag(f *ast.Field) {
	if f.Tag == nil {
		return
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		c.t.Fatal(err)
	}
	c.add(reflect.StructTag(tag).Get("doc"), f.Tag.Pos())
}

func (c *collector) add(id string, at token.Pos) {
	if id == "" || id == "%v" {
		return
	}
	root, err := filepath.Abs("..")
	if err != nil {
		c.t.Fatal(err)
	}
	file, err := filepath.Rel(root, c.set.Position(at).Filename)
	if err != nil {
		c.t.Fatal(err)
	}
	c.addIn(id, filepath.ToSlash(file))
}

func (c *collector) addIn(id, file string) {
	i, known := c.index[id]
	if !known {
		i = len(c.texts)
		c.index[id], c.texts = i, append(c.texts, text{id: id})
	}
	if !slices.Contains(c.texts[i].files, file) {
		c.texts[i].files = append(c.texts[i].files, file)
	}
}

// writePO writes a catalogue with the texts of the code, keeping the header and
// the known translations.
func writePO(path, header string, texts []text, known map[string]string) error {
	var b strings.Builder
	b.WriteString(header)
	for _, text := range texts {
		fmt.Fprintf(&b, "\n#: %s\n", strings.Join(text.files, " "))
		fmt.Fprintf(&b, "msgid %s\nmsgstr %s\n", quotePO(text.id), quotePO(known[text.id]))
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// quotePO quotes a text, one string for each of its lines.
func quotePO(s string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
	lines := strings.SplitAfter(s, "\n")
	if len(lines) == 1 || len(lines) == 2 && lines[1] == "" {
		return `"` + escape.Replace(s) + `"`
	}
	quoted := `""`
	for _, line := range lines {
		if line != "" {
			quoted += "\n\"" + escape.Replace(line) + `"`
		}
	}
	return quoted
}
