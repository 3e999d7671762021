package document

import (
	"techo/internal/charset"
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
