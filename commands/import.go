package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"techo/store"
	"techo/store/kv"
	"techo/tools"
)

// importIn is the input of the command import memories.
type importIn struct {
	File   string `json:"file" min:"1" en:"JSON lines or a list, an MCP memory server's memory.json, or a folder of Markdown notes; - is stdin" ja:"JSON Lines または配列、MCP メモリーサーバーの memory.json、または Markdown ノートのフォルダ（- は標準入力）"`
	Format string `json:"format" default:"auto" enum:"auto,jsonl,mcp,markdown" en:"What the file is" ja:"ファイルの形式"`
	Strict bool   `json:"strict,omitempty" en:"All or nothing: one bad line, and no memory is imported" ja:"すべて取り込むか、一件も取り込まないか"`
}

// importOut is the result of the command import memories.
type importOut struct {
	Imported int           `json:"imported"`
	Existing int           `json:"existing"`
	Skipped  int           `json:"skipped"`
	Errors   []importError `json:"errors"`
	Message  string        `json:"message"`
}

// importError tells what is wrong with a line, or a file.
type importError struct {
	Line    int    `json:"line"`
	File    string `json:"file,omitempty"` // of a folder of notes
	Message string `json:"message"`
}

// Text tells the bad lines as well.
func (o importOut) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, e := range o.Errors {
		where := env.Say(tools.Say{EN: "line %d", JA: "%d行目"}, e.Line)
		if e.File != "" {
			where = e.File
		}
		lines = append(lines, "- "+where+": "+e.Message)
	}
	return strings.Join(lines, "\n")
}

// maxImportErrors is how many bad lines are told; all are counted.
const maxImportErrors = 1000

// importMemoriesCommand takes in memories from a file.
func importMemoriesCommand(s *session) *command {
	return &command{streams: true, Tool: tools.Define(tools.Tool{
		Command: "import memories",
		About:   tools.Say{EN: "Take in memories from a file", JA: "ファイルから記憶を取り込む"},
		More: tools.Say{
			EN: "A line of JSON lines is {\"full_text\":…,\"caption\":…,\"session\":…,\"created_at\":…,\"id\":…}, of which only full_text is required. What is kept already is counted and left as it is, so an import that was interrupted is simply run again. A bad line is reported and skipped. Everything becomes the memory of one user (--user).",
			JA: "JSON Lines の各行は {\"full_text\":…,\"caption\":…,\"session\":…,\"created_at\":…,\"id\":…} で、full_text だけが必須。既にある記憶はそのまま数えるだけなので、中断した場合は再実行すればよい。誤りのある行は報告して飛ばす。すべて一人のユーザー（--user）の記憶になる。",
		},
		Effect: tools.Changes,
		Words:  []string{"file"},
		Examples: []tools.Example{
			{Does: tools.Say{EN: "Take in JSON lines", JA: "JSON Lines を取り込む"}, Line: `import memories memories.jsonl`},
			{Does: tools.Say{EN: "From stdin, all or nothing", JA: "標準入力から、全件または0件で取り込む"}, Line: `import memories - --strict < memories.jsonl`},
		},
	}, func(ctx context.Context, env *tools.Env, in importIn) (out importOut, err error) {
		source, err := s.importSource(env, in)
		if err != nil {
			return out, err
		}
		defer source.close()
		st, err := env.Store(ctx, tools.Changes)
		if err != nil {
			return out, err
		}
		r := importing{env: env, store: st, strict: in.Strict, out: importOut{Errors: []importError{}}}
		if in.Strict {
			err = r.strictly(ctx, source)
		} else {
			err = r.run(ctx, source)
		}
		if err != nil {
			return out, err
		}
		if err := r.settle(ctx); err != nil {
			return out, err
		}
		out = r.out
		slices.SortStableFunc(out.Errors, func(a, b importError) int { return a.Line - b.Line })
		out.Message = env.Say(tools.Say{EN: "Imported %d memories; %d were there, %d lines skipped", JA: "記憶を%d件取り込みました（既存%d件、読めない行%d件）"}, out.Imported, out.Existing, out.Skipped)
		return out, nil
	})}
}

