package ask

import (
	"context"
	"errors"

	"techo/store/question"
	"techo/tools"
	"techo/tools/person"
)

// The channels of an answer besides tools.OnTerminal and tools.OnStdin.
const (
	byCommand = "command"
	byPage    = "page"
	byDialog  = "elicitation" // of the MCP client
)

// permission is what an answer is worth.
type permission struct {
	assurance question.Assurance
	secret    bool // the person has to enter the secret, unless the place is unlocked
}

// permit returns what an answer to a question by a channel is worth, or an error if it does not
// count. It decides for all commands and interfaces: if a secret is set, every answer needs it but
// that of the dialog of the client that asked; nothing else shows who answers.
func permit(env *tools.Env, q question.Question, via string) (p permission, err error) {
	isAsker, isCommand := q.Client == env.Caller.Client, env.Caller.Client == tools.ByCommand
	switch {
	case via == byDialog && !isAsker:
		return p, env.Fail(tools.Forbidden, "%s was asked by another client, whose dialog this is not", q.ID).
			WithHint(ways(env))
	case via == byDialog:
		p.assurance = question.Client
		return p, p.check(env, q)
	case via == byCommand && !isCommand && isAsker:
		return p, env.Fail(tools.Forbidden, "%s was asked by this client, which cannot answer it", q.ID).
			WithHint(ways(env))
	case via == byCommand && isCommand && !env.Person.Typed:
		return p, env.Fail(tools.Forbidden, "A command answers only if its standard input is a terminal").
			WithHint(ways(env))
	}
	p.assurance = question.None
	set, err := person.HasSecret(env)
	switch {
	case err != nil:
		return p, err
	case set:
		p = permission{question.Secret, true}
	case q.Sealed:
		return p, env.Fail(tools.Forbidden, "%s was asked when a secret was set, and none is set now", q.ID).
			WithHint(env.Hint("Set one: %s", tools.Use("ask secret set")))
	}
	return p, p.check(env, q)
}

// ways names the ways to answer.
func ways(env *tools.Env) string {
	return env.Hint("The person answers at a terminal (%s), on the page (%s), or in the dialog of the MCP client that "+
		"asked", tools.Use("ask watch"), tools.Use("page"))
}

func (p permission) check(env *tools.Env, q question.Question) error {
	if !p.assurance.Less(q.Assurance) {
		return nil
	}
	message := tools.Text("%s needs an answer with your secret")
	if q.Assurance == question.Client {
		message = "%s needs an answer in the dialog of the MCP client, or with your secret"
	}
	e := env.Fail(tools.Forbidden, message, q.ID)
	if p.assurance == question.Client {
		return e.WithHint(env.Hint("Answer with %s, or on the page: %s", tools.Use("ask watch"), tools.Use("page")))
	}
	return e.WithHint(env.Hint("Set one: %s", tools.Use("ask secret set")))
}

// permitCall is permit for a call that brings its answer: the secret is entered now, at the
// terminal of a command, or was entered before, on the page.
func permitCall(ctx context.Context, env *tools.Env, q question.Question, via string) (permission, error) {
	p, err := permit(env, q, via)
	switch {
	case err != nil || !p.secret || env.Caller.Secret:
		return p, err
	case via == byCommand && env.Caller.Client == tools.ByCommand:
		return p, enterSecret(ctx, env)
	case via == byPage:
		e := env.Fail(tools.Unavailable, "Enter your secret first")
		e.Details = []tools.Detail{{Path: "/secret", Message: env.Localize("is required")}}
		return p, e
	}
	return p, env.Fail(tools.Forbidden, "%s needs an answer with your secret", q.ID).WithHint(ways(env))
}

// channelOf returns the channel of a call that brings its answer.
func channelOf(env *tools.Env) string {
	if env.Caller.Vouched != "" {
		return env.Caller.Vouched
	}
	return byCommand
}

// PermitUndo returns an error unless the caller may undo a change of a question:
// an answer may be taken back only by those who may give one.
func PermitUndo(ctx context.Context, env *tools.Env, q question.Question) error {
	if q.Status == question.Pending {
		return nil
	}
	_, err := permitCall(ctx, env, q, channelOf(env))
	return err
}

// enterSecret lets the person enter their secret at a terminal, whatever stdin is.
func enterSecret(ctx context.Context, env *tools.Env) error {
	term, err := secretTerminal(env)
	if err != nil {
		return err
	}
	defer term.Close()
	_ = term.Discard()
	return person.EnterSecret(ctx, env, term)
}

// secretTerminal opens a terminal to type a secret at.
func secretTerminal(env *tools.Env) (tools.Terminal, error) {
	term, err := person.Reach(env, tools.OnTerminal)
	if no := new(person.NoTerminalError); errors.As(err, &no) {
		return nil, noSecret(env, no.Text(env))
	}
	return term, err
}

func noSecret(env *tools.Env, reason string) error {
	return env.Fail(tools.Unavailable, "A secret can only be typed at a terminal: %s", reason).
		WithHint(env.Hint("Run the command at the person's terminal"))
}

// openTerminal opens the channel that a question needs; nil means the queue.
func (in AskIn) openTerminal(env *tools.Env) (tools.Terminal, error) {
	switch {
	case !in.Secret:
		return openTerminal(env, in.Via)
	case in.Via == "auto" || in.Via == "tty":
		return secretTerminal(env)
	}
	return nil, noSecret(env, "--via "+in.Via)
}

// openTerminal opens the channel named by via; nil means the queue.
func openTerminal(env *tools.Env, via string) (tools.Terminal, error) {
	switch via {
	case "queue":
		return nil, nil
	case "stdin":
		term, err := person.Reach(env, tools.OnStdin)
		return term, noTerminal(env, err)
	}
	term, err := person.Reach(env, tools.OnTerminal)
	if via == "auto" && errors.As(err, new(*person.NoTerminalError)) {
		return nil, nil
	}
	return term, noTerminal(env, err)
}

func noTerminal(env *tools.Env, err error) error {
	if no := new(person.NoTerminalError); errors.As(err, &no) {
		return env.Fail(tools.Unavailable, "No usable terminal: %s", no.Text(env)).
			WithHint(env.Hint("Use %s and answer with %s", tools.Field("via", "queue"), tools.Use("ask watch")))
	}
	return err
}
