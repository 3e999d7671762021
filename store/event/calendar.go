package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/legible"
	"techo/internal/nearest"
	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
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
	Singles [Levels]int `json:"singles"` // number of single events, by level
	Series  [Levels]int `json:"series"`

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

	Unnamed bool // the key is not stored by the name yet
}

// ReadOnly reports whether events cannot be written.
func (c *Calendar) ReadOnly() bool { return c.Kind == SubscriptionCalendar }

// Local reports whether the events are in the store.
func (c *Calendar) Local() bool { return c.Kind == LocalCalendar }

// Events returns the number of events in a calendar; a series counts once.
func (c *Calendar) Events() (n int) {
	for l := range Levels {
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
func (s Events) Calendars(ctx context.Context) (all []Calendar, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		all, err = NewTx(tx).list()
		return err
	})
	return all, err
}

// FindCalendar returns a calendar, or fails with a NotFoundError. "" is the
// calendar that SetDefaultCalendar chose. DefaultCalendar always exists.
func (s Events) FindCalendar(ctx context.Context, name string) (c Calendar, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		t := NewTx(tx)
		found, err := t.Calendar(cmp.Or(name, DefaultCalendar))
		if err == nil && name == "" && found.Default != "" {
			found, err = t.Calendar(found.Default)
		}
		if err == nil {
			c = *found
		}
		return err
	})
	return c, err
}

func (t *Tx) list() ([]Calendar, error) {
	var all []Calendar
	for item, err := range t.Tx.Scan(kv.Range{Prefix: Calendars.All()}) {
		if err != nil {
			return nil, err
		}
		var c Calendar
		if err := ledger.Load(t.Tx, item.Key, &c); err != nil {
			return nil, err
		}
		if !c.Removing && !c.Gone {
			noteCalendar(t.Tx, &c)
			all = append(all, c)
		}
	}
	if !slices.ContainsFunc(all, func(c Calendar) bool { return c.Name == DefaultCalendar }) {
		all = append(all, Calendar{Name: DefaultCalendar, Binding: Binding{Kind: LocalCalendar}})
	}
	sorting.By(all, func(a, b Calendar) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Calendar loads a calendar, once per transaction.
func (t *Tx) Calendar(name string) (*Calendar, error) {
	if c := t.Calendars[name]; c != nil {
		return c, nil
	}
	c, err := Stored(t, name)
	if errors.Is(err, kv.ErrNotFound) || err == nil && c.Removing {
		if name == DefaultCalendar {
			return t.Remember(NewCalendar(name, "")), nil
		}
		all, err := t.list()
		if err != nil {
			return nil, err
		}
		var names []string
		for _, c := range all {
			names = append(names, c.Name)
		}
		return nil, &ledger.NotFoundError{Kind: ledger.KindCalendar, Name: name, Near: nearest.Of(name, names)}
	}
	if err != nil {
		return nil, err
	}
	return t.Remember(c), nil
}

func (t *Tx) Remember(c *Calendar) *Calendar {
	t.Calendars[c.Name] = c
	noteCalendar(t.Tx, c)
	return c
}

// Ensure loads or creates a calendar.
func (t *Tx) Ensure(name string) (*Calendar, error) {
	c, err := t.Calendar(name)
	if missing := new(ledger.NotFoundError); errors.As(err, &missing) {
		if _, err := Stored(t, name); err == nil {
			return nil, &RemovingError{name}
		}
		key, err := t.freeKey(name)
		if err != nil {
			return nil, err
		}
		return t.Remember(NewCalendar(name, key)), nil
	}
	return c, err
}

// UsualName returns the name of the calendar that was chosen as the default. It is not one of
// the calendars that the transaction saves.
func UsualName(t *Tx) (string, error) {
	c := t.Calendars[DefaultCalendar]
	if c == nil {
		var err error
		if c, err = Stored(t, DefaultCalendar); err != nil {
			return DefaultCalendar, ledger.IgnoreMissing(err)
		}
	}
	return cmp.Or(c.Default, DefaultCalendar), nil
}

// TargetName returns the name of the calendar that a record with the name of one is added to.
// "" is the chosen default; it fails with a RemoteCalendarError if that is at a service. It
// fails with a CalendarNameError for a new calendar with such a name.
func TargetName(t *Tx, name string) (string, error) {
	if name != "" {
		return name, UsableName(t, name)
	}
	name, err := UsualName(t)
	if err != nil {
		return "", err
	}
	c, err := t.Calendar(name)
	if err == nil && !c.Local() {
		err = &RemoteCalendarError{name}
	}
	return name, err
}

// NewCalendar returns a local calendar without events. key is "" if it is the name.
func NewCalendar(name, key string) *Calendar {
	return &Calendar{Name: name, Key: key, Binding: Binding{Kind: LocalCalendar}, Linked: true, Unnamed: key != ""}
}

// Save writes all loaded calendars.
func (t *Tx) Save() error {
	for _, c := range t.Calendars {
		if c.Unnamed {
			if err := t.Tx.Put(CalendarNameKey(c.Name), []byte(c.Key)); err != nil {
				return err
			}
		}
		b, err := ledger.Encode(c)
		if err != nil {
			return err
		}
		if err := t.Tx.Put(CalendarKey(c.InKeys()), b); err != nil {
			return err
		}
	}
	return nil
}

// ErrDefaultCalendar reports a change that DefaultCalendar does not allow.
var ErrDefaultCalendar = errors.New("calendar: the default calendar always exists")

// RemovingError reports a name that belongs to a calendar that is being removed.
type RemovingError struct{ Calendar string }

func (e *RemovingError) Error() string {
	return fmt.Sprintf("calendar %s: is being removed", e.Calendar)
}

// RemoteCalendarError reports that the events of a calendar are at a service.
type RemoteCalendarError struct{ Calendar string }

func (e *RemoteCalendarError) Error() string { return "calendar " + e.Calendar + ": at a service" }

// SyncState is the state of a copy of a calendar at a service.
type SyncState struct {
	Token    string    `json:"token,omitempty"`    // of RFC 6578
	Etag     string    `json:"etag,omitempty"`     // of a subscription
	Modified string    `json:"modified,omitempty"` // its Last-Modified
	At       time.Time `json:"at,omitzero"`        // of the last answer

	Reader int      `json:"reader,omitempty"` // the version of the reader that made the copy
	Unread []Unread `json:"unread,omitempty"` // what it could not read, at most MaxUnread
}
