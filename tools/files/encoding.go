package files

import "techo/internal/charset"

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
