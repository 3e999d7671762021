package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"techo/commands/system"
	"techo/tools"
)

// # Imports through a server
//
// A client reads the file, checks its records and sends them as lines of JSON, some
// megabytes at a time, to a tool of the server that adds them as an import there does.

// maxSent bounds the records of one request, in bytes. A strict import is one request.
const (
	maxSent       = 4 << 20
	maxStrictSent = 24 << 20
)

// Records is what a client sends.
type Records struct {
	Records []json.RawMessage `json:"records" minItems:"1" doc:"Lines of the file, each one record"`
	Again   bool              `json:"again,omitempty" doc:"Also bring back what was removed"`
}

// Added is the answer to it.
type Added struct {
	Imported int       `json:"imported"`
	Changed  int       `json:"changed,omitempty"`
	Gone     int       `json:"gone,omitempty"`
	Removed  int       `json:"removed,omitempty"`
	Existing int       `json:"existing"`
	Refused  []Refusal `json:"refused"`
	Message  string    `json:"message"`
}

// Refusal is a record that was not added.
type Refusal struct {
	Index   int    `json:"index"` // in Records
	Message string `json:"message"`
}

// Send sends records to the tool of a server.
type Send func(ctx context.Context, t *tools.Tool, in Records) (Added, error)

// Transfers returns the tools of a server that add what a client sends.
func Transfers() []*tools.Tool {
	return slices.Concat(memoryKind(false).tools("memories", "memory import"), memoKind.tools("memos", "memo import"))
}

// tools returns two tools of a server: one that skips records, and one that adds all
// records or none.
func (k kind[T]) tools(name, command string) []*tools.Tool {
	help := "import " + name
	tool := func(name string, effect tools.Effect, strict bool) *tools.Tool {
		return tools.Define(tools.Tool{Name: name, Command: command, HelpCommand: help,
			About: "Add records that a client sends", Effect: effect, For: tools.Agents, Sharing: tools.OneSpace},
			func(ctx context.Context, env *tools.Env, in Records) (Added, error) {
				return k.take(ctx, env, in, strict)
			})
	}
	// A call with an idempotency key is a transaction of its own, so the second has none.
	return []*tools.Tool{tool("import_"+name, tools.Adds, false), tool("import_all_"+name, tools.Changes, true)}
}

// take adds the records that a client has sent.
func (k kind[T]) take(ctx context.Context, env *tools.Env, in Records, strict bool) (out Added, err error) {
	st, err := env.Store(ctx, tools.Adds)
	if err != nil {
		return out, err
	}
	k.again = in.Again && k.bringBack != nil
	parse, b, invalid := k.guarded(env), batch[T]{}, []Refusal{}
	for i, raw := range in.Records {
		record, _, problem := parse(raw)
		if problem != "" {
			invalid = append(invalid, Refusal{i, problem})
			continue
		}
		b.records, b.lines = append(b.records, record), append(b.lines, place{line: i})
	}
	add := func(ctx context.Context) error {
		r := importing[T]{Env: env, kind: k, store: st, most: maxBatch}
		if err := r.add(ctx, b); err != nil {
			return err
		}
		out = Added{Imported: r.out.Imported, Changed: r.out.Changed, Gone: r.out.Gone,
			Removed: r.out.Removed, Existing: r.out.Existing, Refused: invalid[:len(invalid):len(invalid)]}
		for _, e := range r.out.Errors {
			out.Refused = append(out.Refused, Refusal{e.Line, e.Message})
		}
		if strict && len(out.Refused) > 0 {
			return errBadLine
		}
		return nil
	}
	if strict {
		err = st.Group(ctx, add)
	} else {
		err = add(ctx)
	}
	if errors.Is(err, errBadLine) {
		out, err = Added{Refused: out.Refused}, nil
	}
	out.Message = env.Localize("Imported %s; %d already existed, %s skipped", k.count(env, out.Imported), out.Existing,
		env.Count(len(out.Refused), "%d line", "%d lines"))
	return out, err
}

// MemoriesTo imports the memories of a file through a server.
func MemoriesTo(ctx context.Context, env *tools.Env, w system.System, in MemoryRequest, send Send) (Report, error) {
	if in.DryRun {
		return Report{}, dryElsewhere(env)
	}
	k := in.kind()
	return through(k, k.tools("memories", "memory import"), send).run(ctx, env, w, in.Request)
}

// MemosTo imports the memos of a file through a server.
func MemosTo(ctx context.Context, env *tools.Env, w system.System, in MemoRequest, send Send) (Report, error) {
	if in.DryRun {
		return Report{}, dryElsewhere(env)
	}
	return through(memoKind, memoKind.tools("memos", "memo import"), send).run(ctx, env, w, in.request())
}

// dryElsewhere is the error of a dry run through a server.
func dryElsewhere(env *tools.Env) *tools.Error {
	return env.Fail(tools.Unavailable, "%s does not work through a server", "dry_run").
		WithHint(env.Hint("Run it on the server, or import the file into a store of your own first: %s",
			tools.Flag("store", tools.Placeholder("DIR"))))
}

// through returns the kind of import whose records are the checked lines, which it sends.
func through[T any](k kind[T], far []*tools.Tool, send Send) kind[json.RawMessage] {
	return kind[json.RawMessage]{
		parser: func(env *tools.Env) parser[json.RawMessage] {
			parse := k.parser(env)
			return func(raw []byte) (json.RawMessage, int, string) {
				_, _, problem := parse(raw)
				return bytes.Clone(raw), len(raw), problem
			}
		},
		read: k.read, count: k.count,
		send: func(ctx context.Context, lines []json.RawMessage, strict bool) (Added, error) {
			if strict {
				return send(ctx, far[1], Records{lines, k.again})
			}
			return send(ctx, far[0], Records{lines, k.again})
		},
	}
}

// send sends the records of a batch, which are lines.
func (r *importing[T]) send(ctx context.Context, b batch[T], strict bool) error {
	lines, _ := any(b.records).([]json.RawMessage) // the type of through
	return r.out.send(ctx, r.Env, lines, b.lines, strict, r.kind.send)
}

// send sends lines in requests of bounded size.
func (o *Report) send(ctx context.Context, env *tools.Env, lines []json.RawMessage, places []place, strict bool,
	send func(context.Context, []json.RawMessage, bool) (Added, error)) error {
	for from := 0; from < len(lines); {
		to, size := from, 0
		for to < len(lines) && (to == from || strict || size+len(lines[to]) <= maxSent) {
			size += len(lines[to])
			to++
		}
		added, err := send(ctx, lines[from:to], strict)
		if err != nil {
			return err
		}
		o.Imported += added.Imported
		o.Changed += added.Changed
		o.Gone += added.Gone
		o.Removed += added.Removed
		o.Existing += added.Existing
		for _, refused := range added.Refused {
			if at := from + refused.Index; at < to {
				o.skip(places[at], refused.Message)
			}
		}
		from = to
	}
	return nil
}

// strictTooLarge says that a file does not fit into one request.
func strictTooLarge(env *tools.Env) *tools.Error {
	return env.Fail(tools.LimitExceeded, "A strict import through a server has at most %d bytes", maxStrictSent).
		WithHint(env.Hint("Leave %s out, or run the import on the server", tools.Flag("strict")))
}
