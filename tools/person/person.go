// Package person reaches the person: at a terminal, and by a secret that only they know.
package person

import (
	"context"
	"errors"
	"io"

	"techo/internal/lineage"
	"techo/store"
	"techo/tools"
)

// Settings are how an interface reaches the person.
type Settings struct {
	// Secret returns the person's secret for answers; nil if there is no folder for it. It
	// may be nil.
	Secret func() *store.Secret

	// Terminal opens a channel to the person; nil means that there is no channel.
	Terminal func(Channel) (Terminal, error)
}

// TreeOf returns the caller's process tree.
func TreeOf(env *tools.Env) lineage.Tree {
	if env.Caller.Tree == nil {
		return lineage.Tree{}
	}
	return env.Caller.Tree()
}

// SecretOf returns the person's secret; nil if there is no folder for it.
func SecretOf(env *tools.Env) *store.Secret {
	secret := tools.Setting[Settings](env).Secret
	if secret == nil {
		return nil
	}
	return secret()
}

// SecretUnknown reports whether nothing shows if the person has a secret: there is no folder for
// it.
func SecretUnknown(env *tools.Env) bool {
	return tools.Setting[Settings](env).Secret != nil && SecretOf(env) == nil
}

// HasSecret reports whether the person has a secret. A secret that cannot be read, or whose
// place is unknown, is an error: it must not count as none.
func HasSecret(env *tools.Env) (bool, error) {
	if tools.Setting[Settings](env).Secret == nil {
		return false, nil
	}
	secret := SecretOf(env)
	if secret == nil {
		return false, env.Fail(tools.Forbidden, "The system's database of users has no home folder for you, so "+
			"nothing shows whether you have a secret").WithHint(env.Hint("Use an account that has an entry there"))
	}
	set, err := secret.IsSet()
	if err != nil {
		return false, env.Fail(tools.Forbidden, "The secret cannot be used: %v", err).
			WithHint(env.Hint("Only its owner may read its file and change the folder"))
	}
	return set, nil
}

// secretTries is how often a terminal asks for the secret.
const secretTries = 3

// EnterSecret lets the person type their secret at a terminal. It never reads a pipe.
func EnterSecret(ctx context.Context, env *tools.Env, term Terminal) error {
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
func TypeSecret(ctx context.Context, env *tools.Env, term Terminal, label string) (string, error) {
	if !term.Controls() {
		return "", env.Fail(tools.Unavailable, "The secret can only be typed at the controlling terminal")
	}
	text, err := term.Ask(ctx, Prompt{Label: label, Secret: true, Below: func(string, string, int, int) []string {
		return []string{env.Localize("What you type is not shown.")}
	}})
	if err == io.EOF || err != nil && ctx.Err() != nil {
		return "", env.Fail(tools.Cancelled, "No secret was entered")
	}
	return text, err
}

// CheckSecret returns an error unless a text is the secret.
func CheckSecret(env *tools.Env, text string) error {
	err := SecretOf(env).Check(text)
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

// OwnPlace reports whether the terminal of this process is known to be the person's, and if not,
// why. A tree that cannot be read counts against it: agents can make theirs so. Where techo reads
// no trees, any terminal counts until there is a secret, which could not be set otherwise.
func OwnPlace(env *tools.Env) (why tools.Text, ok bool) {
	reason := lineage.Own(TreeOf(env))
	return PlaceReason(reason), reason == lineage.Evident || reason == lineage.Unreadable && !lineage.Readable
}

// Confirm lets the person confirm a command that gives agents more reach or hides what they
// did: by the secret, or without one by a word at a terminal of the person.
func Confirm(ctx context.Context, env *tools.Env, about string) error {
	set, err := HasSecret(env)
	if err != nil {
		return err
	}
	if why, ok := OwnPlace(env); !ok && !set {
		return env.Fail(tools.Forbidden, "Only the person may do this, and an agent may have started the command: %s",
			env.Localize(why)).WithHint(env.Hint("Run it in a terminal of your own, or set a secret " +
			"there: techo ask secret set"))
	}
	term, err := Reach(env, OnTerminal)
	if no := new(NoTerminalError); errors.As(err, &no) {
		return env.Fail(tools.Forbidden, "Only the person may do this, at a terminal: %s", no.Text(env)).
			WithHint(env.Hint("Run the command at the person's terminal"))
	}
	if err != nil {
		return err
	}
	defer term.Close()
	if !set && !term.Controls() {
		return env.Fail(tools.Forbidden, "Only the person may do this, at a terminal: %s",
			env.Localize("it is not the controlling one")).
			WithHint(env.Hint("Run the command at the person's terminal"))
	}
	_ = term.Discard()
	_ = term.Print(about + "\n") // if the terminal is gone, asking fails
	if set {
		return EnterSecret(ctx, env, term)
	}
	word, err := term.Ask(ctx, Prompt{Label: env.Localize("Type yes to confirm: ")})
	if err == nil && (word == "yes" || word == "はい") {
		if set, err = HasSecret(env); err == nil && set { // since the prompt began
			return EnterSecret(ctx, env, term)
		}
		return err
	}
	if err == nil || err == io.EOF || ctx.Err() != nil {
		return env.Fail(tools.Cancelled, "Not confirmed; nothing was changed")
	}
	return err
}

// PlaceReason returns the text of a reason why a place is not known to be the person's.
func PlaceReason(why lineage.Reason) tools.Text {
	switch why {
	case lineage.Related:
		return "the session or process tree that asked"
	case lineage.Unreadable:
		return "the processes here or those of the asker are not known"
	case lineage.OtherSpaces:
		return "the asker is in another container or namespace"
	case lineage.Detached:
		return "the asker has left the terminal that it was started in"
	case lineage.NoTerminal:
		return "there is no terminal"
	case lineage.TooNew:
		return "the terminal was opened after the question"
	case lineage.NotShown:
		return "no terminal of a login or a window shows this pane"
	}
	return "no login and no known terminal program opened the terminal"
}
