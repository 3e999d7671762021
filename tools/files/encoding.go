package files

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"techo/internal/charset"
	"techo/tools"
)

// textEncoding is the encoding option of the tools that read and write files. ""
// means detection.
type textEncoding string

// Enum lists the supported encodings.
func (textEncoding) Enum() []string {
	return append([]string{"utf-8", "utf-16le", "utf-16be"}, legacyEncodings()...)
}

// charset returns the character set, or nil for "".
func (e textEncoding) charset() *charset.Charset {
	c, _ := charset.Find(string(e))
	return c
}

// searchEncoding is the encoding option of grep, which always recognizes UTF-8 and
// UTF-16.
type searchEncoding string

// autoEncoding detects the encoding of each file.
const autoEncoding searchEncoding = "auto"

// Enum lists the supported encodings.
func (searchEncoding) Enum() []string {
	return append([]string{string(autoEncoding)}, legacyEncodings()...)
}

func legacyEncodings() []string {
	return []string{"shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "windows-1252"}
}

// mayEdit refuses an edit that removes or inserts anything but ASCII if the encoding
// was only guessed. The splices apply to raw.
func mayEdit(env *tools.Env, w *target, c *charset.Charset, raw []byte, s step) *tools.Error {
	if !w.guessed {
		return nil
	}
	plain := !c.Stateful()
	for _, p := range s {
		plain = plain && isASCIIBytes(p.With) && isASCIIBytes(raw[p.Offset:p.Offset+p.Length])
	}
	if plain {
		return nil
	}
	return guessedOnly(env, encodingAt(w), w.shown, c)
}

func isASCIIBytes(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}

// guessedOnly is the error for a change that needs to know the encoding of a file.
func guessedOnly(env *tools.Env, at, path string, c *charset.Charset) *tools.Error {
	e := invalidField(env, at, "is required: the encoding of %s can only be guessed", path)
	if c.Stateful() {
		return e.WithHint(env.Hint("It looks like %s, which can be read but not edited; write the whole file "+
			"with techo fs write and the encoding utf-8", c.Name()))
	}
	return e.WithHint(env.Hint("It looks like %s; if that is right, set --encoding to %s", c.Name(), c.Name()))
}

// unencodable is the error for a character that a file's encoding does not have.
func unencodable(env *tools.Env, at string, bad *charset.UnencodableError) *tools.Error {
	return invalidField(env, at, "contains %q, which the file's encoding %s does not have", string(bad.Rune),
		bad.Charset)
}

// encodeNew returns the content of a new file.
func encodeNew(env *tools.Env, text string, as textEncoding) ([]byte, error) {
	if as == "" {
		return []byte(text), nil
	}
	c := as.charset()
	b, err := c.Encode(text)
	if bad := new(charset.UnencodableError); errors.As(err, &bad) {
		return nil, unencodable(env, "/patch", bad)
	}
	if strings.HasPrefix(c.Name(), "utf-16") {
		b = append(slices.Clone(c.BOM()), b...)
	}
	return b, err
}
