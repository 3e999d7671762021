package pg

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPortableSQL checks that the statements of the engine consist of words that
// CockroachDB and YugabyteDB document as well. Neither of them is run by tests.
func TestPortableSQL(t *testing.T) {
	keywords := strings.Fields("AND AS BEGIN BY CASE COMMIT CONFLICT CREATE DELETE DESC DO END EXISTS FOR FROM " +
		"IF INSERT INTO ISOLATION KEY LATERAL LEVEL LIMIT LOCAL NOT NOTHING NULL ON ONLY ORDER PRIMARY READ " +
		"REPEATABLE RETURNING ROLLBACK SELECT SERIALIZABLE SET TABLE THEN UPDATE VALUES WHEN WHERE EPOCH")
	functions := strings.Fields("clock_timestamp coalesce count extract now octet_length sum unnest")
	keyword, function := regexp.MustCompile(`\b[A-Z]{2,}\b`), regexp.MustCompile(`\b([a-z_]+)\(`)
	tables := strings.Fields("techo_records techo_stores techo_commits n")
	statements := 0
	for _, sql := range literals(t) {
		if !regexp.MustCompile(`^ ?(\()?(SELECT|INSERT|DELETE|UPDATE|CREATE|SET|BEGIN|COMMIT|ROLLBACK|ON|AND|` +
			`ORDER|LIMIT|CASE|WHERE|LISTEN|LOCK|ALTER|DROP) `).MatchString(sql) {
			continue
		}
		statements++
		for _, word := range keyword.FindAllString(sql, -1) {
			if !slices.Contains(keywords, word) {
				t.Errorf("%s in %q", word, sql)
			}
		}
		for _, call := range function.FindAllStringSubmatch(sql, -1) {
			if !slices.Contains(functions, call[1]) && !slices.Contains(tables, call[1]) {
				t.Errorf("%s() in %q", call[1], sql)
			}
		}
	}
	if statements < 15 {
		t.Errorf("only %d pieces of SQL were found", statements)
	}
}

// literals returns the texts in the sources of the package.
func literals(t *testing.T) (all []string) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					all = append(all, s)
				}
			}
			return true
		})
	}
	return all
}
