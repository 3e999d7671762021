package tools

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MinBytes is the smallest allowed bound of a result. It leaves room for the note
// that the result was shortened and how to get the rest.
const MinBytes = 1024

// Unlimited is the value of Call.MaxBytes for a caller who asked for results of any
// size, also where an interface has a limit by default.
const Unlimited = -1

// paging returns the input fields by which tools bound their results. A tool has
// at most one of them.
func paging() []string { return []string{"limit", "max_results", "max_chars"} }

// fit shortens a result to the call's limit. If the tool only reads and has a
// paging field, fit runs it again with a smaller bound, so that totals and
// cursors stay right. Otherwise it cuts texts, then lists.
func (v *invocation) fit(ctx context.Context, result *Result) error {
	maxBytes := v.call.MaxBytes
	if len(result.JSON) > maxBytes && result.JSON[0] == '[' {
		// An array has no place for a note that a part of it is missing.
		return v.env.Fail(LimitExceeded, "The result has %d bytes, more than --max-bytes %d", len(result.JSON),
			maxBytes).
			WithHint(v.env.Hint("Ask for fewer items, or allow more bytes with --max-bytes"))
	}
	if len(result.JSON) > maxBytes {
		note, err := v.rerunSmaller(ctx, result)
		if err != nil {
			return err
		}
		result.JSON = shorten(result.JSON, note, maxBytes)
		result.Text += "\n(" + note + ")"
	}
	if len(result.Text) > maxBytes {
		note := v.env.Localize("\n… (cut to %d bytes)", maxBytes)
		result.Text = cut(result.Text, maxBytes-len(note)) + note
	}
	return nil
}

// rerunSmaller runs the tool again with smaller bounds until its result fits or
// the bound is 1. It returns a note on how to get the rest.
func (v *invocation) rerunSmaller(ctx context.Context, result *Result) (note string, err error) {
	asked, err := parse(v.input)
	i := slices.IndexFunc(paging(), func(name string) bool { return asked.number(name) > 0 })
	if err != nil || i < 0 || v.tool.Effect != Reads || v.tool.World {
		return v.cutNote(), nil
	}
	name := paging()[i]
	room := v.call.MaxBytes - shortenedRoom
	for bound := asked.number(name); bound > 1 && len(result.JSON) > room; {
		shown := bound
		if n := longest(result.JSON); name != "max_chars" && n > 0 {
			shown = min(bound, n)
		}
		bound = max(1, min(shown-1, shown*room/len(result.JSON)))
		asked.set(name, bound)
		again := *v
		again.input, again.call.Key = asked.append(nil), ""
		out, err := again.run(ctx)
		if err != nil {
			return "", err
		}
		result.JSON, result.Text = v.document(out), again.textOf(out)
	}
	if len(result.JSON) > room {
		return v.cutNote(), nil
	}
	return v.pageNote(asked, name), nil
}

// cutNote returns the note for a result whose texts were cut.
func (v *invocation) cutNote() string {
	return v.env.Localize("Cut to %d bytes, at each …; for the rest ask for fewer fields or allow more bytes",
		v.call.MaxBytes)
}

// pageNote returns the note for a result that was bounded by a paging field.
func (v *invocation) pageNote(asked *node, name string) string {
	maxBytes, bound := v.call.MaxBytes, asked.number(name)
	switch input := v.tool.Input(); {
	case input.Property("cursor") != nil:
		return v.env.Localize("Cut to %d bytes, by %s %d; for the rest go on with next_cursor", maxBytes, name, bound)
	case input.Property("offset") != nil:
		next := asked.number("offset") + bound
		return v.env.Localize("Cut to %d bytes, by %s %d; for the rest go on with offset %d", maxBytes, name, bound,
			next)
	}
	return v.env.Localize("Cut to %d bytes, by %s %d; for the rest ask for a smaller part", maxBytes, name, bound)
}

// shortenedRoom is reserved for the note that is added to a shortened result, in
// bytes.
const shortenedRoom = 320

// shorten marks a document as shortened and cuts it to maxBytes bytes: first long
// texts, then long lists.
func shorten(document []byte, note string, maxBytes int) []byte {
	n, err := parse(document)
	if err != nil || n.kind != '{' {
		return document
	}
	said := cut(n.textOf("message"), 120)
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
		n.members = nil
	}
	n.members = append(n.members,
		member{"truncated", &node{kind: 't'}},
		member{"message", &node{kind: '"', text: note}})
	return n.append(nil)
}

func (n *node) size() int { return len(n.append(nil)) }

// cutTexts cuts all texts longer than limit bytes.
func (n *node) cutTexts(limit int) {
	if n.kind == '"' && len(n.text) > limit {
		n.text = cut(n.text, limit-len("…")) + "…"
	}
	for _, item := range n.items {
		item.cutTexts(limit)
	}
	for _, m := range n.members {
		m.value.cutTexts(limit)
	}
}

// halve removes the second half of the longest list.
func (n *node) halve() bool {
	list := n.longest()
	if list == nil || len(list.items) == 0 {
		return false
	}
	list.items = list.items[:len(list.items)/2]
	return true
}

// longest returns the list with the most elements, or nil if there is no list.
func (n *node) longest() *node {
	var found *node
	if n.kind == '[' {
		found = n
	}
	consider := func(x *node) {
		if l := x.longest(); l != nil && (found == nil || len(l.items) > len(found.items)) {
			found = l
		}
	}
	for _, item := range n.items {
		consider(item)
	}
	for _, m := range n.members {
		consider(m.value)
	}
	return found
}

// longest returns the number of elements of a document's longest list.
func longest(document []byte) int {
	if n, err := parse(document); err == nil {
		if list := n.longest(); list != nil {
			return len(list.items)
		}
	}
	return 0
}

// cut cuts a text to at most maxBytes bytes, at a character boundary.
func cut(text string, maxBytes int) string {
	if len(text) <= maxBytes {
		return text
	}
	maxBytes = max(maxBytes, 0)
	for maxBytes > 0 && !utf8.RuneStart(text[maxBytes]) {
		maxBytes--
	}
	return text[:maxBytes]
}

// member returns a field of an object, or nil.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// number returns a field that is a whole number, or 0.
func (n *node) number(name string) int {
	if v := n.member(name); v != nil && v.kind == '0' {
		if i, err := strconv.Atoi(v.text); err == nil {
			return i
		}
	}
	return 0
}

// set sets an existing field to a number.
func (n *node) set(name string, value int) {
	if v := n.member(name); v != nil {
		v.kind, v.text = jsontext.Kind('0'), strconv.Itoa(value)
	}
}

// textOf returns a field that is a text, or "".
func (n *node) textOf(name string) string {
	if v := n.member(name); v != nil && v.kind == '"' {
		return strings.TrimSpace(v.text)
	}
	return ""
}

func (n *node) remove(name string) {
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return m.name == name })
}
