package commands

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"techo/commands/line"
	"techo/commands/run"
	"techo/export"
	"techo/tools"
	"techo/tools/calendar"
	"techo/tools/memory"
)

// exportIn is the input of the commands export memories and export memos.
type exportIn struct {
	ToDir string `json:"to_dir" minLength:"1" doc:"The folder to update"`
}

// exportMemoriesIn is the input of the command export memories.
type exportMemoriesIn struct {
	ToDir string `json:"to_dir" minLength:"1" doc:"The folder to update"`
	Since string `json:"since,omitempty" doc:"Add only memories created at this time (RFC 3339) or day, or later"`
}

// exportOut is the result of an export.
type exportOut struct {
	Dir       string `json:"dir"`
	Written   int    `json:"written"`
	Unchanged int    `json:"unchanged"`
	Removed   int    `json:"removed"`
	Message   string `json:"message"`
}

func exported(s *run.Run, env *tools.Env, dir string, m export.Mirrored, err error) (exportOut, error) {
	if foreign := new(export.ForeignError); errors.As(err, &foreign) {
		return exportOut{}, memory.Foreign(env, filepath.Join(dir, foreign.Name), foreign)
	}
	if export.Refused(err) != nil {
		return exportOut{}, env.Fail(tools.Forbidden, "Cannot write to %s: %v", dir, err).
			WithHint(env.Localize("Name another folder: --to-dir DIR"))
	}
	return exportOut{dir, m.Written, m.Unchanged, m.Removed, env.Localize(
		"Written: %d, unchanged: %d, removed: %d", m.Written, m.Unchanged, m.Removed)}, err
}

// exportMore describes exports that update a folder.
var exportMore = tools.Text("For cron: each run writes only changed files, and removes the files of deleted " +
	"records. A file in the way that others created or changed is kept, and the error conflict names it. " +
	"Files are never incomplete, and concurrent runs wait for each other.")

// exportMemoriesCommand writes memories to a folder.
func exportMemoriesCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "export memories",
		Aliases: []string{"memory export"},
		About:   "Export memories to a folder, one file each",
		More: "With --user, exports the memories of that user; without, a folder for each user. For cron: " +
			"each run writes only changed files, and removes the files of deleted records. A file in the way " +
			"that others created or changed is kept, and the error conflict names it. Files are never " +
			"incomplete, and concurrent runs wait for each other.",
		Effect: tools.Reads,
		Examples: []tools.Example{
			{Does: "The memories of one user", Line: "export memories --to-dir memories --user tanaka"},
			{Does: "The memories of all users", Line: "export memories --to-dir all"},
		},
	}, func(ctx context.Context, env *tools.Env, in exportMemoriesIn) (out exportOut, err error) {
		since, err := exportSince(env, in.Since)
		if err != nil {
			return out, err
		}
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		user := ""
		if env.Memory.Named {
			user = env.User
		}
		dir := s.System.Path(in.ToDir)
		m, err := export.Memories(ctx, st, dir,
			export.Selection{User: user, Since: since, Time: env.Time, Progress: env.Step})
		return exported(s, env, dir, m, err)
	})}
}

// exportSince parses a time or a day.
func exportSince(env *tools.Env, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, env.Zone); err == nil {
		return day, nil
	}
	message := env.Localize("must be a time such as 2026-01-02T15:04:05Z or 2026-01-02, not %q", text)
	return time.Time{}, &tools.Error{Code: tools.InvalidInput, Message: "since " + message,
		Details: []tools.Detail{{Path: "/since", Message: message}}}
}

// exportMemosCommand writes memos to a folder.
func exportMemosCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command:  "export memos",
		Aliases:  []string{"memo export"},
		About:    "Export memos to a folder, one file each",
		More:     exportMore,
		Effect:   tools.Reads,
		Examples: []tools.Example{{Does: "All memos", Line: "export memos --to-dir memos"}},
	}, func(ctx context.Context, env *tools.Env, in exportIn) (out exportOut, err error) {
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		dir := s.System.Path(in.ToDir)
		m, err := export.Memos(ctx, st, dir, env.Time)
		return exported(s, env, dir, m, err)
	})}
}

// exportCalendarIn is the input of the command export calendar.
type exportCalendarIn struct {
	ToDir    string `json:"to_dir" minLength:"1" doc:"The folder to update"`
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name (default: default)"`
}

// exportCalendarCommand writes the events of a calendar to a folder.
func exportCalendarCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command:  "export calendar",
		About:    "Export events to a folder, one file each",
		More:     exportMore,
		Effect:   tools.Reads,
		Examples: []tools.Example{{Does: "The events of a calendar", Line: "export calendar --to-dir events"}},
	}, func(ctx context.Context, env *tools.Env, in exportCalendarIn) (out exportOut, err error) {
		events, _, err := calendar.EventsOf(ctx, env, in.Calendar)
		if err != nil {
			return out, calendar.Explain(env, err)
		}
		dir := s.System.Path(in.ToDir)
		m, err := export.Events(ctx, events, dir, env.Time)
		return exported(s, env, dir, m, err)
	})}
}
