// Package stores has the commands for the store as a whole.
package stores

import (
	"context"
	"fmt"
	"strings"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/system"
	"techo/store"
	"techo/store/history"
	"techo/store/kv"
	"techo/store/memory"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/memory/embed"
)

// Commands returns the commands for the store.
func Commands(s *run.Run) []*line.Command {
	return []*line.Command{
		storeInfoCommand(),
		storeVerifyCommand(namedStore(s)),
		storeCompactCommand(s),
		storeMigrateCommand(s),
		storeCopyCommand(s),
		storeBackupCommand(s),
		storeRestoreCommand(s),
		storeTrustCommand(s),
		doctorCommand(s),
	}
}

type storeInfoOut struct {
	Path          string          `json:"path"`
	ID            string          `json:"store_id"`
	Engine        string          `json:"engine"`
	Format        int             `json:"format"`
	Namespace     string          `json:"namespace,omitempty"` // in a database
	Memos         int             `json:"memos"`
	Tags          int             `json:"tags"`
	Events        int             `json:"events"`
	Todos         int             `json:"todos"`
	Calendars     int             `json:"calendars"`
	Memories      int             `json:"memories"`
	MemoryUsers   int             `json:"memory_users"`
	Meaning       meaningOut      `json:"meaning"`
	Bytes         int64           `json:"bytes"`
	Files         *int            `json:"files,omitempty"` // this and the next ones only of a folder
	Tables        *int            `json:"tables,omitempty"`
	TableBytes    *int64          `json:"table_bytes,omitempty"`
	JournalBytes  *int64          `json:"journal_bytes,omitempty"`
	JournalWrites *int64          `json:"journal_writes,omitempty"`
	Merges        *int64          `json:"merges,omitempty"`
	History       storeHistoryOut `json:"history"`
	Edits         int             `json:"edits"` // undoable edits of files
	Questions     int             `json:"questions"`
	Pending       int             `json:"pending_questions"`
	WebPages      int             `json:"web_pages"`
	WebBytes      int64           `json:"web_bytes"`
	Message       string          `json:"message"`
}

// meaningOut describes the vectors of memories.
type meaningOut struct {
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"` // 0 before the first vector of an endpoint
	Vectors    int    `json:"vectors"`
	Pending    int    `json:"pending"` // memories without a vector of the model
}

// Text writes a line for each fact.
func (o storeInfoOut) Text(env *tools.Env) string {
	return strings.Join(append([]string{
		o.Message,
		env.Localize("- memos: %d, tags: %d", o.Memos, o.Tags),
		env.Localize("- events: %d, to-dos: %d, calendars: %d", o.Events, o.Todos, o.Calendars),
		env.Localize("- undoable file edits: %d", o.Edits),
		env.Localize("- memories: %d, users: %d", o.Memories, o.MemoryUsers),
		env.Localize("- meaning: model %s, vectors: %d, pending: %d", o.Meaning.Model, o.Meaning.Vectors,
			o.Meaning.Pending),
		env.Localize("- questions: %d, %d pending", o.Questions, o.Pending),
		env.Localize("- web pages: %d, %s", o.WebPages, byteText(o.WebBytes)),
		o.History.line(env),
	}, o.engineLines(env)...), "\n")
}

func (o storeInfoOut) engineLines(env *tools.Env) []string {
	if o.Namespace != "" {
		return []string{
			env.Localize("- format: %d, namespace: %s", o.Format, o.Namespace),
			env.Localize("- size of the records: %s", byteText(o.Bytes)),
		}
	}
	return []string{
		env.Localize("- format: %d", o.Format),
		env.Localize("- files: %d, %s", *o.Files, byteText(o.Bytes)),
		env.Localize("- tables: %d, %s", *o.Tables, byteText(*o.TableBytes)),
		env.Localize("- journal: %s, %s", env.Count(int(*o.JournalWrites), "%d write", "%d writes"),
			byteText(*o.JournalBytes)),
	}
}

func (o *storeInfoOut) addEngine(i kv.Info) {
	o.Path, o.ID, o.Engine, o.Format, o.Namespace, o.Bytes = i.Path, i.ID, i.Engine, i.Format, i.Namespace, i.Bytes
	if i.Namespace == "" {
		o.Files, o.Tables, o.TableBytes = &i.Files, &i.Tables, &i.TableBytes
		o.JournalBytes, o.JournalWrites, o.Merges = &i.JournalBytes, &i.JournalTxns, &i.Generation
	}
}

// storeHistoryOut describes the history of changes in store info.
type storeHistoryOut struct {
	Changes  int    `json:"changes"`
	Bytes    int64  `json:"bytes"`
	OldestAt string `json:"oldest_at"` // "" without changes
	MaxDays  int    `json:"max_days"`  // 0 records no changes
	MaxBytes int64  `json:"max_bytes"`
}

func storeHistory(env *tools.Env, info history.Info) storeHistoryOut {
	out := storeHistoryOut{Changes: info.Changes, Bytes: info.Bytes, MaxBytes: info.Limits.MaxBytes}
	if !info.Oldest.IsZero() {
		out.OldestAt = env.Time(info.Oldest)
	}
	if !info.Limits.Off {
		out.MaxDays = int(info.Limits.MaxAge.Hours() / 24)
	}
	return out
}

func (o storeHistoryOut) line(env *tools.Env) string {
	return env.Localize("- changes in the history: %d, %s; at most %d days and %s", o.Changes, byteText(o.Bytes),
		o.MaxDays, byteText(o.MaxBytes))
}

