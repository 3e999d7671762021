package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"time"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/stores"
	"techo/commands/system"
	"techo/export"
	"techo/internal/confine"
	"techo/store"
	memostore "techo/store/memo"
	memorystore "techo/store/memory"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/memo"
	"techo/tools/memory"
)

// exportIn is the input of the commands export memories and export memos.
type exportIn struct {
	ToDir string `json:"to_dir,omitempty" minLength:"1" doc:"The folder to update"`
	To    string `json:"to,omitempty" minLength:"1" doc:"Instead of a folder: a file of JSON Lines; - prints them"`
}

type exportMemoriesIn struct {
	exportIn

	Since string `json:"since,omitempty" doc:"Add only memories created at this time (RFC 3339) or day, or later"`
}

type exportOut struct {
	Dir       string `json:"dir,omitempty"`
	File      string `json:"file,omitempty"`
	Written   int    `json:"written"`
	Unchanged int    `json:"unchanged"`
	Removed   int    `json:"removed"`
	Message   string `json:"message"`
}

func exported(env *tools.Env, at confine.Place, m export.Mirrored, err error) (exportOut, error) {
	dir := at.Full()
	if foreign := new(export.ForeignError); errors.As(err, &foreign) {
		return exportOut{}, memory.Foreign(env, filepath.Join(dir, foreign.Name), foreign)
	}
	if other := new(export.SourceError); errors.As(err, &other) {
		return exportOut{}, otherSource(env, dir, other)
	}
	if export.Refused(err) != nil {
		return exportOut{}, env.Fail(tools.Forbidden, "Cannot write to %s: %v", dir, err).
			WithHint(env.Hint("Name another folder: %s", tools.Flag("to-dir", tools.Placeholder("DIR"))))
	}
	return exportOut{dir, "", m.Written, m.Unchanged, m.Removed, env.Localize(
		"Written: %d, unchanged: %d, removed: %d", m.Written, m.Unchanged, m.Removed)}, err
}

func otherSource(env *tools.Env, dir string, other *export.SourceError) error {
	names := map[string]tools.Text{"memories": "memories", "memos": "memos", "events": "events",
		"memory_files": "memory files"}
	what := env.Localize(names[other.Kind])
	if other.User != "" {
		what += " (" + other.User + ")"
	}
	e := env.Fail(tools.Conflict, "%s has an export of something else: %s", dir, what)
	if !other.SameStore {
		e = env.Fail(tools.Conflict, "%s has an export of another store: %s", dir, what)
	}
	return e.WithHint(env.Hint("Name another folder: %s", tools.Flag("to-dir", tools.Placeholder("DIR"))))
}

// exportMore describes exports that update a folder.
var exportMore = tools.Text("For cron: each run writes only changed files, and removes the files of deleted " +
	"records. A file in the way that others created or changed is kept, and the error conflict names it. " +
	"Files are never incomplete, and concurrent runs wait for each other.")

