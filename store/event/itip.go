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

	methodPublish = "PUBLISH" // these replace it
	methodRequest = "REQUEST"
)

// Refusal is the reason why an import leaves an event as it is.
type Refusal string

// The refusals.
const (
	NoSuchEvent      Refusal = "no such event"
	NoSuchTodo       Refusal = "no such to-do"
	NoSuchOccurrence Refusal = "no such occurrence"
	OtherForm        Refusal = "a day for times, or a time for days"
	Divided          Refusal = "the series was divided here"
	RepeatsAdded     Refusal = "an addition that repeats"
	NoSuchRule       Refusal = "no rule repeats so"
	UnknownMethod    Refusal = "a method that is none"
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

	part  string  // the UID of a later part of the series that begins at the occurrence of the message
	later []Event // the parts that begin after it
}

// locate gives an event that stands for an occurrence, without its series in the same file, the id that the
// occurrence has here: messages may name it by its day, and count by the series as it was, while a later
// part of the series has a UID and times of its own.
func (m *messages) locate(e *Event) error {
	series, err := m.t.ByUID(e.Calendar, e.UID, "")
	if err != nil {
		return ledger.IgnoreMissing(err)
	}
	home := m.t.Location(&series, time.UTC)
	e.RecurrenceID = series.Named(e.RecurrenceID, home)
	wall, err := ReadOccurrence(e.RecurrenceID, home)
	if err != nil {
		return nil
	}
	m.part = series.UID + partMark + e.RecurrenceID
	parts, err := m.t.parts(&series, partMark)
	if err != nil {
		return err
	}
	for i := range parts {
		p := &parts[i]
		begins, err := ReadOccurrence(strings.TrimPrefix(p.UID, series.UID+partMark), home)
		switch {
		case err != nil || p.RecurrenceID != "":
		case begins.After(wall):
			m.later = append(m.later, *p)
		default:
			e.UID, e.RecurrenceID = p.UID, p.OccurrenceID(wall.Add(p.Start.Sub(begins)), m.t.Location(p, time.UTC))
		}
	}
	return nil
}

