package commands

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"techo/commands/run"
	"techo/internal/columns"
	"techo/store"
	"techo/tools"
	"techo/tools/ask"
	"techo/tools/calendar"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/todo"
	"techo/tools/when"
)

// today is what a person sees who types only the name of the program: the day, and three commands to try.
// It fits a terminal of 24 rows.
type today struct {
	env       *tools.Env
	width     int // columns; 0 if unknown
	events    calendar.ListOut
	todos     todo.ListOut
	questions ask.ListOut
	fresh     bool // there is no store yet
}

// Rows of each part that are shown.
const (
	mostEvents    = 4
	mostTodos     = 5
	mostQuestions = 3
)

// showToday returns the text of today. A store that is not there is not made.
func showToday(ctx context.Context, s *run.Run) (string, *tools.Error) {
	t := &today{env: s.Env()}
	if s.System.Columns != nil {
		t.width = s.System.Columns()
	}
	if path, err := s.StorePath(); err == nil && !store.InDatabase(path) {
		_, err = os.Lstat(path)
		t.fresh = errors.Is(err, fs.ErrNotExist)
	}
	if t.fresh {
		return t.text(), nil
	}
	for _, part := range []struct {
		tool  *tools.Tool
		input string
		out   any
	}{
		{calendar.List, `{"date":"today","calendar":"all","limit":` + strconv.Itoa(mostEvents) + `}`, &t.events},
		{todo.List, `{"due_by":"today","calendar":"all","limit":` + strconv.Itoa(mostTodos) + `}`, &t.todos},
		{ask.List, `{"limit":` + strconv.Itoa(mostQuestions) + `}`, &t.questions},
	} {
		result, e := s.CallTool(ctx, part.tool, tools.Call{Input: []byte(part.input), NoText: true})
		if e != nil {
			return "", e
		}
		if err := json.Unmarshal(result.JSON, part.out); err != nil {
			return "", &tools.Error{Code: tools.Internal, Message: t.env.Cause(err)}
		}
	}
	return t.text(), nil
}

func (t *today) text() string {
	env := t.env
	now := env.Now().In(env.Zone)
	lines := []string{when.Weekday(env, now) + " " + now.Format("2006-01-02 15:04"), ""}
	part := func(title string, rows []string) {
		if len(rows) > 0 {
			lines = append(append(lines, title), rows...)
		}
	}
	part(env.Localize("Events: %d", t.events.Total), t.eventRows())
	part(env.Localize("To-dos due: %d", t.todos.Total), t.todoRows())
	part(env.Localize("Questions waiting for you: %d", t.questions.Total), t.questionRows())
	if len(lines) == 2 {
		lines = append(lines, env.Localize("Nothing is planned or due today, and no question is waiting."))
	}
	lines = append(lines, "", env.Localize("Try:"))
	for _, command := range t.commands() {
		lines = append(lines, "  techo "+command)
	}
	lines = append(lines, env.Localize("techo --help shows all commands."))
	for i := range lines {
		lines[i] = t.clip(lines[i])
	}
	return strings.Join(lines, "\n") + "\n"
}

// clip cuts a line at the width of the terminal.
func (t *today) clip(line string) string {
	line = strings.ReplaceAll(line, "\n", " ")
	if t.width > 0 {
		line = strings.TrimRight(columns.Pad(line, t.width), " ")
	}
	return line
}

func (t *today) eventRows() (rows []string) {
	clock := func(text string) string {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return text
		}
		return at.In(t.env.Zone).Format("15:04")
	}
	for _, e := range t.events.Events {
		label := t.env.Localize("all day")
		if !e.AllDay {
			label = clock(e.Start) + "–" + clock(e.End)
		}
		rows = append(rows, "  "+columns.Pad(label, len("00:00-00:00"))+"  "+backend.TitleOrPlaceholder(t.env, e.Title))
	}
	return rows
}

func (t *today) todoRows() (rows []string) {
	for _, d := range t.todos.Todos {
		row := "  " + d.TodoID + "  " + backend.TitleOrPlaceholder(t.env, d.Title)
		if d.Overdue {
			row += t.env.Localize(" (overdue)")
		}
		rows = append(rows, row)
	}
	return rows
}

func (t *today) questionRows() (rows []string) {
	for _, q := range t.questions.Questions {
		rows = append(rows, "  "+q.QuestionID+"  "+q.Question)
	}
	return rows
}

// commands returns three commands that suit the day.
func (t *today) commands() (all []string) {
	if t.fresh {
		all = append(all, "demo")
	}
	if len(t.questions.Questions) > 0 {
		all = append(all, "ask watch")
	}
	if len(t.todos.Todos) > 0 {
		all = append(all, "todo done "+t.todos.Todos[0].TodoID)
	}
	all = append(all, t.env.Localize("add Lunch with Sato tomorrow 12:00"), "page",
		t.env.Localize("memory search what did we decide last week"))
	return all[:3]
}
