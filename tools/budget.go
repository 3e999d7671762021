package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MinBytes is the least that a result may be bounded to: what is left of it
// says at least that it was shortened, and how to get the rest.
const MinBytes = 1024

// paging are the fields by which tools bound their results, one of which a
// tool may have.
func paging() []string { return []string{"limit", "max_results", "max_chars"} }

// fit shortens a result to most bytes. A tool that reads, and has a field that
// bounds its result, is asked for less, so that totals and cursors are right;
// otherwise texts, and then lists, are cut.
func (t *Tool) fit(ctx context.Context, env *Env, input []byte, result *Result, fields fieldTree, most int) error {
	if len(result.JSON) > most {
		how, err := t.askLess(ctx, env, input, result, fields, most)
		if err != nil {
			return err
		}
		note := how.In(env.Lang, most)
		result.JSON = shorten(result.JSON, note, most)
		result.Text += "\n(" + note + ")"
	}
	if len(result.Text) > most {
		note := Say{"\n… (cut to %d bytes)", "\n…（%dバイトに短縮）"}.In(env.Lang, most)
		result.Text = cut(result.Text, most-len(note)) + note
	}
	return nil
}

// cutTexts says what shorten did when it had to cut.
func cutTexts() Say {
	return Say{"Cut to %d bytes, at each …; for the rest ask for fewer fields or allow more bytes", "%dバイトに短縮しました（… の箇所）。続きは、項目を絞るか上限を増やして取得してください"}
}

// askLess runs a tool again with a smaller bound, until its result fits or
// there is no smaller one, and says how to get the rest.
func (t *Tool) askLess(ctx context.Context, env *Env, input []byte, result *Result, fields fieldTree, most int) (Say, error) {
	asked, err := parse(input)
	i := slices.IndexFunc(paging(), func(name string) bool { return asked.number(name) > 0 })
	if err != nil || i < 0 || t.Effect != Reads || t.World {
		return cutTexts(), nil
	}
	name := paging()[i]
	room := most - shortenedRoom
	for bound := asked.number(name); bound > 1 && len(result.JSON) > room; {
		shown := bound
		if n := longest(result.JSON); name != "max_chars" && n > 0 {
			shown = min(bound, n)
		}
		bound = max(1, min(shown-1, shown*room/len(result.JSON)))
		asked.set(name, bound)
		less := &Result{noText: result.noText}
		document, err := t.once(ctx, env, "", asked.append(nil), less)
		if err != nil {
			return Say{}, err
		}
		result.JSON, result.Text = pick(document, fields), less.Text
		if result.Text == "" && !result.noText {
			result.Text = messageOf(document)
		}
	}
	if len(result.JSON) > room {
		return cutTexts(), nil
	}
	bound := asked.number(name)
	en, ja := fmt.Sprintf("Cut to %%d bytes, by %s %d", name, bound), fmt.Sprintf("%%dバイトに短縮しました（%s %d）", name, bound)
	switch {
	case t.Input().Property("cursor") != nil:
		en, ja = en+"; for the rest go on with next_cursor", ja+"。続きは next_cursor で取得してください"
	case t.Input().Property("offset") != nil:
		next := asked.number("offset") + bound
		en, ja = en+fmt.Sprintf("; for the rest go on with offset %d", next), ja+fmt.Sprintf("。続きは offset %d で取得してください", next)
	}
	return Say{en, ja}, nil
}

// shortenedRoom is kept for what is added to a result that was shortened, in bytes.
const shortenedRoom = 320

// shorten marks a document as shortened, and cuts what does not fit: long
// texts first, then long lists.
func shorten(document []byte, note string, most int) []byte {
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
	room := most - len(appendText(nil, note)) - len(`,"truncated":true,"message":`)
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

// cutTexts cuts the texts that are longer than limit, in bytes.
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

// halve takes the second half of the longest list away.
func (n *node) halve() bool {
	list := n.longest()
	if list == nil || len(list.items) == 0 {
		return false
	}
	list.items = list.items[:len(list.items)/2]
	return true
}

// longest finds the list with the most elements, nil when there is none.
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

// longest counts the elements of a document's longest list.
func longest(document []byte) int {
	if n, err := parse(document); err == nil {
		if list := n.longest(); list != nil {
			return len(list.items)
		}
	}
	return 0
}

// cut cuts a text to so many bytes, between characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	most = max(most, 0)
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// member finds a field of an object, nil when there is none.
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

// number is a field that is a whole number, else 0.
func (n *node) number(name string) int {
	if v := n.member(name); v != nil && v.kind == '0' {
		if i, err := strconv.Atoi(v.text); err == nil {
			return i
		}
	}
	return 0
}

// set sets a field that is there to a number.
func (n *node) set(name string, value int) {
	if v := n.member(name); v != nil {
		v.kind, v.text = jsontext.Kind('0'), strconv.Itoa(value)
	}
}

// textOf is a field that is a text, else "".
func (n *node) textOf(name string) string {
	if v := n.member(name); v != nil && v.kind == '"' {
		return strings.TrimSpace(v.text)
	}
	return ""
}

func (n *node) remove(name string) {
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return m.name == name })
}
