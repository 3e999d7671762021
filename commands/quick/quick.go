// Package quick is the command add: one line becomes an event, a to-do or a memo.
package quick

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"techo/commands/run"
	"techo/internal/entry"
	"techo/tools"
	"techo/tools/calendar"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/todo"
	"techo/tools/jsontree"
	"techo/tools/memo"
	"techo/tools/person"
	"techo/tools/when"
)

// kind is what a line becomes.
type kind string

// The kinds.
const (
	auto    kind = "auto"
	anEvent kind = "event"
	aTodo   kind = "todo"
	aMemo   kind = "memo"
)

// Enum returns the kinds.
func (kind) Enum() []string {
	return []string{string(auto), string(anEvent), string(aTodo), string(aMemo)}
}

// In is the input of the command add.
type In struct {
	Text   string `json:"text" format:"nonblank" maxLength:"1000" doc:"The line, e.g. Lunch with Sato tomorrow 12:00"`
	Kind   kind   `json:"kind" default:"auto" doc:"What it becomes, whatever the line says"`
	DryRun bool   `json:"dry_run,omitempty" doc:"Show what it becomes, and keep nothing"`
}

// Elsewhere reports that the tool that keeps the line has its own transaction.
func (In) Elsewhere(context.Context, *tools.Env, []byte) bool { return true }

// Out is the result of the command add.
type Out struct {
	Kind        kind            `json:"kind"`
	Event       json.RawMessage `json:"event,omitempty"`
	Todo        json.RawMessage `json:"todo,omitempty"`
	Memo        json.RawMessage `json:"memo,omitempty"`
	Interpreted string          `json:"interpreted,omitempty"`
	Note        string          `json:"note,omitempty"`
	Message     string          `json:"message"`

	text string // of the tool that kept the line
}

// Text is the text of the tool that kept the line, or the message.
func (o Out) Text(*tools.Env) string { return cmp.Or(o.text, o.Message) }

// Guess returns the note.
func (o Out) Guess() string { return o.Note }

// Tool returns the command add of a run.
func Tool(s *run.Run) *tools.Tool {
	return tools.Define(tools.Tool{
		Command: "add",
		About:   "Add an event, a to-do or a memo from one line",
		More: "A time of day, several days or a repetition make an event. A day alone, or a deadline (by, due, " +
			"までに), makes a to-do. A line may begin with its kind (todo:, event:, memo:). Anything else " +
			"becomes a memo, named by its first words. At a terminal, the result is shown before it is kept.",
		Effect: tools.Adds,
		Words:  []string{"text…"},
		Examples: []tools.Example{
			{Does: "An event", Line: `add Lunch with Sato tomorrow 12:00`},
			{Does: "A to-do", Line: `add Send the report by friday`},
			{Does: "A memo", Line: `add The meeting room is on floor three`},
		},
	}, func(ctx context.Context, env *tools.Env, in In) (Out, error) { return add(ctx, s, env, in) })
}

// plan is what a line becomes: the tool that keeps it, and its input.
type plan struct {
	kind  kind
	tool  *tools.Tool
	input map[string]any
	meant when.Meaning // of the due time of a to-do
	note  string       // on what the line may mean otherwise
}

func add(ctx context.Context, s *run.Run, env *tools.Env, in In) (out Out, err error) {
	p, e := planOf(env, in)
	if e != nil {
		return out, e
	}
	ask := s.System.AtPerson() && !s.StdinTaken
	if in.DryRun || ask {
		shown, err := preview(ctx, s, env, p)
		if err != nil || in.DryRun {
			return shown, err
		}
		if err := confirm(ctx, env, shown); err != nil {
			return out, err
		}
	}
	return keep(ctx, s, env, p)
}