func byteText(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	f, i := float64(n)/unit, 0
	for ; f >= unit; i++ {
		f /= unit
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGTPE"[i])
}

func storeInfoCommand() *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command:  "store info",
		About:    "Show the location and contents of the store",
		Effect:   tools.Reads,
		Examples: []tools.Example{{Does: "Show the store", Line: "store info"}},
	}, func(ctx context.Context, env *tools.Env, _ struct{}) (out storeInfoOut, err error) {
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		i, counts, err := st.Info(ctx)
		if err != nil {
			return out, err
		}
		calendars, err := st.Calendars(ctx)
		if err != nil {
			return out, err
		}
		events := 0
		for i := range calendars {
			events += calendars[i].Events()
		}
		todos := 0
		for i := range calendars {
			count := func(todo.Todo) error { todos++; return nil }
			if err := todo.Of(st.Ledger).Each(ctx, calendars[i].Name, count); err != nil {
				return out, err
			}
		}
		h, err := st.Usage(ctx)
		if err != nil {
			return out, err
		}
		edits, err := st.FileEdits(ctx)
		if err != nil {
			return out, err
		}
		changes, err := history.Of(st.Ledger).Info(ctx)
		if err != nil {
			return out, err
		}
		memories, users, err := st.AllMemories(ctx)
		if err != nil {
			return out, err
		}
		m, err := memory.MeaningOf(ctx, st.Ledger, "", embed.Model(env))
		if err != nil {
			return out, err
		}
		out = storeInfoOut{
			Meaning: meaningOut(m),
			Events:  events, Todos: todos, Calendars: len(calendars),
			Questions: h.Questions, Pending: h.Pending, WebPages: h.WebPages, WebBytes: h.WebBytes,
			Memos: counts.Memos, Tags: len(counts.Tags), Memories: memories, MemoryUsers: users,
			History: storeHistory(env, changes),
			Edits:   edits.Edits,
			Message: env.Localize("Store at %s", i.Path),
		}
		out.addEngine(i)
		return out, nil
	})}
}

type storeVerifyIn struct {
	Deep bool `json:"deep,omitempty" doc:"Also check records that newer ones hide, and read the disk, not the cache"`
}

type storeVerifyOut struct {
	OK      bool           `json:"ok"`
	Records int            `json:"records"`
	Bytes   int64          `json:"bytes"`
	Kept    map[string]int `json:"kept"`
	Tables  int            `json:"tables,omitempty"`
	Message string         `json:"message"`
}

func storeVerifyCommand(open opener) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "store verify",
		About:   "Read and check the whole store",
		More: "Checks every checksum and every record, and that indexes and counts match the records. A " +
			"problem is the error corrupt, exit 1. Other calls can run meanwhile.",
		Effect: tools.Reads,
		Examples: []tools.Example{
			{Does: "Check the store", Line: "store verify"},
			{Does: "Check it thoroughly", Line: "store verify --deep"},
		},
	}, func(ctx context.Context, env *tools.Env, in storeVerifyIn) (out storeVerifyOut, err error) {
		st, err := open(ctx, env)
		if err != nil {
			return out, err
		}
		system.BoundMemory(system.PieceMemory)
		r, err := st.Verify(ctx, store.VerifyOptions{Deep: in.Deep, Progress: env.Progress})
		if err != nil {
			return out, err
		}
		return storeVerifyOut{true, r.Records, r.Bytes, r.Counts, r.Tables,
			env.Localize("The store is sound: %s, %s",
				env.Count(r.Records, "%d record", "%d records"), byteText(r.Bytes))}, nil
	})}
}

type storeCompactOut struct {
	Before  int64  `json:"bytes_before"`
	After   int64  `json:"bytes_after"`
	Message string `json:"message"`
}

func storeCompactCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command:  "store compact",
		About:    "Rewrite the store in its smallest form",
		More:     "Rarely needed: the store compacts itself in small steps. Other calls wait meanwhile.",
		Effect:   tools.Changes,
		Examples: []tools.Example{{Does: "Compact the store", Line: "store compact"}},
	}, func(ctx context.Context, env *tools.Env, _ struct{}) (out storeCompactOut, err error) {
		if err := checkNamed(s, env); err != nil {
			return out, err
		}
		st, err := env.Store(ctx, tools.Changes)
		if err != nil {
			return out, err
		}
		before, _, err := st.Info(ctx)
		if err != nil {
			return out, err
		}
		system.BoundMemory(system.PieceMemory)
		if err := st.Compact(ctx); err != nil {
			return out, err
		}
		after, _, err := st.Info(ctx)
		if err != nil {
			return out, err
		}
		return storeCompactOut{before.Bytes, after.Bytes,
			env.Localize("Compacted from %s to %s", byteText(before.Bytes), byteText(after.Bytes))}, nil
	})}
}

type opener func(ctx context.Context, env *tools.Env) (*store.Store, error)

// anyStore opens a store for reading. One that was never used is empty.
func anyStore(ctx context.Context, env *tools.Env) (*store.Store, error) {
	return env.Store(ctx, tools.Reads)
}

// namedStore returns an opener for reading that refuses a named store that does not exist: its
// name is mistyped, and an empty store would look like a sound one.
func namedStore(s *run.Run) opener {
	return func(ctx context.Context, env *tools.Env) (*store.Store, error) {
		if err := checkNamed(s, env); err != nil {
			return nil, err
		}
		return anyStore(ctx, env)
	}
}

// checkNamed returns an error if --store or TECHO_STORE names a store that does not exist.
func checkNamed(s *run.Run, env *tools.Env) error {
	if s.Options.Store == "" {
		return nil
	}
	where, err := s.StorePath()
	if err != nil {
		return err
	}
	return checkExists(env, where)
}

func checkExists(env *tools.Env, where string) error {
	if store.Exists(where) {
		return nil
	}
	return env.Fail(tools.NotFound, "There is no store at %s", store.Shown(where)).
		WithHint(env.Hint("Check the path; the first call that writes something creates a store"))
}
