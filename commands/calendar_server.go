package commands

import (
	"context"
	"encoding/json"

	"techo/commands/run"
	"techo/export"
	"techo/store"
	"techo/tools"
	"techo/tools/calendar"
)

// # Calendars through a server
//
// The .ics files are on the client. It sends the text of a file, and gets the events and
// to-dos of a calendar page by page to write the file itself.

// maxSentImport is the largest .ics file that is sent to a server, in bytes. A request has
// at most 32 MiB, with escapes.
const maxSentImport = 24 << 20

// importCalendarIn is the input of import_calendar.
type importCalendarIn struct {
	Content  string `json:"content" minLength:"1" doc:"The text of the .ics file"`
	Calendar string `json:"calendar,omitempty" doc:"Name of the calendar, created if it is new (default: default)"`
	Me       string `json:"me,omitempty" doc:"Your e-mail address: invitations that you declined count as free"`
}

// importCalendarTool imports the text of an .ics file that a client sends.
func importCalendarTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "import_calendar", Command: "cal import", Effect: tools.Changes,
		Sharing: tools.OneSpace, Calendars: []string{"calendar"}, World: true,
		About: "Import the text of an .ics file", For: tools.Agents},
		func(ctx context.Context, env *tools.Env, in importCalendarIn) (calImportOut, error) {
			return importCalendar(ctx, env, calImportIn{Calendar: in.Calendar, Me: in.Me}, []byte(in.Content))
		})
}

// sendCalendar imports the text of an .ics file through a server.
func sendCalendar(ctx context.Context, s *run.Run, env *tools.Env, address string, in calImportIn, data []byte) (
	out calImportOut, err error) {
	if len(data) > maxSentImport {
		return out, env.Fail(tools.LimitExceeded, "The file has %d bytes; at most %d can be sent to a server",
			len(data), maxSentImport).WithHint(env.Hint("Divide the file, or run the command on the server"))
	}
	if read, err := calendar.ReadICS(env, data, in.Me, calendar.Emit{}); err != nil || read.None {
		return out, noCalendar(env, err)
	}
	sent := importCalendarIn{string(data), in.Calendar, in.Me}
	err = run.Transfer(ctx, s, address, importCalendarTool(), inSpace[importCalendarIn]{sent, tools.Space(env)}, &out)
	return out, err
}

// calendarPageIn asks for a page of a calendar.
type calendarPageIn struct {
	From     int    `json:"from,omitempty" minimum:"0" doc:"How many records to leave out: those of earlier pages"`
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name (default: default)"`
}

// calendarPage is a page of a calendar.
type calendarPage struct {
	exportPage
	Calendar string `json:"calendar"`
}

// calendarRecord is an event or a to-do.
type calendarRecord struct {
	Event *store.Event `json:"event,omitempty"`
	Todo  *store.Todo  `json:"todo,omitempty"`
}

// exportCalendarTool returns the events and to-dos of a calendar, page by page.
func exportCalendarTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "export_calendar", Command: "cal export", Effect: tools.Reads,
		Sharing: tools.OneSpace, Calendars: []string{"calendar"}, World: true,
		About: "Return a page of a calendar", For: tools.Agents},
		func(ctx context.Context, env *tools.Env, in calendarPageIn) (out calendarPage, err error) {
			content, err := calendar.ContentOf(ctx, env, in.Calendar)
			if err != nil {
				return out, calendar.Explain(env, err)
			}
			out.Calendar = content.Name
			err = out.fill(env, in.From, func(use func(any) error) error {
				for i := range content.Events {
					if err := use(calendarRecord{Event: &content.Events[i]}); err != nil {
						return err
					}
				}
				for i := range content.Todos {
					if err := use(calendarRecord{Todo: &content.Todos[i]}); err != nil {
						return err
					}
				}
				return nil
			})
			return out, err
		})
}

// calendarContent returns all events and to-dos of a calendar, of this machine or of the
// server of the run.
func calendarContent(ctx context.Context, s *run.Run, env *tools.Env, name string) (c export.Calendar, err error) {
	address, err := s.ServerAddress()
	if err != nil {
		return c, err
	}
	if address == "" {
		c, err = calendar.ContentOf(ctx, env, name)
		return c, calendar.Explain(env, err)
	}
	for from, last := 0, false; !last; {
		in := inSpace[calendarPageIn]{calendarPageIn{from, name}, tools.Space(env)}
		var page calendarPage
		if err := run.Transfer(ctx, s, address, exportCalendarTool(), in, &page); err != nil {
			return c, err
		}
		for _, line := range page.Records {
			var r calendarRecord
			if err := json.Unmarshal(line, &r); err != nil {
				return c, err
			}
			if r.Event != nil {
				c.Events = append(c.Events, *r.Event)
			}
			if r.Todo != nil {
				c.Todos = append(c.Todos, *r.Todo)
			}
		}
		c.Name = page.Calendar
		from, last = from+len(page.Records), page.Last || len(page.Records) == 0
	}
	return c, nil
}
