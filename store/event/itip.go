package event

import (
	"errors"
	"slices"
	"strings"
	"time"

	"techo/internal/ical"
	"techo/internal/zone"
	"techo/store/kv"
	"techo/store/ledger"
)

// The iTIP methods (RFC 5546) of messages that change an event instead of replacing
// it.
const (
	MethodCancel = "CANCEL" // cancels the event or the occurrence
	MethodReply  = "REPLY"  // has the answers of attendees
	MethodAdd    = "ADD"    // adds an occurrence to the event
)

// Refusal is the reason why an import leaves an event as it is.
type Refusal string

// The refusals.
const (
	NoSuchEvent      Refusal = "no such event"
	NoSuchOccurrence Refusal = "no such occurrence"
	OtherForm        Refusal = "a day for times, or a time for days"
	Divided          Refusal = "the series was divided here"
	RepeatsAdded     Refusal = "an addition that repeats"
	NotAtService     Refusal = "a message that a service follows itself"
)

// Refused is an event of a file that changed nothing, and why. Method is that of a message, or "".
type Refused struct {
	UID, Title, Method string
	Line               int
	Why                Refusal
}

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
	if e.Method == "" {
		e.Stamp = time.Time{} // only messages are compared by it
	}
	if known && e.Older(old) {
		m.n.Keep(old)
		return true, nil
	}
	if known && !e.Sequenced {
		e.Sequence = old.Sequence
	}
	if e.Future {
		_, err := m.t.ByUID(e.Calendar, e.UID, "")
		switch {
		case err == nil:
			return true, m.following(e)
		case !errors.Is(err, kv.ErrNotFound):
			return true, err
		case e.Method != "":
			return true, m.refuse(e, NoSuchEvent, nil)
		}
	}
	switch {
	case e.Method == MethodAdd && known && (e.Recurs() || e.RecurrenceID != ""):
		return true, m.refuse(e, RepeatsAdded, nil)
	case e.Method == MethodAdd && known:
		return true, m.addTo(*old, e)
	case e.Method == MethodCancel && known:
		return true, m.cancel(*old, e)
	case e.Method == MethodCancel && e.RecurrenceID != "":
		return true, m.cancelOccurrence(e)
	case e.Method == MethodReply && known:
		return true, m.replace(*old, withAnswers(old.Extra, e.Extra))
	case e.Method == MethodReply && e.RecurrenceID != "":
		return true, m.answerOccurrence(e)
	case e.Method == MethodCancel || e.Method == MethodReply || e.Method == MethodAdd:
		return true, m.refuse(e, NoSuchEvent, nil)
	}
	return false, nil
}

// refuse reports an event that changes nothing.
func (m messages) refuse(e *Event, why Refusal, err error) error {
	if err == nil {
		m.n.Refused = append(m.n.Refused, Refused{e.UID, e.Title, e.Method, e.Line, why})
	}
	return err
}

