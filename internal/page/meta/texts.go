package meta

import (
	"strings"

	"golang.org/x/net/html"

	"techo/internal/page/dom"
	"techo/internal/page/runes"
)

// Texts are contents of a page that its data has, beside the elements that it shows.
type Texts struct {
	Bodies []string // main contents in the structured data
	States []string // embedded data for scripts, as JSON

	size      int      // bytes of embedded data
	described []string // descriptions as they are in the metadata
}

// Descriptions returns the descriptions from the metadata, of which none begins like another.
func (x *Texts) Descriptions() (all []string) {
	for _, text := range x.described {
		all = withDescription(all, text)
	}
	return all
}

// withDescription adds a description to others. Of two that begin alike, the longer one stays.
func withDescription(all []string, text string) []string {
	if text, _ = runes.Tidy(text); len(text) < 20 { // invisible characters here were never shown: do not count them
		return all
	}
	for i, known := range all {
		switch {
		case strings.HasPrefix(known, strings.TrimRight(text, ".…")):
			return all
		case strings.HasPrefix(text, strings.TrimRight(known, ".…")):
			all[i] = text
			return all
		}
	}
	if len(all) < 20 {
		all = append(all, text)
	}
	return all
}

// addBody keeps a text that the structured data contains as content: the body of an
// article or a post, or the description of a product.
func (x *Texts) addBody(kind any, key, text string) {
	name, _ := kind.(string)
	if key == "articleBody" || key == "text" && claimsOfSchema(name) == ClaimForum || key == "description" &&
		(name == "Product" || name == "ProductGroup") {
		if len(text) > 200 {
			x.Bodies = append(x.Bodies, text)
		}
	}
}

// maxState is the number of bytes of embedded data that are kept.
const maxState = 4 << 20

// addState keeps embedded data of scripts, from which many pages render their
// contents.
func (x *Texts) addState(n *html.Node) {
	if n.FirstChild == nil {
		return
	}
	data := n.FirstChild.Data
	switch kind := dom.Attr(n, "type"); {
	case strings.HasPrefix(kind, "application/json"):
	case kind == "" || kind == "text/javascript":
		data = assigned(data)
	default:
		return
	}
	if data == "" || len(data) > maxState {
		return
	}
	if x.size += len(data); x.size <= maxState {
		x.States = append(x.States, data)
	}
}

// assigned returns the data that a script of a page assigns or hands to the scripts that
// render it, such as window.__INITIAL_STATE__={…}, or "" for any other script.
func assigned(script string) string {
	script = strings.TrimSpace(script)
	if len(script) > maxState {
		return ""
	}
	if rest, ok := strings.CutPrefix(script, "self.__next_f.push("); ok {
		return rest
	}
	if strings.Contains(script, "__sveltekit_") && strings.Contains(script, "data") {
		return script
	}
	name, value, ok := strings.Cut(script, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	for _, holder := range []string{"window.", "self.", "globalThis.", "var ", "const "} {
		name = strings.TrimPrefix(name, holder)
	}
	if !ok || !strings.HasPrefix(name, "__") || strings.ContainsAny(name, "() \n;") {
		return ""
	}
	for _, begin := range []string{"{", "[", "JSON.parse(\""} {
		if strings.HasPrefix(value, begin) {
			return value
		}
	}
	return ""
}
