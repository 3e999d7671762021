package tools

import (
	"slices"
	"strings"

	"techo/internal/nearest"
)

// fieldTree says which fields of a result to keep: nil is a field as a whole.
type fieldTree map[string]fieldTree

// checkFields reads a list of fields such as "total" or "memos.name" against
// the schema of the result. A step into a list goes to each of its elements.
func (t *Tool) checkFields(env *Env, fields []string) (fieldTree, []Detail) {
	var wrong []Detail
	tree := fieldTree{}
	for _, f := range fields {
		s, at := t.Output(), tree
		steps := strings.Split(f, ".")
		for i, step := range steps {
			below, ok := s.step(step)
			if !ok {
				wrong = append(wrong, s.noStep(env, f, step))
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
	return tree, wrong
}

// step goes to a field below, in a list to that of its elements; nil is
// whatever there is.
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

// element is what a list, or a list of lists, is made of.
func (s *Schema) element() *Schema {
	for s != nil && s.Kind == Array {
		s = s.Items
	}
	return s
}

// noStep is the fault of a field that is not in the result.
func (s *Schema) noStep(env *Env, field, step string) Detail {
	d := Detail{Path: "/fields", Message: env.Say(Say{"%q is not in the result", "「%s」は結果にありません"}, field)}
	names := s.element().Names()
	if d.Hint = env.DidYouMean(nearest.Of(step, names)); d.Hint == "" && len(names) > 0 {
		d.Hint = env.Say(Say{"There are: %s", "指定できる項目: %s"}, strings.Join(names, ", "))
	}
	return d
}

// pick keeps the fields of a document that a tree names.
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
