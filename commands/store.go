package commands

import (
	"context"
	"fmt"
	"strings"

	"techo/store"
	"techo/tools"
)

// storeInfoOut is the result of the command store info.
type storeInfoOut struct {
	Path          string `json:"path"`
	Engine        string `json:"engine"`
	Format        int    `json:"format"`
	Memos         int    `json:"memos"`
	Tags          int    `json:"tags"`
	Events        int    `json:"events"`
	Calendars     int    `json:"calendars"`
	Memories      int    `json:"memories"`
	MemoryUsers   int    `json:"memory_users"`
	Bytes         int64  `json:"bytes"`
	Files         int    `json:"files"`
	Tables        int    `json:"tables"`
	TableBytes    int64  `json:"table_bytes"`
	JournalBytes  int64  `json:"journal_bytes"`
	JournalWrites int64  `json:"journal_writes"`
	Merges        int64  `json:"merges"`
	Edits         int    `json:"edits"` // of files, that can be taken back
	Questions     int    `json:"questions"`
	Pending       int    `json:"pending_questions"`
	WebPages      int    `json:"web_pages"`
	WebBytes      int64  `json:"web_bytes"`
	Message       string `json:"message"`
}

// Text writes a line for each fact.
func (o storeInfoOut) Text(env *tools.Env) string {
	return strings.Join([]string{
		o.Message,
		env.Say(tools.Say{EN: "- memos: %d, tags: %d", JA: "- メモ: %d件、タグ: %d種類"}, o.Memos, o.Tags),
		env.Say(tools.Say{EN: "- events: %d, calendars: %d", JA: "- 予定: %d件、カレンダー: %d件"}, o.Events, o.Calendars),
		env.Say(tools.Say{EN: "- edits of files to take back: %d", JA: "- 取り消せるファイルの編集: %d件"}, o.Edits),
		env.Say(tools.Say{EN: "- memories: %d, users: %d", JA: "- 記憶: %d件、ユーザー: %d人"}, o.Memories, o.MemoryUsers),
		env.Say(tools.Say{EN: "- questions: %d, %d pending", JA: "- 質問: %d件、回答待ち %d件"}, o.Questions, o.Pending),
		env.Say(tools.Say{EN: "- web pages: %d, %s", JA: "- ウェブページ: %d件、%s"}, o.WebPages, byteText(o.WebBytes)),
		env.Say(tools.Say{EN: "- files: %d, %s", JA: "- ファイル: %d個、%s"}, o.Files, byteText(o.Bytes)),
		env.Say(tools.Say{EN: "- tables: %d, %s", JA: "- テーブル: %d個、%s"}, o.Tables, byteText(o.TableBytes)),
		env.Say(tools.Say{EN: "- journal: %d writes, %s", JA: "- ジャーナル: %d件、%s"}, o.JournalWrites, byteText(o.JournalBytes)),
	}, "\n")
}

// byteText writes a number of bytes for a person.
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

// storeInfoCommand tells what the store holds.
func storeInfoCommand() *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command:  "store info",
		About:    tools.Say{EN: "Tell where the store is and what it holds", JA: "ストアの場所と内容を表示する"},
		Effect:   tools.Reads,
		Examples: []tools.Example{{Does: tools.Say{EN: "Look at the store", JA: "ストアを見る"}, Line: "store info"}},
	}, func(ctx context.Context, env *tools.Env, _ noIn) (out storeInfoOut, err error) {
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
		h, err := st.Holdings(ctx)
		if err != nil {
			return out, err
		}
		edits, err := st.FileEdits(ctx)
		if err != nil {
			return out, err
		}
		memories, users, err := st.AllMemories(ctx)
		if err != nil {
			return out, err
		}
		return storeInfoOut{
			Events: events, Calendars: len(calendars),
			Questions: h.Questions, Pending: h.Pending, WebPages: h.WebPages, WebBytes: h.WebBytes,
			Path: i.Path, Engine: i.Engine, Format: i.Format,
			Memos: counts.Memos, Tags: len(counts.Tags), Memories: memories, MemoryUsers: users,
			Bytes: i.Bytes, Files: i.Files, Tables: i.Tables, TableBytes: i.TableBytes,
			JournalBytes: i.JournalBytes, JournalWrites: i.JournalTxns, Merges: i.Generation,
			Edits:   edits.Edits,
			Message: env.Say(tools.Say{EN: "Store at %s", JA: "ストア: %s"}, i.Path),
		}, nil
	})}
}

