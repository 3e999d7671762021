// Package ingest imports memories and memos from JSON Lines, JSON documents and folders
// of Markdown notes.
package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"techo/commands/system"
	"techo/export"
	"techo/internal/private"
	"techo/internal/sorting"
	"techo/store"
	"techo/tools"
)

// Request is the input of an import. It names the formats of memories.
type Request struct {
	File   string `json:"file" minLength:"1" doc:"JSON, a note, a folder of notes, or a zip archive; - is stdin"`
	Format string `json:"format" default:"auto" enum:"auto,jsonl,mcp,markdown" doc:"Format of the file"`
	Strict bool   `json:"strict,omitempty" doc:"Import nothing if a line is invalid"`
}

// Report is the result of an import.
type Report struct {
	Imported int           `json:"imported"`
	Changed  int           `json:"changed,omitempty"` // the import has another text of a note that was known
	Gone     int           `json:"gone,omitempty"`    // memories of a note that it does not have any more
	Removed  int           `json:"removed,omitempty"` // texts that somebody removed, and that were not brought back
	Existing int           `json:"existing"`
	Skipped  int           `json:"skipped"`
	Errors   []importError `json:"errors"`
	LeftOut  []LeftOut     `json:"left_out,omitempty"` // of a file of another program, by reason
	DryRun   bool          `json:"dry_run,omitempty"`  // nothing was imported
	Sample   []Sample      `json:"sample,omitempty"`   // the first few records of a dry run
	Message  string        `json:"message"`
}