// cancel cancels an event and, in a series, the events that replace occurrences.
func (m messages) cancel(old Event, e *Event) error {
	if old.Status == Cancelled {
		m.n.Unchanged++
		return nil
	}
	if divided, err := m.t.divided(&old); divided || err != nil {
		return m.refuse(e, Divided, err)
	}
	all := []Event{old}
	if old.RecurrenceID == "" {
		overrides, err := m.t.Overrides(&old)
		if err != nil {
			return err
		}
		all = append(all, overrides...)
		parts, err := m.t.parts(&old, partMark)
		if err != nil {
			return err
		}
		all = append(all, parts...)
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

// occurrence returns an occurrence of the series of a message as an event of its own. It has no UID
// if there is none, which is reported.
func (m messages) occurrence(e *Event) (o, series Event, err error) {
	series, err = m.t.ByUID(e.Calendar, e.UID, "")
	if errors.Is(err, kv.ErrNotFound) {
		return o, series, m.refuse(e, NoSuchEvent, nil)
	}
	if err != nil {
		return o, series, err
	}
	found, err := m.t.occurrence(series, e.RecurrenceID, time.UTC)
	if err != nil { // the series has none, or an earlier message changed it
		return o, series, m.refuse(e, NoSuchOccurrence, ledger.IgnoreMissing(asMissing(err)))
	}
	o = series
	o.ID, o.Start, o.RecurrenceID, o.Recurrence, o.Exceptions = "", found.Wall, e.RecurrenceID, nil, nil
	o.Sequence, o.CreatedAt, o.UpdatedAt = e.Sequence, e.CreatedAt, e.UpdatedAt
	return o, series, nil
}

func (m messages) cancelOccurrence(e *Event) error {
	o, _, err := m.occurrence(e)
	if err != nil || o.UID == "" {
		return err
	}
	o.Status = Cancelled
	m.n.Changed++
	return m.t.importOverride(o)
}

// answerOccurrence adds answers to one occurrence of a series.
func (m messages) answerOccurrence(e *Event) error {
	o, series, err := m.occurrence(e)
	if err != nil || o.UID == "" {
		return err
	}
	if o.Extra = withAnswers(series.Extra, e.Extra); slices.Equal(o.Extra, series.Extra) {
		m.n.Unchanged++
		return nil
	}
	o.Sequence = series.Sequence
	m.n.Changed++
	return m.t.importOverride(o)
}

// addTo adds an occurrence with its own texts to an event (RFC 5546, 3.2.4).
func (m messages) addTo(old Event, e *Event) error {
	if old.Form != e.Form {
		return m.refuse(e, OtherForm, nil)
	}
	home := m.t.Location(&old, time.UTC)
	wall := e.Start
	if e.Form == Timed {
		wall = zone.Wall(e.Instant(e.Start, m.t.Location(e, time.UTC)), home)
	}
	original := old.OccurrenceID(wall, home)
	line := "RDATE:" + original
	if slices.Contains(old.Recurrence, line) {
		m.n.Unchanged++
		return nil
	}
	series := old
	series.Recurrence = append(slices.Clip(old.Recurrence), line)
	series.Sequence, series.UpdatedAt, series.Stamp = max(e.Sequence, old.Sequence), e.UpdatedAt, e.Stamp
	if err := m.t.Put(&old, &series); err != nil {
		return err
	}
	one := *e
	one.ID, one.RecurrenceID, one.Recurrence, one.Exceptions = "", original, nil, nil
	m.n.Changed++
	return m.t.importOverride(one)
}

// following applies a message to an occurrence of a series and all later ones (RANGE=THISANDFUTURE).
func (m messages) following(e *Event) error {
	first, series, err := m.occurrence(e)
	if err != nil || first.UID == "" {
		return err
	}
	o := Occurrence{Event: &series, Wall: first.Start, Original: e.RecurrenceID}
	home := m.t.Location(&series, time.UTC)
	m.n.Changed++
	if e.Method == MethodCancel {
		if m.t.isFirst(&series, o.Wall, home) {
			m.n.Changed--
			return m.cancel(series, e)
		}
		head := series
		head.Recurrence, _ = SplitRecurrence(&series, o.Wall, home)
		head.Sequence, head.UpdatedAt = max(e.Sequence, series.Sequence), e.UpdatedAt
		return m.t.dropFrom(&series, &head, o.Wall, home)
	}
	change := func(x *Event) error {
		recurrence, id, uid, created := x.Recurrence, x.ID, x.UID, x.CreatedAt
		*x = *e
		x.Recurrence, x.ID, x.UID, x.CreatedAt = recurrence, id, uid, created
		x.RecurrenceID, x.Exceptions = "", nil
		return nil
	}
	if m.t.isFirst(&series, o.Wall, home) {
		_, err = m.t.edit(o, All, Write{Zone: time.UTC}, e.UpdatedAt, change)
		return err
	}
	draft := series
	draft.Start = o.Wall
	how := Write{Zone: time.UTC, part: series.UID + partMark + o.Original}
	_, err = m.t.split(&series, draft, o, home, how, e.UpdatedAt, change)
	return err
}

// asMissing turns a missing occurrence into a missing key.
func asMissing(err error) error {
	if missing := new(ledger.NotFoundError); errors.As(err, &missing) {
		return kv.ErrNotFound
	}
	return err
}

// divided reports whether an event is a series that a change here divided: what a file says of its later
// part cannot be told.
func (t *Tx) divided(old *Event) (bool, error) {
	c := t.Calendars[old.Calendar]
	if !old.Recurs() || old.Sequence == 0 || c == nil || !c.Local() {
		return false, nil // of a calendar at a server, both parts are there
	}
	parts, err := t.parts(old, splitMark)
	return len(parts) > 0, err
}

// ReplacesSeries reports whether an event of a file stands for all that the calendar has with its UID.
func (e *Event) ReplacesSeries() bool {
	return e.RecurrenceID == "" && e.Method != MethodReply && e.Method != MethodAdd
}

// IsDividedFrom reports whether a UID is that of a part of a series that was divided here.
func IsDividedFrom(series, uid string) bool { return uid != series && wholeUID(uid) == series }

// parts returns the later parts of a series, and what replaces their occurrences.
func (t *Tx) parts(e *Event, mark string) (all []Event, err error) {
	calendar, err := KeyOf(t, e.Calendar)
	if err != nil {
		return nil, err
	}
	begin := append(UIDs.Named(calendar), e.UID+mark...)
	for item, err := range t.Tx.Scan(kv.Range{Prefix: begin}) {
		if err != nil {
			return nil, err
		}
		from, _, _ := strings.Cut(string(item.Key[len(begin):]), "\x00")
		if _, err := ReadOccurrence(from, time.UTC); err != nil {
			continue // the UID of another event
		}
		id, err := item.Value()
		if err != nil {
			return nil, err
		}
		part, err := t.Load(string(id))
		if err != nil {
			return nil, err
		}
		all = append(all, part)
	}
	return all, nil
}

// partMark and splitMark join the UID of a series and the occurrence from which a later part goes on: one
// that a file or a message divided (RANGE=THISANDFUTURE), and one that was divided here.
const (
	partMark  = "_R"
	splitMark = "_S"
)

// wholeUID returns the UID of the series that a part divided here belongs to.
func wholeUID(uid string) string {
	if i := strings.LastIndex(uid, splitMark); i > 0 {
		if _, err := ReadOccurrence(uid[i+len(splitMark):], time.UTC); err == nil {
			return uid[:i]
		}
	}
	return uid
}

// Older reports whether an event of a file is an earlier version of one in the store: by its SEQUENCE,
// then by the time of the message (RFC 5546, 2.1.5). What was changed here is newer than a file
// without a version, unless that was changed later.
func (e *Event) Older(old *Event) bool {
	switch {
	case !e.Sequenced && e.Method == "":
		return old.Sequence > 0 && !e.UpdatedAt.After(old.UpdatedAt)
	case e.Sequenced && e.Sequence != old.Sequence:
		return e.Sequence < old.Sequence
	}
	return !e.Stamp.IsZero() && e.Stamp.Before(old.Stamp)
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

	Older   int       // left out because the store has a later version (SEQUENCE)
	Kept    []Kept    // the first of these
	Refused []Refused // what changed nothing, and why
}

// Kept is an event or a to-do that an import left as it is here, because it is newer.
type Kept struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// MaxKept limits the events and to-dos that an import lists as kept.
const MaxKept = 100

// Keep counts an event or a to-do that stays as it is here.
func (n *Imported) Keep(old *Event) {
	if n.Older++; len(n.Kept) < MaxKept {
		n.Kept = append(n.Kept, Kept{old.ID, old.Title})
	}
}

// Add adds the counts of another import.
func (n *Imported) Add(more Imported) {
	n.Added += more.Added
	n.Changed += more.Changed
	n.Unchanged += more.Unchanged
	n.Older += more.Older
	n.Kept = append(n.Kept, more.Kept[:min(len(more.Kept), MaxKept-len(n.Kept))]...)
	n.Refused = append(n.Refused, more.Refused...)
}
