package tools

import (
	"context"
	"slices"

	"techo/tools/jsontree"
)

// MinBytes is the smallest allowed bound of a result. It leaves room for the note
// that the result was shortened and how to get the rest.
const MinBytes = 1024

// Unlimited is the value of Call.MaxBytes for a caller who asked for results of any
// size, also where an interface has a limit by default.
const Unlimited = -1

// paging returns the input fields by which tools bound their results. A tool has
// at most one of them.
func paging() []string { return []string{"limit", "max_results", "max_chars"} }

// fit shortens a result to the call's limit. If the tool only reads and has a
// paging field, fit runs it again with a smaller bound, so that totals and
// cursors stay right. Otherwise it cuts texts, then lists.
func (v *invocation) fit(ctx context.Context, result *Result) error {
	maxBytes := v.call.MaxBytes
	if len(result.JSON) > maxBytes && result.JSON[0] == '[' {
		// An array has no place for a note that a part of it is missing.
		return v.env.Fail(LimitExceeded, "The result has %d bytes, more than --max-bytes %d", len(result.JSON),
			maxBytes).
			WithHint(v.env.Hint("Ask for fewer items, or allow more bytes with %s", Flag("max-bytes")))
	}
	if len(result.JSON) > maxBytes {
		note, err := v.rerunSmaller(ctx, result)
		if err != nil {
			return err
		}
		result.JSON = jsontree.Shorten(result.JSON, note, maxBytes)
		result.Text += "\n(" + note + ")"
	}
	if len(result.Text) > maxBytes {
		note := v.env.Localize("\n… (cut to %d bytes)", maxBytes)
		result.Text = jsontree.Cut(result.Text, maxBytes-len(note)) + note
	}
	return nil
}

// rerunSmaller runs the tool again with smaller bounds until its result fits or
// the bound is 1. It returns a note on how to get the rest.
func (v *invocation) rerunSmaller(ctx context.Context, result *Result) (note string, err error) {
	asked, err := jsontree.Parse(v.input)
	i := slices.IndexFunc(paging(), func(name string) bool { return asked.Number(name) > 0 })
	if err != nil || i < 0 || v.tool.Effect != Reads || v.tool.World {
		return v.cutNote(), nil
	}
	name := paging()[i]
	room := v.call.MaxBytes - shortenedRoom
	for bound := asked.Number(name); bound > 1 && len(result.JSON) > room; {
		shown := bound
		if n := jsontree.Longest(result.JSON); name != "max_chars" && n > 0 {
			shown = min(bound, n)
		}
		bound = max(1, min(shown-1, shown*room/len(result.JSON)))
		asked.Set(name, bound)
		again := *v
		again.input, again.call.Key = asked.Append(nil), ""
		out, err := again.run(ctx)
		if err != nil {
			return "", err
		}
		result.JSON, result.Text = v.document(out), again.textOf(out)
	}
	if len(result.JSON) > room {
		return v.cutNote(), nil
	}
	return v.pageNote(asked, name), nil
}

// cutNote returns the note for a result whose texts were cut.
func (v *invocation) cutNote() string {
	return v.env.Localize("Cut to %d bytes, at each …; for the rest ask for fewer fields or allow more bytes",
		v.call.MaxBytes)
}

// pageNote returns the note for a result that was bounded by a paging field.
func (v *invocation) pageNote(asked *jsontree.Node, name string) string {
	maxBytes, bound := v.call.MaxBytes, asked.Number(name)
	switch input := v.tool.Input(); {
	case input.Property("cursor") != nil:
		return v.env.Localize("Cut to %d bytes, by %s %d; for the rest go on with next_cursor", maxBytes, name, bound)
	case input.Property("offset") != nil:
		next := asked.Number("offset") + bound
		return v.env.Localize("Cut to %d bytes, by %s %d; for the rest go on with offset %d", maxBytes, name, bound,
			next)
	}
	return v.env.Localize("Cut to %d bytes, by %s %d; for the rest ask for a smaller part", maxBytes, name, bound)
}

// shortenedRoom is reserved for the note that is added to a shortened result, in
// bytes.
const shortenedRoom = 320
