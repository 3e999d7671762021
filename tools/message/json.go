package message

import "strings"

// DecodeError is the reason why package jsontext does not decode a document. The
// package does not export the types of its reasons.
type DecodeError struct{ Err error }

func (e *DecodeError) Error() string { return e.Err.Error() }

func (e *DecodeError) Unwrap() error { return e.Err }

// jsonFault is a text of package jsontext or encoding/json, and its meaning.
type jsonFault struct {
	library string
	text    Text
}

// jsonCause describes a JSON decoder's error. It returns "" for a text that it does not
// know.
func jsonCause(lang Lang, text string) string {
	if rest, ok := strings.CutPrefix(text, "invalid character "); ok {
		return characterCause(lang, rest)
	}
	if rest, ok := strings.CutPrefix(text, "invalid escape sequence "); ok {
		return Text("invalid escape sequence %s in a string").In(lang, strings.TrimSuffix(rest, " in string"))
	}
	for _, known := range []jsonFault{
		{"unexpected end of JSON input", "ends too early"},
		{"object member name must be a string", "a name in an object must be a string"},
		{"missing value after object name", "a name in an object has no value"},
		{"mismatching structural token for object or array", "the brackets do not match"},
		{"exceeded max depth", "nested too deeply"},
	} {
		if text == known.library {
			return known.text.In(lang)
		}
	}
	return ""
}

// characterCause describes the rest of a text after "invalid character ": the quoted
// character and its place.
func characterCause(lang Lang, rest string) string {
	const (
		value   Text = "unexpected character %s where a value should begin"
		colon   Text = "unexpected character %s after a name, instead of ':'"
		member  Text = "unexpected character %s after a value in an object, instead of ',' or '}'"
		element Text = "unexpected character %s after a value in an array, instead of ',' or ']'"
		control Text = "control character %s in a string"
		digit   Text = "unexpected character %s in a number, instead of a digit"
	)
	for _, place := range []jsonFault{
		{"at start of value", value},
		{"looking for beginning of value", value},
		{"after top-level value", "unexpected character %s after the value"},
		{"looking for beginning of object key string", "unexpected character %s where a name should begin"},
		{"after object name (expecting ':')", colon},
		{"after object key", colon},
		{"after object value (expecting ',' or '}')", member},
		{"after object key:value pair", member},
		{"after array element (expecting ',' or ']')", element},
		{"after array element", element},
		{"in string (expecting non-control character)", control},
		{"in string literal", control},
		{"in string escape code", "unexpected character %s in an escape sequence"},
		{"in number (expecting digit)", digit},
		{"in numeric literal", digit},
	} {
		if char, ok := strings.CutSuffix(rest, " "+place.library); ok {
			return place.text.In(lang, char)
		}
	}
	if char, literal, ok := strings.Cut(rest, " in literal "); ok {
		literal, want, _ := strings.Cut(strings.TrimSuffix(literal, ")"), " (expecting ")
		return Text("unexpected character %s in %s, instead of %s").In(lang, char, literal, want)
	}
	return Text("unexpected character %s").In(lang, rest)
}