func exportMemoriesCommand(s *run.Run) *line.Command {
	about := tools.Tool{
		Command: "export memories",
		Aliases: []string{"memory export"},
		About:   "Export memories to a folder, one file each, or as JSON Lines",
		More: "With --user, exports the memories of that user; without, those of all users, with a folder for each. " +
			"import memories reads both forms, and loses nothing. For cron: " +
			"each run writes only changed files, and removes the files of deleted records. A file in the way " +
			"that others created or changed is kept, and the error conflict names it. Files are never " +
			"incomplete, and concurrent runs wait for each other.",
		Effect:  tools.Reads,
		Sharing: tools.OneSpace,
		Examples: []tools.Example{
			{Does: "The memories of one user", Line: "export memories --to-dir memories --user tanaka"},
			{Does: "The memories of all users", Line: "export memories --to-dir all"},
			{Does: "A file of JSON Lines", Line: "export memories --to memories.jsonl --user tanaka"},
		},
	}
	each := func(ctx context.Context, env *tools.Env, st *store.Store, in exportMemoriesIn, use func(any) error) error {
		since, err := exportSince(env, in.Since)
		if err != nil {
			return err
		}
		users := []string{tools.Owner(env)}
		if tools.Space(env) == "" && !env.Named {
			if users, err = st.MemoryUsers(ctx); err != nil {
				return err
			}
		}
		done, total := 0, 0
		for _, user := range users {
			n, err := st.CountMemories(ctx, user)
			if err != nil {
				return err
			}
			total += n
		}
		for _, user := range users {
			err := st.EachMemory(ctx, user, since, func(m memorystore.Memory) error {
				done++
				env.Step(int64(done), int64(total))
				return use(memory.Exported(env, m))
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	folder := func(ctx context.Context, env *tools.Env, st *store.Store, in exportMemoriesIn, dir confine.Place) (
		export.Mirrored, error) {
		since, err := exportSince(env, in.Since)
		if err != nil {
			return export.Mirrored{}, err
		}
		user := ""
		if env.Named || tools.Space(env) != "" {
			user = tools.Owner(env)
		}
		return export.Memories(ctx, st, dir,
			export.Selection{User: user, Since: since, Time: env.Time, Progress: env.Step})
	}
	target := func(in exportMemoriesIn) (exportIn, string) { return in.exportIn, in.Since }
	return exportCommand(s, about, target, folder, each, elsewhere{exportMemoriesTool(), export.MemoriesFrom})
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
	return time.Time{}, tools.InvalidField(env, "/since",
		"must be a time such as 2026-01-02T15:04:05Z or 2026-01-02, not %q", text)
}

func exportMemosCommand(s *run.Run) *line.Command {
	about := tools.Tool{
		Command: "export memos",
		Aliases: []string{"memo export"},
		About:   "Export memos to a folder, one file each, or as JSON Lines",
		More:    exportMore,
		Effect:  tools.Reads,
		Sharing: tools.OneSpace,
		Examples: []tools.Example{
			{Does: "All memos", Line: "export memos --to-dir memos"},
			{Does: "A file of JSON Lines", Line: "export memos --to memos.jsonl"},
		},
	}
	each := func(ctx context.Context, env *tools.Env, st *store.Store, _ exportIn, use func(any) error) error {
		return st.EachMemoAfter(ctx, "", func(_ string, m memostore.Memo) error { return use(memo.Exported(env, m)) })
	}
	folder := func(ctx context.Context, env *tools.Env, st *store.Store, _ exportIn, dir confine.Place) (
		export.Mirrored, error) {
		return export.Memos(ctx, st, dir, env.Time)
	}
	target := func(in exportIn) (exportIn, string) { return in, "" }
	return exportCommand(s, about, target, folder, each, elsewhere{exportMemosTool(), export.MemosFrom})
}

type exportCalendarIn struct {
	ToDir    string `json:"to_dir" minLength:"1" doc:"The folder to update"`
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name (default: default)"`
}

func exportCalendarCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command:   "export calendar",
		About:     "Export events to a folder, one file each",
		More:      exportMore,
		Effect:    tools.Reads,
		Sharing:   tools.OneSpace,
		Calendars: []string{"calendar"},
		Examples:  []tools.Example{{Does: "The events of a calendar", Line: "export calendar --to-dir events"}},
	}, func(ctx context.Context, env *tools.Env, in exportCalendarIn) (out exportOut, err error) {
		dir, err := tools.Confined(env, s.System.Path(in.ToDir))
		if err != nil {
			return out, err
		}
		system.BoundMemory(system.PieceMemory)
		content, err := calendarContent(ctx, s, env, in.Calendar)
		if err != nil {
			return out, err
		}
		defer content.Close()
		m, err := export.Events(ctx, content, dir, env.Time)
		return exported(env, dir, m, err)
	})}
}

type exportFolder[In any] func(ctx context.Context, env *tools.Env, st *store.Store, in In, dir confine.Place) (
	export.Mirrored, error)

// exportEach calls use with each record as a line of JSON Lines, in the order in
// which an import has to read them.
type exportEach[In any] func(ctx context.Context, env *tools.Env, st *store.Store, in In, use func(any) error) error

