package jsontree

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Shorten marks a document as shortened and cuts it to maxBytes bytes: first long
// texts, then long lists.
func Shorten(document []byte, note string, maxBytes int) []byte {
	n, err := Parse(document)
	if err != nil || n.Kind != '{' {
		return document
	}
	said := Cut(n.textOf("message"), 120)
	if said != "" {
		note = said + " (" + note + ")"
	}
	n.remove("message")
	n.remove("truncated")
	room := maxBytes - len(AppendText(nil, note)) - len(`,"truncated":true,"message":`)
	for limit := room; limit >= 32 && n.size() > room; limit = limit * 3 / 4 {
		n.cutTexts(limit)
	}
	for n.size() > room && n.halve() {
	}
	if n.size() > room {
		n.Members = nil
	}
	n.Members = append(n.Members,
		Member{"truncated", &Node{Kind: 't'}},
		Member{"message", &Node{Kind: '"', Text: note}})
	return n.Append(nil)
}

func (n *Node) size() int { return len(n.Append(nil)) }

// cutTexts cuts all texts longer than limit bytes.
func (n *Node) cutTexts(limit int) {
	if n.Kind == '"' && len(n.Text) > limit {
		n.Text = Cut(n.Text, limit-len("…")) + "…"
	}
	for _, item := range n.Items {
		item.cutTexts(limit)
	}
	for _, m := range n.Members {
		m.Value.cutTexts(limit)
	}
}

// halve removes the second half of the longest list.
func (n *Node) halve() bool {
	list := n.longest()
	if list == nil || len(list.Items) == 0 {
		return false
	}
	list.Items = list.Items[:len(list.Items)/2]
	return true
}

// longest returns the list with the most elements, or nil if there is no list.
func (n *Node) longest() *Node {
	var found *Node
	if n.Kind == '[' {
		found = n
	}
	consider := func(x *Node) {
		if l := x.longest(); l != nil && (found == nil || len(l.Items) > len(found.Items)) {
			found = l
		}
	}
	for _, item := range n.Items {
		consider(item)
	}
	for _, m := range n.Members {
		consider(m.Value)
	}
	return found
}

// Longest returns the number of elements of a document's longest list.
func Longest(document []byte) int {
	if n, err := Parse(document); err == nil {
		if list := n.longest(); list != nil {
			return len(list.Items)
		}
	}
	return 0
}

// Cut cuts a text to at most maxBytes bytes, at a character boundary.
func Cut(text string, maxBytes int) string {
	if len(text) <= maxBytes {
		return text
	}
	maxBytes = max(maxBytes, 0)
	for maxBytes > 0 && !utf8.RuneStart(text[maxBytes]) {
		maxBytes--
	}
	return text[:maxBytes]
}

// Member returns a field of an object, or nil.
func (n *Node) Member(name string) *Node {
	if n == nil {
		return nil
	}
	for _, m := range n.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Number returns a field that is a whole number, or 0.
func (n *Node) Number(name string) int {
	if v := n.Member(name); v != nil && v.Kind == '0' {
		if i, err := strconv.Atoi(v.Text); err == nil {
			return i
		}
	}
	return 0
}

// Set sets an existing field to a number.
func (n *Node) Set(name string, value int) {
	if v := n.Member(name); v != nil {
		v.Kind, v.Text = jsontext.Kind('0'), strconv.Itoa(value)
	}
}

// textOf returns a field that is a text, or "".
func (n *Node) textOf(name string) string {
	if v := n.Member(name); v != nil && v.Kind == '"' {
		return strings.TrimSpace(v.Text)
	}
	return ""
}

func (n *Node) remove(name string) {
	n.Members = slices.DeleteFunc(n.Members, func(m Member) bool { return m.Name == name })
}
