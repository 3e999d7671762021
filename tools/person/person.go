// Package person reaches the person: at a terminal, and by a secret that only they know.
//
// A program of the same account can make every sign that a person makes: it opens terminals and
// types into them. So nothing but the secret shows that a person is there. See docs/asking.md.
package person

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"techo/store"
	"techo/store/question"
	"techo/tools"
)

// UnlockedFor is how long a watch or a session of the page in which the secret was entered stays
// unlocked without an answer.
const UnlockedFor = 15 * time.Minute

// SecretOf returns the place of the person's secret; nil if their account can have none.
func SecretOf(env *tools.Env) (*store.Secret, error) {
	find := env.Person.Secret
	if find == nil {
		return nil, nil
	}
	secret, err := find()
	if err != nil {
		return nil, env.Fail(tools.Forbidden, "Nothing shows whether you have a secret: %v", err).
			WithHint(env.Hint("Run it outside of the container or namespace"))
	}
	return secret, nil
}

// HasSecret reports whether the person has a secret. A secret that cannot be read is an error: it
// must not count as none.
func HasSecret(env *tools.Env) (bool, error) {
	secret, err := SecretOf(env)
	if secret == nil || err != nil {
		return false, err
	}
	set, err := secret.IsSet()
	if err != nil {
		return false, env.Fail(tools.Forbidden, "The secret cannot be used: %v", err).
			WithHint(env.Hint("Only its owner may read its file and change the folder"))
	}
	return set, nil
}

// Suggestion returns a line that offers to set a secret, for each part of the program once; none if
// a secret is set or cannot be.
func Suggestion(env *tools.Env, part string) []string {
	if secret, err := SecretOf(env); err != nil || secret == nil || !secret.Suggest(part) {
		return nil
	}
	return []string{env.Localize("So that only you can answer, also if an agent types into a terminal: techo ask secret " +
		"set")}
}

// secretTries is how often a terminal asks for the secret.
const secretTries = 3

// EnterSecret lets the person type their secret at a terminal.
func EnterSecret(ctx context.Context, env *tools.Env, term tools.Terminal) error {
	for try := 1; ; try++ {
		text, err := TypeSecret(ctx, env, term, env.Localize("Your secret: "))
		if err == nil {
			err = CheckSecret(env, text)
		}
		if e := new(tools.Error); err == nil || try == secretTries || !errors.As(err, &e) || e.Code != tools.Forbidden {
			return err
		}
		_ = term.Print(err.Error() + "\n")
	}
}

// TypeSecret reads a secret at a terminal, which does not show it.
func TypeSecret(ctx context.Context, env *tools.Env, term tools.Terminal, label string) (string, error) {
	text, err := term.Ask(ctx, tools.Prompt{Label: label, Secret: true, Below: func(string, string, int, int) []string {
		return []string{env.Localize("What you type is not shown.")}
	}})
	if err == io.EOF || err != nil && ctx.Err() != nil {
		return "", env.Fail(tools.Cancelled, "No secret was entered")
	}
	return text, err
}

// CheckSecret returns an error unless a text is the secret.
func CheckSecret(env *tools.Env, text string) error {
	secret, err := SecretOf(env)
	if err != nil {
		return err
	}
	err = secret.Check(text)
	wrong := new(store.WrongSecretError)
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Early || wrong.Wait > 0:
		e := env.Fail(tools.RateLimited, "That is not the secret").
			WithHint(env.Hint("Try again after %s", env.Time(wrong.Next)))
		e.RetryAfter = wrong.Wait
		if wrong.Early {
			e.Message = env.Localize("After wrong secrets, no secret counts for a while")
		}
		return e
	}
	return env.Fail(tools.Forbidden, "That is not the secret")
}

// Confirm lets the person confirm a guarded act, which gives agents more reach or hides what they
// did: with the secret if one is set, else by a word at a terminal. It returns what shows that
// the person confirmed it.
func Confirm(ctx context.Context, env *tools.Env, about string) (question.Assurance, error) {
	set, err := HasSecret(env)
	if err != nil {
		return question.None, err
	}
	term, err := Reach(env, tools.OnTerminal)
	if no := new(NoTerminalError); errors.As(err, &no) {
		return question.None, env.Fail(tools.Forbidden, "Only the person may do this, at a terminal: %s",
			no.Text(env)).WithHint(env.Hint("Run the command at the person's terminal"))
	}
	if err != nil {
		return question.None, err
	}
	defer term.Close()
	_ = term.Discard()
	_ = term.Print(about + "\n") // if the terminal is gone, asking fails
	if !set {
		if err := confirmByWord(ctx, env, term); err != nil {
			return question.None, err
		}
		if set, err = HasSecret(env); err != nil || !set { // it may have been set since the prompt began
			return question.None, err
		}
	}
	return question.Secret, EnterSecret(ctx, env, term)
}

// Note records a guarded act in the history of the store. A store that cannot be used keeps no note:
// the act may be what makes it usable.
func Note(ctx context.Context, env *tools.Env, about string, assurance question.Assurance) {
	if st, err := env.Store(ctx, tools.Changes); err == nil {
		_ = st.NoteGuarded(ctx, about, string(assurance))
	}
}

func confirmByWord(ctx context.Context, env *tools.Env, term tools.Terminal) error {
	word, err := term.Ask(ctx, tools.Prompt{Label: env.Localize("Continue? [y/N] ")})
	switch word = strings.ToLower(strings.TrimSpace(word)); {
	case err == nil && (word == "y" || word == "yes" || word == "はい"):
		return nil
	case err == nil || err == io.EOF || ctx.Err() != nil:
		return env.Fail(tools.Cancelled, "Not confirmed; nothing was changed")
	}
	return err
}

// NoTerminalError is the reason why the person cannot be asked on a channel.
type NoTerminalError struct {
	Reason tools.Text
	Cause  error // of the system, or nil
}

func (e *NoTerminalError) Error() string { return "terminal: " + e.Text(&tools.Env{}) }

// Text returns the reason in the caller's language.
func (e *NoTerminalError) Text(env *tools.Env) string {
	if e.Cause == nil {
		return env.Localize(e.Reason)
	}
	return env.Localize(e.Reason) + " (" + e.Cause.Error() + ")"
}

// ErrInterrupted is the cause of a context that ended because the person pressed
// Ctrl-C.
var ErrInterrupted = errors.New("interrupted by the person")

// Reach opens a channel to the person. It returns a NoTerminalError if the interface
// has no such channel.
func Reach(env *tools.Env, c tools.Channel) (tools.Terminal, error) {
	open := env.Person.Terminal
	if open == nil {
		return nil, &NoTerminalError{Reason: "techo has no terminal"}
	}
	return open(c)
}