func planOf(env *tools.Env, in In) (p plan, e *tools.Error) {
	text, named := cutMark(in.Text)
	l := entry.Read(text, env.Now().In(env.Zone))
	p.kind = in.Kind
	if p.kind == auto || p.kind == "" {
		switch {
		case named != auto:
			p.kind = named
		case l.Unclear:
			return p, env.Fail(tools.InvalidInput, "The days are one time or repeat: %s", in.Text).
				WithHint(env.Hint("For example: every mon and tue, or mon to tue; or %s", tools.Flag("kind", "memo")))
		case l.Second != "":
			return p, twoTimes(env, l)
		case l.Missing != "":
			return p, env.Fail(tools.InvalidInput, "There is no such day or time: %s", l.Missing).
				WithHint(env.Hint("In quotes it stays in the title; or %s", tools.Flag("kind", "memo")))
		case l.After != "" || l.Deadline || l.When != "" && !l.Timed && !l.Repeats:
			p.kind = aTodo
		case l.When != "":
			p.kind = anEvent
		default:
			p.kind = aMemo
		}
	}
	if p.kind != aMemo && l.Second != "" {
		return p, twoTimes(env, l)
	}
	if p.kind != aMemo && l.Zone != "" {
		return p, env.Fail(tools.InvalidInput, "Several time zones are called %s", l.Zone).
			WithHint(env.Hint("For example: 17:00 London time, or 17:00+01:00"))
	}
	if p.kind != aMemo && l.Guessed != "" {
		p.note = env.Localize("%q was read as a time; in quotes it stays in the title", l.Guessed)
	}
	if p.kind != aMemo && p.note == "" && l.WeekdayOf(env.Now().In(env.Zone)) {
		p.note = env.Localize("%q was read as today", l.When)
	}
	if p.kind != aMemo && l.Title == "" {
		return p, env.Fail(tools.InvalidInput, "The line has a time and no title").
			WithHint(env.Hint("For example: %s", tools.Use("add", "Lunch tomorrow 12:00")))
	}
	switch p.kind {
	case anEvent:
		if l.When == "" {
			return p, env.Fail(tools.InvalidInput, "The line has no time for an event").
				WithHint(env.Hint("For example: %s", tools.Use("add", "Lunch tomorrow 12:00")))
		}
		p.tool, p.input = calendar.Create, map[string]any{"title": l.Title, "start": l.When}
	case aTodo:
		p.tool, p.input = todo.Add, map[string]any{"title": l.Title}
		if l.After != "" {
			p.input["repeat"] = l.After
		}
		if l.When != "" {
			p.input["due"] = l.When
			due := agenda.Checker{Env: env}
			if _, ok := due.Start("due", l.When, time.Time{}); !ok { // it repeats
				due.Meanings.Add(env, l.Moment)
			}
			p.meant = due.Meanings.Meaning()
		}
	default:
		p.tool, p.input = memo.Add, map[string]any{"name": nameOf(text), "content": text}
	}
	return p, nil
}

func twoTimes(env *tools.Env, l entry.Line) *tools.Error {
	return env.Fail(tools.InvalidInput, "The line has two times: %s and %s", l.When, l.Second).
		WithHint(env.Hint("Leave one of them, or put words that belong to the title in quotes; or %s", tools.Flag("kind", "memo")))
}

// marks are the beginnings of lines that name their kind.
var marks = []struct {
	kind  kind
	texts []string
}{
	{aTodo, []string{"- [ ] ", "[ ] ", "todo: ", "todo ", "to do: ", "to-do: ", "task: ", "remind me to ",
		"remember to ", "タスク:", "タスク：", "タスク ",
		"やること:", "やること：", "やること "}},
	{anEvent, []string{"event: ", "予定:", "予定：", "予定 "}},
	{aMemo, []string{"memo: ", "note: ", "メモ:", "メモ：", "メモ "}},
}

// cutMark cuts the mark of a kind off the beginning of a line.
func cutMark(text string) (rest string, named kind) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\u3000", " "))
	for _, k := range marks {
		for _, mark := range k.texts {
			if len(text) > len(mark) && strings.EqualFold(text[:len(mark)], mark) {
				return strings.TrimSpace(text[len(mark):]), k.kind
			}
		}
	}
	return text, auto
}

// nameOf returns the name of a memo: the first words of its text.
func nameOf(text string) string {
	const most = 24 // characters
	words := strings.Fields(text)
	name := words[0]
	for _, w := range words[1:] {
		if len([]rune(name))+1+len([]rune(w)) > most {
			break
		}
		name += " " + w
	}
	if runes := []rune(name); len(runes) > most {
		name = string(runes[:most])
	}
	return strings.TrimRight(name, ".,;:、。")
}

