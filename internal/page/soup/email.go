package soup

import (
	"bytes"
	"encoding/hex"
	"html"
	"strings"
	"unicode/utf8"

	"techo/internal/legible"
	"techo/internal/page/runes"
)

// Cloudflare replaces e-mail addresses in pages by a placeholder, which a script of the
// page decodes. emailMark is the attribute with the encoded address; links have it in
// their fragment.
const (
	emailMark = "data-cfemail="
	emailLink = "/cdn-cgi/l/email-protection"
)

// maxMark is how far the placeholder may be from its mark in bytes.
const maxMark = 1000

// ShowEmails replaces encoded e-mail addresses in the source of a page by the addresses.
func ShowEmails(source string) string {
	return replaceEach(replaceEach(source, emailMark, markedEmail), emailLink, linkedEmail)
}

// replaceEach replaces what follows each mark in a text. replace gets the text before,
// and the text that begins with the mark; it returns both as they should be.
func replaceEach(text, mark string, replace func(out []byte, text string) ([]byte, string)) string {
	at := strings.Index(text, mark)
	if at < 0 {
		return text
	}
	var out []byte
	for ; at >= 0; at = strings.Index(text, mark) {
		out, text = replace(append(out, text[:at]...), text[at:])
	}
	return string(out) + text
}

// markedEmail replaces the placeholder after a tag with an encoded address, and the link
// in that tag.
func markedEmail(out []byte, text string) ([]byte, string) {
	email := emailOf(strings.TrimLeft(text[len(emailMark):], `"'`))
	tag := strings.IndexByte(text[:min(len(text), maxMark)], '>') + 1
	end := strings.IndexByte(text[tag:min(len(text), tag+maxMark)], '<')
	if email == "" || tag == 0 || end < 0 {
		return append(out, emailMark...), text[len(emailMark):]
	}
	from := max(0, len(out)-maxMark)
	from += max(0, bytes.LastIndexByte(out[from:], '<'))
	start := strings.Replace(string(out[from:]), emailLink+`"`, "mailto:"+email+`"`, 1)
	return append(append(append(out[:from], start...), text[:tag]...), email...), text[tag+end:]
}

// linkedEmail replaces a link to an encoded address.
func linkedEmail(out []byte, text string) ([]byte, string) {
	rest := text[len(emailLink):]
	code, ok := strings.CutPrefix(rest, "#")
	if email := emailOf(code); ok && email != "" {
		return append(append(out, "mailto:"...), email...), code[digits(code):]
	}
	return append(out, emailLink...), rest
}

// digits counts the hexadecimal digits at the begin of a text.
func digits(text string) (n int) {
	for n < len(text) && runes.IsDigit(text[n], true) {
		n++
	}
	return n
}

// emailOf decodes the address at the begin of a text: hexadecimal bytes, of which the
// first is the key of the others. It returns the address as HTML, or "".
func emailOf(code string) string {
	b, err := hex.DecodeString(code[:min(digits(code), maxMark)])
	if err != nil || len(b) < 2 {
		return ""
	}
	for i := range b[1:] {
		b[i+1] ^= b[0]
	}
	email := string(b[1:])
	if !utf8.ValidString(email) || !strings.Contains(email, "@") || strings.ContainsFunc(email, legible.IsInvisible) {
		return ""
	}
	return html.EscapeString(email)
}
