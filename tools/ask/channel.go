package ask

import (
	"errors"

	"techo/tools"
)

// openTerminal opens the channel that a question needs; nil means the queue.
func (in AskIn) openTerminal(env *tools.Env) (tools.Terminal, error) {
	if !in.Secret {
		return openTerminal(env, in.Via)
	}
	reason := "--via " + in.Via
	if in.Via == "auto" || in.Via == "tty" {
		term, err := env.Reach(tools.OnTerminal)
		if err == nil {
			return term, nil
		}
		if no := new(tools.NoTerminalError); errors.As(err, &no) {
			reason = no.Text(env)
		} else {
			reason = env.Cause(err)
		}
	}
	return nil, env.Fail(tools.Unavailable, "A secret can only be typed at a terminal: %s", reason).
		WithHint(env.Hint("Run the command at the person's terminal"))
}

// openTerminal opens the channel named by via; nil means the queue.
func openTerminal(env *tools.Env, via string) (tools.Terminal, error) {
	switch via {
	case "queue":
		return nil, nil
	case "stdin":
		term, err := env.Reach(tools.OnStdin)
		return term, noTerminal(env, err)
	}
	term, err := env.Reach(tools.OnTerminal)
	if via == "auto" && errors.As(err, new(*tools.NoTerminalError)) {
		return nil, nil
	}
	return term, noTerminal(env, err)
}

func noTerminal(env *tools.Env, err error) error {
	if no := new(tools.NoTerminalError); errors.As(err, &no) {
		return env.Fail(tools.Unavailable, "No usable terminal: %s", no.Text(env)).
			WithHint(env.Hint("Use --via queue and answer with techo ask watch"))
	}
	return err
}
