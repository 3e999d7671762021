package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// MemoryPlace is the place of a memory among all memories of a user, the oldest first. It stays
// the same when others are added or removed. The zero value is before all of them.
type MemoryPlace struct {
	moment moment // without id and text
	known  bool
}

// String returns a text for ParseMemoryPlace.
func (p MemoryPlace) String() string { return fmt.Sprintf("%d-%d", p.moment.order, p.moment.at) }

// ParseMemoryPlace reads the text of a place; "" is the zero value. ok is false for other texts.
func ParseMemoryPlace(text string) (p MemoryPlace, ok bool) {
	if text == "" {
		return p, true
	}
	order, at, _ := strings.Cut(text, "-")
	o, err1 := strconv.ParseUint(order, 10, 32)
	ms, err2 := strconv.ParseInt(at, 10, 64)
	return MemoryPlace{moment{at: ms, order: uint32(o)}, true}, err1 == nil && err2 == nil
}

// EachMemoryAfter calls use for each memory of a user behind a place that was created at or
// after since, the oldest first. It reads a snapshot: others may write meanwhile.
func EachMemoryAfter(ctx context.Context, s *Store, user string, since time.Time, after MemoryPlace,
	use func(MemoryPlace, Memory) error) error {
	span := MemoryFilter{Since: since}.span()
	if after.known && (span.since == nil || *span.since < after.moment.at) {
		span.since = &after.moment.at
	}
	return stream(ctx, s, func(tx *Tx) error {
		u, err := loadMemoryUser(tx, norm.NFC.String(user), false)
		if err != nil || u.Number == 0 {
			return err
		}
		var ids []string
		var places []MemoryPlace
		flush := func() error {
			next := 0
			err := useMemories(ctx, tx, u.Number, ids, func(m Memory) error {
				next++
				return use(places[next-1], m)
			})
			ids, places = ids[:0], places[:0]
			return err
		}
		err = u.line().within(tx, span, false, func(m moment) error {
			if after.known && m.compare(after.moment) <= 0 {
				return nil
			}
			ids = append(ids, m.id)
			places = append(places, MemoryPlace{moment{at: m.at, order: m.order}, true})
			if len(ids) < memoriesAtOnce {
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
