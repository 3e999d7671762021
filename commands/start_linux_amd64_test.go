package commands

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// initCost is the memory that the initialization of packages takes before main.
type initCost struct{ bytes, allocs int }

func (c initCost) within(budget initCost) bool {
	return c.bytes <= budget.bytes && c.allocs <= budget.allocs
}

// Every call of techo initializes every package of the program, so these budgets
// keep its start short. The values vary by a few percent from run to run.
var (
	// ordinary is the budget of a library's package that initBudgets does not list.
	ordinary = initCost{6 << 10, 100}

	// own is the budget of a package of techo.
	own = initCost{2600, 85}

	// total is the budget of all packages together.
	total = initCost{465_000, 2150}

	initBudgets = map[string]initCost{
		"golang.org/x/net/html":                           {128_000, 45}, // a map of all character references
		"github.com/google/jsonschema-go/jsonschema":      {84_000, 310},
		"encoding/gob":                                    {30_000, 400}, // for cursors of the MCP library
		"encoding/xml":                                    {20_000, 10},  // a map of character references
		"unicode":                                         {12_000, 20},
		"github.com/dgraph-io/badger/v4/pb":               {11_000, 50},
		"github.com/dgraph-io/ristretto/v2/z":             {11_000, 12},
		"github.com/klauspost/compress/internal/snapref":  {10_000, 6}, // the tables of CRC-32C, which the store needs
		"github.com/dustin/go-humanize":                   {10_000, 130},
		"github.com/modelcontextprotocol/go-sdk/mcp":      {8_500, 200},
		"github.com/tetratelabs/wazero/internal/wasm":     {18_000, 15}, // PDFium runs in it
		"github.com/tetratelabs/wazero/internal/platform": {9_500, 25},
		"debug/dwarf":                                     {8_500, 20}, // which wazero needs
		"vendor/golang.org/x/net/http2/hpack":             {8_000, 10},
		"github.com/dgraph-io/badger/v4/y":                {7_500, 95},
	}
)

// TestInitBudget checks how much memory each package takes before main, as
// GODEBUG=inittrace=1 reports it. Bytes and allocations, unlike times, are nearly
// the same in every run. The budgets are measured on linux/amd64.
func TestInitBudget(t *testing.T) {
	testenv.All(t, "measures a release")
	command := exec.Command(testenv.Program(t), "version")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	command.Stderr = &trace
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	var sum initCost
	seen := map[string]bool{}
	for lines := bufio.NewScanner(&trace); lines.Scan(); {
		name, used, err := parseInit(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		seen[name] = true
		sum.bytes += used.bytes
		sum.allocs += used.allocs
		budget, listed := initBudgets[name]
		switch {
		case listed:
		case strings.HasPrefix(name, "techo/"):
			budget = own
		default:
			budget = ordinary
		}
		if !used.within(budget) {
			t.Errorf("%s takes %v before main, its budget is %v. Make it data without function calls, do it at its "+
				"first use (sync.OnceValue), or import the package nowhere.", name, used, budget)
		}
	}
	if !sum.within(total) {
		t.Errorf("all packages take %v before main, their budget is %v", sum, total)
	}
	for name := range initBudgets {
		if !seen[name] {
			t.Errorf("%s takes nothing before main: remove it from initBudgets", name)
		}
	}
}

// String implements fmt.Stringer.
func (c initCost) String() string {
	return fmt.Sprintf("%d bytes in %d allocations", c.bytes, c.allocs)
}

// parseInit parses a line such as
//
//	init encoding/gob @3.0 ms, 0.19 ms clock, 28528 bytes, 374 allocs
func parseInit(line string) (name string, used initCost, err error) {
	parts := strings.Split(line, ", ")
	if _, err = fmt.Sscanf(line, "init %s", &name); err != nil || len(parts) != 4 {
		return "", used, fmt.Errorf("unexpected line of inittrace: %q", line)
	}
	_, err = fmt.Sscanf(parts[2]+" "+parts[3], "%d bytes %d allocs", &used.bytes, &used.allocs)
	return name, used, err
}
