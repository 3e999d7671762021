package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/event"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/question"
)

// changing makes random changes of all families.
type changing struct {
	t    *testing.T
	s    *Store
	rand *rand.Rand
}

// newChanging returns changes of a store with some calendars, which never become empty: a
// calendar appears and disappears with its events, which is no change of its own.
func newChanging(t *testing.T) *changing {
	w := &changing{t, newStore(t), testenv.Random(t)}
	for _, name := range []string{event.DefaultCalendar, "work", "home"} {
		mustAddTo(t, w.s, name, "kept")
	}
	return w
}

func (w *changing) pick(words ...string) string { return words[w.rand.IntN(len(words))] }

func (w *changing) word() string { return w.pick("tea", "rice", "ramen", "紅茶", "Tokyo") }

func (w *changing) step() error {
	switch w.rand.IntN(5) {
	case 0:
		return w.memo()
	case 1:
		return w.memory()
	case 2:
		return w.event()
	case 3:
		return w.calendar()
	default:
		return w.question()
	}
}

func (w *changing) memo() error {
	ctx, name := w.t.Context(), w.pick("a", "b", "c", "d")
	content, other, priority := strings.Repeat(w.word(), 1+w.rand.IntN(300)), w.pick("a", "e"), 1+w.rand.IntN(5)
	var err error
	switch w.rand.IntN(4) {
	case 0:
		_, err = w.s.AddMemo(ctx, memo.Memo{Name: name, Content: content, Priority: priority, Tags: []string{w.word()}})
	case 1:
		_, err = w.s.EditMemo(ctx, name, memo.Change{Name: &other, Content: &content, Tags: []string{w.word()}})
	case 2:
		_, err = w.s.RemoveMemo(ctx, name)
	default:
		_, err = w.s.RenameMemoTag(ctx, w.word(), w.word())
	}
	return err
}

func (w *changing) memory() error {
	ctx, user := w.t.Context(), w.pick("tanaka", "sato")
	found, _, err := w.s.FindMemories(ctx, user, memory.Filter{Limit: 10})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s likes %s %d.", user, w.word(), w.rand.IntN(20))
	session := w.pick("", "s1", "s2")
	if len(found) == 0 || w.rand.IntN(3) == 0 {
		drafter := memory.NewDrafter()
		_, err = w.s.AddMemories(ctx, user, []memory.Draft{drafter.Draft(memory.Memory{User: user, FullText: text,
			Session: session}),
			drafter.Draft(memory.Memory{User: user, FullText: text + " And more.", Caption: "more"})})
		return err
	}
	if w.rand.IntN(2) == 0 {
		_, _, err = memory.Edit(ctx, w.s.Ledger, user, found[w.rand.IntN(len(found))].ID,
			memory.Change{FullText: &text, Session: &session})
		return err
	}
	var ids []string
	for range 1 + w.rand.IntN(2) {
		ids = append(ids, found[w.rand.IntN(len(found))].ID)
	}
	_, _, err = w.s.RemoveMemories(ctx, user, ids)
	return err
}

func (w *changing) event() error {
	ctx, how := w.t.Context(), event.Write{Zone: time.UTC}
	found, err := w.s.FindEvents(ctx, event.Query{From: wall("2025-03-01 00:00"), To: wall("2025-04-01 00:00"),
		Zone: time.UTC})
	if err != nil {
		return err
	}
	if len(found.Occurrences) == 0 || w.rand.IntN(4) == 0 {
		day := wall("2025-03-02 09:00").AddDate(0, 0, w.rand.IntN(9))
		calendar, err := w.calendarName()
		if err != nil {
			return err
		}
		e := event.Event{Calendar: calendar, Title: w.word(), Start: day, Zone: "Asia/Tokyo", Length: time.Hour,
			Status: event.Confirmed}
		if w.rand.IntN(2) == 0 {
			e.Recurrence = []string{"RRULE:FREQ=DAILY;COUNT=8"}
		}
		_, err = w.s.AddEvent(ctx, e, how)
		return err
	}
	id := found.Occurrences[w.rand.IntN(len(found.Occurrences))].ID()
	scope := event.Scope(w.rand.IntN(3))
	if w.rand.IntN(3) == 0 {
		_, err = w.s.RemoveEvent(ctx, id, scope, time.UTC)
		return err
	}
	title, by := w.word(), time.Duration(w.rand.IntN(3))*time.Hour
	_, err = w.s.EditEvent(ctx, id, scope, how, func(e *event.Event) error {
		e.Title, e.Start = title, e.Start.Add(by)
		return nil
	})
	return err
}

func (w *changing) calendarName() (string, error) {
	all, err := w.s.Calendars(w.t.Context())
	if err != nil {
		return "", err
	}
	return all[w.rand.IntN(len(all))].Name, nil
}

// calendar renames a calendar, often to a name that another one had before.
func (w *changing) calendar() error {
	name, err := w.calendarName()
	if err != nil {
		return err
	}
	_, err = w.s.RenameCalendar(w.t.Context(), name, w.pick("work", "home", "office", "shop", "Tokyo"))
	return err
}

func (w *changing) question() error {
	ctx := w.t.Context()
	found, _, err := w.s.FindQuestions(ctx, question.Filter{Limit: 20})
	if err != nil {
		return err
	}
	if len(found) == 0 || w.rand.IntN(2) == 0 {
		_, err = w.s.AddQuestion(ctx, question.Question{Text: w.word() + "?", Key: w.pick("", "k1", "k2", "k3")})
		return err
	}
	_, _, err = w.s.SettleQuestion(ctx, found[w.rand.IntN(len(found))].ID, question.Answered,
		question.Answer{Texts: []string{w.word()}})
	return err
}
