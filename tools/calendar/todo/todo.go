// Package todo has the tools of to-dos.
package todo

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"techo/internal/recur"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
	"techo/tools/when"
)

// Tools returns the tools of to-dos in the order of the help.
func Tools() []*tools.Tool {
	return []*tools.Tool{Add, List, Get, Edit, Move, Complete, Remove}
}

// Todo is a to-do in a result. Of a recurring one it is the first occurrence that is not
// done.
type Todo struct {
	TodoID      string   `json:"todo_id"`
	Title       string   `json:"title"`
	Due         string   `json:"due"` // RFC 3339, a day, or ""
	AllDay      bool     `json:"all_day"`
	Start       string   `json:"start"` // mostly of imported ones
	Overdue     bool     `json:"overdue"`
	Priority    int      `json:"priority"` // 1 is the highest, 9 the lowest, 0 none
	Status      string   `json:"status"`
	Percent     int      `json:"percent"`
	CompletedAt string   `json:"completed_at"`
	Description string   `json:"description"`
	Location    string   `json:"location"`
	Recurrence  []string `json:"recurrence"`
	URL         string   `json:"url"`
	Categories  []string `json:"categories"`
	Alarms      []string `json:"alarms"` // before the start or, without one, before it is due
	Timezone    string   `json:"timezone"`
	Weekday     string   `json:"weekday"` // of the day that it is due
	Sequence    int      `json:"sequence"`
	CreatedAt   string   `json:"created_at"`
	UpdatedAt   string   `json:"updated_at"`
	Calendar    string   `json:"calendar"`
	Space       string   `json:"space,omitempty"` // the shared space that has the calendar
	UID         string   `json:"uid"`
	Etag        string   `json:"etag"`
}

// ToTodo converts a to-do.
func ToTodo(env *tools.Env, o *todo.Occurrence) Todo {
	details := ics.DetailsOf(env, &o.Event)
	t := Todo{
		TodoID: o.ID, Title: o.Title, Priority: o.Priority, Status: o.Status, Percent: o.Percent,
		Description: o.Description, Location: o.Location, Recurrence: append([]string{}, o.Recurrence...),
		URL: details.URL, Categories: details.Categories, Alarms: details.Alarms, Timezone: backend.ZoneName(env),
		Sequence: o.Sequence, CreatedAt: env.Time(o.CreatedAt), UpdatedAt: env.Time(o.UpdatedAt),
		Calendar: o.Calendar, Space: cmp.Or(o.Space, tools.Space(env)), UID: ics.PublicUID(&o.Event), Etag: o.Etag,
		Overdue: o.Overdue(env.Now()),
	}
	if !o.CompletedAt.IsZero() {
		t.CompletedAt = env.Time(o.CompletedAt)
	}
	if o.Starts {
		t.Start = env.Time(o.From)
		if o.Form == event.AllDay {
			t.Start = o.Wall.Format(time.DateOnly)
		}
	}
	if o.HasDue {
		day := dueDay(env, o)
		t.AllDay, t.Weekday, t.Due = o.Form == event.AllDay, day.Weekday().String(), env.Time(o.To)
		if t.AllDay {
			t.Due = day.Format(time.DateOnly)
		}
	}
	return t
}

// dueDay returns a time on the day that a to-do is due.
func dueDay(env *tools.Env, o *todo.Occurrence) time.Time {
	if o.Form == event.AllDay {
		return o.DueWall()
	}
	return o.To.In(env.Zone)
}

// dueText returns the time that a to-do is due as a text, or "".
func dueText(env *tools.Env, o *todo.Occurrence) string {
	if !o.HasDue {
		return ""
	}
	day := dueDay(env, o)
	text := when.Weekday(env, day) + " " + day.Format(time.DateOnly)
	if o.Form != event.AllDay {
		text += day.Format(" 15:04")
	}
	return text
}

// todoLine describes a to-do in one line.
func todoLine(env *tools.Env, o *todo.Occurrence) string {
	mark := "[ ] "
	switch o.Status {
	case todo.Completed:
		mark = "[x] "
	case event.Cancelled:
		mark = "[-] "
	}
	text := mark + ics.OneLine(backend.TitleOrPlaceholder(env, o.Title))
	if due := dueText(env, o); due != "" {
		text += env.Localize(", due %s", due)
	}
	if o.Overdue(env.Now()) {
		text += env.Localize(" (overdue)")
	}
	if o.Priority != 0 {
		text += env.Localize(", priority %d", o.Priority)
	}
	if len(o.Recurrence) > 0 {
		text += " " + env.Localize("[repeats]")
	}
	return text
}

