package webcache

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"techo/store/kv"
	"techo/store/ledger"
)

// audit checks the records of cached pages. It does not look at the bodies:
// a page without its body counts as not cached.
type audit struct {
	counts      Counts
	want, found ledger.SetHash // of the index by age
}

func newAudit() ledger.Audit {
	a := new(audit)
	a.want, a.found = ledger.NewSetHashes()
	return a
}

func (a *audit) Visit(_ *ledger.Tx, key, value []byte) error {
	switch ledger.PrefixOf(key) {
	case records:
		id := hex.EncodeToString(ledger.Rest(key))
		var r webRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return ledger.Finding(ledger.Unreadable, ledger.KindWebPage, id, err)
		}
		if !slices.Equal(webID(r.Key), ledger.Rest(key)) {
			return ledger.Finding(ledger.WrongKey, ledger.KindWebPage, id, nil)
		}
		a.counts.Pages++
		a.counts.Bytes += r.Size
		a.want.Add(webAgeKey(webID(r.Key), r.Fetched), nil)
	case ages:
		a.found.Add(key, value)
	}
	return nil
}

func (a *audit) Finish(tx *ledger.Tx) (int, error) {
	if a.want != a.found {
		return 0, ledger.Finding(ledger.WrongIndex, ledger.KindWebPage, "", nil)
	}
	var stored Counts
	if err := ledger.Load(tx, CountKey.All(), &stored); err != nil && !errors.Is(err, kv.ErrNotFound) {
		return 0, err
	}
	if stored != a.counts {
		return 0, ledger.Finding(ledger.WrongCount, ledger.KindWebPage, "", ledger.Miscount(stored, a.counts))
	}
	return a.counts.Pages, nil
}

// Repair empties the cache, which fills again.
func Repair(ctx context.Context, s *ledger.Ledger) ([]ledger.Repair, error) {
	return nil, s.Update(ctx, func(tx *ledger.Tx) error {
		var drop [][]byte
		err := ledger.ScanSpaces(tx, prefixes, func(key, _ []byte) error {
			drop = append(drop, key)
			return nil
		})
		if err != nil {
			return err
		}
		return ledger.DeleteKeys(tx, drop)
	})
}

var prefixes = []ledger.Prefix{records, ages, CountKey}

// Schema describes the keys of web pages.
func Schema() ledger.Schema {
	return ledger.Schema{Name: "web_pages", Prefixes: prefixes, Audit: newAudit, Repair: Repair}
}
