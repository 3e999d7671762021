package export

import (
	"context"
	"strconv"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store/event"
	"techo/store/todo"
)

// Events updates a folder with the events and to-dos of a calendar: one file for each
// event, to-do or series, in their order.
func Events(ctx context.Context, c Calendar, dir string, when func(time.Time) string) (Mirrored, error) {
	of := source{"events", c.Of.Store, c.Of.Calendar}
	return update(ctx, dir, "Event Index", of, func(m *mirror) error {
		for i := range c.Events {
			if err := m.add(eventDocument(&c.Events[i], when)); err != nil {
				return err
			}
		}
		for i := range c.Todos {
			if err := m.add(todoDocument(&c.Todos[i], when)); err != nil {
				return err
			}
		}
		return nil
	})
}

// todoDocument returns the document of a to-do.
func todoDocument(t *todo.Todo, when func(time.Time) string) Document {
	d := eventDocument(&t.Event, when)
	var lines []string
	for l := range strings.SplitSeq(d.Text, "\n") {
		value, isEnd := strings.CutPrefix(l, "**End:** ")
		switch {
		case strings.HasPrefix(l, "**Start:** ") && !t.Starts, isEnd && !t.HasDue:
			continue
		case isEnd:
			l = "**Due:** " + value
			if t.Form == event.AllDay {
				l = "**Due:** " + t.End().Format(time.DateOnly)
			}
		}
		lines = append(lines, l)
	}
	if t.Priority != 0 {
		lines = append([]string{"**Priority:** " + strconv.Itoa(t.Priority)}, lines...)
	}
	d.Text = strings.Join(lines, "\n")
	return d
}

// eventDocument returns the document of an event.
func eventDocument(e *event.Event, when func(time.Time) string) Document {
	start, end := e.Start.Format("2006-01-02T15:04:05"), e.End().Format("2006-01-02T15:04:05")
	switch e.Form {
	case event.AllDay:
		start, end = e.Start.Format(time.DateOnly), e.Start.AddDate(0, 0, e.Days-1).Format(time.DateOnly)
	case event.Timed:
		loc, ok := event.CustomZone(e.ZoneRules)
		if !ok {
			loc, ok = zone.Find(e.Zone)
		}
		if ok {
			from, to := e.Span(e.Start, loc)
			start, end = from.Format(time.RFC3339), to.Format(time.RFC3339)
		}
	}
	lines := []string{"**Start:** " + start, "**End:** " + end}
	for _, l := range []struct{ name, value string }{{"Zone", e.Zone}, {"Repeats", strings.Join(e.Recurrence, " ")},
		{"Place", e.Location}, {"Status", e.Status}} {
		if l.value != "" {
			lines = append(lines, "**"+l.name+":** "+OneLine(l.value))
		}
	}
	text := strings.Join(lines, "\n")
	if e.Description != "" {
		text += "\n\n" + e.Description
	}
	return Document{ID: e.ID, Caption: e.Title, Created: when(e.CreatedAt), Text: text}
}
