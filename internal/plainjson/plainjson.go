// Package plainjson reads JSON objects whose values are texts, whole numbers and booleans.
// encoding/json examines a type when a process first decodes one, which takes longer than
// to read the few records of a short call.
package plainjson

import (
	"encoding/json"
	"math"
	"unicode/utf8"
)

// Object reads the members of an object in order. It reads compact JSON without escapes of
// four digits; of anything else Whole is false, and encoding/json has to read it.
type Object struct {
	rest  []byte
	name  []byte
	begun bool
	done  bool
	bad   bool
}

// Record is a record that nearly every call reads.
type Record interface {
	// ReadMember reads the value of the member that o is at. It returns false for a member
	// that is not plain.
	ReadMember(o *Object) bool
}

// Unmarshal decodes JSON into *v as encoding/json does. It reads a plain Record itself.
func Unmarshal[T any](b []byte, v *T) error {
	if r, ok := any(v).(Record); ok {
		if Read(b, r) {
			return nil
		}
		*v = *new(T)
	}
	return json.Unmarshal(b, v)
}

// Read reads a plain record. It returns false for any other JSON, of which it may have read
// a part.
func Read(b []byte, r Record) bool {
	o := Object{rest: b}
	for o.Next() {
		if !r.ReadMember(&o) {
			return false
		}
	}
	return o.Whole()
}

// Next moves to the next member. Its value must be read before the next call.
func (o *Object) Next() bool {
	switch {
	case o.bad || o.done:
		return false
	case !o.begun:
		o.begun = true
		if !o.take('{') {
			o.bad = true
			return false
		}
		if o.done = o.take('}'); o.done {
			return false
		}
	case !o.take(','):
		o.done = o.take('}')
		o.bad = !o.done
		return false
	}
	name, escaped := o.quoted()
	o.name = name
	o.bad = o.bad || escaped || !o.take(':')
	return !o.bad
}

// Name returns the name of the member.
func (o *Object) Name() string { return string(o.name) }

// Whole reports whether the object was read to its end and nothing follows it.
func (o *Object) Whole() bool { return o.done && !o.bad && len(o.rest) == 0 }

func (o *Object) take(c byte) bool {
	if len(o.rest) == 0 || o.rest[0] != c {
		return false
	}
	o.rest = o.rest[1:]
	return true
}

// quoted returns the bytes between quotes.
func (o *Object) quoted() (b []byte, escaped bool) {
	if !o.take('"') {
		o.bad = true
		return nil, false
	}
	ascii := true
	for i := 0; i < len(o.rest); i++ {
		switch c := o.rest[i]; {
		case c == '"':
			b, o.rest = o.rest[:i], o.rest[i+1:]
			o.bad = o.bad || !ascii && !utf8.Valid(b)
			return b, escaped
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			o.bad = true
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	o.bad = true
	return nil, false
}

// Text returns a value that is a text.
func (o *Object) Text() string {
	b, escaped := o.quoted()
	if o.bad || !escaped {
		return string(b)
	}
	text := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '\\' {
			i++ // quoted has seen the character behind it
			if c = unescaped(b[i]); c == 0 {
				o.bad = true
				return ""
			}
		}
		text = append(text, c)
	}
	return string(text)
}

// unescaped returns the character that a letter behind a backslash stands for, 0 for others.
func unescaped(letter byte) byte {
	switch letter {
	case '"', '\\', '/':
		return letter
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

// Int64 returns a value that is a whole number of up to 18 digits.
func (o *Object) Int64() (n int64) {
	negative := o.take('-')
	digits := 0
	for digits < len(o.rest) && o.rest[digits] >= '0' && o.rest[digits] <= '9' {
		n = n*10 + int64(o.rest[digits]-'0')
		if digits++; digits > 18 {
			break
		}
	}
	if digits == 0 || digits > 18 || digits > 1 && o.rest[0] == '0' {
		o.bad = true
		return 0
	}
	if o.rest = o.rest[digits:]; negative {
		return -n
	}
	return n
}

// Int returns a value that is a whole number.
func (o *Object) Int() int {
	n := o.Int64()
	o.bad = o.bad || n < math.MinInt || n > math.MaxInt
	return int(n)
}

// Uint32 returns a value that is a whole number of this range.
func (o *Object) Uint32() uint32 {
	n := o.Int64()
	o.bad = o.bad || n < 0 || n > math.MaxUint32
	return uint32(n)
}

// Bool returns a value that is true or false.
func (o *Object) Bool() bool {
	for _, value := range []string{"true", "false"} {
		if len(o.rest) >= len(value) && string(o.rest[:len(value)]) == value {
			o.rest = o.rest[len(value):]
			return value == "true"
		}
	}
	o.bad = true
	return false
}
