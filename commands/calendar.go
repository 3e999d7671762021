package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"techo/export"
	"techo/store"
	"techo/tools"
	"techo/tools/calendar"
)

// calendarIn is the field that several commands have.
type calendarIn struct {
	File     string `json:"file" min:"1" en:"The .ics file; - is stdin" ja:".ics ファイル（- は標準入力）"`
	Calendar string `json:"calendar" default:"default" min:"1" en:"The calendar's name; a new one is made" ja:"カレンダー名。無ければ作る"`
	Me       string `json:"me,omitempty" en:"Your e-mail address: invitations that it declined do not block" ja:"自分のメールアドレス。辞退した招待は空き扱いにする"`
	Strict   bool   `json:"strict,omitempty" en:"Import nothing when anything is wrong" ja:"問題が一つでもあれば何も取り込まない"`
}

// calImportOut is the result of the command cal import.
type calImportOut struct {
	Imported     int                `json:"imported"`
	Changed      int                `json:"changed"`
	Existing     int                `json:"existing"`
	Skipped      int                `json:"skipped"` // tasks, journals
	Calendar     string             `json:"calendar"`
	Problems     []calendar.Problem `json:"problems"` // the first of them
	ProblemCount int                `json:"problem_count"`
	Message      string             `json:"message"`
}

// Text writes the message and a line for each problem.
func (o calImportOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, p := range o.Problems {
		lines = append(lines, env.Say(tools.Say{EN: "! line %d: %s", JA: "! %d行目: %s"}, p.Line, p.Message))
	}
	return strings.Join(lines, "\n")
}

// calImportCommand reads the events of a file.
func calImportCommand(s *session) *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "cal import",
		About:   tools.Say{EN: "Read the events of an .ics file", JA: ".ics ファイルの予定を取り込む"},
		More: tools.Say{
			EN: "An event takes the place of the one with its UID, so that importing twice changes nothing. What cannot be read is told with its line, and the rest is kept.",
			JA: "同じ UID の予定は置き換わるので、二度取り込んでも変わらない。読めない部分は行番号とともに報告し、残りを取り込む。",
		},
		Effect:   tools.Changes,
		Words:    []string{"file"},
		Refused:  tools.Say{EN: "Could not import: %s", JA: "取り込みに失敗しました: %s"},
		Examples: []tools.Example{{Does: tools.Say{EN: "Import a calendar", JA: "カレンダーを取り込む"}, Line: "cal import work.ics --calendar work"}},
	}, func(ctx context.Context, env *tools.Env, in calendarIn) (out calImportOut, err error) {
		out.Calendar = store.CalendarName(in.Calendar)
		if out.Calendar == "" {
			return out, env.Fail(tools.InvalidInput, tools.Say{EN: "calendar %q cannot be a name", JA: "「%s」はカレンダー名にできません"}, in.Calendar)
		}
		data := []byte(in.File) // what stdin held
		if !strings.Contains(in.File, "\n") {
			path := s.path(in.File)
			if data, err = os.ReadFile(path); err != nil {
				return out, fileError(env, path, err)
			}
		}
		if len(data) > maxImport {
			return out, env.Fail(tools.LimitExceeded, tools.Say{EN: "the file has %d bytes, at most %d", JA: "ファイルが大きすぎます（%d バイト、最大 %d）"}, len(data), maxImport)
		}
		if len(data) > largeFile {
			debug.SetGCPercent(50) // of what is a file for the most part
		}
		if in.Strict {
			if read, _ := calendar.ReadICS(env, data, in.Me, func([]store.Event) error { return nil }); read.Total > 0 {
				return out, notStrict(env, read)
			}
		}
		st, err := env.Store(ctx, tools.Changes)
		if err != nil {
			return out, err
		}
		var n store.Imported
		read, err := calendar.ReadICS(env, data, in.Me, func(all []store.Event) error {
			more, err := st.ImportEvents(ctx, out.Calendar, all)
			n.Add(more)
			env.Step(int64(n.Added+n.Changed+n.Unchanged), 0)
			return err
		})
		if err != nil {
			return out, calendar.Explain(env, err)
		}
		out.Imported, out.Changed, out.Existing = n.Added, n.Changed, n.Unchanged
		out.Skipped, out.Problems, out.ProblemCount = read.Skipped, append([]calendar.Problem{}, read.Problems...), read.Total
		out.Message = env.Say(tools.Say{EN: "Imported %d events, changed %d, %d were there already; problems: %d", JA: "%d件を取り込み、%d件を更新しました（既存%d件、問題%d件）"},
			n.Added, n.Changed, n.Unchanged, out.ProblemCount)
		return out, nil
	})}
}