// TodoSummary names a to-do in a message, with the time that it is due.
func TodoSummary(env *tools.Env, o *todo.Occurrence) string {
	text := ics.OneLine(backend.TitleOrPlaceholder(env, o.Title))
	if due := dueText(env, o); due != "" {
		text += env.Localize(", due %s", due)
	}
	return text
}

// Fields are the fields of a to-do in an input that its tools share.
type Fields struct {
	Description *string  `json:"description" doc:"The description"`
	Location    *string  `json:"location" doc:"The location"`
	Priority    *int     `json:"priority" minimum:"0" maximum:"9" doc:"1 is the highest, 9 the lowest, 0 none"`
	URL         *string  `json:"url" maxLength:"2000" doc:"A link"`
	Categories  []string `json:"categories,omitempty" doc:"Labels"`
	Alarms      []string `json:"alarms,omitempty" allowSingle:"true" doc:"Alarms before it is due, e.g. 10m"`
	Recurrence  []string `json:"recurrence,omitempty" allowSingle:"true" doc:"RFC 5545 rules: FREQ=WEEKLY;BYDAY=MO"`
	Repeat      *string  `json:"repeat" doc:"The repetition in words: daily, weekdays, every 2 weeks on tue"`
}

// repetition replaces a repetition in words, of its own or in due, by its recurrence, and returns
// the first due time.
func (in *Fields) repetition(f *agenda.Checker, due string) string {
	words := agenda.RepeatWords(f, in.Repeat, &in.Recurrence)
	if due == "" && words == "" {
		return firstDue(f, in.Recurrence)
	}
	r := f.Repetition("due", words, due, "")
	if r.Line != "" {
		in.Recurrence = []string{r.Line}
	}
	return r.Start
}

// firstDue returns the first day from today on that a recurrence without a due date has, "" for
// none.
func firstDue(f *agenda.Checker, lines []string) (day string) {
	for _, l := range lines {
		rule, err := recur.Parse(strings.TrimPrefix(l, "RRULE:"))
		if err != nil {
			continue
		}
		today := agenda.Today(f.Env)
		series := recur.New(rule, today, true, time.Time{}).Limit(&recur.Budget{Steps: 1 << 16})
		series.Walk(today, today.AddDate(8, 0, 1), func(t time.Time) bool {
			day = t.Format(time.DateOnly)
			return false
		})
		return day
	}
	return ""
}

// apply changes the fields of a to-do.
func (in *Fields) apply(f *agenda.Checker, t *todo.Todo) {
	if in.Description != nil {
		t.Description = *in.Description
	}
	if in.Location != nil {
		t.Location = *in.Location
	}
	if in.Priority != nil {
		t.Priority = *in.Priority
	}
	agenda.SetDetails(f, &t.Event, &agenda.DetailsIn{URL: in.URL, Categories: in.Categories, Alarms: in.Alarms})
	if in.Recurrence == nil {
		return
	}
	t.Recurrence = f.Recurrence(in.Recurrence)
	switch {
	case t.RecurrenceID != "":
		f.Add("recurrence", "cannot be set for one occurrence of a recurring to-do")
	case len(t.Recurrence) > 0 && !t.HasDue && !t.Starts:
		f.Add("recurrence", "requires due")
	case len(t.Recurrence) > 0 && !t.Starts && t.HasDue: // a rule needs a start
		t.Starts = true
	}
}

// todoFields returns the lines of a to-do for people.
func todoFields(env *tools.Env, t *Todo) (lines []string) {
	add := func(label tools.Text, value string) {
		if value != "" {
			lines = append(lines, env.Localize(label)+agenda.IndentContinuation(value))
		}
	}
	if t.Priority != 0 {
		add("- priority: ", strconv.Itoa(t.Priority))
	}
	add("- status: ", t.Status)
	if t.CompletedAt != "" {
		add("- completed: ", env.MinuteOf(t.CompletedAt))
	}
	add("- place: ", t.Location)
	add("- repeats: ", strings.Join(t.Recurrence, " "))
	add("- link: ", t.URL)
	add("- categories: ", strings.Join(t.Categories, env.Localize(", ")))
	add("- alarms: ", strings.Join(t.Alarms, env.Localize(", ")))
	add("- calendar: ", t.Calendar)
	add("- id: ", t.TodoID)
	add("- description: ", t.Description)
	return lines
}
