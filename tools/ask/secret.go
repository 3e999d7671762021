package ask

import (
	"context"
	"errors"
	"unicode/utf8"

	"techo/internal/legible"
	"techo/store"
	"techo/tools"
	"techo/tools/person"
)

// secretIn is the input of the commands ask secret. The secret itself is in no input: arguments,
// variables and pipes are visible to agents.
type secretIn struct{}

// SecretOut is the result of the commands ask secret.
type SecretOut struct {
	Set     bool   `json:"set"`
	Message string `json:"message"`
}

// Secrets returns the commands for the person's secret.
func Secrets() []*tools.Tool {
	return []*tools.Tool{SecretSet, SecretChange, SecretRemove, SecretStatus}
}

// SecretSet sets the secret.
var SecretSet = &tools.Tool{
	Command: "ask secret set",
	About:   "Set a secret that shows that you answer, not an agent",
	More: "A PIN or passphrase of at least 6 characters, typed at a terminal of your own, never in an argument, a " +
		"variable or a pipe. From then on each ask watch and each session of the page asks for it once, and so do " +
		"commands that give agents more reach. Wrong secrets are counted, and each makes the next attempt wait " +
		"longer, up to 15 minutes. techo keeps only a slow hash (Argon2id), in .local/state/techo of your " +
		"account's home folder; HOME and XDG_STATE_HOME do not move it.",
	Effect:   tools.Asks,
	Examples: []tools.Example{{Does: "Set it, before agents work for you", Line: "ask secret set"}},
	Run:      tools.Func[secretIn, SecretOut](setSecret),
}

// SecretChange replaces the secret.
var SecretChange = &tools.Tool{
	Command:  "ask secret change",
	About:    "Change your secret; it asks for the old one",
	Effect:   tools.Asks,
	Examples: []tools.Example{{Does: "Change it", Line: "ask secret change"}},
	Run:      tools.Func[secretIn, SecretOut](changeSecret),
}

// SecretRemove removes the secret.
var SecretRemove = &tools.Tool{
	Command:  "ask secret remove",
	About:    "Remove your secret; it asks for the old one",
	Effect:   tools.Asks,
	Examples: []tools.Example{{Does: "Answer without it again", Line: "ask secret remove"}},
	Run:      tools.Func[secretIn, SecretOut](removeSecret),
}

// SecretStatus reports whether there is a secret.
var SecretStatus = &tools.Tool{
	Command:  "ask secret status",
	About:    "Show whether you have a secret",
	Effect:   tools.Reads,
	Examples: []tools.Example{{Does: "See whether it is set", Line: "ask secret status"}},
	Run:      tools.Func[secretIn, SecretOut](secretStatus),
}

func secretStatus(_ context.Context, env *tools.Env, _ secretIn) (out SecretOut, err error) {
	out.Set, err = person.HasSecret(env)
	if out.Message = env.Localize("No secret is set"); out.Set {
		out.Message = env.Localize("A secret is set")
	}
	return out, err
}

// atTerminal runs an action at the person's terminal. It fails unless there is a secret, or with
// needs false, unless there is none.
func atTerminal(env *tools.Env, needs bool, do func(term person.Terminal, version string) error) error {
	set, err := person.HasSecret(env)
	version := ""
	if err == nil && person.SecretOf(env) != nil {
		version, err = person.SecretOf(env).Version()
	}
	switch {
	case err != nil:
		return err
	case needs && !set:
		return env.Fail(tools.NotFound, "No secret is set").WithHint(env.Hint("Set one: techo ask secret set"))
	case !needs && set:
		return env.Fail(tools.AlreadyExists, "A secret is set").
			WithHint(env.Hint("To change it: techo ask secret change"))
	}
	if why, ok := person.OwnPlace(env); !ok && !set {
		return env.Fail(tools.Forbidden, "An agent may have opened this terminal: %s",
			env.Localize(why)).
			WithHint(env.Hint("Set the secret in a login or a window of a known terminal program"))
	}
	term, err := secretTerminal(env)
	if err != nil {
		return err
	}
	defer term.Close()
	_ = term.Discard()
	if err = do(term, version); errors.Is(err, store.ErrSecretChanged) {
		return env.Fail(tools.Conflict, "The secret was set, changed or removed meanwhile; nothing was changed").
			WithHint(env.Hint("Look: techo ask secret status"))
	}
	return err
}

func setSecret(ctx context.Context, env *tools.Env, _ secretIn) (out SecretOut, err error) {
	err = atTerminal(env, false, func(term person.Terminal, version string) error {
		return newSecret(ctx, env, term, version)
	})
	return SecretOut{true, env.Localize("The secret is set")}, err
}

func changeSecret(ctx context.Context, env *tools.Env, _ secretIn) (out SecretOut, err error) {
	err = atTerminal(env, true, func(term person.Terminal, version string) error {
		if err := person.EnterSecret(ctx, env, term); err != nil {
			return err
		}
		return newSecret(ctx, env, term, version)
	})
	return SecretOut{true, env.Localize("The secret was changed")}, err
}

func removeSecret(ctx context.Context, env *tools.Env, _ secretIn) (out SecretOut, err error) {
	err = atTerminal(env, true, func(term person.Terminal, version string) error {
		if err := person.EnterSecret(ctx, env, term); err != nil {
			return err
		}
		return person.SecretOf(env).Remove(version)
	})
	return SecretOut{false, env.Localize("The secret was removed")}, err
}

// newSecret reads a new secret, twice, and replaces that of a version.
func newSecret(ctx context.Context, env *tools.Env, term person.Terminal, version string) error {
	text, err := person.TypeSecret(ctx, env, term, env.Localize("New secret: "))
	if err != nil {
		return err
	}
	if utf8.RuneCountInString(text) < store.MinSecret || legible.Blank(text) {
		return env.Fail(tools.InvalidInput, "A secret has at least %d characters", store.MinSecret)
	}
	again, err := person.TypeSecret(ctx, env, term, env.Localize("Again: "))
	if err != nil {
		return err
	}
	if again != text {
		return env.Fail(tools.InvalidInput, "The two texts differ; nothing was changed")
	}
	return person.SecretOf(env).Set(text, version)
}
