package page

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"techo/locales"
)

// # Views in chats
//
// A host that knows MCP Apps shows the result of a tool in a small page beside the text. Such a
// page is one document: the modules of app/chat, their imports, and the style sheets, with a
// policy that allows these alone, and no network. It gets its data from the host.

// chatViews are the names of the views, as app/chat/main.js knows them.
var chatViews = [...]string{"question", "times", "review", "difference"}

// chatParts are the parts of the document that all views have.
type chatParts struct {
	style   string
	scripts []string
	names   map[string]bool // of the files in the scripts
}

// ChatView returns the document of a view in a language; ok is false if there is no such view.
func ChatView(name, lang string) (document string, ok bool) {
	if !slices.Contains(chatViews[:], name) {
		return "", false
	}
	parts := chat()
	words := map[string]string{}
	for _, t := range texts() {
		if parts.names[strings.TrimPrefix(t.File, "commands/page/static/")] {
			words[t.ID] = locales.Translate(lang, t.ID)
		}
	}
	known, err := json.Marshal(words) // without "<", so the element cannot end in it
	if err != nil {
		panic(err) // strings
	}
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; " +
		"trusted-types 'none'; style-src " + hashed(parts.style) + "; script-src"
	var scripts strings.Builder
	for _, s := range parts.scripts {
		policy += " " + hashed(s)
		scripts.WriteString("<script>" + s + "</script>\n")
	}
	if lang != "ja" {
		lang = locales.Source
	}
	return fmt.Sprintf(`<!doctype html>
<html lang="%s"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>techo</title><style>%s</style></head>
<body><main data-view="%s"></main><script type="application/json" id="texts">%s</script>
%s</body></html>
`, lang, policy, parts.style, name, known, scripts.String()), true
}

// hashed names an element by its text in a policy.
func hashed(text string) string {
	digest := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"
}

// chat returns the common parts of the documents once they have been made.
var chat = sync.OnceValue(func() chatParts {
	parts := chatParts{names: map[string]bool{}}
	for _, name := range []string{"base", "controls", "shown", "chat"} {
		parts.style += compact(embedded(name + ".css"))
	}
	for _, name := range []string{"preact", "preact-hooks", "htm"} {
		parts.scripts = append(parts.scripts, embedded("vendor/"+name+".js"))
	}
	b := bundle{names: parts.names}
	b.add("app/chat/main.js")
	parts.scripts = append(parts.scripts, `"use strict";`+"\n"+b.String())
	return parts
})

func embedded(name string) string {
	b, err := content(name)
	if err != nil {
		panic(err) // a test makes all views
	}
	return string(b)
}

// compact removes comments and indents.
func compact(source string) string {
	source = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(source, "")
	source = regexp.MustCompile(`(?m)^\s*//.*\n`).ReplaceAllString(source, "")
	return regexp.MustCompile(`(?m)^\s+`).ReplaceAllString(source, "")
}

// bundle joins modules to one script, since a document without a network cannot import. It knows
// the forms of import and export in the files of the page. Each module is a function that returns
// its exports, after the modules that it imports.
type bundle struct {
	strings.Builder
	names map[string]bool
}

// add adds a module and the modules that it imports.
func (b *bundle) add(name string) {
	if b.names[name] {
		return
	}
	b.names[name] = true
	source := embedded(name)
	imports := regexp.MustCompile(`(?s)import \{([^}]*)\} from "([^"]+)";`)
	source = imports.ReplaceAllStringFunc(source, func(statement string) string {
		m := imports.FindStringSubmatch(statement)
		from := path.Join(path.Dir(name), m[2])
		b.add(from)
		return "const {" + strings.ReplaceAll(m[1], " as ", ": ") + "} = " + variable(from) + ";"
	})
	var exported []string
	declared := regexp.MustCompile(`(?m)^export ((?:async )?(?:function|const|class) (\w+))`)
	for _, m := range declared.FindAllStringSubmatch(source, -1) {
		exported = append(exported, m[2])
	}
	source = declared.ReplaceAllString(source, "$1")
	listed := regexp.MustCompile(`(?m)^export \{([^}]*)\};`)
	for _, m := range listed.FindAllStringSubmatch(source, -1) {
		exported = append(exported, m[1])
	}
	source = listed.ReplaceAllString(source, "")
	fmt.Fprintf(b, "const %s = (() => {\n%sreturn {%s};\n})();\n", variable(name), compact(source),
		strings.Join(exported, ", "))
}

func variable(name string) string { return "m_" + regexp.MustCompile(`\W`).ReplaceAllString(name, "_") }
