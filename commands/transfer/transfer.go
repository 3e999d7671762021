// Package transfer has the commands that import and export whole files, also through a server, and
// the commands for calendars.
package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"techo/commands/catalogue"
	"techo/commands/ingest"
	"techo/commands/line"
	"techo/commands/run"
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

// # Imports and exports through a server
//
// The files are on the client. It calls tools of the server that add or return many
// records at once, page by page, so that neither side holds all of them and a lost answer
// costs one page. A page of an export begins behind a place that no change moves, such as the
// time of a creation and an id: records that others remove or edit meanwhile hide no other one.

// pageBytes bounds a page of an export, apart from its last record.
const pageBytes = 4 << 20

type exportPageIn struct {
	After string `json:"after,omitempty" doc:"The place where the page before ended: next of its result"`
	Since string `json:"since,omitempty" doc:"Only memories created at this time or day, or later"`
	Files bool   `json:"files,omitempty" doc:"Return what the files of a folder have, also of older memories"`
}

type exportPage struct {
	Records []json.RawMessage `json:"records"` // lines of JSON Lines, or of type export.Entry
	Last    bool              `json:"last"`
	Next    string            `json:"next,omitempty"`  // place where the next page begins, if this is not the last one
	Store   string            `json:"store,omitempty"` // id of the store, for files
	User    string            `json:"user,omitempty"`  // whose memories
	Message string            `json:"message"`
}

// errPage ends the reading of a full page.
var errPage = errors.New("the page is full")

// usePlaced is called for each record of a page with its place.
type usePlaced func(place string, record any) error

// fill adds the records of a page; each calls use with all records from its start on.
func (out *exportPage) fill(env *tools.Env, each func(use usePlaced) error) error {
	out.Records = []json.RawMessage{}
	size := 0
	err := each(func(place string, record any) error {
		if size >= pageBytes {
			return errPage
		}
		line, err := jsontree.Marshal(record)
		out.Records, out.Next, size = append(out.Records, line), place, size+len(line)
		return err
	})
	if errors.Is(err, errPage) {
		err = nil
	} else {
		out.Last, out.Next = true, ""
	}
	out.Message = env.Localize("Written: %d", len(out.Records))
	return err
}

func exportMemoriesTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "export_memories", Command: "memory export", HelpCommand: "export memories",
		Effect: tools.Reads, Sharing: tools.OneSpace, About: "Return a page of all memories", For: tools.Agents},
		func(ctx context.Context, env *tools.Env, in exportPageIn) (out exportPage, err error) {
			since, err := exportSince(env, in.Since)
			if err != nil {
				return out, err
			}
			st, err := env.Store(ctx, tools.Reads)
			if err != nil {
				return out, err
			}
			after, ok := memorystore.ParsePlace(in.After)
			if !ok {
				wrong := tools.Detail{Path: "/after", Message: env.Localize("is no place")}
				return out, tools.InvalidError(env, []tools.Detail{wrong})
			}
			if in.Files {
				return out, out.memoryFiles(ctx, env, st, after, since)
			}
			err = out.fill(env, func(use usePlaced) error {
				return memorystore.EachAfter(ctx, st.Ledger, tools.Owner(env), since, after,
					func(at memorystore.Place, m memorystore.Memory) error {
						return use(at.String(), memory.Exported(env, m))
					})
			})
			return out, err
		})
}

// memoryFiles adds the files of memories to a page.
func (out *exportPage) memoryFiles(ctx context.Context, env *tools.Env, st *store.Store,
	after memorystore.Place, since time.Time) (err error) {
	out.User = tools.Owner(env)
	if out.Store, err = store.IDOf(ctx, st.Ledger); err != nil {
		return err
	}
	return out.fill(env, func(use usePlaced) error {
		return memorystore.EachAfter(ctx, st.Ledger, out.User, time.Time{}, after,
			func(at memorystore.Place, m memorystore.Memory) error {
				e, err := export.MemoryEntry(m, since, env.Time)
				if err != nil {
					return err
				}
				return use(at.String(), e)
			})
	})
}

// exportMemosTool returns all memos, page by page.
func exportMemosTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "export_memos", Command: "memo export", HelpCommand: "export memos",
		Effect: tools.Reads, Sharing: tools.OneSpace, About: "Return a page of all memos", For: tools.Agents},
		func(ctx context.Context, env *tools.Env, in exportPageIn) (out exportPage, err error) {
			st, err := env.Store(ctx, tools.Reads)
			if err != nil {
				return out, err
			}
			if in.Files {
				out.Store, err = store.IDOf(ctx, st.Ledger)
			}
			if err != nil {
				return out, err
			}
			err = out.fill(env, func(use usePlaced) error {
				return st.EachMemoAfter(ctx, in.After, func(place string, m memostore.Memo) error {
					if in.Files {
						return use(place, export.MemoEntry(m, env.Time))
					}
					return use(place, memo.Exported(env, m))
				})
			})
			return out, err
		})
}

