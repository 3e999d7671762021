package ask

import (
	"context"
	"errors"
	"unicode/utf8"

	"techo/internal/legible"
	"techo/store"
	"techo/store/question"
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
	More: "A PIN or passphrase of at least 6 characters, typed at a terminal, never in an argument, a variable or a " +
		"pipe. Type it only in a window that you opened. From then on every answer needs it, and so does every " +
		"command that gives agents more reach; ask watch and a session of the page ask for it once, and again after " +
		"15 minutes without an answer. Wrong secrets are counted, and after three each makes the next attempt wait " +
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

// current is the place of the secret, and its version when the command began.
type current struct {
	secret  *store.Secret
	version string
}

// atTerminal runs an action at the person's terminal, after they have entered the secret that is set. It fails unless
// one is, or with needs false, if one is.
func atTerminal(ctx context.Context, env *tools.Env, needs bool,
	do func(context.Context, *tools.Env, tools.Terminal, current) error) error {
	set, err := person.HasSecret(env)
	if err != nil {
		return err
	}
	secret, err := person.SecretOf(env)
	if err != nil {
		return err
	}
	version := ""
	if secret != nil {
		version, err = secret.Version()
	}
	switch {
	case err != nil:
		return err
	case secret == nil:
		return env.Fail(tools.Unavailable, "The system's database of users has no home folder for you, where your "+
			"secret would be kept")
	case needs && !set:
		return env.Fail(tools.NotFound, "No secret is set").WithHint(env.Hint("Set one: %s", tools.Use("ask secret set")))
	case !needs && set:
		return env.Fail(tools.AlreadyExists, "A secret is set").
			WithHint(env.Hint("To change it: %s", tools.Use("ask secret change")))
	}
	term, err := secretTerminal(env)
	if err != nil {
		return err
	}
	defer term.Close()
	_ = term.Discard()
	assurance := question.None
	if set {
		assurance = question.Secret
		err = person.EnterSecret(ctx, env, term)
	}
	if err == nil {
		err = do(ctx, env, term, current{secret, version})
	}
	if err == nil {
		person.Note(ctx, env, "secret", assurance)
	}
	if errors.Is(err, store.ErrSecretChanged) {
		return env.Fail(tools.Conflict, "The secret was set, changed or removed meanwhile; nothing was changed").
			WithHint(env.Hint("Look: %s", tools.Use("ask secret status")))
	}
	return err
}

func setSecret(ctx context.Context, env *tools.Env, _ secretIn) (out SecretOut, err error) {
	err = atTerminal(ctx, env, false, newSecret)
	return SecretOut{true, env.Localize("The secret is set")}, err
}

func changeSecret(ctx context.Context, env *tools.Env, _ secretIn) (out SecretOut, err error) {
	err = atTerminal(ctx, env, true, newSecret)
	return SecretOut{true, env.Localize("The secret was changed")}, err
}

func removeSecret(ctx context.Context, env *tools.Env, _ secretIn) (out SecretOut, err error) {
	err = atTerminal(ctx, env, true, func(_ context.Context, _ *tools.Env, _ tools.Terminal, now current) error {
		return now.secret.Remove(now.version)
	})
	return SecretOut{false, env.Localize("The secret was removed")}, err
}

func newSecret(ctx context.Context, env *tools.Env, term tools.Terminal, now current) error {
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
	return now.secret.Set(text, now.version)
}
