package document

import (
	"techo/internal/charset"
	"techo/tools"
)

// Encoding is the encoding option of the tools that read and write files. ""
// means detection.
type Encoding string

// Enum lists the supported encodings.
func (Encoding) Enum() []string {
	return append([]string{"utf-8", "utf-16le", "utf-16be"}, LegacyEncodings()...)
}

// Charset returns the character set, or nil for "".
func (e Encoding) Charset() *charset.Charset {
	c, _ := charset.Find(string(e))
	return c
}

func LegacyEncodings() []string {
	return []string{"shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "windows-1252"}
}

// Unencodable is the error for a character that a file's encoding does not have.
func Unencodable(env *tools.Env, at string, bad *charset.UnencodableError) *tools.Error {
	return tools.InvalidField(env, at, "contains %q, which the file's encoding %s does not have", string(bad.Rune),
		bad.Charset)
}
