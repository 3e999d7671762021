package webcache

import (
	"crypto/sha256"

	"techo/store/ledger"
)

// The prefixes of the keys of web pages.
const (
	records  ledger.Prefix = "wp"
	ages     ledger.Prefix = "wt"
	CountKey ledger.Prefix = "wc"
)

// webKey returns the key of the page that was requested under a key.
func webKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return records.Key(string(sum[:16]))
}
