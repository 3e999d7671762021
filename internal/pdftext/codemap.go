package pdftext

import (
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"
)

// codeMap is a font's table from codes to characters (ToUnicode CMap).
type codeMap struct {
	lengths  [5][]codeRange    // the ranges of valid codes, by the bytes of a code
	single   map[string]string // characters, in UTF-16, by code
	ranges   []mappedRange
	operands []any // of the next operator: string or []string
}

type codeRange struct{ low, high string }

// mappedRange is a range of codes with their characters in UTF-16.
type mappedRange struct {
	codeRange
	first string   // the characters of low; other codes add to the last byte
	each  []string // or the characters of each code
}

// readCodeMap reads a table. Of the PostScript that it is written in, only the
// operators that list codes are understood.
func readCodeMap(from io.ReadCloser) *codeMap {
	defer from.Close()
	m := &codeMap{single: map[string]string{}}
	source, _ := io.ReadAll(io.LimitReader(from, maxText)) // what can be read of a damaged table is used
	rest := strings.TrimLeft(string(source), blanks)
	for rest != "" {
		rest = strings.TrimLeft(m.take(rest), blanks)
	}
	return m
}

const (
	blanks     = " \t\r\n\f\x00"
	delimiters = blanks + "()<>[]{}/%"
)

// take reads one token, and returns the text after it.
func (m *codeMap) take(text string) (rest string) {
	switch {
	case text[0] == '%':
		_, rest = cutAny(text, "\r\n")
		return rest
	case strings.HasPrefix(text, "<<") || strings.HasPrefix(text, ">>"):
		return text[2:]
	case text[0] == '<':
		var code string
		code, rest, _ = strings.Cut(text[1:], ">")
		m.operands = append(m.operands, unhex(code))
		return rest
	case text[0] == '[':
		var inside string
		inside, rest, _ = strings.Cut(text[1:], "]")
		m.operands = append(m.operands, codes(inside))
		return rest
	case text[0] == '(': // only for the name of the table
		_, rest, _ = strings.Cut(text, ")")
		return rest
	case strings.IndexByte(delimiters, text[0]) >= 0:
		_, rest = cutAny(text[1:], delimiters)
		return rest
	}
	word, rest := cutAny(text, delimiters)
	if strings.Trim(word, "+-.0123456789") != "" {
		m.run(word)
		m.operands = m.operands[:0]
	}
	return rest
}

// cutAny cuts text before the first of some characters.
func cutAny(text, characters string) (before, rest string) {
	if i := strings.IndexAny(text, characters); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// codes reads the codes of an array.
func codes(array string) (all []string) {
	for {
		_, after, found := strings.Cut(array, "<")
		if !found {
			return all
		}
		var code string
		code, array, _ = strings.Cut(after, ">")
		all = append(all, unhex(code))
	}
}

// unhex decodes hexadecimal digits. An odd last digit counts as the first of two.
func unhex(digits string) string {
	digits = strings.Join(strings.FieldsFunc(digits, func(r rune) bool { return strings.ContainsRune(blanks, r) }), "")
	if len(digits)%2 == 1 {
		digits += "0"
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return ""
	}
	return string(b)
}

// run runs an operator that ends a list of codes.
func (m *codeMap) run(operator string) {
	switch operator {
	case "endcodespacerange":
		for at := 0; at+1 < len(m.operands); at += 2 {
			low, high := m.code(at), m.code(at+1)
			if n := len(low); n > 0 && n < len(m.lengths) && n == len(high) {
				m.lengths[n] = append(m.lengths[n], codeRange{low, high})
			}
		}
	case "endbfchar":
		for at := 0; at+1 < len(m.operands); at += 2 {
			if _, known := m.single[m.code(at)]; !known {
				m.single[m.code(at)] = m.code(at + 1)
			}
		}
	case "endbfrange":
		for at := 0; at+2 < len(m.operands); at += 3 {
			r := mappedRange{codeRange: codeRange{m.code(at), m.code(at + 1)}, first: m.code(at + 2)}
			r.each, _ = m.operands[at+2].([]string)
			m.ranges = append(m.ranges, r)
		}
	}
}

// code returns an operand that is a code, or "".
func (m *codeMap) code(at int) string {
	code, _ := m.operands[at].(string)
	return code
}

// decode is the decoder of the font.
func (m *codeMap) decode(codes string) string {
	var text strings.Builder
	for codes != "" {
		n := m.length(codes)
		if n == 0 {
			text.WriteRune(utf8.RuneError)
			codes = codes[1:]
			continue
		}
		text.WriteString(m.character(codes[:n]))
		codes = codes[n:]
	}
	return text.String()
}

// length returns the number of bytes of the first code, 0 if it is invalid.
func (m *codeMap) length(codes string) int {
	for n := 1; n < len(m.lengths) && n <= len(codes); n++ {
		for _, r := range m.lengths[n] {
			if r.has(codes[:n]) {
				return n
			}
		}
	}
	return 0
}

func (r codeRange) has(code string) bool {
	return len(code) == len(r.low) && r.low <= code && code <= r.high
}

// character returns the characters of a code.
func (m *codeMap) character(code string) string {
	if units, known := m.single[code]; known {
		return decodeUTF16(units)
	}
	for _, r := range m.ranges {
		if !r.has(code) {
			continue
		}
		offset := code[len(code)-1] - r.low[len(r.low)-1]
		switch {
		case r.first != "":
			units := []byte(r.first)
			units[len(units)-1] += offset
			return decodeUTF16(string(units))
		case int(offset) < len(r.each):
			return decodeUTF16(r.each[offset])
		}
		break
	}
	return string(utf8.RuneError)
}
