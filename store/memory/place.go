package memory

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/ledger"
)

// Place is the place of a memory among all memories of a user, the oldest first. It stays
// the same when others are added or removed. The zero value is before all of them.
type Place struct {
	moment Moment // without id and text
	known  bool
}

// String returns a text for ParsePlace.
func (p Place) String() string { return fmt.Sprintf("%d-%d", p.moment.Order, p.moment.At) }

// ParsePlace reads the text of a place; "" is the zero value. ok is false for other texts.
func ParsePlace(text string) (p Place, ok bool) {
	if text == "" {
		return p, true
	}
	order, at, _ := strings.Cut(text, "-")
	o, err1 := strconv.ParseUint(order, 10, 32)
	ms, err2 := strconv.ParseInt(at, 10, 64)
	return Place{Moment{At: ms, Order: uint32(o)}, true}, err1 == nil && err2 == nil
}

// EachAfter calls use for each memory of a user behind a place that was created at or
// after since, the oldest first. It reads a snapshot: others may write meanwhile.
func EachAfter(ctx context.Context, s *ledger.Ledger, user string, since time.Time, after Place,
	use func(Place, Memory) error) error {
	const atOnce = 256 // memories that are read together
	span := Filter{Since: since}.span()
	if after.known && (span.since == nil || *span.since < after.moment.At) {
		span.since = &after.moment.At
	}
	return s.Stream(ctx, func(tx *ledger.Tx) error {
		u, err := LoadUser(tx, norm.NFC.String(user), false)
		if err != nil || u.Number == 0 {
			return err
		}
		var ids []string
		var places []Place
		flush := func() error {
			records, err := indexedMemories(tx, u.Number, ids)
			some := places
			ids, places = ids[:0], places[:0]
			for i := range records {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := use(some[i], records[i].memory()); err != nil {
					return err
				}
			}
			return err
		}
		err = u.line().within(tx, span, false, func(m Moment) error {
			if after.known && m.compare(after.moment) <= 0 {
				return nil
			}
			ids = append(ids, m.ID)
			places = append(places, Place{Moment{At: m.At, Order: m.Order}, true})
			if len(ids) < atOnce {
				return nil
			}
			return flush()
		})
		if err != nil {
			return err
		}
		return flush()
	})
}