// Served returns the tools of a server for imports and exports of clients, and the commands
// that a client sends but no catalogue lists. They are switched off as the other tools of their
// families.
func Served(s *run.Run, choice catalogue.Choice) []*tools.Tool {
	all := append(ingest.Transfers(), exportMemoriesTool(), exportMemosTool(), importCalendarTool(),
		exportCalendarTool())
	for _, t := range []*tools.Tool{calDefaultTool(), calRenameTool(), calRemoveTool(s), calDueTool(), calHoldTool(),
		CalConfirmTool()} {
		all = append(all, run.AtServer(t))
	}
	return catalogue.Limit(all, choice)
}

// sender returns how an import sends records to a server. The user is the server's user of
// the token, unless one is named.
func sender(ctx context.Context, s *run.Run, env *tools.Env, address string) (ingest.Send, error) {
	if !env.Named {
		server, e := s.Server(address)
		if e != nil {
			return nil, e
		}
		who, e := server.Whoami(ctx, env)
		if e != nil {
			return nil, e
		}
		env.User = who.User
	}
	return func(ctx context.Context, t *tools.Tool, in ingest.Records) (out ingest.Added, err error) {
		err = run.Transfer(ctx, s, address, t, inSpace[ingest.Records]{in, tools.Space(env)}, &out)
		return out, err
	}, nil
}

type serverPages struct {
	ctx     context.Context
	run     *run.Run
	env     *tools.Env
	address string
	tool    *tools.Tool
}

func (p serverPages) read(in exportPageIn) (page exportPage, err error) {
	err = run.Transfer(p.ctx, p.run, p.address, p.tool, inSpace[exportPageIn]{in, tools.Space(p.env)}, &page)
	return page, err
}

// each calls use with all records from a page on, and returns their number.
func (p serverPages) each(in exportPageIn, page exportPage, use func(json.RawMessage) error) (n int, err error) {
	for {
		for _, record := range page.Records {
			if err := use(record); err != nil {
				return n, err
			}
			n++
		}
		if page.Last {
			return n, nil
		}
		if in.After, err = page.next(p.env, in.After); err != nil {
			return n, err
		}
		if page, err = p.read(in); err != nil {
			return n, err
		}
	}
}

// next returns where the page behind another one begins. The server must lead on: otherwise it
// is another version, and the rest of the records would be taken for removed.
func (out *exportPage) next(env *tools.Env, after string) (string, error) {
	if out.Next == "" || out.Next == after {
		return "", env.Fail(tools.Upstream, "The answer of the server lacks the place of the next page").
			WithHint(env.Hint("It is probably another version of techo: use the same one on both sides. %s "+
				"shows them", tools.Use("doctor")))
	}
	return out.Next, nil
}

// write writes all records as JSON Lines and returns their number.
func (p serverPages) write(w io.Writer, since string) (n int, err error) {
	in := exportPageIn{Since: since}
	page, err := p.read(in)
	if err != nil {
		return 0, err
	}
	return p.each(in, page, func(line json.RawMessage) error {
		_, err := w.Write(append(line, '\n'))
		return err
	})
}

func (p serverPages) mirror(dir confine.Place, since string, into intoFolder) (export.Mirrored, error) {
	in := exportPageIn{Since: since, Files: true}
	page, err := p.read(in)
	if err != nil {
		return export.Mirrored{}, err
	}
	return into(p.ctx, dir, export.From{Store: page.Store, User: page.User}, func(use func(export.Entry) error) error {
		_, err := p.each(in, page, func(record json.RawMessage) error {
			var e export.Entry
			if err := json.Unmarshal(record, &e); err != nil {
				return err
			}
			return use(e)
		})
		return err
	})
}

type intoFolder func(ctx context.Context, dir confine.Place, from export.From,
	each func(use func(export.Entry) error) error) (export.Mirrored, error)

// inSpace is the input of a tool of the server, with the shared space to use.
type inSpace[In any] struct {
	in    In
	space string
}

// MarshalJSON adds the field space to the fields of the input.
func (s inSpace[In]) MarshalJSON() ([]byte, error) {
	fields, err := jsontree.Marshal(s.in)
	if err != nil || s.space == "" {
		return fields, err
	}
	space, err := jsontree.Marshal(map[string]string{"space": s.space})
	if string(fields) == "{}" {
		return space, err
	}
	return append(append(fields[:len(fields)-1], ','), space[1:]...), err
}

// Files returns the commands that import and export whole files.
func Files(s *run.Run) []*line.Command {
	return []*line.Command{importMemoriesCommand(s), importMemosCommand(s), importMemoryFilesCommand(s),
		exportMemoriesCommand(s), exportMemosCommand(s), exportMemoryFilesCommand(s), exportCalendarCommand(s)}
}

// Calendars returns the commands for calendars that are not tools for agents.
func Calendars(s *run.Run) []*line.Command {
	return []*line.Command{calImportCommand(s), calExportCommand(s),
		{Tool: calDefaultTool()}, {Tool: calRenameTool()}, {Tool: calRemoveTool(s)},
		calDueCommand(), {Tool: calHoldTool()}, {Tool: CalConfirmTool()}}
}