// storeVerifyIn is the input of the command store verify.
type storeVerifyIn struct {
	Deep bool `json:"deep,omitempty" en:"Also what newer records hide, and from the disk rather than from memory" ja:"新しいレコードに隠れたものも、メモリーではなくディスクから読む"`
}

// storeVerifyOut is the result of the command store verify.
type storeVerifyOut struct {
	OK      bool           `json:"ok"`
	Records int            `json:"records"`
	Bytes   int64          `json:"bytes"`
	Kept    map[string]int `json:"kept"`
	Tables  int            `json:"tables,omitempty"`
	Message string         `json:"message"`
}

// storeVerifyCommand reads the whole store and checks that it is sound.
func storeVerifyCommand() *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "store verify",
		About:   tools.Say{EN: "Read the whole store and check that it is sound", JA: "ストア全体を読み、整合性を検査する"},
		More: tools.Say{
			EN: "Every checksum, every record, and that indexes and counts say what the records say. What is wrong is the error corrupt, exit 1. Others work meanwhile.",
			JA: "すべてのチェックサム、レコード、索引と件数の一致を検査する。異常があれば corrupt（終了コード 1）。検査中も他の呼び出しは使える。",
		},
		Effect: tools.Reads,
		Examples: []tools.Example{
			{Does: tools.Say{EN: "Check the store", JA: "ストアを検査する"}, Line: "store verify"},
			{Does: tools.Say{EN: "Check it to the bottom", JA: "徹底的に検査する"}, Line: "store verify --deep"},
		},
	}, func(ctx context.Context, env *tools.Env, in storeVerifyIn) (out storeVerifyOut, err error) {
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		r, err := st.Verify(ctx, store.VerifyOptions{Deep: in.Deep, Progress: env.Progress})
		if err != nil {
			return out, err
		}
		return storeVerifyOut{true, r.Records, r.Bytes, r.Kept, r.Tables,
			env.Say(tools.Say{EN: "The store is sound: %d records, %s", JA: "ストアは正常です: %dレコード、%s"}, r.Records, byteText(r.Bytes))}, nil
	})}
}

// storeCompactOut is the result of the command store compact.
type storeCompactOut struct {
	Before  int64  `json:"bytes_before"`
	After   int64  `json:"bytes_after"`
	Message string `json:"message"`
}

// storeCompactCommand rewrites the store in its smallest form.
func storeCompactCommand() *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "store compact",
		About:   tools.Say{EN: "Rewrite the store in its smallest form", JA: "ストアを最小の形に書き直す"},
		More: tools.Say{
			EN: "Never needed: the store tidies itself in small steps. Others wait while it runs.",
			JA: "通常は不要（少しずつ自動で整理される）。実行中は他の呼び出しが待つ。",
		},
		Effect:   tools.Changes,
		Examples: []tools.Example{{Does: tools.Say{EN: "Compact the store", JA: "ストアを圧縮する"}, Line: "store compact"}},
	}, func(ctx context.Context, env *tools.Env, _ noIn) (out storeCompactOut, err error) {
		st, err := env.Store(ctx, tools.Changes)
		if err != nil {
			return out, err
		}
		before, _, err := st.Info(ctx)
		if err != nil {
			return out, err
		}
		if err := st.Compact(ctx); err != nil {
			return out, err
		}
		after, _, err := st.Info(ctx)
		if err != nil {
			return out, err
		}
		return storeCompactOut{before.Bytes, after.Bytes,
			env.Say(tools.Say{EN: "Compacted from %s to %s", JA: "%s から %s になりました"}, byteText(before.Bytes), byteText(after.Bytes))}, nil
	})}
}
