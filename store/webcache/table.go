package webcache

import (
	"context"
	"encoding/hex"
	"slices"

	"techo/store/kv"
	"techo/store/ledger"
)

// table keeps the records of the pages, not their bodies: a page without its body counts as not
// cached.
var table = &ledger.Table[webRecord, Counts]{
	Kind: ledger.KindWebPage, Records: records, Indexes: []ledger.Prefix{ages}, CountKey: CountKey,
	Key:    func(r *webRecord) []byte { return webKey(r.Key) },
	Encode: func(r *webRecord) ([]byte, error) { return ledger.Encode(r) },
	Decode: func(key, value []byte) (webRecord, error) {
		id := hex.EncodeToString(ledger.Rest(key))
		r, err := ledger.DecodeJSON[webRecord](ledger.KindWebPage, id, value)
		if err == nil && !slices.Equal(webKey(r.Key), key) {
			err = ledger.Finding(ledger.WrongKey, ledger.KindWebPage, id, nil)
		}
		return r, err
	},
	Index: func(r *webRecord) []kv.Pair {
		return []kv.Pair{{Key: append(ages.Number(uint64(r.Fetched)), ledger.Rest(webKey(r.Key))...)}}
	},
	Count: func(c *Counts, r *webRecord, n int) {
		c.Pages += n
		c.Bytes += int64(n) * r.Size
	},
}

// Repair empties the cache, which fills again.
func Repair(ctx context.Context, s *ledger.Ledger) ([]ledger.Repair, error) {
	return nil, s.Update(ctx, func(tx *ledger.Tx) error {
		for _, p := range Schema().Prefixes {
			if err := tx.DeletePrefix(p.All()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Schema describes the keys of web pages.
func Schema() ledger.Schema {
	s := table.Schema("web_pages")
	s.Repair = Repair
	return s
}
