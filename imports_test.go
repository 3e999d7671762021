package main

import (
	"encoding/json"
	"errors"
	"go/parser"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers are the packages of the program from top to bottom: a package imports
// only packages of layers below its own. Packages of one layer do not import
// each other. A path that ends in a slash matches all packages below it.
var layers = [][]string{
	{"techo", "techo/packaging", "techo/packaging/build"},
	{"techo/commands"},
	{"techo/commands/transfer"},
	{"techo/commands/stores", "techo/commands/demo"},
	{"techo/commands/serve", "techo/commands/mcp", "techo/commands/line", "techo/commands/ingest",
		"techo/commands/setup", "techo/commands/quick", "techo/commands/hook"},
	{"techo/commands/server", "techo/commands/page", "techo/commands/run/runtest"},
	{"techo/commands/run"},
	{"techo/commands/workspace", "techo/commands/google", "techo/commands/caldav", "techo/commands/catalogue",
		"techo/commands/remote"},
	{"techo/commands/output", "techo/commands/offer", "techo/commands/input", "techo/commands/screen",
		"techo/commands/slips"},
	{"techo/commands/system"},
	{"techo/commands/readahead", "techo/commands/transcript"},
	{"techo/tools/memory/review"},
	{"techo/tools/", "techo/tools/calendar", "techo/tools/files"},
	{"techo/tools/calendar/todo", "techo/tools/calendar/free", "techo/tools/memory/embed", "techo/tools/files/edit",
		"techo/tools/files/patch",
		"techo/tools/files/read", "techo/tools/files/search"},
	{"techo/tools/calendar/agenda", "techo/tools/files/change"},
	{"techo/tools/calendar/google", "techo/tools/calendar/caldav", "techo/tools/files/document"},
	{"techo/tools/calendar/backend", "techo/tools/files/paths"},
	{"techo/tools/calendar/ics"},
	{"techo/export"},
	{"techo/tools/when", "techo/tools/person", "techo/tools/internet", "techo/tools/files/hostfiles"},
	{"techo/tools"},
	{"techo/tools/schema"},
	{"techo/tools/failure"},
	{"techo/tools/jsontree"},
	{"techo/tools/message"},
	{"techo/store"},
	{"techo/store/calendar"},
	{"techo/store/memo", "techo/store/memfile", "techo/store/memory",
		"techo/store/question", "techo/store/edit", "techo/store/todo",
		"techo/store/receipt", "techo/store/token", "techo/store/webcache"},
	{"techo/store/event", "techo/store/history", "techo/store/claims", "techo/store/memory/wording"},
	{"techo/store/space"},
	{"techo/store/ledger"},
	{"techo/store/search", "techo/store/pg"},
	{"techo/store/search/vectors", "techo/store/search/common",
		"techo/store/search/speech"},
	{"techo/store/kv/kvtest"},
	{"techo/store/kv"},
	{"techo/store/kv/rescue"},
	{"techo/store/kv/sst"},
	{"techo/store/kv/journal"},
	{"techo/store/kv/lock"},
	{"techo/store/kv/disk"},
	{"techo/store/kv/fault"},
	{"techo/locales"},
	{"techo/internal/page"},
	{"techo/internal/page/markdown"},
	{"techo/internal/page/content"},
	{"techo/internal/page/view"},
	{"techo/internal/page/soup"},
	{"techo/internal/page/css", "techo/internal/page/meta"},
	{"techo/internal/page/"},
	{"techo/internal/walk", "techo/internal/repeat"},
	{"techo/internal/"},
	{"techo/internal/sorting"},
}

// owners are the packages that may import a library; a library that is not here
// may be imported by any package.
var owners = map[string][]string{
	"github.com/dgraph-io/badger":   {"techo/store/kv", "techo/store/kv/sst", "techo/store/kv/rescue"},
	"github.com/tidwall/btree":      {"techo/store/kv", "techo/store/pg"},
	"github.com/jackc/pgx":          {"techo/store/pg"},
	"github.com/klauspost/compress": {"techo/locales"},
	"golang.org/x/sys": {"techo/export", "techo/store/kv", "techo/store/kv/disk", "techo/store/kv/lock",
		"techo/internal/", "techo/tools/files/",
		"techo/commands/system", "techo/commands/serve"},
	"golang.org/x/net": {"techo/internal/page/", "techo/internal/page", "techo/internal/codepage",
		"techo/commands/run"},
	"github.com/andybalholm/brotli": {"techo/tools/web"},
	"github.com/ledongthuc/pdf":     {"techo/internal/pdftext"},
	"golang.org/x/text": {
		"techo/store/", "techo/store", "techo/tools/schema", "techo/tools/ask", "techo/tools/calendar/",
		"techo/tools/files/", "techo/tools/memory", "techo/internal/"},
	"github.com/go-json-experiment/json": {"techo/tools/jsontree"},
	"github.com/google/renameio":         {"techo/internal/atomicfile"},
	"github.com/urfave/cli":              {"techo/commands/line"},
	"github.com/rivo/uniseg":             {"techo/internal/lineedit"},
	"github.com/pelletier/go-toml":       {"techo/internal/splice"},
	"github.com/tailscale/hujson":        {"techo/internal/splice"},
	"github.com/modelcontextprotocol":    {"techo/commands/mcp", "techo/internal/mcptest"},
	"golang.org/x/term":                  {"techo/commands/system"},
	"golang.org/x/crypto":                {"techo/store"},
	"net/http": { // tools.Env has the client
		"techo/commands/", "techo/tools", "techo/tools/", "techo/internal/testenv", "techo/internal/testenv/",
		"techo/internal/browser"},
	"os/signal": {"techo/commands/system"},
	"github.com/rogpeppe/go-internal": { // its diff and its locks; the rest for tests only
		"techo/tools/files/document", "techo/commands/google", "techo/store"},
	"github.com/google/jsonschema-go":   {},                        // tests only
	"github.com/anishathalye/porcupine": {"techo/store/kv/kvtest"}, // tests only
	"github.com/prometheus/common":      {},                        // tests only
	"golang.org/x/time":                 {"techo/commands/server"},
	"github.com/goccy/go-yaml":          {"techo/commands/ingest"},
	"github.com/bmatcuk/doublestar":     {"techo/tools/files/search"},
	"github.com/creack/pty":             {}, // tests only
	"github.com/chromedp":               {}, // tests only
}

type pkg struct {
	ImportPath string
	Imports    []string
	Module     struct{ Main bool }
}

// isAny reports whether a package is one of some, or below one that ends with a
// slash.
func isAny(path string, of []string) bool {
	return slices.ContainsFunc(of, func(p string) bool {
		return path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p)
	})
}

