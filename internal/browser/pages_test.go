package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/page"
	"techo/internal/testenv"
)

// article is what the programs of testdata/pages show.
type article struct {
	Title    string `json:"title"`
	Lead     string `json:"lead"`
	Sections []struct {
		Heading    string   `json:"heading"`
		Paragraphs []string `json:"paragraphs"`
	} `json:"sections"`
	List  []string   `json:"list"`
	Table [][]string `json:"table"`
	Menu  []string   `json:"menu"`
}

func (a article) texts() []string {
	all := []string{a.Title, a.Lead}
	for _, s := range a.Sections {
		all = append(append(all, s.Heading), s.Paragraphs...)
	}
	return slices.Concat(all, a.List, slices.Concat(a.Table...))
}

// part is a part of the article as HTML: a section, or after them the list and the table.
func (a article) part(n int) string {
	var b strings.Builder
	if n == 0 {
		fmt.Fprintf(&b, "<h1>%s</h1><p>%s</p>", a.Title, a.Lead)
	}
	if n < len(a.Sections) {
		fmt.Fprintf(&b, "<section class=tall><h2>%s</h2><p>%s</p></section>", a.Sections[n].Heading,
			strings.Join(a.Sections[n].Paragraphs, "</p><p>"))
		return b.String()
	}
	fmt.Fprintf(&b, "<ul><li>%s</li></ul><table>", strings.Join(a.List, "</li><li>"))
	for _, row := range a.Table {
		fmt.Fprintf(&b, "<tr><td>%s</td></tr>", strings.Join(row, "</td><td>"))
	}
	return b.String() + "</table>"
}

// site serves programs that frameworks made, and the article that they show.
type site struct {
	folder   string // of the programs
	articles map[string]article
}

// newSite installs the frameworks and makes the programs.
func newSite(t *testing.T) *site {
	t.Helper()
	testenv.Tool(t, "npm")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/pages")); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"npm install --no-audit --no-fund --prefer-offline --fetch-retries=1 " +
		"--ignore-scripts", "node build.mjs"} {
		c := exec.CommandContext(t.Context(), "sh", "-c", command)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil && strings.HasPrefix(command, "npm") {
			testenv.Missing(t, "the frameworks from the package registry: "+string(out))
		} else if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	s := &site{filepath.Join(dir, "made"), map[string]article{}}
	for _, lang := range []string{"en", "ja"} {
		var a article
		source, err := os.ReadFile(filepath.Join(dir, lang+".json"))
		if err = errors.Join(err, json.Unmarshal(source, &a)); err != nil {
			t.Fatal(err)
		}
		s.articles[lang] = a
	}
	return s
}

// ServeHTTP serves /PROGRAM.js, the article, and at other paths the page of a program, which
// is in a cookie like the language.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	lang, _, _ := strings.Cut(strings.TrimPrefix(name, "part/"), "/")
	a, ok := s.articles[strings.TrimSuffix(strings.TrimSuffix(lang, ".json"), ".md")]
	switch {
	case strings.HasPrefix(name, "part/"):
		var n int
		fmt.Sscanf(name[len("part/xx/"):], "%d", &n)
		fmt.Fprint(w, a.part(n))
		if n < len(a.Sections) {
			fmt.Fprintf(w, `<div hx-get="/part/%s/%d" hx-trigger="intersect once" hx-swap="outerHTML">…</div>`,
				lang, n+1)
		}
	case ok && strings.HasSuffix(name, ".md"):
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		fmt.Fprintf(w, "# %s\n\n%s\n\n", a.Title, a.Lead)
		for _, section := range a.Sections {
			http.NewResponseController(w).Flush()
			fmt.Fprintf(w, "## %s\n\n%s\n\n", section.Heading, strings.Join(section.Paragraphs, "\n\n"))
		}
		fmt.Fprint(w, a.part(len(a.Sections)))
	case ok:
		json.NewEncoder(w).Encode(a)
	case strings.HasSuffix(name, ".js"):
		http.ServeFile(w, r, filepath.Join(s.folder, filepath.Base(name)))
	default:
		lang, program := "en", r.URL.Query().Get("program")
		if r.URL.Query().Has("ja") {
			lang = "ja"
		}
		menu := s.articles[lang].Menu
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><html lang=%s><head><title>…</title><style>.tall { min-height: 2500px }
.scroller { height: 100vh; overflow: auto } </style></head><body><header><nav><a href="/in">%s</a>
<a href="/news">%s</a></nav></header><div id="app"></div><footer><a href="/cookies">%s</a></footer>
<script type="module" src="/%s.js"></script></body></html>`, lang, menu[0], menu[1], menu[2], program)
	}
}

// TestFrameworks renders pages by the frameworks of the web, in one browser. The article must
// be extracted completely, in order, and without the menus around it.
func TestFrameworks(t *testing.T) {
	testenv.All(t, "a browser, and packages from a registry")
	program := installed(t)
	s := newSite(t)
	server := httptest.NewServer(s)
	defer server.Close()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	b, err := begin(ctx, program, openGate{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.end()
	sources, _ := filepath.Glob("testdata/pages/apps/*.js*")
	n := 0
	for _, source := range sources {
		name, _, _ := strings.Cut(filepath.Base(source), ".")
		if slices.Contains([]string{"article", "parts", "template"}, name) || strings.HasSuffix(name, "-part") {
			continue
		}
		n++
		langs := []string{"en", "ja"}
		if !testenv.Long() {
			langs = langs[n%2 : n%2+1]
		}
		for _, lang := range langs {
			u, _ := url.Parse(server.URL + "/?" + lang + "&program=" + name)
			p, err := b.render(Job{URL: u, Language: lang, Agent: "techo/test", patience: 10 * time.Second,
				quiet: 150 * time.Millisecond})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			text := page.Parse(p.HTML).Content().Edited().Text()
			if fault := s.articles[lang].fault(text); fault != "" || p.Busy {
				t.Errorf("%s in %s: %s, busy %v", name, lang, fault, p.Busy)
			}
		}
	}
	if n < 30 {
		t.Errorf("%d pages", n)
	}
}

// fault is the first fault of an extracted text, or "".
func (a article) fault(text string) string {
	rest := text
	for _, want := range a.texts() {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			return fmt.Sprintf("%q is missing in %q", want, text)
		}
		rest = after
	}
	for _, other := range a.Menu {
		if strings.Contains(text, other) {
			return "it has the menu"
		}
	}
	return ""
}
