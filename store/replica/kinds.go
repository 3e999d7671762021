package replica

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"techo/store/event"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/todo"
)

// kind is how one kind of record goes to other machines. What belongs to a machine or an account has
// none: tokens, receipts, cached pages, edits of files, questions, copies of calendars elsewhere.
type kind struct {
	kind ledger.Kind

	// id returns the id and the owner of the record with a key; ok is false for one that stays here.
	id func(s *scope, key []byte) (id, owner string, ok bool, err error)

	// The value of a record in the form of all machines, in which records of calendars name the calendar, and
	// in the form of the history here.
	portable  func(s *scope, form []byte) ([]byte, error)
	local     func(s *scope, portable []byte) ([]byte, error)
	canonical func(s *scope, portable []byte) []byte // without what may differ between machines

	claims   func(value []byte) []string // what only one record of an owner can have
	claimant func(s *scope, owner, claim string) (id string, err error)

	// yield returns a value without a claim, nil if it is not shown. from, if it is not "", is the name of
	// the machine that said it.
	yield func(value []byte, claim, id, from string) ([]byte, error)

	later bool // the later version keeps a claim

	rank    func(value []byte) string // of two that claim the same, the one with the lower rank keeps it
	content func(value []byte) string // what a person would miss, for comparing
}

// scope is one transaction.
type scope struct {
	*ledger.Tx
	seenCache
	own       Seen              // what the store has applied
	users     map[uint32]string // of memories, by number
	calendars map[string]*event.Calendar
}

func newScope(tx *ledger.Tx) *scope { return &scope{Tx: tx, seenCache: seenCache{tx: tx}} }

// kinds returns the kinds that go to other machines, in the order in which they are applied.
var kinds = sync.OnceValue(func() []*kind {
	return []*kind{
		{
			kind: ledger.KindMemo,
			id: func(_ *scope, key []byte) (string, string, bool, error) {
				return string(ledger.Rest(key)), "", true, nil
			},
			portable: func(s *scope, form []byte) ([]byte, error) {
				return s.Ledger.Schemas.Of(ledger.KindMemo).WithoutNumbers(form), nil
			},
			claims: func(value []byte) []string { return []string{field(value, "name")} },
			claimant: func(s *scope, _, name string) (string, error) {
				id, err := s.Get(memo.NameKey(name))
				return string(id), ledger.IgnoreMissing(err)
			},
			yield:   renamedMemo,
			rank:    func(value []byte) string { return fmt.Sprintf("%020d", number(value, "created")) },
			content: withoutTimes,
		},
		{
			kind: ledger.KindMemory,
			id: func(s *scope, key []byte) (string, string, bool, error) {
				number, id, ok := ledger.CutUser(key)
				owner, err := s.userOf(number)
				return string(id), owner, ok && owner != "", err
			},
			portable: func(_ *scope, form []byte) ([]byte, error) { return memory.Portable(form) },
			claims:   memory.Claims,
			claimant: func(s *scope, owner, claim string) (string, error) { return memory.Claimant(s.Tx, owner, claim) },
			yield:    func(value []byte, claim, _, _ string) ([]byte, error) { return memory.Yield(value, claim) },
			later:    true,
			canonical: func(s *scope, value []byte) []byte {
				return s.Ledger.Schemas.Of(ledger.KindMemory).WithoutNumbers(value)
			},
			content: func(value []byte) string {
				return field(value, "full") + "\x00" + field(value, "caption") + "\x00" + field(value, "topic")
			},
		},
		{
			kind: ledger.KindMemoryFile,
			id: func(_ *scope, key []byte) (string, string, bool, error) {
				owner, path, ok := ledger.CutNamed(key)
				return string(path), owner, ok, nil
			},
			portable: func(s *scope, form []byte) ([]byte, error) {
				return s.Ledger.Schemas.Of(ledger.KindMemoryFile).WithoutNumbers(form), nil
			},
			content: func(value []byte) string { return field(value, "text") },
		},
		calendarKind(ledger.KindEvent, event.UIDs, func(value []byte) (event.Event, error) { return event.Read("", value) }),
		calendarKind(ledger.KindTodo, todo.UIDs, func(value []byte) (event.Event, error) {
			t, err := todo.ReadTodo("", value)
			return t.Event, err
		}),
	}
})

func kindOf(k ledger.Kind) *kind {
	for _, one := range kinds() {
		if one.kind == k {
			return one
		}
	}
	return nil
}

// field returns a text of a JSON object.
func field(value []byte, name string) string {
	var fields map[string]json.RawMessage
	var text string
	_ = json.Unmarshal(value, &fields) // a missing field is ""
	_ = json.Unmarshal(fields[name], &text)
	return text
}

// number returns a number of a JSON object.
func number(value []byte, name string) (n int64) {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(value, &fields) // a missing field is 0
	_ = json.Unmarshal(fields[name], &n)
	return n
}

// withoutTimes returns a JSON object without its times, which two equal statements do not share.
func withoutTimes(value []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(value, &fields) != nil {
		return string(value)
	}
	delete(fields, "created")
	delete(fields, "updated")
	b, err := json.Marshal(fields)
	if err != nil {
		return string(value)
	}
	return string(b)
}

