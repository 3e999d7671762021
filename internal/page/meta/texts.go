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

	size         int // bytes of embedded data
	descriptions []string
	described    []string // descriptions that Descriptions adds to them
}

// Descriptions returns the descriptions from the metadata.
func (x *Texts) Descriptions() []string {
	for _, text := range x.described {
		x.addDescription(text)
	}
	x.described = nil
	return x.descriptions
}

// addDescription keeps a description from the metadata.
func (x *Texts) addDescription(text string) {
	if text, _ = runes.Tidy(text); len(text) < 20 { // invisible characters here were never shown: do not count them
		return
	}
	for i, known := range x.descriptions {
		switch {
		case strings.HasPrefix(known, strings.TrimRight(text, ".…")):
			return
		case strings.HasPrefix(text, strings.TrimRight(known, ".…")):
			x.descriptions[i] = text
			return
		}
	}
	if len(x.descriptions) < 20 {
		x.descriptions = append(x.descriptions, text)
	}
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
	if !strings.HasPrefix(dom.Attr(n, "type"), "application/json") || n.FirstChild == nil {
		return
	}
	data := n.FirstChild.Data
	if len(data) > maxState {
		return
	}
	if x.size += len(data); x.size <= maxState {
		x.States = append(x.States, data)
	}
}
