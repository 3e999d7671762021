package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/text/unicode/norm"
)

// readStrictly rejects duplicate names, texts with half a surrogate pair and deep
// nesting. Names within a value of any kind are not checked.
func readStrictly(d *json.Decoder, depth int, loose bool) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	// encoding/json replaces invalid text by U+FFFD, which no test here writes
	if s, ok := token.(string); ok && strings.ContainsRune(s, utf8.RuneError) {
		return errors.New("a text is not Unicode")
	}
	delim, nested := token.(json.Delim)
	if !nested {
		return nil
	}
	if depth++; depth > 64 {
		return errors.New("it is too deep")
	}
	names := map[string]bool{}
	for d.More() {
		var name string
		if delim == '{' {
			token, err := d.Token()
			if err != nil {
				return err
			}
			name = token.(string)
			if names[name] && !loose || strings.ContainsRune(name, utf8.RuneError) {
				return fmt.Errorf("the name %q is there twice, or is no text", name)
			}
			names[name] = true
		}
		if err := readStrictly(d, depth, loose || name == "any"); err != nil {
			return err
		}
	}
	_, err = d.Token()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// property returns the schema of a field, or nil if it is unknown.
func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	if p := s.Properties[name]; p != nil {
		return p
	}
	if a := s.AdditionalProperties; a != nil && a.Not == nil {
		return a
	}
	return nil
}

// walk rebuilds a value with a function that is called for each part, inner parts
// first.
func walk(s *jsonschema.Schema, v any, f func(*jsonschema.Schema, any) any) any {
	switch v := v.(type) {
	case map[string]any:
		o := map[string]any{}
		for name, field := range v {
			if p := property(s, name); p != nil {
				field = walk(p, field, f)
			}
			o[name] = field
		}
		return f(s, o)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			if list[i] = item; s.Items != nil {
				list[i] = walk(s.Items, item, f)
			}
		}
		return f(s, list)
	}
	return f(s, v)
}

// withoutNulls removes optional fields that are null.
func withoutNulls(s *jsonschema.Schema, v any) any {
	return walk(s, v, func(s *jsonschema.Schema, v any) any {
		o, ok := v.(map[string]any)
		if !ok || s.Type != "object" {
			return v
		}
		maps.DeleteFunc(o, func(name string, field any) bool {
			return field == nil && property(s, name) != nil && !slices.Contains(s.Required, name)
		})
		return o
	})
}

// complete adds the defaults of missing fields.
func complete(s *jsonschema.Schema, v any) any {
	return walk(s, v, func(s *jsonschema.Schema, v any) any {
		if o, ok := v.(map[string]any); ok {
			for name, p := range s.Properties {
				if _, there := o[name]; !there && p.Default != nil {
					o[name], _ = decode(p.Default)
				}
			}
		}
		return v
	})
}

// seen converts a value for the oracle: texts composed, because characters are
// counted in that form, and numbers as 64-bit Go numbers.
func seen(s *jsonschema.Schema, v any) any {
	return walk(s, v, func(s *jsonschema.Schema, v any) any {
		switch v := v.(type) {
		case string:
			if s.Enum == nil {
				if composed := norm.NFC.String(v); utf8.RuneCountInString(composed) < utf8.RuneCountInString(v) {
					return composed
				}
				return v
			}
		case json.Number:
			if s.Type == "integer" {
				return whole(v)
			}
			if f, err := v.Float64(); err == nil {
				return f
			}
			return "no number of 64 bits"
		}
		return v
	})
}

// whole returns a number as an exact integer, or as its text if it does not fit 64
// bits or has an exponent of three digits. Zero with any exponent is zero.
func whole(n json.Number) any {
	mantissa, _, _ := strings.Cut(strings.ToLower(n.String()), "e")
	if strings.Trim(mantissa, "-0.") == "" {
		return int64(0)
	}
	if _, exp, _ := strings.Cut(strings.ToLower(n.String()), "e"); len(strings.TrimLeft(exp, "+-0")) <= 2 {
		if r, ok := new(big.Rat).SetString(n.String()); ok && r.IsInt() && r.Num().IsInt64() {
			return r.Num().Int64()
		}
	}
	return "no integer of 64 bits"
}