// lines returns how an export writes its records as JSON Lines: from the store, or from a
// server by a tool of it.
func (each exportEach[In]) lines(ctx context.Context, s *run.Run, env *tools.Env, in In, far *tools.Tool,
	since string) (func(io.Writer) (int, error), error) {
	address, err := s.ServerAddress()
	if err == nil && address != "" {
		from := serverPages{ctx, s, env, address, far}
		return func(w io.Writer) (int, error) { return from.write(w, since) }, nil
	}
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) (int, error) {
		system.BoundMemory(system.PieceMemory)
		return writeLines(w, func(use func(any) error) error { return each(ctx, env, st, in, use) })
	}, nil
}

// elsewhere is how records of a server are exported: by a tool of it, and into a folder.
type elsewhere struct {
	tool   *tools.Tool
	folder intoFolder
}

// exportCommand returns a command that exports records to a folder, to a file of
// JSON Lines, or to stdout.
func exportCommand[In any](s *run.Run, about tools.Tool, target func(In) (to exportIn, since string),
	folder exportFolder[In], each exportEach[In], far elsewhere) *line.Command {
	tool := tools.Define(about, func(ctx context.Context, env *tools.Env, in In) (out exportOut, err error) {
		to, since := target(in)
		if err := oneTarget(env, to); err != nil {
			return out, err
		}
		if to.To == "" {
			dir, err := tools.Confined(env, s.System.Path(to.ToDir))
			if err != nil {
				return out, err
			}
			address, err := s.ServerAddress()
			if err == nil && address != "" {
				m, err := serverPages{ctx, s, env, address, far.tool}.mirror(dir, since, far.folder)
				return exported(env, dir, m, err)
			}
			st, err := env.Store(ctx, tools.Reads)
			if err != nil {
				return out, err
			}
			m, err := folder(ctx, env, st, in, dir)
			return exported(env, dir, m, err)
		}
		path, err := tools.Confined(env, s.System.Path(to.To))
		if err != nil {
			return out, err
		}
		write, err := each.lines(ctx, s, env, in, far.tool, since)
		if err != nil {
			return out, err
		}
		return exportToFile(env, path, write)
	})
	return &line.Command{Tool: tool, Do: func(ctx context.Context, s *run.Run, input []byte) int {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return s.Out.FailInternal(s.Env(), err)
		}
		to, since := target(in)
		if to.To != "-" || oneTarget(s.Env(), to) != nil {
			return s.Invoke(ctx, tool, s.Call(input))
		}
		env, _, err := tool.Within(ctx, s.Env(), input)
		if err == nil {
			var write func(io.Writer) (int, error)
			if write, err = each.lines(ctx, s, env, in, far.tool, since); err == nil {
				_, err = write(s.Out.StoredLines())
			}
		}
		if err != nil {
			return s.Out.Fail(tool.AsError(s.Env(), err))
		}
		return 0
	}}
}

func exportToFile(env *tools.Env, path confine.Place, write func(io.Writer) (int, error)) (exportOut, error) {
	n := 0
	err := export.Stream(path, func(w io.Writer) (err error) {
		n, err = write(w)
		return err
	})
	if export.Refused(err) != nil {
		return exportOut{}, stores.FileError(env, path.Full(), err)
	}
	return exportOut{File: path.Full(), Written: n, Message: env.Localize("Written: %d", n)}, err
}

// oneTarget checks that an export names either a folder or a file.
func oneTarget(env *tools.Env, in exportIn) error {
	if (in.ToDir == "") != (in.To == "") {
		return nil
	}
	return tools.InvalidField(env, "/to_dir", "is required, or a file (to), but not both")
}

// linesAtOnce is the number of bytes of lines from which writeLines writes them.
const linesAtOnce = 1 << 16

// writeLines writes records as JSON Lines and returns their number. It writes whole lines, so that
// an error that follows on stdout has a line of its own.
func writeLines(w io.Writer, each func(use func(any) error) error) (n int, err error) {
	var lines []byte
	flush := func() error {
		_, err := w.Write(lines)
		lines = lines[:0]
		return err
	}
	err = each(func(record any) error {
		line, err := jsontree.Marshal(record)
		if err != nil {
			return err
		}
		n++
		if lines = append(append(lines, line...), '\n'); len(lines) < linesAtOnce {
			return nil
		}
		return flush()
	})
	if failed := flush(); err == nil {
		err = failed
	}
	return n, err
}
