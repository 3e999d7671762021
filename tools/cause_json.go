package tools

import "strings"

// decodeError is the reason why package jsontext does not decode a document. The
// package does not export the types of its reasons.
type decodeError struct{ error }

func (e *decodeError) Unwrap() error { return e.error }

// jsonCause translates the text of a JSON decoder's error. It returns "" for a text
// that it does not know.
func jsonCause(lang Lang, text string) string {
	if rest, ok := strings.CutPrefix(text, "invalid character "); ok {
		return characterCause(lang, rest)
	}
	if rest, ok := strings.CutPrefix(text, "invalid escape sequence "); ok {
		return Text("invalid escape sequence %s in string").In(lang, strings.TrimSuffix(rest, " in string"))
	}
	for _, known := range []Text{
		"unexpected end of JSON input", "object member name must be a string", "missing value after object name",
		"mismatching structural token for object or array", "exceeded max depth",
	} {
		if text == string(known) {
			return known.In(lang)
		}
	}
	return ""
}

// characterCause translates the rest of a text after "invalid character ": the quoted
// character and its place.
func characterCause(lang Lang, rest string) string {
	for _, place := range []Text{
		"at start of value", "looking for beginning of value", "after top-level value",
		"after object name (expecting ':')", "after object key", "looking for beginning of object key string",
		"after object value (expecting ',' or '}')", "after object key:value pair",
		"after array element (expecting ',' or ']')", "after array element",
		"in string (expecting non-control character)", "in string literal", "in string escape code",
		"in number (expecting digit)", "in numeric literal",
	} {
		if char, ok := strings.CutSuffix(rest, " "+string(place)); ok {
			return Text("invalid character %s %s").In(lang, char, place.In(lang))
		}
	}
	if char, literal, ok := strings.Cut(rest, " in literal "); ok {
		literal, want, _ := strings.Cut(strings.TrimSuffix(literal, ")"), " (expecting ")
		return Text("invalid character %s in literal %s (expecting %s)").In(lang, char, literal, want)
	}
	return Text("invalid character %s").In(lang, rest)
}
