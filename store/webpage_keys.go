package store

import "crypto/sha256"

// The prefixes of the keys of web pages.
const (
	webRecords  space = "wp"
	webPageAges space = "wt"
	webCountKey space = "wc"
)

// webID returns the id of the page that was requested under a key.
func webID(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:16]
}

func webKey(id []byte) []byte { return webRecords.key(string(id)) }

func webAgeKey(id []byte, fetched int64) []byte {
	return append(webPageAges.number(uint64(fetched)), id...)
}
