package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/stores"
	"techo/commands/system"
	"techo/export"
	"techo/internal/ical"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

type calImportIn struct {
	File     string `json:"file" minLength:"1" doc:"The .ics file; - is stdin"`
	Calendar string `json:"calendar,omitempty" doc:"Name of the calendar, created if it is new (default: default)"`
	Me       string `json:"me,omitempty" doc:"Your e-mail address: invitations that you declined count as free"`
	Strict   bool   `json:"strict,omitempty" doc:"Import nothing if there is a problem"`
}

type calImportOut struct {
	Imported     int           `json:"imported"`
	Changed      int           `json:"changed"`
	Existing     int           `json:"existing"`
	Older        int           `json:"older"`   // versions older than the stored ones (SEQUENCE)
	Kept         []event.Kept  `json:"kept"`    // the first of these, which stay as they are here
	Skipped      int           `json:"skipped"` // journals, and to-dos for a calendar at Google
	Todos        importedTodos `json:"todos"`
	Calendar     string        `json:"calendar"`
	Problems     []ics.Problem `json:"problems"` // the first few
	ProblemCount int           `json:"problem_count"`
	Message      string        `json:"message"`
}

// importedTodos counts the to-dos of an import.
type importedTodos struct {
	Imported int `json:"imported"`
	Changed  int `json:"changed"`
	Existing int `json:"existing"`
	Older    int `json:"older"`
}

// Text writes the message and a line for each problem.
func (o calImportOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, k := range o.Kept {
		lines = append(lines, env.Localize("= kept as it is here: %s (%s)", k.Title, k.ID))
	}
	for _, p := range o.Problems {
		lines = append(lines, env.Localize("! line %d: %s", p.Line, p.Message))
	}
	return strings.Join(lines, "\n")
}

func calImportCommand(s *run.Run) *line.Command {
	return &line.Command{Streams: true, Tool: tools.Define(tools.Tool{
		Command: "cal import",
		Aliases: []string{"import calendar"},
		About:   "Import the events of an .ics file",
		More: "Events with the same UID are replaced unless their SEQUENCE is older, so importing a file twice " +
			"changes nothing. Messages about invitations (METHOD) cancel events and add answers. Unreadable parts " +
			"are reported with their lines, and the rest is imported.",
		Effect:    tools.Changes,
		Sharing:   tools.OneSpace,
		Calendars: []string{"calendar"},
		Words:     []string{"file"},
		Refused:   "Could not import: %s",
		Examples:  []tools.Example{{Does: "Import a calendar", Line: "cal import work.ics --calendar work"}},
	}, func(ctx context.Context, env *tools.Env, in calImportIn) (out calImportOut, err error) {
		out.Calendar = event.CalendarName(in.Calendar)
		if out.Calendar == "" && in.Calendar != "" {
			return out, env.Fail(tools.InvalidInput, "%q is not a valid calendar name", in.Calendar)
		}
		system.BoundMemory(system.PieceMemory)
		file, size, closeFile, err := calendarFile(ctx, s, env, in.File)
		if err != nil {
			return out, err
		}
		defer closeFile()
		if in.Strict {
			read, err := ics.Parse(env, file, in.Me, ics.Emit{})
			if err != nil {
				return out, err
			}
			if read.Total > 0 {
				return out, notStrict(env, read)
			}
		}
		in.Calendar = out.Calendar
		address, err := s.ServerAddress()
		if err == nil && address != "" {
			return sendCalendar(ctx, s, env, address, in, file, size)
		}
		if err != nil {
			return out, err
		}
		return importCalendar(ctx, env, in, file, "")
	})}
}

// calendarFile opens a file, or a temporary one with what stdin has. It is read in pieces.
func calendarFile(ctx context.Context, s *run.Run, env *tools.Env, name string) (file *ical.Stream, size int64,
	closeFile func(), err error) {
	if name == "-" {
		if s.StdinTaken {
			return nil, 0, nil, tools.InvalidField(env, "/file", "cannot be stdin, which carries the calls")
		}
		spool, size, err := s.SpoolStdin(ctx)
		if err != nil {
			return nil, 0, nil, run.StdinError(env, err)
		}
		if file, err = ical.Open(spool); err != nil {
			_ = spool.Close() // nothing is kept
			return nil, 0, nil, err
		}
		return file, size, func() { _, _ = file.Close(), spool.Close() }, nil
	}
	at, err := tools.Confined(env, s.System.Path(name))
	if err != nil {
		return nil, 0, nil, err
	}
	f, st, err := at.OpenRegular()
	if err != nil {
		return nil, 0, nil, stores.FileError(env, at.Full(), err)
	}
	if size = st.Size(); size > maxImport {
		err = env.Fail(tools.LimitExceeded, "The file has %d bytes; at most %d are allowed", size, maxImport)
	} else if file, err = ical.Open(io.NewSectionReader(f, 0, size)); err != nil {
		err = stores.FileError(env, at.Full(), err)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, 0, nil, err
	}
	return file, size, func() { _, _ = file.Close(), f.Close() }, nil
}

// importCalendar imports the text of an .ics file. encoding is the one that it was read in, if the text was
// converted before.
func importCalendar(ctx context.Context, env *tools.Env, in calImportIn, file *ical.Stream, encoding string) (
	out calImportOut, err error) {
	t, err := calendar.Import(ctx, env, in.Calendar, file, in.Me)
	if err != nil || t.None {
		return out, noCalendar(env, err)
	}
	if encoding != "" {
		t.Total++
		t.Problems = slices.Insert(t.Problems, 0, ics.Problem{Line: 1, Message: env.Localize(ics.Encoded(encoding), encoding)})
	}
	if t.Added+t.Changed >= compactFrom {
		if err := compactImported(ctx, env); err != nil {
			return out, err
		}
	}
	out.fill(env, t)
	return out, nil
}

