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
			for s != nil && s.Kind == Array {
				s = s.Items
			}
			if s != nil && s.Kind == Object && len(s.Properties) > 0 {
				p := s.Property(step)
				if p == nil {
					hint := env.DidYouMean(nearest.Of(step, s.Names()))
					if hint == "" {
						hint = env.Say(Say{"There are: %s", "指定できる項目: %s"}, strings.Join(s.Names(), ", "))
					}
					wrong = append(wrong, Detail{"/fields", env.Say(Say{"%q is not in the result", "「%s」は結果にありません"}, f), hint})
					break
				}
				s = p.Schema
			} else {
				s = nil // whatever is there
			}
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
