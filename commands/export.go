package commands

import (
	"context"
	"time"

	"techo/export"
	"techo/tools"
	"techo/tools/calendar"
)

// exportIn is the input of the commands export memories and export memos.
type exportIn struct {
	ToDir string `json:"to_dir" min:"1" en:"The folder to bring up to date" ja:"更新するフォルダ"`
}

// exportMemoriesIn is the input of the command export memories.
type exportMemoriesIn struct {
	ToDir string `json:"to_dir" min:"1" en:"The folder to bring up to date" ja:"更新するフォルダ"`
	Since string `json:"since,omitempty" en:"Of the memories that the folder does not have yet, only those created at this time or later (RFC 3339, or a day)" ja:"フォルダにまだ無い記憶のうち、この時刻以降に作成されたもののみ（RFC 3339 または日付）"`
}

// exportOut is the result of an export.
type exportOut struct {
	Dir       string `json:"dir"`
	Written   int    `json:"written"`
	Unchanged int    `json:"unchanged"`
	Removed   int    `json:"removed"`
	Message   string `json:"message"`
}

func (s *session) exported(env *tools.Env, dir string, m export.Mirrored, err error) (exportOut, error) {
	if export.Refused(err) != nil {
		return exportOut{}, env.Fail(tools.Forbidden, tools.Say{EN: "Cannot write to %s: %v", JA: "%s に書き込めません: %v"}, dir, err).
			WithHint(env.Say(tools.Say{EN: "Name another folder: --to-dir DIR", JA: "別のフォルダを指定してください: --to-dir DIR"}))
	}
	return exportOut{dir, m.Written, m.Unchanged, m.Removed, env.Say(
		tools.Say{EN: "Written: %d, unchanged: %d, removed: %d", JA: "書き込み%d件、変更なし%d件、削除%d件"}, m.Written, m.Unchanged, m.Removed)}, err
}

// exportMore tells what all exports have in common.
var exportMore = tools.Say{
	EN: "For cron: a second run writes only what changed, and removes what it wrote and is gone. Files that others put there, or changed, are left alone. Files appear whole or not at all; two runs at once wait for each other.",
	JA: "cron 向け: 2回目以降は変わったものだけを書き、なくなったものを削除する。他で作成・変更されたファイルには触れない。ファイルは完全な形でのみ現れ、同時に実行しても安全。",
}

// exportMemoriesCommand writes memories into a folder.
func exportMemoriesCommand(s *session) *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "export memories",
		About:   tools.Say{EN: "Keep a folder of memories up to date, one file each", JA: "記憶を1件1ファイルでフォルダに書き出し、更新する"},
		More: tools.Say{
			EN: exportMore.EN + " With --user the memories of that user; without, a folder for each user.",
			JA: exportMore.JA + " --user を指定するとそのユーザーの記憶、省略するとユーザーごとのフォルダ。",
		},
		Effect: tools.Reads,
		Examples: []tools.Example{
			{Does: tools.Say{EN: "The memories of one user", JA: "一人の記憶を書き出す"}, Line: "export memories --to-dir memories --user tanaka"},
			{Does: tools.Say{EN: "Those of all users", JA: "全ユーザーの記憶を書き出す"}, Line: "export memories --to-dir all"},
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
		dir := s.path(in.ToDir)
		m, err := export.Memories(ctx, st, dir, export.Selection{User: user, Since: since, Time: env.Time, Progress: env.Step})
		return s.exported(env, dir, m, err)
	})}
}

// exportSince reads a time.
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
	message := env.Say(tools.Say{EN: "must be a time such as 2026-01-02T15:04:05Z or 2026-01-02, not %q", JA: "2026-01-02T15:04:05Z や 2026-01-02 のような時刻にしてください（%q は不可）"}, text)
	return time.Time{}, &tools.Error{Code: tools.InvalidInput, Message: "since " + message, Details: []tools.Detail{{Path: "/since", Message: message}}}
}

// exportMemosCommand writes memos into a folder.
func exportMemosCommand(s *session) *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command:  "export memos",
		About:    tools.Say{EN: "Keep a folder of memos up to date, one file each", JA: "メモを1件1ファイルでフォルダに書き出し、更新する"},
		More:     exportMore,
		Effect:   tools.Reads,
		Examples: []tools.Example{{Does: tools.Say{EN: "All memos", JA: "すべてのメモを書き出す"}, Line: "export memos --to-dir memos"}},
	}, func(ctx context.Context, env *tools.Env, in exportIn) (out exportOut, err error) {
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		dir := s.path(in.ToDir)
		m, err := export.Memos(ctx, st, dir, env.Time)
		return s.exported(env, dir, m, err)
	})}
}

// exportCalendarIn is the input of the command export calendar.
type exportCalendarIn struct {
	ToDir    string `json:"to_dir" min:"1" en:"The folder to bring up to date" ja:"更新するフォルダ"`
	Calendar string `json:"calendar" default:"default" min:"1" en:"The calendar's name" ja:"カレンダー名"`
}

// exportCalendarCommand writes the events of a calendar into a folder.
func exportCalendarCommand(s *session) *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command:  "export calendar",
		About:    tools.Say{EN: "Keep a folder of events up to date, one file each", JA: "予定を1件1ファイルでフォルダに書き出し、更新する"},
		More:     exportMore,
		Effect:   tools.Reads,
		Examples: []tools.Example{{Does: tools.Say{EN: "The events of a calendar", JA: "カレンダーの予定を書き出す"}, Line: "export calendar --to-dir events"}},
	}, func(ctx context.Context, env *tools.Env, in exportCalendarIn) (out exportOut, err error) {
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		dir := s.path(in.ToDir)
		m, err := export.Events(ctx, st, in.Calendar, dir, env.Time)
		if err != nil {
			err = calendar.Explain(env, err)
		}
		return s.exported(env, dir, m, err)
	})}
}