// notStrict is the error for a file that has to be without a fault.
func notStrict(env *tools.Env, read calendar.Read) error {
	e := env.Fail(tools.InvalidInput, tools.Say{EN: "%d problems, nothing was imported", JA: "%d件の問題があるため、何も取り込んでいません"}, read.Total)
	for _, p := range read.Problems[:min(100, len(read.Problems))] {
		e.Details = append(e.Details, tools.Detail{Path: "/file", Message: fmt.Sprintf("%d: %s", p.Line, p.Message)})
	}
	return e
}

// Bytes of a file that is imported: the most there may be, and from how many on
// memory is worth more than time.
const (
	maxImport = 512 << 20
	largeFile = 16 << 20
)

// calExportIn is the input of the command cal export.
type calExportIn struct {
	To       string `json:"to" min:"1" en:"The file to write; - prints it" ja:"書き込むファイル（- は標準出力）"`
	Calendar string `json:"calendar" default:"default" min:"1" en:"The calendar's name" ja:"カレンダー名"`
}

// calExportOut is the result of the command cal export.
type calExportOut struct {
	File    string `json:"file"`
	Events  int    `json:"events"`
	Message string `json:"message"`
}

// calExportCommand writes a calendar as an .ics file.
func calExportCommand(s *session) *command {
	about := tools.Tool{
		Command: "cal export",
		About:   tools.Say{EN: "Write a calendar as an .ics file", JA: "カレンダーを .ics ファイルに書き出す"},
		More: tools.Say{
			EN: "With the time zones that its events are in. The file appears when it is whole, in place of an older one.",
			JA: "使われているタイムゾーンの定義を含む。完全に書き込まれてから、古いファイルと置き換わる。",
		},
		Effect:   tools.Reads,
		Examples: []tools.Example{{Does: tools.Say{EN: "Write a calendar to a file", JA: "ファイルに書き出す"}, Line: "cal export --to out.ics --calendar work"}},
	}
	toFile := tools.Define(about, func(ctx context.Context, env *tools.Env, in calExportIn) (out calExportOut, err error) {
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		out.File = s.path(in.To)
		if out.Events, err = export.CalendarFile(ctx, st, in.Calendar, out.File); err != nil {
			return out, calendar.Explain(env, fileError(env, out.File, err))
		}
		out.Message = env.Say(tools.Say{EN: "Wrote %d events to %s", JA: "%d件の予定を %s に書き出しました"}, out.Events, out.File)
		return out, nil
	})
	return &command{Tool: toFile, do: func(ctx context.Context, s *session, input []byte) int {
		var in calExportIn
		if err := json.Unmarshal(input, &in); err != nil {
			return s.fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
		}
		if in.To != "-" {
			return s.invoke(ctx, toFile, s.call(input))
		}
		st, err := s.env().Store(ctx, tools.Reads)
		if err != nil {
			return s.fail(toFile.Fault(s.env(), err))
		}
		text, _, err := export.Calendar(ctx, st, in.Calendar)
		if err != nil {
			return s.fail(toFile.Fault(s.env(), calendar.Explain(s.env(), err)))
		}
		return s.document(text)
	}}
}

// calendarOut is a calendar in a list.
type calendarOut struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Remote string `json:"remote,omitempty"`
	Events int    `json:"events"`
}

// calCalendarsOut is the result of the command cal calendars.
type calCalendarsOut struct {
	Calendars []calendarOut `json:"calendars"`
	Count     int           `json:"count"`
	Message   string        `json:"message"`
}

// Text writes a line for each calendar.
func (o calCalendarsOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, c := range o.Calendars {
		lines = append(lines, env.Say(tools.Say{EN: "- %s (%s): %d events", JA: "- %s（%s）: %d件"}, c.Name, c.Kind, c.Events))
	}
	return strings.Join(lines, "\n")
}

// calCalendarsCommand lists the calendars.
func calCalendarsCommand() *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command:  "cal calendars",
		About:    tools.Say{EN: "List the calendars", JA: "カレンダーの一覧を表示する"},
		Effect:   tools.Reads,
		Examples: []tools.Example{{Does: tools.Say{EN: "List the calendars", JA: "一覧を表示する"}, Line: "cal calendars"}},
	}, func(ctx context.Context, env *tools.Env, _ noIn) (out calCalendarsOut, err error) {
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		all, err := st.Calendars(ctx)
		if err != nil {
			return out, err
		}
		for _, c := range all {
			out.Calendars = append(out.Calendars, calendarOut{c.Name, c.Kind, c.Remote, c.Events()})
		}
		out.Count = len(out.Calendars)
		out.Message = env.Say(tools.Say{EN: "Calendars: %d", JA: "カレンダー: %d件"}, out.Count)
		return out, nil
	})}
}
