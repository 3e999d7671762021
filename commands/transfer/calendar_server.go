package transfer

import (
	"context"
	"encoding/json"

	"techo/commands/run"
	"techo/export"
	"techo/internal/ical"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

// # Calendars through a server
//
// The .ics files are on the client. It sends the text of a file, and gets the events and
// to-dos of a calendar page by page to write the file itself.

// maxSentImport is the largest .ics file that is sent to a server, in bytes. A request has
// at most 32 MiB, with escapes.
const maxSentImport = 24 << 20

type importCalendarIn struct {
	Content  string `json:"content" minLength:"1" doc:"The text of the .ics file"`
	Calendar string `json:"calendar,omitempty" doc:"Name of the calendar, created if it is new (default: default)"`
	Me       string `json:"me,omitempty" doc:"Your e-mail address: invitations that you declined count as free"`
	Encoding string `json:"encoding,omitempty" doc:"The encoding that the file was in, if not UTF-8"`
}

// importCalendarTool imports the text of an .ics file that a client sends.
func importCalendarTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "import_calendar", Command: "cal import", Effect: tools.Changes,
		Sharing: tools.OneSpace, Calendars: []string{"calendar"}, World: true,
		About: "Import the text of an .ics file", For: tools.Agents},
		func(ctx context.Context, env *tools.Env, in importCalendarIn) (calImportOut, error) {
			return importCalendar(ctx, env, calImportIn{Calendar: in.Calendar, Me: in.Me},
				ical.OpenBytes([]byte(in.Content)), in.Encoding)
		})
}

// sendCalendar imports the text of an .ics file through a server.
func sendCalendar(ctx context.Context, s *run.Run, env *tools.Env, address string, in calImportIn, file *ical.Stream,
	size int64) (out calImportOut, err error) {
	if size > maxSentImport {
		return out, env.Fail(tools.LimitExceeded, "The file has %d bytes; at most %d can be sent to a server",
			size, maxSentImport).WithHint(env.Hint("Divide the file, or run the command on the server"))
	}
	if read, err := ics.Parse(env, file, in.Me, ics.Emit{}); err != nil || read.None {
		return out, noCalendar(env, err)
	}
	text, err := file.Bytes()
	if err != nil {
		return out, err
	}
	encoding := file.Encoding
	if encoding == ics.UTF8 {
		encoding = ""
	}
	sent := importCalendarIn{string(text), in.Calendar, in.Me, encoding}
	err = run.Transfer(ctx, s, address, importCalendarTool(), inSpace[importCalendarIn]{sent, tools.Space(env)}, &out)
	return out, err
}

type calendarPageIn struct {
	After    string `json:"after,omitempty" doc:"The place where the page before ended: next of its result"`
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name (default: default)"`
}

type calendarPage struct {
	exportPage
	Calendar string `json:"calendar"`
	ID       string `json:"id,omitempty"` // of the calendar
}

type calendarRecord struct {
	Event *event.Event `json:"event,omitempty"`
	Todo  *todo.Todo   `json:"todo,omitempty"`
}

// exportCalendarTool returns the events and to-dos of a calendar, page by page.
func exportCalendarTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "export_calendar", Command: "cal export", Effect: tools.Reads,
		Sharing: tools.OneSpace, Calendars: []string{"calendar"}, World: true,
		About: "Return a page of a calendar", For: tools.Agents},
		func(ctx context.Context, env *tools.Env, in calendarPageIn) (out calendarPage, err error) {
			content, err := calendar.ContentOf(ctx, env, in.Calendar)
			if err != nil {
				return out, backend.Explain(env, err)
			}
			defer content.Close()
			out.Calendar, out.Store, out.ID = content.Name, content.Of.Store, content.Of.Calendar
			err = out.fill(env, func(use usePlaced) error {
				return content.EachAfter(in.After, func(place string, e *event.Event, t *todo.Todo) error {
					return use(place, calendarRecord{e, t})
				})
			})
			return out, err
		})
}

// calendarContent returns all events and to-dos of a calendar, of this machine or of the
// server of the run. The caller closes it, unless it is nil.
func calendarContent(ctx context.Context, s *run.Run, env *tools.Env, name string) (*export.Spooled, error) {
	address, err := s.ServerAddress()
	if err != nil {
		return nil, err
	}
	if address == "" {
		c, err := calendar.ContentOf(ctx, env, name)
		return c, backend.Explain(env, err)
	}
	c, err := export.NewSpooled()
	if err != nil {
		return nil, err
	}
	if err := receiveCalendar(ctx, s, env, address, name, c); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// receiveCalendar adds the pages of a calendar of a server.
func receiveCalendar(ctx context.Context, s *run.Run, env *tools.Env, address, name string, c *export.Spooled) error {
	for after := ""; ; {
		in := inSpace[calendarPageIn]{calendarPageIn{after, name}, tools.Space(env)}
		var page calendarPage
		err := run.Transfer(ctx, s, address, exportCalendarTool(), in, &page)
		if err != nil {
			return err
		}
		for _, line := range page.Records {
			var r calendarRecord
			err := json.Unmarshal(line, &r)
			if err == nil && r.Event != nil {
				err = c.AddEvent(r.Event)
			}
			if err == nil && r.Todo != nil {
				err = c.AddTodo(r.Todo)
			}
			if err != nil {
				return err
			}
		}
		c.Name, c.Of = page.Calendar, export.From{Store: page.Store, Calendar: page.ID}
		if page.Last {
			return nil
		}
		if after, err = page.next(env, after); err != nil {
			return err
		}
	}
}