// LeftOut counts what an import has left out.
type LeftOut struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// Sample is a record that an import would add.
type Sample struct {
	Caption   string    `json:"caption"`
	Session   string    `json:"session,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// importError describes a malformed line or file.
type importError struct {
	Line    int    `json:"line"`
	File    string `json:"file,omitempty"` // in a folder of notes
	Message string `json:"message"`
}

// Text writes the message and a line for each invalid line or file.
func (o Report) Text(env *tools.Env) string {
	lines := []string{o.Message}
	for _, e := range o.Errors {
		where := env.Localize("line %d", e.Line)
		if e.File != "" {
			where = e.File
		}
		lines = append(lines, "- "+where+": "+e.Message)
	}
	for _, l := range o.LeftOut {
		lines = append(lines, env.Localize("Left out: %d, %s", l.Count, l.Why))
	}
	for _, m := range o.Sample {
		lines = append(lines, "+ "+export.OneLine(m.Caption))
	}
	return strings.Join(lines, "\n")
}

// maxErrors limits the listed errors; all are counted.
const maxErrors = 1000

// parser returns the record on a line with its size in bytes, or the reason why the
// line is invalid.
type parser[T any] func(raw []byte) (record T, size int, problem string)

// kind describes the import of one kind of record.
type kind[T any] struct {
	// parser returns a parser for one worker. Imports use it by guarded.
	parser func(env *tools.Env) parser[T]
	// read sets how a source reads its lines and notes.
	read func(*importSource)
	// add stores records in one transaction and returns a result for each.
	add func(ctx context.Context, st *store.Store, records []T) (all []result, err error)
	// same reports whether two records belong to one note, which a batch has as a whole; nil means never.
	same func(a, b T) bool
	// refusal explains why the store refused a record.
	refusal func(env *tools.Env, err error) string
	// count returns a number of records with their name.
	count func(env *tools.Env, n int) string
	// sample shows a record; dry only shows what an import would do.
	sample func(T) Sample
	// names returns what no two records can have, for a dry run.
	names func(T) []name
	dry   bool
	// bringBack marks records, so that ones that were removed come back; nil for a kind without. An import does so
	// if again is true.
	bringBack func(records []T)
	again     bool
	// after is called after an import into a store; nil means not.
	after func(ctx context.Context, env *tools.Env, st *store.Store)
	// send adds records through a server instead; nil for a store.
	// The records are lines then.
	send func(ctx context.Context, lines []json.RawMessage, strict bool) (Added, error)
}

// guarded returns a parser for one worker, which applies the setting for secrets to a record first.
func (k kind[T]) guarded(env *tools.Env) parser[T] {
	parse := k.parser(env)
	return func(raw []byte) (record T, size int, problem string) {
		if raw, problem = tools.HideImported(env, raw); problem != "" {
			return record, 0, problem
		}
		return parse(raw)
	}
}

// run imports the records of a file or a folder.
func (k kind[T]) run(ctx context.Context, env *tools.Env, w system.System, in Request) (out Report, err error) {
	var spool private.Spool
	if in.Strict && in.File == "-" && k.send == nil && !k.dry { // it may be read again
		if spool, err = private.SpoolOf(endedReader{ctx, w.Stdin}); err != nil {
			return out, err
		}
		defer spool.Close()
	}
	r := importing[T]{Env: env, kind: k, out: Report{Errors: []importError{}}, most: maxBatch}
	var left map[string]int
	read := func(use func(context.Context, *importSource) error) error {
		if spool.File != nil {
			w.Stdin = io.NewSectionReader(spool, 0, math.MaxInt64)
		}
		source, err := openSource(w, env, in)
		if err != nil {
			return err
		}
		defer source.close()
		k.read(source)
		if r.store == nil && k.send == nil { // after the file: without one, no store is made
			if r.store, err = env.Store(ctx, tools.Changes); err != nil {
				return err
			}
		}
		if err = use(ctx, source); err == nil {
			left = source.left
		}
		return err
	}
	system.BoundMemory(system.PieceMemory)
	switch {
	case k.dry:
		system.BoundMemory(dryMemory)
		r.most = dryBatch
		err = read(r.dryRun)
	case in.Strict:
		if err = read(r.runStrict); errors.Is(err, errLarge) {
			if err = read(r.check); err == nil {
				err = read(r.runChecked)
			}
		}
	default:
		err = read(r.run)
	}
	if err != nil {
		return out, err
	}
	if r.store != nil && !k.dry {
		if r.out.Imported >= compactFrom {
			if err := r.store.CompactAfterImport(ctx); err != nil {
				return out, err
			}
		}
		if k.after != nil {
			k.after(ctx, env, r.store)
		}
	}
	r.out.finish(env, k.count(env, r.out.Imported), left)
	return r.out, nil
}

// finish sorts the errors, writes the message about the imported records, and lists what was left out.
func (o *Report) finish(env *tools.Env, records string, left map[string]int) {
	sorting.By(o.Errors, func(a, b importError) int { return a.Line - b.Line })
	o.Message = env.Localize("Imported %s; %d already existed, %s skipped", records, o.Existing,
		env.Count(o.Skipped, "%d line", "%d lines"))
	if o.Changed+o.Gone > 0 {
		o.Message += env.Localize("; changed: %d, gone: %d", o.Changed, o.Gone)
	}
	if o.Removed > 0 {
		o.Message += env.Localize("; removed before, and left out: %d (see --again)", o.Removed)
	}
	if o.DryRun {
		o.Message = env.Localize("Nothing was imported. It would be: %s", o.Message)
	}
	for _, why := range slices.Sorted(maps.Keys(left)) {
		o.LeftOut = append(o.LeftOut, LeftOut{why, left[why]})
	}
}

// importing is one import.
type importing[T any] struct {
	Env   *tools.Env
	kind  kind[T]
	store *store.Store
	out   Report
	most  int // records of a batch
}

// result is the result of importing one record.
type result struct {
	created bool
	changed bool // it replaces what its note said before
	removed bool // somebody removed it before
	gone    int  // memories of its note that nothing replaces
	err     error
}

// name is something that only one record of a kind can have, and the result for another one that has it.
type name struct {
	name string
	then result
}

// errBadLine ends a strict import.
var errBadLine = errors.New("bad line")

// run imports in batches, each durable before the next.
func (r *importing[T]) run(ctx context.Context, source *importSource) error {
	return r.batches(ctx, source, func(b batch[T]) error { return r.add(ctx, b) })
}

// errLarge says that a strict import has more than one batch: the source is read again from its begin.
var errLarge = errors.New("more than one batch")

// runStrict reads a source of one batch, or what is sent in one request, and imports it in one transaction. For a
// larger one it returns errLarge. Then check follows, and runChecked.
func (r *importing[T]) runStrict(ctx context.Context, source *importSource) error {
	var all batch[T]
	err := r.batches(ctx, source, func(b batch[T]) error {
		if r.kind.send == nil && len(all.records) > 0 {
			return errLarge
		}
		all.records, all.lines = append(all.records, b.records...), append(all.lines, b.lines...)
		if all.bytes += b.bytes; r.kind.send != nil && all.bytes > maxStrictSent {
			return strictTooLarge(r.Env)
		}
		return nil
	})
	switch {
	case err != nil:
	case r.kind.send == nil: // also with invalid lines: the store may refuse others
		err = r.addStrict(ctx, all)
	case r.out.Skipped == 0:
		err = r.send(ctx, all, true)
	}
	if err != nil && !errors.Is(err, errBadLine) || r.out.Skipped == 0 {
		return err
	}
	return r.out.nothing(r.Env)
}

// check returns an error if a line of a source cannot be imported.
func (r *importing[T]) check(ctx context.Context, source *importSource) error {
	dry := importing[T]{Env: r.Env, kind: r.kind, store: r.store, out: Report{Errors: []importError{}}, most: r.most}
	err := dry.dryRun(ctx, source)
	if err == nil && dry.out.Skipped > 0 {
		err = dry.out.nothing(r.Env)
	}
	return err
}

// runChecked imports a source whose lines are checked, in batches. It ends where the file or the store has changed
// since.
func (r *importing[T]) runChecked(ctx context.Context, source *importSource) error {
	r.out = Report{Errors: []importError{}}
	err := r.batches(ctx, source, func(b batch[T]) error { return r.addStrict(ctx, b) })
	if err != nil && !errors.Is(err, errBadLine) || r.out.Skipped == 0 {
		return err
	}
	changed := r.Env.Fail(tools.Conflict, "The file or the store has changed since the lines were checked; imported: %d",
		r.out.Imported+r.out.Changed).WithHint(r.Env.Hint("Run it again: what is imported stays, and is not imported twice"))
	changed.Details = r.out.nothing(r.Env).Details
	return changed
}

// addStrict adds a batch in one transaction. It adds nothing and returns errBadLine if a line of it, or one before it,
// is invalid.
func (r *importing[T]) addStrict(ctx context.Context, b batch[T]) error {
	before := r.out
	err := r.group(ctx, func(ctx context.Context) error {
		if err := r.add(ctx, b); err != nil {
			return err
		}
		if r.out.Skipped > 0 {
			return errBadLine
		}
		return nil
	})
	if errors.Is(err, errBadLine) {
		r.out.Imported, r.out.Changed = before.Imported, before.Changed
	}
	return err
}

// group runs add in one transaction, perhaps several times: each begins with the same results.
func (r *importing[T]) group(ctx context.Context, add func(context.Context) error) error {
	before := r.out
	before.Errors = slices.Clip(before.Errors)
	return r.store.Group(ctx, func(ctx context.Context) error {
		r.out = before
		return add(ctx)
	})
}

// nothing returns the error of a strict import with lines that are invalid.
func (o Report) nothing(env *tools.Env) *tools.Error {
	sorting.By(o.Errors, func(a, b importError) int { return a.Line - b.Line })
	e := env.Fail(tools.InvalidInput, "%s invalid; nothing was imported",
		env.Count(o.Skipped, "%d line is", "%d lines are")).
		WithHint(env.Hint("Correct them, or leave %s out to skip them", tools.Flag("strict")))
	for _, l := range o.Errors {
		if l.File != "" {
			l.Message = l.File + ": " + l.Message
		}
		e.Details = append(e.Details, tools.Detail{Path: fmt.Sprintf("/%d", l.Line), Message: l.Message})
	}
	return e
}

// errDry ends a dry run.
var errDry = errors.New("dry run")

// dryRun imports each batch and takes it back. It remembers the names that the records of earlier batches
// would have, since the store does not.
func (r *importing[T]) dryRun(ctx context.Context, source *importSource) error {
	const most = 5
	r.out.DryRun = true
	seed, known := maphash.MakeSeed(), map[uint64]bool{}
	return r.batches(ctx, source, func(b batch[T]) error {
		var fresh batch[T]
		var later []uint64
		for i, record := range b.records {
			if len(r.out.Sample) < most {
				r.out.Sample = append(r.out.Sample, r.kind.sample(record))
			}
			met := false
			for _, n := range r.kind.names(record) {
				hash := maphash.String(seed, n.name)
				if later = append(later, hash); !met && known[hash] {
					met = true
					r.count(b.lines[i], n.then)
				}
			}
			if !met {
				fresh.records, fresh.lines = append(fresh.records, record), append(fresh.lines, b.lines[i])
			}
		}
		for _, hash := range later {
			known[hash] = true
		}
		err := r.group(ctx, func(ctx context.Context) error { return cmp.Or(r.add(ctx, fresh), errDry) })
		if errors.Is(err, errDry) {
			return nil
		}
		return err
	})
}

// add stores or sends one batch.
func (r *importing[T]) add(ctx context.Context, b batch[T]) error {
	if r.kind.send != nil {
		return r.send(ctx, b, false)
	}
	if r.kind.again {
		r.kind.bringBack(b.records)
	}
	results, err := r.kind.add(ctx, r.store, b.records)
	if err != nil {
		return err
	}
	for i, a := range results {
		r.count(b.lines[i], a)
	}
	return nil
}

// count counts the result of one record.
func (r *importing[T]) count(at place, a result) {
	r.out.Gone += a.gone
	switch {
	case a.err != nil:
		r.out.skip(at, r.kind.refusal(r.Env, a.err))
	case a.removed:
		r.out.Removed++
	case a.changed:
		r.out.Changed++
	case a.created:
		r.out.Imported++
	default:
		r.out.Existing++
	}
}

// compactFrom is the number of imported records from which the store is compacted:
// every search would look into all tables that a large import leaves.
const compactFrom = 50_000

// skip reports a line or a file that is not imported.
func (o *Report) skip(at place, message string) {
	o.Skipped++
	if len(o.Errors) < maxErrors {
		o.Errors = append(o.Errors, importError{at.line, at.file, message})
	}
}
