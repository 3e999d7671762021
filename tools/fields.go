package tools

import (
	"slices"
	"strings"

	"techo/internal/nearest"
)

// fieldTree holds the fields of a result to keep. nil keeps a field with
// everything below it.
type fieldTree map[string]fieldTree

// checkFields parses a list of fields such as "total" or "memos.name" and checks
// it against the schema of the result. A step into a list applies to each of its
// elements.
func (t *Tool) checkFields(env *Env, fields []string) (fieldTree, []Detail) {
	var problems []Detail
	tree := fieldTree{}
	for _, f := range fields {
		s, at := t.Output(), tree
		steps := strings.Split(f, ".")
		if steps[0] == convertedField { // of every tool
			at[convertedField] = nil
			continue
		}
		for i, step := range steps {
			below, ok := s.step(step)
			if !ok {
				problems = append(problems, s.noStep(env, f, step))
				break
			}
			s = below
			sub, seen := at[step]
			if i == len(steps)-1 || seen && sub == nil {
				at[step] = nil
				break
			}
			if sub == nil {
				sub = fieldTree{}
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
func (s *Schema) noStep(env *Env, field, step string) Detail {
	d := Detail{Path: "/fields", Message: env.Localize("%q is not in the result", field)}
	names := s.element().Names()
	if d.Hint = env.DidYouMean(nearest.Of(step, names)); d.Hint == "" && len(names) > 0 {
		d.Hint = env.Hint("There are: %s", strings.Join(names, ", "))
	}
	return d
}

// pick keeps only the fields of a document that are in the tree.
func pick(document []byte, tree fieldTree) []byte {
	if tree == nil {
		return document
	}
	n, err := parse(document)
	if err != nil {
		return document
	}
	n.pick(tree)
	return n.append(nil)
}

func (n *node) pick(tree fieldTree) {
	for _, item := range n.items {
		item.pick(tree)
	}
	n.members = slices.DeleteFunc(n.members, func(m member) bool {
		sub, ok := tree[m.name]
		if ok && sub != nil {
			m.value.pick(sub)
		}
		return !ok
	})
}
