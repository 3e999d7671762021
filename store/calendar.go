package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/legible"
	"techo/internal/nearest"
	"techo/store/kv"
)

// The kinds of calendars.
const (
	LocalCalendar        = "local"
	GoogleCalendar       = "google"
	CalDAVCalendar       = "caldav"
	SubscriptionCalendar = "subscription" // a file of another server, which is only read
)

// Binding is the place of a calendar's events outside of the store.
type Binding struct {
	Kind    string `json:"kind"`
	Remote  string `json:"remote,omitempty"`  // id or address of the calendar at its service
	Account string `json:"account,omitempty"` // names the credentials
}

// Calendar is a set of events with a name.
type Calendar struct {
	Name string `json:"name"`
	Key  string `json:"key,omitempty"` // what its keys have in place of the name, if it was renamed
	Binding
	Default string      `json:"default,omitempty"` // only in DefaultCalendar: the calendar to use in its place
	Sync    SyncState   `json:"sync,omitzero"`
	Singles [levels]int `json:"singles"` // number of single events, by level
	Series  [levels]int `json:"series"`

	// Removing marks a calendar that RemoveCalendar removes in several transactions. It is
	// hidden, like its events.
	Removing bool `json:"removing,omitempty"`

	// Gone marks the record of a renamed calendar that was removed. It keeps the name for
	// the history, whose values have the key.
	Gone bool `json:"gone,omitempty"`

	// Linked means that the series of each event that replaces an occurrence is in the
	// calendar too. A new series then has no such events, so an import need not look for
	// them. It is never set again: false only costs time.
	Linked bool `json:"linked,omitempty"`

	// Lead is the longest time in seconds between an alarm and its event that the calendar
	// ever had, if it is longer than UsualAlarmLead.
	Lead int64 `json:"lead,omitempty"`

	unnamed bool // the key is not stored by the name yet
}

// ReadOnly reports whether events cannot be written.
func (c *Calendar) ReadOnly() bool { return c.Kind == SubscriptionCalendar }

// Local reports whether the events are in the store.
func (c *Calendar) Local() bool { return c.Kind == LocalCalendar }

// Events returns the number of events in a calendar; a series counts once.
func (c *Calendar) Events() (n int) {
	for l := range levels {
		n += c.Singles[l] + c.Series[l]
	}
	return n
}

// MaxCalendarName is the longest name of a calendar, in bytes.
const MaxCalendarName = 64

// CalendarName normalizes the name of a calendar, and returns "" for an invalid
// one.
func CalendarName(name string) string {
	name = strings.TrimSpace(norm.NFC.String(name))
	if !utf8.ValidString(name) || len(name) > MaxCalendarName || legible.Blank(name) || legible.Control(name) ||
		name == AllCalendars {
		return ""
	}
	return name
}

// Calendars returns all calendars by name. The default calendar is always one of
// them.
func (s *Store) Calendars(ctx context.Context) (all []Calendar, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		all, err = s.newEventTx(tx).list()
		return err
	})
	return all, err
}

// FindCalendar returns a calendar, or fails with a NotFoundError. "" is the
// calendar that SetDefaultCalendar chose. DefaultCalendar always exists.
func (s *Store) FindCalendar(ctx context.Context, name string) (c Calendar, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		t := s.newEventTx(tx)
		found, err := t.calendar(cmp.Or(name, DefaultCalendar))
		if err == nil && name == "" && found.Default != "" {
			found, err = t.calendar(found.Default)
		}
		if err == nil {
			c = *found
		}
		return err
	})
	return c, err
}

// BindCalendar connects a calendar to a service. It fails with a TakenError if the
// calendar has events.
func (s *Store) BindCalendar(ctx context.Context, name string, to Binding) error {
	return s.update(ctx, func(tx *Tx) error {
		t := s.newEventTx(tx)
		c, err := t.ensure(name)
		if err != nil {
			return err
		}
		todos, err := todosIn(t, name)
		if err != nil {
			return err
		}
		if c.Events() > 0 || len(todos) > 0 {
			return &TakenError{Kind: KindCalendar, Name: name}
		}
		c.Binding, c.Sync = to, SyncState{}
		return t.save()
	})
}

