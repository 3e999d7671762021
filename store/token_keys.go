package store

import (
	"crypto/sha256"
	"encoding/hex"
)

// The prefixes of the keys of tokens.
const (
	tokenRecords space = "tk"
)

// tokenKey is the key of the token with a secret.
func tokenKey(secret string) []byte {
	digest := sha256.Sum256([]byte(secret))
	return tokenRecords.key(string(digest[:]))
}

// tokenID is the id of the token with a key. It reveals 6 bytes of the digest,
// and nothing about the secret.
func tokenID(key []byte) string { return "tok_" + hex.EncodeToString(rest(key)[:6]) }
