package transfer

import (
	"context"
	"encoding/json"
	"io"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/stores"
	"techo/export"
	"techo/store"
	"techo/tools"
	"techo/tools/jsontree"
)

// exportFolder updates a folder with records.
type exportFolder[In any] func(ctx context.Context, env *tools.Env, st *store.Store, in In, dir string) (
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
				_, err = write(s.System.Stdout)
			}
		}
		if err != nil {
			return s.Out.Fail(tool.AsError(s.Env(), err))
		}
		return 0
	}}
}

// exportToFile writes lines to a file, which appears when it is complete.
func exportToFile(env *tools.Env, path string, write func(io.Writer) (int, error)) (exportOut, error) {
	n := 0
	err := export.Stream(path, func(w io.Writer) (err error) {
		n, err = write(w)
		return err
	})
	if export.Refused(err) != nil {
		return exportOut{}, stores.FileError(env, path, err)
	}
	return exportOut{File: path, Written: n, Message: env.Localize("Written: %d", n)}, err
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
