package event

import (
	"errors"
	"slices"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/store/kv"
)

// The iTIP methods (RFC 5546) of messages that change an event instead of replacing
// it.
const (
	MethodCancel = "CANCEL" // cancels the event or the occurrence
	MethodReply  = "REPLY"  // has the answers of attendees
)

// messages imports messages about invitations.
type messages struct {
	t *Tx
	n *Imported
}

// take imports what does not replace an event: an older version, a
// cancellation, and answers. old is the event in the store; a missing one has no ID.
// done is false for an event that replaces old, or is new.
func (m messages) take(old, e *Event) (done bool, err error) {
	known := old.ID != ""
	if known && !e.Sequenced {
		e.Sequence = old.Sequence
	}
	switch {
	case known && e.Sequence < old.Sequence:
		m.n.Older++
		return true, nil
	case e.Method == MethodCancel && known:
		return true, m.cancel(*old, e)
	case e.Method == MethodCancel && e.RecurrenceID != "":
		return true, m.cancelOccurrence(e)
	case e.Method == MethodReply && known:
		return true, m.replace(*old, withAnswers(old.Extra, e.Extra))
	case e.Method == MethodCancel || e.Method == MethodReply: // of an event that is not here
		m.n.Unchanged++
		return true, nil
	}
	return false, nil
}

// cancel cancels an event and, in a series, the events that replace occurrences.
func (m messages) cancel(old Event, e *Event) error {
	if old.Status == Cancelled {
		m.n.Unchanged++
		return nil
	}
	all := []Event{old}
	if old.RecurrenceID == "" {
		overrides, err := m.t.Overrides(&old)
		if err != nil {
			return err
		}
		all = append(all, overrides...)
	}
	m.n.Changed++
	for _, before := range all {
		after := before
		after.Status, after.Sequence, after.UpdatedAt = Cancelled, max(e.Sequence, before.Sequence), e.UpdatedAt
		if err := m.t.Put(&before, &after); err != nil {
			return err
		}
	}
	return nil
}

// cancelOccurrence cancels an occurrence of a series.
func (m messages) cancelOccurrence(e *Event) error {
	series, err := m.t.ByUID(e.Calendar, e.UID, "")
	if errors.Is(err, kv.ErrNotFound) {
		m.n.Unchanged++
		return nil
	}
	if err != nil {
		return err
	}
	wall, err := ReadOccurrence(e.RecurrenceID, m.t.Location(&series, time.UTC))
	if err != nil {
		m.n.Unchanged++
		return nil
	}
	o := series
	o.ID, o.Start, o.RecurrenceID, o.Recurrence, o.Exceptions = "", wall, e.RecurrenceID, nil, nil
	o.Status, o.Sequence, o.CreatedAt, o.UpdatedAt = Cancelled, e.Sequence, e.CreatedAt, e.UpdatedAt
	m.n.Changed++
	return m.t.importOverride(o)
}

// replace gives an event other iCalendar lines.
func (m messages) replace(old Event, extra []string) error {
	if slices.Equal(old.Extra, extra) {
		m.n.Unchanged++
		return nil
	}
	after := old
	after.Extra = extra
	m.n.Changed++
	return m.t.Put(&old, &after)
}

// withAnswers returns the lines of an event with the answers of a reply. A person
// who was not invited is added.
func withAnswers(lines, reply []string) []string {
	all := slices.Clone(lines)
	for _, line := range reply {
		answer, ok := attendeeOf(line)
		if !ok {
			continue
		}
		i := slices.IndexFunc(all, func(l string) bool {
			p, ok := attendeeOf(l)
			return ok && strings.EqualFold(p.Value, answer.Value)
		})
		if i < 0 {
			all = append([]string{line}, all...)
			continue
		}
		p, _ := attendeeOf(all[i])
		p.Params = slices.DeleteFunc(p.Params, func(q ical.Param) bool { return q.Name == "PARTSTAT" })
		if status := answer.Param("PARTSTAT"); status != "" {
			p.Params = append(p.Params, ical.Param{Name: "PARTSTAT", Values: []string{status}})
		}
		all[i] = p.String()
	}
	return all
}

// attendeeOf parses the line of an attendee.
func attendeeOf(line string) (p ical.Property, ok bool) {
	if !strings.HasPrefix(strings.ToUpper(line), "ATTENDEE") {
		return p, false
	}
	roots, _ := ical.Parse([]byte("BEGIN:VEVENT\r\n" + line + "\r\nEND:VEVENT\r\n"))
	if len(roots) != 1 || len(roots[0].Properties) != 1 || roots[0].Properties[0].Name != "ATTENDEE" {
		return p, false
	}
	return roots[0].Properties[0], true
}

// Imported counts the results of an import.
type Imported struct {
	Added, Changed, Unchanged int

	Older int // left out because the store has a later version (SEQUENCE)
}

// Add adds the counts of another import.
func (n *Imported) Add(more Imported) {
	n.Added += more.Added
	n.Changed += more.Changed
	n.Unchanged += more.Unchanged
	n.Older += more.Older
}
