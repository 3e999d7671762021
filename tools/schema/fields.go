package schema

import (
	"strings"

	"techo/internal/nearest"
	"techo/tools/failure"
	"techo/tools/jsontree"
	"techo/tools/message"
)

// Select parses a list of fields such as "total" or "memos.name" and checks it against the
// schema of a result. A step into a list applies to each of its elements.
func (s *Schema) Select(l message.Localizer, fields []string) (jsontree.Fields, []failure.Detail) {
	whole := s
	var problems []failure.Detail
	tree := jsontree.Fields{}
	for _, f := range fields {
		s, at := whole, tree
		steps := strings.Split(f, ".")
		if steps[0] == convertedField { // of every tool
			at[convertedField] = nil
			continue
		}
		for i, step := range steps {
			below, ok := s.step(step)
			if !ok {
				problems = append(problems, s.noStep(l, f, step))
				break
			}
			s = below
			sub, seen := at[step]
			if i == len(steps)-1 || seen && sub == nil {
				at[step] = nil
				break
			}
			if sub == nil {
				sub = jsontree.Fields{}
				at[step] = sub
			}
			at = sub
		}
	}
	if len(fields) == 0 {
		return nil, nil
	}
	return tree, problems
}

// step returns the schema of a field, or of a field of a list's elements. below is
// nil if any JSON is allowed there.
func (s *Schema) step(name string) (below *Schema, ok bool) {
	s = s.element()
	switch {
	case s == nil || s.Kind == Any:
		return nil, true
	case s.Kind == Object && len(s.Properties) == 0:
		return s.Items, true
	}
	p := s.Property(name)
	if p == nil {
		return nil, false
	}
	return p.Schema, true
}

// element returns the schema of a list's elements, through nested lists.
func (s *Schema) element() *Schema {
	for s != nil && s.Kind == Array {
		s = s.Items
	}
	return s
}

// noStep describes a field that the result does not have.
func (s *Schema) noStep(l message.Localizer, field, step string) failure.Detail {
	d := failure.Detail{Path: "/fields", Message: l.Localize("%q is not in the result", field)}
	names := s.element().Names()
	if d.Hint = l.DidYouMean(nearest.Of(step, names)); d.Hint == "" && len(names) > 0 {
		d.Hint = l.Hint("There are: %s", strings.Join(names, ", "))
	}
	return d
}

// Replaced adds a conversion of a text to another one.
func (c *Conversions) Replaced(path, from, to string) {
	c.report(path, jsontree.AppendText(nil, from), jsontree.AppendText(nil, to))
}
