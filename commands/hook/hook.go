// Package hook answers the hooks of clients. A hook adds a short block of notes to a
// session or to a message, never the same note twice in a session, and never fails what
// the person does: an error is a line on stderr and an empty answer.
package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"techo/commands/run"
	"techo/commands/system"
	"techo/tools"
)

// The hooks.
const (
	Start   = "session-start"
	Prompt  = "prompt"
	Compact = "pre-compact"
)

// Limits of an answer, in bytes of its document.
const (
	MaxStart  = 1500
	MaxPrompt = 1000
)

// How long a hook may take. The person waits for each prompt, so a busy store is given up
// soon.
const (
	slowest       = 5 * time.Second
	slowestPrompt = time.Second
)

// Added is what a hook adds, and why.
type Added struct {
	Bytes   int    `json:"bytes"` // of the answer
	Items   []Item `json:"items"`
	LeftOut []Item `json:"left_out"`
	Message string `json:"message"`
	Text    string `json:"text,omitempty"` // what the model reads

	document string
}

// Item is one note that was added or left out.
type Item struct {
	ID  string `json:"id"`
	Why string `json:"why"`

	memory string // the caption of a memory
}

// Document is the answer in the form of the client.
func (a Added) Document() string { return a.document }

// call is one call of a hook.
type call struct {
	run    *run.Run
	ctx    context.Context
	hook   string
	client string
	given  given
	seen   *seen
}

// Answer reads the client's JSON on stdin and answers a hook of a client. With dry it
// keeps and records nothing.
func Answer(ctx context.Context, s *run.Run, hook, client string, dry bool) Added {
	limit := slowest
	if hook == Prompt {
		limit = slowestPrompt
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, tools.ErrTimeout)
	defer stop()
	g, problem := read(ctx, s)
	if problem != "" {
		(&call{run: s}).warn(problem)
		return Added{document: "{}\n", Items: []Item{}, LeftOut: []Item{}, Message: problem}
	}
	return answer(ctx, s, hook, client, g, dry)
}

func answer(ctx context.Context, s *run.Run, hook, client string, g given, dry bool) Added {
	c := &call{run: s, ctx: ctx, hook: hook, client: client, given: g}
	c.seen = openSeen(s.System.State(), client, g.session(), s.System.Now())
	added := Added{document: "{}\n"}
	switch hook {
	case Start:
		added = c.start()
	case Prompt:
		if client == "gemini" && !dry {
			c.snapshot()
		}
		added = c.prompt()
	case Compact:
		added = c.compact(dry)
	}
	if added.Items == nil {
		added.Items = []Item{}
	}
	if added.LeftOut == nil {
		added.LeftOut = []Item{}
	}
	if added.document != "{}\n" {
		added.Bytes = len(added.document)
	}
	if err := c.seen.close(!dry); err != nil {
		c.warn(s.Env().Cause(err))
	}
	return added
}

// Measured is what a hook would add now, and how long that took.
type Measured struct {
	Hook  string
	Limit int // of the bytes
	Added Added
	Took  time.Duration
}

// Measure returns what the hooks would add now for a client, in a session that is new: at
// its start, and to a message about the newest memory.
func Measure(ctx context.Context, s *run.Run, client string) []Measured {
	timed := func(hook string, limit int, g given) Measured {
		began := time.Now()
		added := answer(ctx, s, hook, client, g, true)
		return Measured{Hook: hook, Limit: limit, Added: added, Took: time.Since(began)}
	}
	start := timed(Start, MaxStart, given{})
	about := given{}
	for _, item := range start.Added.Items {
		about.Prompt = item.memory
	}
	return []Measured{start, timed(Prompt, MaxPrompt, about)}
}

// tool calls a tool and reads its result. It reports whether that succeeded.
func (c *call) tool(t *tools.Tool, in, out any) bool {
	input, err := json.Marshal(in)
	if err != nil {
		return false
	}
	result, e := c.run.CallTool(c.ctx, t, tools.Call{Input: input, NoText: true})
	if e != nil {
		c.warn(e.Message)
		return false
	}
	return json.Unmarshal(result.JSON, out) == nil
}

// warn prints a line for the person.
func (c *call) warn(text string) {
	fmt.Fprintln(c.run.System.Stderr, system.Name+" hook: "+system.Visible(text))
}
