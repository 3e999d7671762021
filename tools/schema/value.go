package schema

import (
	"techo/tools/jsontree"
)

// AppendValue appends the JSON value of a command-line text for an expected kind.
// A text that does not fit the kind stays a text, which the validator rejects.
func AppendValue(b []byte, k Kind, text string) []byte {
	if k == String {
		return jsontree.AppendText(b, text)
	}
	if n, err := jsontree.Parse([]byte(text)); err == nil && fits(n, k) {
		return append(b, text...)
	}
	return jsontree.AppendText(b, text)
}

func fits(n *jsontree.Node, k Kind) bool {
	switch k {
	case Integer, Number:
		return n.Kind == '0'
	case Boolean:
		return n.Kind == 't' || n.Kind == 'f'
	case Array:
		return n.Kind == '['
	case Object:
		return n.Kind == '{'
	}
	return true
}