func (t *eventTx) list() ([]Calendar, error) {
	var all []Calendar
	for item, err := range t.tx.Scan(kv.Range{Prefix: calendarRecords.all()}) {
		if err != nil {
			return nil, err
		}
		var c Calendar
		if err := load(t.tx, item.Key, &c); err != nil {
			return nil, err
		}
		if !c.Removing && !c.Gone {
			noteCalendar(t.tx, &c)
			all = append(all, c)
		}
	}
	if !slices.ContainsFunc(all, func(c Calendar) bool { return c.Name == DefaultCalendar }) {
		all = append(all, Calendar{Name: DefaultCalendar, Binding: Binding{Kind: LocalCalendar}})
	}
	slices.SortFunc(all, func(a, b Calendar) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// calendar loads a calendar, once per transaction.
func (t *eventTx) calendar(name string) (*Calendar, error) {
	if c := t.calendars[name]; c != nil {
		return c, nil
	}
	c, err := stored(t, name)
	if errors.Is(err, kv.ErrNotFound) || err == nil && c.Removing {
		if name == DefaultCalendar {
			return t.remember(newCalendar(name, "")), nil
		}
		all, err := t.list()
		if err != nil {
			return nil, err
		}
		var names []string
		for _, c := range all {
			names = append(names, c.Name)
		}
		return nil, &NotFoundError{Kind: KindCalendar, Name: name, Near: nearest.Of(name, names)}
	}
	if err != nil {
		return nil, err
	}
	return t.remember(c), nil
}

func (t *eventTx) remember(c *Calendar) *Calendar {
	t.calendars[c.Name] = c
	noteCalendar(t.tx, c)
	return c
}

// ensure loads or creates a calendar.
func (t *eventTx) ensure(name string) (*Calendar, error) {
	c, err := t.calendar(name)
	if missing := new(NotFoundError); errors.As(err, &missing) {
		if _, err := stored(t, name); err == nil {
			return nil, &RemovingError{name}
		}
		key, err := freeKey(t, name)
		if err != nil {
			return nil, err
		}
		return t.remember(newCalendar(name, key)), nil
	}
	return c, err
}

// usualName returns the name of the calendar that was chosen as the default. It is not one of
// the calendars that the transaction saves.
func usualName(t *eventTx) (string, error) {
	c := t.calendars[DefaultCalendar]
	if c == nil {
		var err error
		if c, err = stored(t, DefaultCalendar); err != nil {
			return DefaultCalendar, ignoreMissing(err)
		}
	}
	return cmp.Or(c.Default, DefaultCalendar), nil
}

// targetName returns the name of the calendar that a record with the name of one is added to.
// "" is the chosen default; it fails with a RemoteCalendarError if that is at a service. It
// fails with a CalendarNameError for a new calendar with such a name.
func targetName(t *eventTx, name string) (string, error) {
	if name != "" {
		return name, usableName(t, name)
	}
	name, err := usualName(t)
	if err != nil {
		return "", err
	}
	c, err := t.calendar(name)
	if err == nil && !c.Local() {
		err = &RemoteCalendarError{name}
	}
	return name, err
}

// newCalendar returns a local calendar without events. key is "" if it is the name.
func newCalendar(name, key string) *Calendar {
	return &Calendar{Name: name, Key: key, Binding: Binding{Kind: LocalCalendar}, Linked: true, unnamed: key != ""}
}

// save writes all loaded calendars.
func (t *eventTx) save() error {
	for _, c := range t.calendars {
		if c.unnamed {
			if err := t.tx.Put(calendarNameKey(c.Name), []byte(c.Key)); err != nil {
				return err
			}
		}
		b, err := encode(c)
		if err != nil {
			return err
		}
		if err := t.tx.Put(calendarKey(c.key()), b); err != nil {
			return err
		}
	}
	return nil
}
