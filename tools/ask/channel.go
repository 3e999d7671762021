package ask

import (
	"errors"

	"techo/tools"
	"techo/tools/person"
)

// openTerminal opens the channel that a question needs; nil means the queue.
func (in AskIn) openTerminal(env *tools.Env) (person.Terminal, error) {
	if !in.Secret {
		return openTerminal(env, in.Via)
	}
	if in.Via == "auto" || in.Via == "tty" {
		return secretTerminal(env)
	}
	return nil, noSecret(env, "--via "+in.Via)
}

// secretTerminal opens a terminal to type a secret at.
func secretTerminal(env *tools.Env) (person.Terminal, error) {
	term, err := person.Reach(env, person.OnTerminal)
	if err == nil {
		return term, nil
	}
	if no := new(person.NoTerminalError); errors.As(err, &no) {
		return nil, noSecret(env, no.Text(env))
	}
	return nil, noSecret(env, env.Cause(err))
}

func noSecret(env *tools.Env, reason string) error {
	return env.Fail(tools.Unavailable, "A secret can only be typed at a terminal: %s", reason).
		WithHint(env.Hint("Run the command at the person's terminal"))
}

// noSecretHere returns the error for a secret that cannot be asked here.
func noSecretHere(env *tools.Env, err error) error {
	if err != nil {
		return err
	}
	return env.Fail(tools.Unavailable, "Nothing shows that this terminal is the person's").
		WithHint(env.Hint("Run the command at the person's terminal"))
}

// openTerminal opens the channel named by via; nil means the queue.
func openTerminal(env *tools.Env, via string) (person.Terminal, error) {
	switch via {
	case "queue":
		return nil, nil
	case "stdin":
		term, err := person.Reach(env, person.OnStdin)
		return term, noTerminal(env, err)
	}
	term, err := person.Reach(env, person.OnTerminal)
	if via == "auto" && errors.As(err, new(*person.NoTerminalError)) {
		return nil, nil
	}
	return term, noTerminal(env, err)
}

func noTerminal(env *tools.Env, err error) error {
	if no := new(person.NoTerminalError); errors.As(err, &no) {
		return env.Fail(tools.Unavailable, "No usable terminal: %s", no.Text(env)).
			WithHint(env.Hint("Use --via queue and answer with techo ask watch"))
	}
	return err
}