// importSource opens what is to be imported.
func (s *session) importSource(env *tools.Env, in importIn) (*importSource, error) {
	wrong := func(message tools.Say) error {
		e := env.Fail(tools.InvalidInput, message)
		e.Details = []tools.Detail{{Path: "/format", Message: e.Message}}
		return e
	}
	if in.File == "-" && in.Format == "markdown" {
		return nil, wrong(tools.Say{EN: "Notes are files: name one, or their folder", JA: "ノートはファイルかフォルダで指定してください"})
	}
	if in.File == "-" {
		return &importSource{env: env, reader: s.Stdin, format: in.Format}, nil
	}
	path := s.path(in.File)
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, env.Fail(tools.NotFound, tools.Say{EN: "There is no such file: %s", JA: "ファイルがありません: %s"}, path)
	case err != nil:
		return nil, fileFault(env, path, err)
	case st.IsDir() && in.Format != "auto" && in.Format != "markdown":
		return nil, wrong(tools.Say{EN: "A folder is one of Markdown notes: leave --format out", JA: "フォルダは Markdown ノートとして読みます。--format を外してください"})
	case st.IsDir() || in.Format == "markdown" || in.Format == "auto" && strings.EqualFold(filepath.Ext(path), ".md"):
		return &importSource{env: env, dir: path}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileFault(env, path, err)
	}
	return &importSource{env: env, reader: f, format: in.Format, size: st.Size(), close_: f.Close}, nil
}

// fileFault tells why a file cannot be read.
func fileFault(env *tools.Env, path string, err error) error {
	return env.Fail(tools.Forbidden, tools.Say{EN: "Cannot read %s: %v", JA: "%s を読めません: %v"}, path, err)
}

// importing is one import.
type importing struct {
	env    *tools.Env
	store  *store.Store
	strict bool
	out    importOut
}

// errBadLine ends a strict import.
var errBadLine = errors.New("bad line")

// run imports in batches, each durable before the next.
func (r *importing) run(ctx context.Context, source *importSource) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return r.batches(ctx, source, func(b importBatch) error { return r.add(ctx, b) })
}

// strictly reads all before it imports anything, and that in one piece.
func (r *importing) strictly(ctx context.Context, source *importSource) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all []importBatch
	err := r.batches(ctx, source, func(b importBatch) error {
		all = append(all, b)
		return nil
	})
	if err == nil && r.out.Skipped == 0 {
		err = r.store.Group(ctx, func(ctx context.Context) error {
			for _, b := range all {
				if err := r.add(ctx, b); err != nil {
					return err
				}
				if r.out.Skipped > 0 {
					return errBadLine
				}
			}
			return nil
		})
	}
	if r.out.Skipped == 0 {
		return err
	}
	e := r.env.Fail(tools.InvalidInput, tools.Say{EN: "%d lines are wrong; nothing was imported", JA: "%d行に誤りがあるため、何も取り込みませんでした"}, r.out.Skipped).
		WithHint(r.env.Say(tools.Say{EN: "Correct them, or leave --strict out to skip them", JA: "修正するか、--strict を外して誤りのある行を飛ばしてください"}))
	for _, l := range r.out.Errors {
		if l.File != "" {
			l.Message = l.File + ": " + l.Message
		}
		e.Details = append(e.Details, tools.Detail{Path: fmt.Sprintf("/%d", l.Line), Message: l.Message})
	}
	return e
}

// add keeps one batch.
func (r *importing) add(ctx context.Context, b importBatch) error {
	added, err := r.store.AddMemories(ctx, r.env.User, b.drafts)
	if err != nil {
		return err
	}
	for i, a := range added {
		switch {
		case a.Err != nil:
			r.skip(b.lines[i], r.refusal(a.Err))
		case a.Created:
			r.out.Imported++
		default:
			r.out.Existing++
		}
	}
	return nil
}

// After so many memories the store is compacted, unless it is so large that
// others would wait for it too long.
const (
	importCompact      = 50_000
	importCompactBytes = 2 << 30
)

// settle compacts the store after a large import: each batch has left tables
// of its own, and every search would look into all of them.
func (r *importing) settle(ctx context.Context) error {
	if r.out.Imported < importCompact {
		return nil
	}
	info, _, err := r.store.Info(ctx)
	if err != nil || info.Bytes > importCompactBytes {
		return err
	}
	if err := r.store.Compact(ctx); err != nil && !errors.Is(err, kv.ErrNoSpace) {
		return err
	}
	return nil
}

func (r *importing) skip(at importPlace, message string) {
	r.out.Skipped++
	if len(r.out.Errors) < maxImportErrors {
		r.out.Errors = append(r.out.Errors, importError{at.line, at.file, message})
	}
}

// refusal says why the store refused a memory.
func (r *importing) refusal(err error) string {
	var (
		taken *store.TakenIDError
		limit *store.LimitError
	)
	switch {
	case errors.As(err, &taken):
		return r.env.Say(tools.Say{EN: "the id %s belongs to a memory with another text", JA: "id %s は別の内容の記憶で使われています"}, taken.ID)
	case errors.As(err, &limit):
		return r.env.Say(tools.Say{EN: "full_text has %d bytes, at most %d", JA: "full_text は%dバイトあります（最大%d）"}, limit.Got, limit.Most)
	}
	return strings.TrimSpace(err.Error())
}
