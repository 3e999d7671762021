package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"techo/store/kv"
)

// webAudit checks the records of cached pages. It does not look at the bodies:
// a page without its body counts as not cached.
type webAudit struct {
	counts      webCounts
	want, found setHash // of the index by age
}

func newWebAudit() audit {
	a := new(webAudit)
	a.want, a.found = newSetHashes()
	return a
}

func (a *webAudit) visit(_ *Tx, key, value []byte) error {
	switch spaceOf(key) {
	case webRecords:
		id := hex.EncodeToString(rest(key))
		var r webRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return finding(Unreadable, KindWebPage, id, err)
		}
		if !slices.Equal(webID(r.Key), rest(key)) {
			return finding(WrongKey, KindWebPage, id, nil)
		}
		a.counts.Pages++
		a.counts.Bytes += r.Size
		a.want.add(webAgeKey(webID(r.Key), r.Fetched), nil)
	case webPageAges:
		a.found.add(key, value)
	}
	return nil
}

func (a *webAudit) finish(tx *Tx) (int, error) {
	if a.want != a.found {
		return 0, finding(WrongIndex, KindWebPage, "", nil)
	}
	var stored webCounts
	if err := load(tx, webCountKey.all(), &stored); err != nil && !errors.Is(err, kv.ErrNotFound) {
		return 0, err
	}
	if stored != a.counts {
		return 0, finding(WrongCount, KindWebPage, "", miscount(stored, a.counts))
	}
	return a.counts.Pages, nil
}

// repairWeb empties the cache, which fills again.
func repairWeb(ctx context.Context, s *Store) ([]Repair, error) {
	return nil, s.update(ctx, func(tx *Tx) error {
		var drop [][]byte
		err := scanSpaces(tx, spacesOf("web_pages"), func(key, _ []byte) error {
			drop = append(drop, key)
			return nil
		})
		if err != nil {
			return err
		}
		return deleteKeys(tx, drop)
	})
}
