package token

import (
	"crypto/sha256"
	"encoding/hex"

	"techo/store/ledger"
)

// Records is the prefix of the keys of tokens.
const Records ledger.Prefix = "tk"

// Key is the key of the token with a secret.
func Key(secret string) []byte {
	digest := sha256.Sum256([]byte(secret))
	return Records.Key(string(digest[:]))
}

// ID is the id of the token with a key. It reveals 6 bytes of the digest,
// and nothing about the secret.
func ID(key []byte) string { return "tok_" + hex.EncodeToString(ledger.Rest(key)[:6]) }
