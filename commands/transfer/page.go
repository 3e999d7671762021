package transfer

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"strings"

	"techo/commands/ingest"
	"techo/commands/run"
	"techo/internal/ical"
	"techo/store/event"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/ics"
	"techo/tools/jsontree"
)

// # Imports and exports of the page
//
// The files are in the browser: the page sends the content of a file, and gets the content of
// another. It names no path, so that it reads and writes none on this machine.

// pageImportIn is the content of a file with memories or memos.
type pageImportIn struct {
	Content string `json:"content" minLength:"1" doc:"The text of the file"`
	Base64  bool   `json:"base64,omitempty" doc:"Content is in base64, since the file is not in UTF-8"`
	DryRun  bool   `json:"dry_run,omitempty" doc:"Only show what an import would do"`
}

// contentOf returns the bytes of a file.
func contentOf(env *tools.Env, content string, isBase64 bool) ([]byte, error) {
	if !isBase64 {
		return []byte(content), nil
	}
	b, err := base64.StdEncoding.DecodeString(content)
	if err != nil {
		return nil, env.Fail(tools.InvalidInput, "The content is not in base64: %v", err)
	}
	return b, nil
}

// pageCalendarIn is the content of an .ics file.
type pageCalendarIn struct {
	importCalendarIn

	Base64 bool `json:"base64,omitempty" doc:"Content is in base64, since the file is not in UTF-8"`
	DryRun bool `json:"dry_run,omitempty" doc:"Only show what an import would do"`
}

type pageExportIn struct {
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name (default: default)"`
}

type pageExportOut struct {
	Calendar string `json:"calendar"`
	Content  string `json:"content"`
	Events   int    `json:"events"`
	Todos    int    `json:"todos"`
	Message  string `json:"message"`
}

// ForPage returns the tools that the page calls for imports and exports, by their names there.
func ForPage(s *run.Run) map[string]*tools.Tool {
	return map[string]*tools.Tool{
		"export_memories": exportMemoriesTool(), "export_memos": exportMemosTool(),
		"export_calendar": pageExportTool(s), "import_calendar": pageCalendarTool(),
		"import_memories": pageImportTool(s, "memory import", func(ctx context.Context, env *tools.Env, s *run.Run,
			dry bool) (ingest.Report, error) {
			return ingest.Memories(ctx, env, s.System,
				ingest.MemoryRequest{Request: ingest.Request{File: "-", Format: "auto"}, DryRun: dry})
		}),
		"import_memos": pageImportTool(s, "memo import", func(ctx context.Context, env *tools.Env, s *run.Run,
			dry bool) (ingest.Report, error) {
			return ingest.Memos(ctx, env, s.System, ingest.MemoRequest{File: "-", Format: "auto", DryRun: dry})
		}),
	}
}

// pageImportTool imports memories or memos: records reads them from stdin.
func pageImportTool(s *run.Run, command string, records func(context.Context, *tools.Env, *run.Run, bool) (
	ingest.Report, error)) *tools.Tool {
	return tools.Define(tools.Tool{Command: command, About: "Import what a file contains", Effect: tools.Changes,
		Sharing: tools.OneSpace},
		func(ctx context.Context, env *tools.Env, in pageImportIn) (ingest.Report, error) {
			content, err := contentOf(env, in.Content, in.Base64)
			if err != nil {
				return ingest.Report{}, err
			}
			own := *s
			own.System.Stdin = bytes.NewReader(content)
			return records(ctx, env, &own, in.DryRun)
		})
}

