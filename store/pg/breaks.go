package pg

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"

	"techo/store/kv"
)

// # Page breaks
//
// PostgreSQL notes whole pages of an index as read. So transactions that read one key meet those
// that insert keys beside it, although the keys differ: false sharing, as of a processor's cache
// lines. Package store names the keys between which such keys lie (Options.Breaks). Migrate
// fills more than a page of the index at each of them, so that no page has keys of both sides.
// The keys of these rows are too long for records, so scans leave them out.
const (
	fillerSize = 2000 // bytes of a key; four fit on a page, and the index takes at most 2,704
	fillers    = 6    // at each break
)

// insertBreaks returns the statement that inserts the rows of the page breaks, if there are any.
// It can be repeated.
func insertBreaks(e *Engine) []statement {
	var all rows
	for _, at := range e.breaks {
		// The index compresses long keys, which therefore are random. The seed is fixed, so that
		// the same break has the same keys.
		random := rand.NewChaCha8(sha256.Sum256(at))
		for range fillers {
			key := append(make([]byte, 0, fillerSize), at...)[:fillerSize]
			_, _ = random.Read(key[len(at):]) // it never fails
			all.keys, all.values = append(all.keys, key), append(all.values, []byte{})
		}
	}
	return all.inserts(e.space, " ON CONFLICT (space, key) DO NOTHING")
}

// isRecord is the condition for rows of the table a that are records.
func isRecord() string { return fmt.Sprintf(" AND octet_length(a.key) <= %d", kv.MaxKey) }
