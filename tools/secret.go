package tools

import (
	"slices"

	"techo/internal/secrets"
)

// SecretWarnings returns a warning if one of some texts looks as if it has a secret.
func SecretWarnings(env *Env, texts ...string) []string {
	secret := func(text string) bool { return len(secrets.Find(text)) > 0 }
	if !slices.ContainsFunc(texts, secret) {
		return nil
	}
	return []string{env.Localize("it looks like a password or key, which everyone who reads the store sees; " +
		"keep it elsewhere, and remove this with its history (--purge)")}
}

// WithWarnings adds warnings to a message.
func WithWarnings(env *Env, message string, warnings []string) string {
	for _, w := range warnings {
		message += env.Localize("; %s", w)
	}
	return message
}
