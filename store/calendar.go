package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/nearest"
	"techo/store/kv"
)

// Kinds of a calendar.
const (
	LocalCalendar  = "local"
	GoogleCalendar = "google"
)

// Calendar is a set of events with a name.
type Calendar struct {
	Name    string      `json:"name"`
	Kind    string      `json:"kind"`
	Remote  string      `json:"remote,omitempty"` // the id that a remote calendar has there
	Singles [levels]int `json:"singles"`          // how many events there are, by length
	Series  [levels]int `json:"series"`
}

// Events is how many events a calendar has, a series counted once.
func (c *Calendar) Events() (n int) {
	for l := range levels {
		n += c.Singles[l] + c.Series[l]
	}
	return n
}

// MaxCalendarName is the most bytes of a calendar's name.
const MaxCalendarName = 64

// CalendarName tidies the name of a calendar, "" for one that cannot be.
func CalendarName(name string) string {
	name = strings.TrimSpace(norm.NFC.String(name))
	if !utf8.ValidString(name) || len(name) > MaxCalendarName || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) || name == AllCalendars {
		return ""
	}
	return name
}

// Calendars returns all calendars, by name, the default one among them though
// it may be empty.
func (s *Store) Calendars(ctx context.Context) (all []Calendar, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		all, err = s.newEvents(tx).list()
		return err
	})
	return all, err
}

// FindCalendar returns a calendar. It fails with a NotFoundError, but not for the
// default one.
func (s *Store) FindCalendar(ctx context.Context, name string) (c Calendar, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		found, err := s.newEvents(tx).calendar(name)
		if err == nil {
			c = *found
		}
		return err
	})
	return c, err
}

// BindCalendar makes a calendar one of another service, where it has the id
// remote. A calendar that has events of its own cannot be bound.
func (s *Store) BindCalendar(ctx context.Context, name, kind, remote string) error {
	return s.update(ctx, func(tx kv.Tx) error {
		t := s.newEvents(tx)
		c, err := t.ensure(name)
		if err != nil {
			return err
		}
		if c.Events() > 0 {
			return &TakenError{Noun: "calendar", Name: name}
		}
		c.Kind, c.Remote = kind, remote
		return t.save()
	})
}

func (t *events) list() ([]Calendar, error) {
	var all []Calendar
	for item, err := range t.tx.Scan(kv.Range{Prefix: []byte("cc")}) {
		if err != nil {
			return nil, err
		}
		var c Calendar
		if err := load(t.tx, item.Key, &c); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if !slices.ContainsFunc(all, func(c Calendar) bool { return c.Name == DefaultCalendar }) {
		all = append(all, Calendar{Name: DefaultCalendar, Kind: LocalCalendar})
	}
	slices.SortFunc(all, func(a, b Calendar) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// calendar loads a calendar, once in a transaction.
func (t *events) calendar(name string) (*Calendar, error) {
	if c := t.calendars[name]; c != nil {
		return c, nil
	}
	c := &Calendar{}
	err := load(t.tx, calendarKey(name), c)
	if errors.Is(err, kv.ErrNotFound) {
		if name == DefaultCalendar {
			return t.remember(&Calendar{Name: name, Kind: LocalCalendar}), nil
		}
		all, err := t.list()
		if err != nil {
			return nil, err
		}
		var names []string
		for _, c := range all {
			names = append(names, c.Name)
		}
		return nil, &NotFoundError{Noun: "calendar", Name: name, Near: nearest.Of(name, names)}
	}
	if err != nil {
		return nil, err
	}
	return t.remember(c), nil
}

func (t *events) remember(c *Calendar) *Calendar {
	t.calendars[c.Name] = c
	return c
}

// ensure is calendar, for one that may be made.
func (t *events) ensure(name string) (*Calendar, error) {
	c, err := t.calendar(name)
	if missing := new(NotFoundError); errors.As(err, &missing) {
		return t.remember(&Calendar{Name: name, Kind: LocalCalendar}), nil
	}
	return c, err
}

// save writes the calendars that were looked at back.
func (t *events) save() error {
	for name, c := range t.calendars {
		if err := save(t.tx, calendarKey(name), c); err != nil {
			return err
		}
	}
	return nil
}