// layerOf returns the index of a package's layer, -1 for none. A layer that names the package
// precedes one that names a path above it.
func layerOf(path string) int {
	if own := slices.IndexFunc(layers, func(l []string) bool { return slices.Contains(l, path) }); own >= 0 {
		return own
	}
	return slices.IndexFunc(layers, func(l []string) bool { return isAny(path, l) })
}

// TestImports checks that imports point to lower layers.
func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == "techo/proof" || strings.HasPrefix(p.ImportPath, "techo/bench") {
			continue // programs of their own, which test and measure the others
		}
		from := layerOf(p.ImportPath)
		if from < 0 {
			t.Errorf("%s is in no layer: add it to layers", p.ImportPath)
			continue
		}
		for _, i := range p.Imports {
			if to := layerOf(i); i == "techo" || strings.HasPrefix(i, "techo/") {
				family, own := familyOf(i), familyOf(p.ImportPath)
				if to <= from || family != "" && own != "" && family != own {
					t.Errorf("%s must not import %s: it is not in a lower layer", p.ImportPath, i)
				}
				continue
			}
			for library, allowed := range owners {
				if !strings.HasPrefix(i+"/", library+"/") {
					continue
				}
				if !isAny(p.ImportPath, allowed) {
					t.Errorf("only %v may import %s, not %s", allowed, i, p.ImportPath)
				}
			}
		}
	}
}

// familyOf returns the family of tools that a package belongs to, or "". The packages below the
// families belong to none.
func familyOf(path string) string {
	below, ok := strings.CutPrefix(path, "techo/tools/")
	if !ok || layerOf(path) > layerOf("techo/export") {
		return ""
	}
	family, _, _ := strings.Cut(below, "/")
	return family
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Module", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// TestImportGroups checks that imports are in groups: the standard library, other
// modules, this module.
func TestImportGroups(t *testing.T) {
	var mixed []string
	goFiles(t, parser.ImportsOnly, func(f goFile) {
		group, line := 0, 0
		for _, i := range f.tree.Imports {
			at, g := f.set.Position(i.Pos()).Line, importGroup(strings.Trim(i.Path.Value, `"`))
			if line > 0 && (g < group || g > group && at == line+1) {
				mixed = append(mixed, f.path)
				break
			}
			group, line = g, at
		}
	})
	if len(mixed) > 0 {
		t.Errorf("%d files mix imports of the standard library, other modules and this module:\n%s",
			len(mixed), strings.Join(mixed, "\n"))
	}
}

// importGroup returns the position of the group of an import.
func importGroup(path string) int {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case first == "techo":
		return 2
	case strings.Contains(first, "."):
		return 1
	}
	return 0
}