// noCalendar returns err, or the error of a file that has no calendar.
func noCalendar(env *tools.Env, err error) error {
	if err != nil {
		return backend.Explain(env, err)
	}
	return tools.InvalidField(env, "/file", "has no calendar: an .ics file begins with BEGIN:VCALENDAR")
}

// fill sets the fields of the result from the counts of an import.
func (o *calImportOut) fill(env *tools.Env, t calendar.Transfer) {
	o.Calendar, o.Imported, o.Changed, o.Existing = t.Calendar, t.Added, t.Changed, t.Unchanged
	o.Older = t.Older
	o.Kept = append(append([]event.Kept{}, t.Kept...), t.Todos.Kept...)
	o.Todos = importedTodos{t.Todos.Added, t.Todos.Changed, t.Todos.Unchanged, t.Todos.Older}
	o.Skipped, o.Problems, o.ProblemCount = t.Skipped, append([]ics.Problem{}, t.Problems...), t.Total
	o.Message = env.Localize("Imported %s, changed %d, unchanged %d; problems: %d",
		env.Count(t.Added, "%d event", "%d events"), t.Changed, t.Unchanged, o.ProblemCount)
	if o.Todos != (importedTodos{}) {
		o.Message += env.Localize("; to-dos: %d imported, %d changed, %d unchanged", t.Todos.Added,
			t.Todos.Changed, t.Todos.Unchanged)
	}
	if older := o.Older + o.Todos.Older; older > 0 {
		o.Message += env.Localize("; older versions left out: %d", older)
	}
	if o.Skipped > 0 {
		o.Message += env.Localize("; journals and unsupported to-dos left out: %d", o.Skipped)
	}
}

// compactFrom is the number of imported events from which the store is compacted: every
// query would look into all tables that a large import leaves. The compaction takes a
// fifth of the time of the import, so smaller imports leave it to later writes.
const compactFrom = 250_000

// compactImported compacts the store after an import.
func compactImported(ctx context.Context, env *tools.Env) error {
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return err
	}
	return st.CompactAfterImport(ctx)
}

// notStrict is the error of a strict import of an invalid file.
func notStrict(env *tools.Env, read ics.Read) error {
	e := env.Fail(tools.InvalidInput, "%s; nothing was imported",
		env.Count(read.Total, "%d problem", "%d problems"))
	for _, p := range read.Problems[:min(100, len(read.Problems))] {
		e.Details = append(e.Details, tools.Detail{Path: "/file", Message: fmt.Sprintf("%d: %s", p.Line, p.Message)})
	}
	return e
}

// maxImport limits an imported file, in bytes.
const maxImport = 512 << 20

type calExportIn struct {
	To       string `json:"to" minLength:"1" doc:"The file to write; - prints it"`
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name (default: default)"`
}

type calExportOut struct {
	File    string `json:"file"`
	Events  int    `json:"events"`
	Todos   int    `json:"todos"`
	Message string `json:"message"`
}

// calExportCommand writes a calendar as an .ics file.
func calExportCommand(s *run.Run) *line.Command {
	about := tools.Tool{
		Command: "cal export",
		About:   "Write a calendar as an .ics file",
		More: "The file includes the time zones of its events. It replaces an older file only when it is " +
			"complete.",
		Effect:    tools.Reads,
		Sharing:   tools.OneSpace,
		Calendars: []string{"calendar"},
		Examples: []tools.Example{{Does: "Write a calendar to a file",
			Line: "cal export --to out.ics --calendar work"}},
	}
	toFile := tools.Define(about,
		func(ctx context.Context, env *tools.Env, in calExportIn) (out calExportOut, err error) {
			to, err := tools.Confined(env, s.System.Path(in.To))
			if err != nil {
				return out, err
			}
			out.File = to.Full()
			system.BoundMemory(system.PieceMemory)
			content, err := calendarContent(ctx, s, env, in.Calendar)
			if err != nil {
				return out, err
			}
			defer content.Close()
			out.Events, out.Todos = content.Events, content.Todos
			if err := export.Stream(to, content.Write); err != nil {
				return out, stores.FileError(env, out.File, err)
			}
			written := env.Count(out.Events, "%d event", "%d events")
			if out.Todos > 0 {
				written += env.Localize(" and %s", env.Count(out.Todos, "%d to-do", "%d to-dos"))
			}
			out.Message = env.Localize("Wrote %s to %s", written, out.File)
			return out, nil
		})
	return &line.Command{Tool: toFile, Do: func(ctx context.Context, s *run.Run, input []byte) int {
		var in calExportIn
		if err := json.Unmarshal(input, &in); err != nil {
			return s.Out.FailInternal(s.Env(), err)
		}
		if in.To != "-" {
			return s.Invoke(ctx, toFile, s.Call(input))
		}
		env, input, err := toFile.Within(ctx, s.Env(), input)
		if err == nil {
			err = json.Unmarshal(input, &in)
		}
		if err != nil {
			return s.Out.Fail(toFile.AsError(s.Env(), err))
		}
		system.BoundMemory(system.PieceMemory)
		content, err := calendarContent(ctx, s, env, in.Calendar)
		if err != nil {
			return s.Out.Fail(toFile.AsError(env, err))
		}
		defer content.Close()
		status, err := s.Out.StoredPieces(content.Write)
		if err != nil {
			return s.Out.Fail(toFile.AsError(env, err))
		}
		return status
	}}
}
