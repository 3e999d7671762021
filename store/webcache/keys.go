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

// webID returns the id of the page that was requested under a key.
func webID(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:16]
}

func webKey(id []byte) []byte { return records.Key(string(id)) }

func webAgeKey(id []byte, fetched int64) []byte {
	return append(ages.Number(uint64(fetched)), id...)
}