// maxMemoName is the length of the longest name of a memo, in characters.
const maxMemoName = 32

// renamedMemo gives a memo whose name an earlier one has the name of its machine, or its id if there is
// no room for that, or none.
func renamedMemo(value []byte, name, id, from string) ([]byte, error) {
	m, err := memo.Decode(memo.Key(id), value)
	if err != nil {
		return nil, err
	}
	suffix := " (" + from + ")"
	if from == "" || len([]rune(name+suffix)) > maxMemoName {
		suffix = " (" + id + ")"
	}
	short := []rune(name)
	short = short[:min(len(short), maxMemoName-len([]rune(suffix)))]
	m.Name = strings.TrimSpace(string(short)) + suffix
	return ledger.Encode(memo.RecordOf(&m))
}

// userOf returns the name of a user of memories.
func (s *scope) userOf(number uint32) (string, error) {
	if s.users == nil {
		s.users = map[uint32]string{}
		err := each(s.Tx, memory.Users, func(_ []byte, u memory.UserRecord) error {
			s.users[u.Number] = u.Name
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return s.users[number], nil
}

// calendarAt returns the calendar with a key.
func (s *scope) calendarAt(key string) (*event.Calendar, error) {
	if s.calendars == nil {
		s.calendars = map[string]*event.Calendar{}
		err := each(s.Tx, event.Calendars, func(key []byte, c event.Calendar) error {
			s.calendars[string(ledger.Rest(key))] = &c
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return s.calendars[key], nil
}

// calendarKind describes events or to-dos: a text with the name of the calendar precedes the record.
func calendarKind(k ledger.Kind, uids ledger.Prefix, read func([]byte) (event.Event, error)) *kind {
	split := func(value []byte) (calendar string, record []byte, err error) {
		r := &ledger.FieldReader{B: value}
		calendar = r.Text()
		return calendar, r.B, r.Err
	}
	decoded := func(value []byte) (string, event.Event) {
		calendar, record, err := split(value)
		if err != nil {
			return "", event.Event{}
		}
		e, err := read(record)
		if err != nil {
			return "", event.Event{}
		}
		return calendar, e
	}
	return &kind{
		kind: k,
		id: func(s *scope, key []byte) (id, _ string, ok bool, err error) {
			var calendar string
			if k == ledger.KindEvent {
				var p event.Place
				p, id, ok = event.CutPlace(key)
				calendar = p.Calendar
			} else {
				var rest []byte
				calendar, rest, ok = ledger.CutNamed(key)
				id = string(rest)
			}
			if !ok {
				return "", "", false, nil
			}
			c, err := s.calendarAt(calendar)
			return id, "", c == nil || c.Kind == event.LocalCalendar && !c.Removing && !c.Gone, err
		},
		portable: func(s *scope, form []byte) ([]byte, error) {
			key, record, err := split(form)
			if err != nil {
				return nil, err
			}
			c, err := s.calendarAt(key)
			if err != nil {
				return nil, err
			}
			name := key
			if c != nil {
				name = cmp.Or(c.Name, key)
			}
			return append(ledger.AppendText(nil, name), record...), nil
		},
		local: func(s *scope, portable []byte) ([]byte, error) {
			name, record, err := split(portable)
			if err != nil {
				return nil, err
			}
			t := event.NewTx(s.Tx)
			c, err := t.Ensure(name)
			if err != nil {
				return nil, err
			}
			if c.Kind != event.LocalCalendar {
				return nil, &ledger.TakenError{Kind: ledger.KindCalendar, Name: name}
			}
			if err := t.Save(); err != nil {
				return nil, err
			}
			s.calendars = nil
			return append(ledger.AppendText(nil, c.InKeys()), record...), nil
		},
		claims: func(value []byte) []string {
			calendar, e := decoded(value)
			return []string{string(ledger.AppendText(ledger.AppendText(nil, calendar), e.UID)) + e.RecurrenceID}
		},
		claimant: func(s *scope, _, claim string) (string, error) {
			r := &ledger.FieldReader{B: []byte(claim)}
			calendar, uid := r.Text(), r.Text()
			if r.Err != nil {
				return "", r.Err
			}
			key, err := event.KeyOf(event.NewTx(s.Tx), calendar)
			if err != nil {
				return "", err
			}
			id, err := s.Get(event.OfUID(uids, key, uid, string(r.B)))
			return string(id), ledger.IgnoreMissing(err)
		},
		yield: func([]byte, string, string, string) ([]byte, error) { return nil, nil },
		content: func(value []byte) string {
			calendar, e := decoded(value)
			e.ClearVersion()
			e.Etag = ""
			return fmt.Sprintf("%s %v", calendar, e)
		},
	}
}

// form returns the value of a record in the form of the history, nil for a missing one.
func (s *scope) form(id ID) ([]byte, error) {
	values, err := s.Ledger.Schemas.Of(id.Kind).Current(s.Tx, id.Owner, []string{id.ID})
	if err != nil {
		return nil, err
	}
	return bytes.Clone(values[0]), nil
}