// Named returns the id of the occurrence that a message names in another form: by its day, or by a local time.
func (e *Event) Named(original string, home *time.Location) string {
	wall, err := ReadOccurrence(original, home)
	if err != nil || len(original) == len(e.OccurrenceID(e.Start, home)) {
		return original
	}
	if len(original) == len("20060102") {
		wall = wall.Add(e.Start.Sub(zone.Day(e.Start)))
	}
	return e.OccurrenceID(wall, home)
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
		return true, m.replace(*old, withAnswers(old.Extra, e))
	case e.Method == MethodReply && e.RecurrenceID != "":
		return true, m.answerOccurrence(e)
	case e.Method == MethodCancel || e.Method == MethodReply || e.Method == MethodAdd:
		return true, m.refuse(e, NoSuchEvent, nil)
	case known && e.Method != "" && e.Method != methodPublish && e.Method != methodRequest:
		return true, m.refuse(e, UnknownMethod, nil)
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
	found, err := m.t.OccurrenceOf(series, e.RecurrenceID, time.UTC)
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
	if o.Extra = withAnswers(series.Extra, e); slices.Equal(o.Extra, series.Extra) {
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
	series, err := m.t.ByUID(e.Calendar, e.UID, "")
	if err != nil {
		return err
	}
	home := m.t.Location(&series, time.UTC)
	wall, err := m.begin(&series, e.RecurrenceID, home)
	if err != nil {
		return m.refuse(e, NoSuchOccurrence, ledger.IgnoreMissing(asMissing(err)))
	}
	m.t.counted = true
	defer func() { m.t.counted = false }()
	if e.Method == MethodCancel {
		err = m.cancelFrom(&series, e, wall, home)
	} else {
		err = m.changeFrom(&series, e, wall, home)
	}
	if unruled := new(RuleStartError); errors.As(err, &unruled) {
		return m.refuse(e, NoSuchRule, nil)
	}
	m.n.Changed++
	return err
}

// begin returns the local time of an occurrence of a series. An event that replaces it goes.
func (m messages) begin(series *Event, original string, home *time.Location) (time.Time, error) {
	i := slices.Index(series.Exceptions, original)
	if i < 0 {
		o, err := m.t.OccurrenceOf(*series, original, time.UTC)
		return o.Wall, err
	}
	override, err := m.t.ByUID(series.Calendar, series.UID, original)
	if err != nil {
		return time.Time{}, err
	}
	before := *series
	series.Exceptions = slices.Delete(slices.Clone(series.Exceptions), i, i+1)
	if err := m.t.Put(&override, nil); err != nil {
		return time.Time{}, err
	}
	if err := m.t.Put(&before, series); err != nil {
		return time.Time{}, err
	}
	return ReadOccurrence(original, home)
}

// cancelFrom cancels the occurrences of a series from a local time on.
func (m messages) cancelFrom(series, e *Event, wall time.Time, home *time.Location) error {
	for i := range m.later {
		if err := m.t.dropFrom(&m.later[i], nil, time.Time{}, home); err != nil {
			return err
		}
	}
	switch first := m.t.isFirst(series, wall, home); {
	case first && strings.HasPrefix(m.part, series.UID+partMark): // all of the series
		m.n.Changed-- // which counts itself
		return m.cancel(*series, e)
	case first:
		return m.t.dropFrom(series, nil, wall, home)
	}
	head := *series
	head.Recurrence, _ = SplitRecurrence(series, wall, home)
	head.Sequence, head.UpdatedAt = max(e.Sequence, series.Sequence), e.UpdatedAt
	return m.t.dropFrom(series, &head, wall, home)
}

// changeFrom changes the occurrences of a series from a local time on, or adds answers to them.
func (m messages) changeFrom(series, e *Event, wall time.Time, home *time.Location) error {
	change := func(start time.Time) func(*Event) error {
		return func(x *Event) error {
			if e.Method == MethodReply {
				x.Extra = withAnswers(x.Extra, e)
				return nil
			}
			after := *e
			after.Start, after.Recurrence, after.ID, after.UID, after.CreatedAt = start, x.Recurrence, x.ID, x.UID, x.CreatedAt
			after.RecurrenceID, after.Exceptions = "", nil
			*x = after
			return nil
		}
	}
	for i := range m.later {
		part := &m.later[i]
		begins, err := ReadOccurrence(part.UID[strings.LastIndex(part.UID, partMark)+len(partMark):], home)
		if err != nil {
			return err
		}
		first := Occurrence{Event: part, Wall: part.Start, Original: part.OccurrenceID(part.Start, m.t.Location(part, time.UTC))}
		if _, err := m.t.edit(first, All, Write{Zone: time.UTC}, e.UpdatedAt, change(e.Start.Add(begins.Sub(wall)))); err != nil {
			return err
		}
	}
	o := Occurrence{Event: series, Wall: wall, Original: e.RecurrenceID}
	scope := Following
	if m.t.isFirst(series, wall, home) {
		scope = All
	}
	_, err := m.t.edit(o, scope, Write{Zone: time.UTC, part: m.part}, e.UpdatedAt, change(e.Start))
	return err
}

// dropReplaced removes what a changed series makes superfluous: the later parts that it has again, or
// that a message about all of it leaves out, and of its changed occurrences those that a message moved away.
func (m messages) dropReplaced(series *Event) error {
	if c := m.t.Calendars[series.Calendar]; c != nil && !c.Local() {
		return nil // the server has what it has
	}
	home := m.t.Location(series, time.UTC)
	has := func(original string) bool {
		_, err := m.t.OccurrenceOf(*series, original, time.UTC)
		return err == nil
	}
	parts, err := m.t.parts(series, partMark)
	if err != nil {
		return err
	}
	for i := range parts {
		p := &parts[i]
		if p.RecurrenceID != "" || series.Method == "" && !has(strings.TrimPrefix(p.UID, series.UID+partMark)) {
			continue
		}
		if err := m.t.dropFrom(p, nil, time.Time{}, home); err != nil {
			return err
		}
	}
	if series.Method == "" {
		return nil
	}
	moved := slices.Clone(series.Exceptions)
	series.Exceptions = nil
	moved = slices.DeleteFunc(moved, func(original string) bool {
		if has(original) {
			series.Exceptions = append(series.Exceptions, original)
			return true
		}
		return false
	})
	for _, original := range moved {
		override, err := m.t.ByUID(series.Calendar, series.UID, original)
		if err == nil && override.Sequence < series.Sequence {
			err = m.t.Put(&override, nil)
		} else if err == nil {
			series.Exceptions = append(series.Exceptions, original)
		}
		if ledger.IgnoreMissing(err) != nil {
			return err
		}
	}
	slices.Sort(series.Exceptions)
	return nil
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

// IsLaterPart reports whether a UID is that of a later part of a series that a file or a message divided.
func IsLaterPart(series, uid string) bool {
	from, ok := strings.CutPrefix(uid, series+partMark)
	_, err := ReadOccurrence(from, time.UTC)
	return ok && err == nil
}

// IsDividedFrom reports whether a UID is that of a part of a series that was divided here.
func IsDividedFrom(series, uid string) bool { return uid != series && wholeUID(uid) == series }

// partsOf is the beginning of the keys of the UIDs of the later parts of a series.
func partsOf(s ledger.Prefix, calendar, uid, mark string) []byte {
	return append(s.Named(calendar), uid+mark...)
}

// parts returns the later parts of a series, and what replaces their occurrences.
func (t *Tx) parts(e *Event, mark string) (all []Event, err error) {
	calendar, err := KeyOf(t, e.Calendar)
	if err != nil {
		return nil, err
	}
	begin := partsOf(UIDs, calendar, e.UID, mark)
	if known, ok := t.replaced[string(begin)]; ok && len(known) == 0 {
		return nil, nil
	}
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
	case !e.Sequenced && e.Method == MethodReply: // each answer is compared by itself
		return false
	case e.Sequence != old.Sequence:
		return e.Sequence < old.Sequence
	case e.Method == MethodReply:
		return false
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
// who was not invited is added. An answer that is older than the one here changes nothing.
func withAnswers(lines []string, reply *Event) []string {
	all := slices.Clone(lines)
	for _, line := range reply.Extra {
		answer, ok := attendeeOf(line)
		if !ok {
			continue
		}
		i := slices.IndexFunc(all, func(l string) bool {
			p, ok := attendeeOf(l)
			return ok && strings.EqualFold(p.Value, answer.Value)
		})
		p := answer
		if i >= 0 {
			p, _ = attendeeOf(all[i])
		}
		stamp := ""
		if !reply.Stamp.IsZero() {
			stamp = reply.Stamp.UTC().Format("20060102T150405Z")
		}
		if stamp != "" && stamp < p.Param(answered) {
			continue
		}
		p.Params = slices.DeleteFunc(slices.Clone(p.Params), func(q ical.Param) bool {
			return q.Name == "PARTSTAT" || q.Name == answered
		})
		for _, q := range []ical.Param{{Name: "PARTSTAT", Values: []string{answer.Param("PARTSTAT")}}, {Name: answered, Values: []string{stamp}}} {
			if q.Values[0] != "" {
				p.Params = append(p.Params, q)
			}
		}
		if i < 0 {
			all = append([]string{p.String()}, all...)
		} else {
			all[i] = p.String()
		}
	}
	return all
}

// answered is the parameter of an attendee with the DTSTAMP of the answer.
const answered = "X-RECEIVED-DTSTAMP"

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
