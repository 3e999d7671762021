// Package hook answers the hooks of clients. A hook adds a short block of notes to a
// session or to a message, never the same note twice in a session, and never fails what
// the person does: an error is a line on stderr and an empty answer.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"techo/commands/run"
	"techo/commands/system"
	"techo/commands/transcript"
	"techo/tools"
	"techo/tools/jsontree"
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

func (c *call) warn(text string) {
	fmt.Fprintln(c.run.System.Stderr, system.Name+" hook: "+system.Visible(text))
}

// given is the part of a client's JSON that techo uses.
type given struct {
	Session      string `json:"session_id"`
	Conversation string `json:"conversation_id"` // Cursor
	SessionID    string `json:"sessionId"`       // VS Code
	Transcript   string `json:"transcript_path"`
	Source       string `json:"source"`
	Prompt       string `json:"prompt"`
}

// read reads the client's JSON. Without one it is empty, and a member of another type is left out.
// problem says why what there is cannot be read.
func read(ctx context.Context, s *run.Run) (g given, problem string) {
	if s.System.StdinTerminal {
		return g, ""
	}
	text, err := s.ReadStdin(ctx, time.Second)
	if err != nil {
		return g, "" // the client keeps stdin open, and has nothing to say
	}
	text = bytes.TrimSpace(jsontree.WithoutBOM(text))
	if len(text) == 0 {
		return g, ""
	}
	if err := json.Unmarshal(text, &g); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) || text[0] != '{' {
		return given{}, s.Env().Localize("The input of the hook is not a JSON object in UTF-8")
	}
	return g, ""
}

// session returns the id of the session, "" for an unknown one.
func (g given) session() string {
	for _, id := range []string{g.Session, g.Conversation, g.SessionID} {
		if regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`).MatchString(id) {
			return id
		}
	}
	return ""
}

// maxMessage is how much of a message is searched for, in bytes: what a person asks
// stands at the start or at the end, around what was pasted.
const maxMessage = 4000

// message returns the message of the person, without the notes of hooks that a client puts
// before it.
func (g given) message() string {
	text := transcript.WithoutHooks(g.Prompt)
	if len(text) <= maxMessage {
		return text
	}
	last := text[len(text)-maxMessage/2:]
	for last != "" && !utf8.RuneStart(last[0]) {
		last = last[1:]
	}
	return jsontree.Cut(text, maxMessage/2) + "\n" + last
}

// cutLine cuts a text to the length of a line.
func cutLine(text string) string {
	if len(text) <= maxLine {
		return text
	}
	const end = "…"
	return strings.TrimSpace(jsontree.Cut(text, maxLine-len(end))) + end
}

// form returns the answer of a client's hook that adds a text, "{}" for none.
func form(hook, client, text string) string {
	var answer any = struct{}{}
	switch {
	case text == "":
	case client == "cursor" && hook == Prompt:
		answer = map[string]any{"continue": true, "additional_context": text}
	case client == "cursor":
		answer = map[string]any{"additional_context": text}
	default:
		answer = map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": event(hook, client),
			"additionalContext": text}}
	}
	document, err := jsontree.Marshal(answer)
	if err != nil {
		panic(fmt.Sprint("hook: ", err)) // the answer consists of strings
	}
	return string(document) + "\n"
}

func event(hook, client string) string {
	switch {
	case hook == Start:
		return "SessionStart"
	case client == "gemini":
		return "BeforeAgent"
	}
	return "UserPromptSubmit"
}
