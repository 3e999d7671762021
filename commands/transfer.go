package commands

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"

	"techo/commands/ingest"
	"techo/commands/offer"
	"techo/commands/run"
	"techo/store"
	"techo/tools"
	"techo/tools/memo"
	"techo/tools/memory"
)

// # Imports and exports through a server
//
// The files are on the client. It calls tools of the server that add or return many
// records at once, page by page, so that neither side holds all of them and a lost answer
// costs one page.

// pageBytes bounds a page of an export, apart from its last record.
const pageBytes = 4 << 20

// exportPageIn asks for a page of an export.
type exportPageIn struct {
	From  int    `json:"from,omitempty" minimum:"0" doc:"How many records to leave out: those of earlier pages"`
	Since string `json:"since,omitempty" doc:"Only memories created at this time or day, or later"`
}

// exportPage is a page of an export.
type exportPage struct {
	Records []json.RawMessage `json:"records"` // lines of JSON Lines
	Last    bool              `json:"last"`
	Message string            `json:"message"`
}

// errPage ends the reading of a full page.
var errPage = errors.New("the page is full")

// fill adds the records of a page; each calls use with all records in their order.
func (out *exportPage) fill(env *tools.Env, from int, each func(use func(any) error) error) error {
	out.Records = []json.RawMessage{}
	at, size := 0, 0
	err := each(func(record any) error {
		if at++; at <= from {
			return nil
		}
		if size >= pageBytes {
			return errPage
		}
		line, err := tools.Marshal(record)
		out.Records, size = append(out.Records, line), size+len(line)
		return err
	})
	if out.Last = err == nil; errors.Is(err, errPage) {
		err = nil
	}
	out.Message = env.Localize("Written: %d", len(out.Records))
	return err
}

// exportMemoriesTool returns the memories of the caller, page by page.
func exportMemoriesTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "export_memories", Command: "memory export", Effect: tools.Reads,
		Sharing: tools.OneSpace, About: "Return a page of all memories", For: tools.Agents},
		func(ctx context.Context, env *tools.Env, in exportPageIn) (out exportPage, err error) {
			since, err := exportSince(env, in.Since)
			if err != nil {
				return out, err
			}
			st, err := env.Store(ctx, tools.Reads)
			if err != nil {
				return out, err
			}
			err = out.fill(env, in.From, func(use func(any) error) error {
				return st.EachMemory(ctx, tools.Owner(env), since, func(m store.Memory) error {
					return use(memory.Exported(env, m))
				})
			})
			return out, err
		})
}

// exportMemosTool returns all memos, page by page.
func exportMemosTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "export_memos", Command: "memo export", Effect: tools.Reads,
		Sharing: tools.OneSpace, About: "Return a page of all memos", For: tools.Agents},
		func(ctx context.Context, env *tools.Env, in exportPageIn) (out exportPage, err error) {
			st, err := env.Store(ctx, tools.Reads)
			if err != nil {
				return out, err
			}
			memos, _, err := st.FindMemos(ctx, store.MemoFilter{Limit: math.MaxInt})
			if err != nil {
				return out, err
			}
			err = out.fill(env, in.From, func(use func(any) error) error {
				for _, m := range memos {
					if err := use(memo.Exported(env, m)); err != nil {
						return err
					}
				}
				return nil
			})
			return out, err
		})
}

// transfers returns the tools of a server for imports and exports of clients. They are
// switched off as the other tools of their families.
func transfers(choice offer.Choice) []*tools.Tool {
	all := append(ingest.Transfers(), exportMemoriesTool(), exportMemosTool())
	only := offer.Split(choice.Only)
	return offer.SwitchOff(all, func(t *tools.Tool) tools.Text {
		switch {
		case len(only) > 0 && !offer.InGroups(t, only):
			return "--only does not include it"
		case choice.ReadOnly && t.Effect != tools.Reads:
			return "It changes something, and this server was started with --read-only"
		}
		return ""
	})
}

// sender returns how an import sends records to a server. The user is the server's user of
// the token, unless one is named.
func sender(ctx context.Context, s *run.Run, env *tools.Env, address string) (ingest.Send, error) {
	if !env.Memory.Named {
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

// serverPages are the pages of an export from a server.
type serverPages struct {
	ctx     context.Context
	run     *run.Run
	env     *tools.Env
	address string
	tool    *tools.Tool
}

// write writes all records as JSON Lines and returns their number.
func (p serverPages) write(w io.Writer, since string) (n int, err error) {
	for last := false; !last; {
		in := inSpace[exportPageIn]{exportPageIn{From: n, Since: since}, tools.Space(p.env)}
		var page exportPage
		if err := run.Transfer(p.ctx, p.run, p.address, p.tool, in, &page); err != nil {
			return n, err
		}
		for _, line := range page.Records {
			if _, err := w.Write(append(line, '\n')); err != nil {
				return n, err
			}
		}
		n, last = n+len(page.Records), page.Last || len(page.Records) == 0
	}
	return n, nil
}

// inSpace is the input of a tool of the server, with the shared space to use.
type inSpace[In any] struct {
	in    In
	space string
}

// MarshalJSON adds the field space to the fields of the input.
func (s inSpace[In]) MarshalJSON() ([]byte, error) {
	fields, err := tools.Marshal(s.in)
	if err != nil || s.space == "" {
		return fields, err
	}
	space, err := tools.Marshal(map[string]string{"space": s.space})
	if string(fields) == "{}" {
		return space, err
	}
	return append(append(fields[:len(fields)-1], ','), space[1:]...), err
}
