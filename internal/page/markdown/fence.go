package markdown

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"techo/internal/page/dom"
)

// fence writes preformatted text with its language.
func (m *writer) fence(at int, out *passage) {
	e := &m.part.outline.Elems[at]
	var lines []string
	for i := e.First; i < e.Last; i++ {
		if m.part.keep[i] {
			lines = append(lines, m.part.outline.Blocks[i].Text)
		}
	}
	if len(lines) == 0 {
		return
	}
	text, mark := strings.Join(lines, "\n"), "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	out.add(mark+language(e.Node)+"\n"+text+"\n"+mark, false)
}

// language returns the language of a piece of code, from the classes of the pre
// element, of its code element or of the elements around it.
func language(pre *html.Node) string {
	if c := dom.ElementAfter(&html.Node{NextSibling: pre.FirstChild}); c != nil && c.DataAtom == atom.Code {
		if name := languageOf(c); name != "" {
			return name
		}
	}
	for n, up := pre, 0; n != nil && n.Type == html.ElementNode && up < 4; n, up = n.Parent, up+1 {
		if name := languageOf(n); name != "" {
			return name
		}
	}
	return ""
}

func languageOf(n *html.Node) string {
	for _, a := range n.Attr {
		switch a.Key {
		case "data-lang", "data-language", "data-code-language":
			return languageName(a.Val)
		case "class":
			plain := ""
			for class := range strings.FieldsSeq(strings.ToLower(a.Val)) {
				if name := languageIn(class); name != "" {
					return name
				}
				if isLanguage(class) {
					plain = class
				}
			}
			if plain != "" && (n.DataAtom == atom.Pre || n.DataAtom == atom.Code ||
				strings.Contains(strings.ToLower(a.Val), "sourcecode")) {
				return plain
			}
		}
	}
	return ""
}

// languageIn returns the language that a class names, or "".
func languageIn(class string) string {
	for _, begin := range [...]string{"language-", "lang-", "highlight-source-", "highlight-text-", "highlight-",
		"brush:", "prettyprint-", "code-"} {
		if rest, ok := strings.CutPrefix(class, begin); ok {
			if name := languageName(strings.TrimSuffix(rest, ";")); name != "" {
				return name
			}
		}
	}
	return ""
}

// languageName returns a name that can stand after a fence, or "".
func languageName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("+#-_.", r)) {
			return ""
		}
	}
	switch name {
	case "none", "plain", "default", "auto", "nohighlight", "no-highlight", "wrapper", "block", "toolbar", "text",
		"plaintext", "container", "snippet", "example", "box", "header":
		return ""
	}
	if len(name) > 20 {
		return ""
	}
	return name
}

// isLanguage reports whether a class is the usual name of a language.
func isLanguage(class string) bool {
	switch class {
	case "bash", "sh", "shell", "zsh", "console", "powershell", "python", "py", "javascript", "js", "jsx", "typescript",
		"ts", "tsx", "java", "kotlin", "scala", "c", "cpp", "c++", "csharp", "cs", "go", "golang", "rust", "ruby", "rb",
		"php", "perl", "swift", "objc", "r", "sql", "html", "xml", "css", "scss", "json", "yaml", "yml", "toml", "ini",
		"lua", "haskell", "elixir", "erlang", "clojure", "dart", "diff", "dockerfile", "makefile", "graphql", "vim",
		"nix", "julia", "matlab", "groovy", "fsharp", "ocaml", "zig", "http", "nginx", "markdown":
		return true
	}
	return false
}
