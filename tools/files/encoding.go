package files

import (
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

func legacyEncodings() []string {
	return []string{"shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "windows-1252"}
}

// unencodable is the error for a character that a file's encoding does not have.
func unencodable(env *tools.Env, at string, bad *charset.UnencodableError) *tools.Error {
	return tools.InvalidField(env, at, "contains %q, which the file's encoding %s does not have", string(bad.Rune),
		bad.Charset)
}
