package ical

import (
	"strconv"
	"strings"

	"techo/internal/charset"
)

// parseLine parses NAME;PARAM=value,"value":value.
func parseLine(text string) (p Property, ok bool) {
	end := strings.IndexAny(text, ";:")
	if end <= 0 {
		return p, false
	}
	p.Name = strings.ToUpper(strings.TrimSpace(text[:end]))
	if !isName(p.Name) {
		return p, false
	}
	rest := text[end:]
	for strings.HasPrefix(rest, ";") {
		var param Param
		if param, rest, ok = parseParam(rest[1:]); !ok {
			return p, false
		}
		if param.Name != "" {
			p.Params = append(p.Params, param)
		}
	}
	if !strings.HasPrefix(rest, ":") {
		return p, false
	}
	p.Value = rest[1:]
	p.moveColons()
	if strings.EqualFold(p.Param("ENCODING"), "QUOTED-PRINTABLE") {
		p.Value = quotedPrintable(p.Value, p.Param("CHARSET"))
	}
	return p, true
}

// moveColons gives an unquoted TZID the colons that belong to it: TZID=GMT+05:30:20261202T100000. A
// value that is a time stays as it is.
func (p *Property) moveColons() {
	i := strings.IndexByte(p.Value, ':')
	n := len(p.Params) - 1
	if i < 0 || n < 0 || p.Params[n].Name != "TZID" || len(p.Params[n].Values) != 1 || startsWithTime(p.Value) {
		return
	}
	for ; i >= 0 && i < len(p.Value); i++ {
		if p.Value[i] == ':' && startsWithTime(p.Value[i+1:]) {
			p.Params[n].Values[0] += ":" + p.Value[:i]
			p.Value = p.Value[i+1:]
			return
		}
	}
}

// startsWithTime reports whether the first value of a list is a time or a period.
func startsWithTime(list string) bool {
	first, _, _ := strings.Cut(list, ",")
	first, _, _ = strings.Cut(first, "/")
	_, err := ParseTime(first)
	return err == nil
}

func isName(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != '/' {
			return false
		}
	}
	return s != ""
}

// parseParam parses one parameter and returns the rest from the following ";" or
// ":" on.
func parseParam(text string) (p Param, rest string, ok bool) {
	end := strings.IndexAny(text, "=;:")
	if end < 0 {
		return p, "", false
	}
	p.Name = strings.ToUpper(strings.TrimSpace(text[:end]))
	if text[end] != '=' { // vCalendar 1.0 omits the parameter name
		if strings.EqualFold(p.Name, "QUOTED-PRINTABLE") {
			p.Name, p.Values = "ENCODING", []string{p.Name}
		}
		return p, text[end:], true
	}
	for rest = text[end:]; rest != "" && (rest[0] == '=' || rest[0] == ','); {
		rest = rest[1:]
		var value string
		if strings.HasPrefix(rest, `"`) {
			if i := strings.IndexByte(rest[1:], '"'); i >= 0 {
				value, rest = rest[1:i+1], rest[i+2:]
				p.Values = append(p.Values, decodeParam(value))
				continue
			}
		}
		i := strings.IndexAny(rest, ",;:")
		if i < 0 {
			return p, "", false
		}
		value, rest = rest[:i], rest[i:]
		p.Values = append(p.Values, decodeParam(value))
	}
	return p, rest, rest != ""
}

// decodeParam decodes the escapes of RFC 6868.
func decodeParam(s string) string {
	if !strings.Contains(s, "^") {
		return s
	}
	return strings.NewReplacer("^^", "^", "^n", "\n", "^'", `"`).Replace(s)
}

// quotedPrintable decodes a value, which is in UTF-8, in the character set that it names, or in the one that
// it is most likely in.
func quotedPrintable(s, named string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '=' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(c))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	text, _ := charset.DecodePage(b, named)
	return text
}