func (p plan) call(s *run.Run, dry bool) tools.Call {
	if dry {
		p.input["dry_run"] = true
	}
	input, err := jsontree.Marshal(p.input)
	delete(p.input, "dry_run")
	if err != nil {
		panic(err) // the input has texts and numbers
	}
	key := s.Options.Key
	if dry {
		key = ""
	}
	return tools.Call{Input: input, Key: key, Timeout: s.Options.Timeout}
}

// preview shows what a plan would keep. Only events have a preview of their own; other tools
// check their input when they keep it.
func preview(ctx context.Context, s *run.Run, env *tools.Env, p plan) (out Out, err error) {
	if p.kind == anEvent {
		return execute(ctx, s, env, p, true)
	}
	shown := maps.Clone(p.input)
	if p.meant.Interpreted != "" {
		shown["due"] = p.meant.Interpreted
	}
	record, err := jsontree.Marshal(shown)
	if err != nil {
		return out, err
	}
	out = Out{Kind: p.kind, Interpreted: p.meant.Interpreted, Note: joinNotes(p.meant.Note, p.note)}
	if p.kind == aTodo {
		out.Todo = record
		out.Message = env.Localize("Would add the to-do: %s", p.input["title"])
		if due, ok := p.input["due"].(string); ok {
			out.Message = env.Localize("Would add the to-do: %s, due %s", p.input["title"],
				dayText(env, cmp.Or(out.Interpreted, due)))
		}
		return out, nil
	}
	out.Memo = record
	out.Message = env.Localize("Would keep a memo named %q: %s", p.input["name"], p.input["content"])
	return out, nil
}

// dayText returns a day or a time with its weekday.
func dayText(env *tools.Env, text string) string {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return when.Weekday(env, day) + " " + text
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return when.Weekday(env, at) + " " + at.Format("2006-01-02 15:04")
	}
	return text
}

func joinNotes(a, b string) string {
	if a != "" && b != "" {
		return a + "; " + b
	}
	return a + b
}

// confirm shows a person what would be kept, and asks for it.
func confirm(ctx context.Context, env *tools.Env, shown Out) error {
	term, err := person.Reach(env, tools.OnTerminal)
	if err != nil {
		return nil // no one can be asked: the line says what is wanted
	}
	defer term.Close()
	text := shown.Message
	if shown.Note != "" {
		text += "\n" + env.Localize("Note: %s", shown.Note)
	}
	_ = term.Discard()
	_ = term.Print(text + "\n") // if the terminal is gone, asking fails
	word, err := term.Ask(ctx, tools.Prompt{Label: env.Localize("Keep it? [Y/n] ")})
	switch word = strings.ToLower(strings.TrimSpace(word)); {
	case err == nil && (word == "" || word == "y" || word == "yes" || word == "はい"):
		return nil
	case err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil:
		return env.Fail(tools.Cancelled, "Not confirmed; nothing was changed").
			WithHint(env.Hint("To keep it as something else: %s", tools.Flag("kind", "todo")))
	}
	return err
}

// keep runs a plan. A memo whose name is taken gets a number.
func keep(ctx context.Context, s *run.Run, env *tools.Env, p plan) (out Out, err error) {
	name := p.input["name"]
	for n := 2; ; n++ {
		out, err = execute(ctx, s, env, p, false)
		taken := new(tools.Error)
		if p.kind != aMemo || n > 20 || !errors.As(err, &taken) || taken.Code != tools.AlreadyExists {
			return out, err
		}
		p.input["name"] = fmt.Sprintf("%s %d", name, n)
	}
}

// execute calls the tool of a plan, and returns its result as one of add.
func execute(ctx context.Context, s *run.Run, env *tools.Env, p plan, dry bool) (out Out, err error) {
	result, e := s.CallTool(ctx, p.tool, p.call(s, dry))
	if e != nil {
		return out, e
	}
	if err := json.Unmarshal(result.JSON, &out); err != nil {
		return out, err
	}
	out.Kind, out.Note = p.kind, joinNotes(out.Note, p.note)
	out.text, _, _ = strings.Cut(result.Text, "\n"+env.Localize("Note: %s", "")) // it is added again
	return out, nil
}
