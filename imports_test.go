package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The rooms, in the order in which they may know each other: imports point
// from a room to those after it. A family of tools never imports another.
var rooms = []string{"techo", "techo/commands", "techo/tools/", "techo/export", "techo/tools", "techo/store", "techo/store/search", "techo/store/kv", "techo/internal/"}

// owners are the rooms that outside libraries belong to; what is not here
// may be used by any.
var owners = map[string][]string{
	"github.com/dgraph-io/badger":        {"techo/store/kv"},
	"github.com/tidwall/btree":           {"techo/store/kv"},
	"golang.org/x/sys":                   {"techo/export", "techo/store/kv", "techo/internal/", "techo/tools/files", "techo/commands"},
	"golang.org/x/net":                   {"techo/internal/page", "techo/internal/codepage", "techo/commands"},
	"github.com/ledongthuc/pdf":          {"techo/internal/pdftext"},
	"golang.org/x/text":                  {"techo/store", "techo/store/search", "techo/tools", "techo/tools/calendar", "techo/internal/"},
	"github.com/go-json-experiment/json": {"techo/tools"},
	"github.com/google/renameio":         {"techo/export", "techo/tools/files"},
	"github.com/urfave/cli":              {"techo/commands"},
	"github.com/pelletier/go-toml":       {"techo/internal/splice"},
	"github.com/modelcontextprotocol":    {"techo/commands"},
	"golang.org/x/term":                  {"techo/commands"},
	"net/http":                           {"techo/commands", "techo/tools/"},
	"os/signal":                          {"techo/commands"},
	"github.com/rogpeppe/go-internal":    {"techo/tools/files"}, // its diff; the rest for tests only
	"github.com/google/jsonschema-go":    {},                    // tests only
	"github.com/anishathalye/porcupine":  {},                    // tests only
	"github.com/bmatcuk/doublestar":      {"techo/tools/files"},
	"github.com/creack/pty":              {}, // tests only
}

type pkg struct {
	ImportPath string
	Imports    []string
	Module     struct{ Main bool }
}

func room(path string) int {
	return slices.IndexFunc(rooms, func(r string) bool {
		return path == r || strings.HasSuffix(r, "/") && strings.HasPrefix(path, r)
	})
}

// TestImports keeps the rooms apart.
func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == "techo/proof" || strings.HasPrefix(p.ImportPath, "techo/bench") {
			continue // programs of their own, which try and measure the rooms
		}
		from := room(p.ImportPath)
		if from < 0 {
			t.Errorf("%s is in no room: say where it belongs in rooms", p.ImportPath)
			continue
		}
		for _, i := range p.Imports {
			if to := room(i); i == "techo" || strings.HasPrefix(i, "techo/") {
				if to <= from {
					t.Errorf("%s must not import %s: imports point one way", p.ImportPath, i)
				}
				continue
			}
			for library, allowed := range owners {
				if !strings.HasPrefix(i+"/", library+"/") {
					continue
				}
				if !slices.ContainsFunc(allowed, func(r string) bool {
					return p.ImportPath == r || strings.HasSuffix(r, "/") && strings.HasPrefix(p.ImportPath, r)
				}) {
					t.Errorf("only %v may import %s, not %s", allowed, i, p.ImportPath)
				}
			}
		}
	}
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
