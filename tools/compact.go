package tools

import (
	"strings"
	"time"

	"techo/tools/jsontree"
	"techo/tools/schema"
)

// compact returns a result as a model needs it: without fields that are empty, and without those of a
// list's items that a choice does not need. The tag compact of the result's types has the exceptions. If
// the caller named fields, items keep all of them.
func (v *invocation) compact(document []byte) []byte {
	n, err := jsontree.Parse(document)
	if err != nil || n.Kind != '{' {
		return document
	}
	c := compaction{whole: v.fields != nil}
	c.object(n, v.tool.Output(), false)
	return n.Append(nil)
}

// compaction makes documents compact.
type compaction struct {
	whole bool // items of lists keep the fields that are not empty
}

// value makes a value below a field or an item of a list compact. Values without a schema and maps keep
// their form: a result may have the schema of a tool, or a record as it was.
func (c compaction) value(n *jsontree.Node, s *schema.Schema, item bool) {
	switch {
	case n.Kind == '{' && len(s.Properties) > 0:
		c.object(n, s, item)
	case n.Kind == '[' && s.Items != nil:
		for _, i := range n.Items {
			c.value(i, s.Items, true)
		}
	}
}

func (c compaction) object(n *jsontree.Node, s *schema.Schema, item bool) {
	kept := make([]jsontree.Member, 0, len(n.Members))
	for _, m := range n.Members {
		p := s.Property(m.Name)
		rule, stays := "", false
		if p != nil {
			c.value(m.Value, p.Schema, item)
			rule, stays = p.Compact, p.StaysEmpty()
		}
		if item && !c.whole && drops(rule, n, m.Value) {
			continue
		}
		if empty(m.Value) && !stays {
			continue
		}
		if item && !c.whole {
			m.Value.Text = shortTime(rule, n, m.Value.Text)
		}
		kept = append(kept, m)
	}
	n.Members = kept
}

// drops reports whether an item of a list does without a field, by the rule of its tag.
func drops(rule string, item *jsontree.Node, value *jsontree.Node) bool {
	switch other, same := strings.CutPrefix(rule, "="); {
	case same: // it repeats another field
		o := item.Member(other)
		return o != nil && o.Kind == value.Kind && o.Text == value.Text
	case rule == "0":
		return value.Kind == '0' && value.Text == "0"
	}
	return rule == "-"
}

// shortTime returns a text, or the part of a time that an item of a list needs by the rule of its tag.
func shortTime(rule string, item *jsontree.Node, text string) string {
	if rule == "day" {
		return text[:min(len(time.DateOnly), len(text))]
	}
	other, short := strings.CutPrefix(rule, "time=")
	if !short {
		return text
	}
	const day, minute = len("2006-01-02T"), len("2006-01-02T15:04")
	o := item.Member(other)
	if o == nil || len(text) <= minute || len(o.Text) != len(text) || o.Text[:day] != text[:day] || o.Text[minute:] != text[minute:] {
		return text
	}
	if zone, whole := strings.CutPrefix(text[minute:], ":00"); !whole || zone != "Z" && len(zone) != len("+09:00") {
		return text
	}
	return text[day:minute]
}

// empty reports whether a value is null, false, or a text, list or object without content.
func empty(n *jsontree.Node) bool {
	switch n.Kind {
	case 'n', 'f':
		return true
	case '"':
		return n.Text == ""
	case '[':
		return len(n.Items) == 0
	case '{':
		return len(n.Members) == 0
	}
	return false
}
