package serve

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// tokenPrefix starts every token, so that people and secret scanners recognize
// it.
const tokenPrefix = "techo_"

// tokenBytes is the number of random bytes of a token.
const tokenBytes = 32

// NewToken returns a random token.
func NewToken() string {
	b := make([]byte, tokenBytes)
	_, _ = rand.Read(b) // never fails
	return tokenPrefix + hex.EncodeToString(b)
}

// isToken reports whether a text has the form of a token.
func isToken(text string) bool {
	digits, ok := strings.CutPrefix(text, tokenPrefix)
	if !ok || len(digits) != hex.EncodedLen(tokenBytes) {
		return false
	}
	return strings.Trim(digits, "0123456789abcdef") == ""
}
