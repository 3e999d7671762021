package jsontree

import "slices"

// Fields holds the fields of a result to keep. nil keeps a field with
// everything below it.
type Fields map[string]Fields

// Pick keeps only the fields of a document that are in the tree.
func Pick(document []byte, tree Fields) []byte {
	if tree == nil {
		return document
	}
	n, err := Parse(document)
	if err != nil {
		return document
	}
	n.pick(tree)
	return n.Append(nil)
}

func (n *Node) pick(tree Fields) {
	for _, item := range n.Items {
		item.pick(tree)
	}
	n.Members = slices.DeleteFunc(n.Members, func(m Member) bool {
		sub, ok := tree[m.Name]
		if ok && sub != nil {
			m.Value.pick(sub)
		}
		return !ok
	})
}
