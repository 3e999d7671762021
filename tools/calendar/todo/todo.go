// Package todo has the tools of to-dos.
package todo

import (
	"cmp"
	"context"
	"strings"
	"time"

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
	Start       string   `json:"start"` // lists hide it until then
	Overdue     bool     `json:"overdue"`
	Priority    int      `json:"priority" compact:"0"` // 1 is the highest, 9 the lowest, 0 none
	Status      string   `json:"status"`
	Percent     int      `json:"percent" compact:"0"`
	CompletedAt string   `json:"completed_at"`
	Description string   `json:"description"`
	Location    string   `json:"location"`
	Recurrence  []string `json:"recurrence"`
	RepeatAfter string   `json:"repeat_after,omitempty"` // how long after it was done: P3D
	URL         string   `json:"url"`
	Categories  []string `json:"categories"`
	Alarms      []string `json:"alarms"` // before it is due; of imported ones, before the start
	Timezone    string   `json:"timezone" compact:"-"`
	Weekday     string   `json:"weekday"` // of the day that it is due
	Sequence    int      `json:"sequence" compact:"-"`
	CreatedAt   string   `json:"created_at" compact:"-"`
	UpdatedAt   string   `json:"updated_at" compact:"-"`
	Calendar    string   `json:"calendar"`
	Space       string   `json:"space,omitempty"` // the shared space that has the calendar
	UID         string   `json:"uid" compact:"-"`
	Etag        string   `json:"etag"`

	WaitsFor []string `json:"waits_for,omitempty"` // ids of open to-dos that must be done before
	Blocks   []string `json:"blocks,omitempty"`    // ids of open to-dos that wait for this one; in lists and of get_todo

	after string // RepeatAfter in words
}

// ToTodo converts a to-do.
func ToTodo(env *tools.Env, o *todo.Occurrence) Todo {
	details := detailsOf(env, o.Todo)
	t := Todo{
		TodoID: o.ID, Title: o.Title, Priority: o.Priority, Status: o.Status, Percent: o.Percent,
		Description: o.Description, Location: o.Location, Recurrence: append([]string{}, o.Recurrence...),
		URL: details.URL, Categories: details.Categories, Alarms: details.Alarms, Timezone: when.ZoneName(env),
		Sequence: o.Sequence, CreatedAt: env.Time(o.CreatedAt), UpdatedAt: env.Time(o.UpdatedAt),
		Calendar: o.Calendar, Space: cmp.Or(o.Space, tools.Space(env)), UID: ics.PublicUID(&o.Event), Etag: o.Etag,
		Overdue: o.Overdue(env.Now()),
	}
	if p, ok := o.AfterDone(); ok {
		t.RepeatAfter, t.after = p.String(), afterText(env, p)
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

// placed adds the open to-dos that one waits for, and that wait for it.
func (t Todo) placed(ctx context.Context, env *tools.Env, o *todo.Occurrence) (Todo, error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return t, err
	}
	t.WaitsFor, t.Blocks, err = todo.Of(st.Ledger).Waiting(ctx, o.Todo)
	return t, err
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
	text := mark + TodoSummary(env, o)
	if o.Overdue(env.Now()) {
		text += env.Localize(" (overdue)")
	}
	if o.Priority != 0 {
		text += env.Localize(", priority %s", PriorityText(env, o.Priority))
	}
	if _, after := o.AfterDone(); after || len(o.Recurrence) > 0 {
		text += " " + env.Localize("[repeats]")
	}
	if o.HasAlarm() {
		text += " [" + env.Localize("alarm") + "]"
	}
	return text
}

// PriorityText returns a priority with a word for it, since memos count the other way.
func PriorityText(env *tools.Env, priority int) string {
	word := tools.Text("low")
	switch {
	case priority == 1:
		word = "highest"
	case priority <= 4:
		word = "high"
	case priority == 5:
		word = "medium"
	}
	return env.Localize("%d (%s)", priority, env.Localize(word))
}

// TodoSummary names a to-do in a message, with the time that it is due.
func TodoSummary(env *tools.Env, o *todo.Occurrence) string {
	text := ics.OneLine(backend.TitleOrPlaceholder(env, o.Title))
	if due := dueText(env, o); due != "" {
		text += env.Localize(", due %s", due)
	}
	return text
}

// todoFields returns the lines of a to-do for people.
func todoFields(env *tools.Env, t *Todo) (lines []string) {
	add := func(label tools.Text, value string) {
		if value != "" {
			lines = append(lines, env.Localize(label)+agenda.IndentContinuation(value))
		}
	}
	if t.Priority != 0 {
		add("- priority: ", PriorityText(env, t.Priority))
	}
	if t.Start != "" && t.Start != t.Due {
		start := t.Start
		if !t.AllDay && strings.Contains(start, "T") {
			start = env.MinuteOf(start)
		}
		add("- start: ", start)
	}
	add("- status: ", t.Status)
	if t.CompletedAt != "" {
		add("- completed: ", env.MinuteOf(t.CompletedAt))
	}
	add("- waits for: ", strings.Join(t.WaitsFor, env.Localize(", ")))
	add("- before: ", strings.Join(t.Blocks, env.Localize(", ")))
	add("- place: ", t.Location)
	add("- repeats: ", cmp.Or(backend.RecurrenceText(env, t.Recurrence), t.after))
	add("- link: ", t.URL)
	add("- categories: ", strings.Join(t.Categories, env.Localize(", ")))
	add("- alarms: ", strings.Join(t.Alarms, env.Localize(", ")))
	add("- calendar: ", t.Calendar)
	add("- id: ", t.TodoID)
	add("- description: ", t.Description)
	return lines
}