func pageCalendarTool() *tools.Tool {
	return tools.Define(tools.Tool{Command: "cal import", About: "Import what an .ics file contains",
		Effect: tools.Changes, Sharing: tools.OneSpace, Calendars: []string{"calendar"}, World: true},
		func(ctx context.Context, env *tools.Env, in pageCalendarIn) (calImportOut, error) {
			asked := calImportIn{Calendar: event.CalendarName(in.Calendar), Me: in.Me}
			if asked.Calendar == "" && in.Calendar != "" {
				return calImportOut{}, env.Fail(tools.InvalidInput, "%q is not a valid calendar name", in.Calendar)
			}
			content, err := contentOf(env, in.Content, in.Base64)
			if err != nil {
				return calImportOut{}, err
			}
			if in.DryRun {
				return tryCalendar(ctx, env, asked, content)
			}
			return importCalendar(ctx, env, asked, ical.OpenBytes(content), "")
		})
}

// errTried ends a dry run.
var errTried = errors.New("dry run")

// tryCalendar shows the outcome of an import. For a calendar at a service it counts the records of
// the file.
func tryCalendar(ctx context.Context, env *tools.Env, in calImportIn, content []byte) (out calImportOut, err error) {
	input, err := jsontree.Marshal(pageExportIn{in.Calendar})
	if err != nil {
		return out, err
	}
	if agenda.AddsElsewhere(ctx, env, input) {
		out, err = countCalendar(env, in, content)
	} else if st, e := env.Store(ctx, tools.Changes); e != nil {
		return out, e
	} else if err = st.Group(ctx, func(ctx context.Context) error {
		if out, err = importCalendar(ctx, env, in, ical.OpenBytes(content), ""); err != nil {
			return err
		}
		return errTried
	}); errors.Is(err, errTried) {
		err = nil
	}
	out.Message = env.Localize("Nothing was imported. It would be: %s", out.Message)
	return out, err
}

// countCalendar counts the events and to-dos of an .ics file.
func countCalendar(env *tools.Env, in calImportIn, content []byte) (out calImportOut, err error) {
	read, err := ics.Parse(env, ical.OpenBytes(content), in.Me, ics.Emit{
		Events: func(all []event.Event) error { out.Imported += len(all); return nil },
		Todos:  func(all []todo.Todo) error { out.Todos.Imported += len(all); return nil },
	})
	if err != nil || read.None {
		return out, noCalendar(env, err)
	}
	out.Calendar, out.Problems, out.ProblemCount = in.Calendar, append([]ics.Problem{}, read.Problems...), read.Total
	out.Message = env.Localize("%s and %s", env.Count(out.Imported, "%d event", "%d events"),
		env.Count(out.Todos.Imported, "%d to-do", "%d to-dos"))
	return out, nil
}

func pageExportTool(s *run.Run) *tools.Tool {
	return tools.Define(tools.Tool{Command: "cal export", About: "Return a calendar as an .ics file",
		Effect: tools.Reads, Sharing: tools.OneSpace, Calendars: []string{"calendar"}, World: true},
		func(ctx context.Context, env *tools.Env, in pageExportIn) (out pageExportOut, err error) {
			content, err := calendarContent(ctx, s, env, in.Calendar)
			if err != nil {
				return out, err
			}
			defer content.Close()
			var text beginning
			if err := content.Write(&text); err != nil {
				return out, err
			}
			out = pageExportOut{content.Name, text.String(), content.Events, content.Todos, ""}
			if text.size > maxSentImport {
				return out, env.Fail(tools.LimitExceeded, "The file would have %d bytes; the page writes at most %d",
					text.size, maxSentImport).
					WithHint(env.Hint("In a shell: %s",
						tools.Use("cal export", tools.Flag("to", tools.Placeholder("FILE")), tools.Flag("calendar", content.Name))))
			}
			out.Message = env.Localize("%s and %s", env.Count(out.Events, "%d event", "%d events"),
				env.Count(out.Todos, "%d to-do", "%d to-dos"))
			return out, nil
		})
}

// beginning keeps the first bytes of a text, a little more than the page writes, and counts all.
type beginning struct {
	strings.Builder
	size int
}

func (b *beginning) Write(text []byte) (int, error) {
	if b.size += len(text); b.Len() > maxSentImport {
		return len(text), nil
	}
	return b.Builder.Write(text)
}
