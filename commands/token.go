package commands

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"techo/commands/catalogue"
	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/serve"
	"techo/commands/server"
	"techo/store/ledger"
	"techo/store/question"
	"techo/store/space"
	"techo/store/token"
	"techo/tools"
	"techo/tools/person"
)

type tokenOut struct {
	ID       string   `json:"id"`
	User     string   `json:"user"`
	Audience string   `json:"audience"`
	ReadOnly bool     `json:"read_only"`
	Only     []string `json:"only"`
	Spaces   []string `json:"spaces,omitempty"`
	Minute   int      `json:"per_minute,omitempty"`
	AtOnce   int      `json:"at_once,omitempty"`
	Created  string   `json:"created_at"`
	Used     string   `json:"last_used_at"` // "" for a token that was never used
}

func tokenOutOf(env *tools.Env, t token.Token) tokenOut {
	out := tokenOut{ID: t.ID, User: t.User, Audience: t.Audience, ReadOnly: t.ReadOnly,
		Only: append([]string{}, t.Only...), Spaces: t.Spaces, Minute: t.PerMinute, AtOnce: t.AtOnce,
		Created: env.Time(t.CreatedAt)}
	if !t.UsedAt.IsZero() {
		out.Used = env.Time(t.UsedAt)
	}
	return out
}

// line returns the token as a line of text that starts with the id.
func (o tokenOut) line(env *tools.Env) string {
	parts := []string{o.ID, o.User, env.Localize("created %s", env.MinuteOf(o.Created))}
	if o.Used != "" {
		parts = append(parts, env.Localize("last used %s", env.MinuteOf(o.Used)))
	}
	if o.Audience != string(tools.Agents) {
		parts = append(parts, "--audience "+o.Audience)
	}
	if o.ReadOnly {
		parts = append(parts, "--read-only")
	}
	if len(o.Only) > 0 {
		parts = append(parts, "--only "+strings.Join(o.Only, ","))
	}
	if len(o.Spaces) > 0 {
		parts = append(parts, "--spaces "+strings.Join(o.Spaces, ","))
	}
	if o.Minute > 0 {
		parts = append(parts, "--per-minute "+strconv.Itoa(o.Minute))
	}
	if o.AtOnce > 0 {
		parts = append(parts, "--at-once "+strconv.Itoa(o.AtOnce))
	}
	return strings.Join(parts, "  ")
}

// tokenAddIn is the input of the command token add. The user is given by the
// global flag --user.
type tokenAddIn struct {
	Audience tools.Audience `json:"audience" default:"agent" doc:"Whose tools it allows; more than agent is confirmed"`

	ReadOnly bool     `json:"read_only,omitempty" doc:"Allow only what changes nothing"`
	Only     []string `json:"only,omitempty" minItems:"1" doc:"Allow only these families or tools, e.g. memo,grep"`
	Spaces   []string `json:"spaces,omitempty" minItems:"1" doc:"Allow only these shared spaces, and own records (own)"`
	Minute   int      `json:"per_minute,omitempty" minimum:"1" maximum:"1000000" doc:"Most calls in a minute"`
	AtOnce   int      `json:"at_once,omitempty" minimum:"1" maximum:"1000" doc:"Most calls at once"`
}

type tokenAddOut struct {
	ID       string   `json:"id"`
	User     string   `json:"user"`
	Token    string   `json:"token"`
	Audience string   `json:"audience"`
	ReadOnly bool     `json:"read_only"`
	Only     []string `json:"only"`
	Spaces   []string `json:"spaces,omitempty"`
	Minute   int      `json:"per_minute,omitempty"`
	AtOnce   int      `json:"at_once,omitempty"`
	Created  string   `json:"created_at"`
	Message  string   `json:"message"`
}

// Text writes the token on a line of its own.
func (o tokenAddOut) Text(*tools.Env) string { return o.Message + "\n" + o.Token }

// tokenAddCommand creates a token for one user.
func tokenAddCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "token add",
		About:   "Create a token for a user of techo serve",
		More: "Servers of this store answer requests with the token for this user only; no header or field can " +
			"name another user. The user's memories are private. Memos, events, questions and the files of --root " +
			"are shared by all users of a store. The token is shown once: the store keeps only its SHA-256. " +
			"Running servers accept it at once. With --audience agent, the default, it allows what agents may " +
			"do; with person also undo, history, answers and the members of spaces, as far as the server's own " +
			"--audience goes. A token for more than agents lets its holder act as a person, so you confirm it at a " +
			"terminal, by your secret if you have one (techo ask secret).",
		Effect:  tools.Changes, // not Adds: the receipt of an idempotency key would contain the token
		Refused: "Could not create a token: %s",
		Examples: []tools.Example{{Does: "Let Alice's agent read memos and memories",
			Line: "token add --user alice --read-only --only memo,memory"},
			{Does: "Let Alice herself use the server", Line: "token add --user alice --audience person"}},
	}, func(ctx context.Context, env *tools.Env, in tokenAddIn) (out tokenAddOut, err error) {
		user, e := tokenUser(s, env)
		if e != nil {
			return out, e
		}
		only := catalogue.Split(in.Only)
		named := slices.DeleteFunc(slices.Clone(only), func(name string) bool { return name == server.MetricsOnly })
		if e := catalogue.UnknownOnly(env, s.Offered, named); e != nil {
			return out, e
		}
		spaces, err := spaceNames(in.Spaces)
		if err != nil {
			return out, err
		}
		assurance, err := confirmToken(ctx, env, user, in.Audience)
		if err != nil {
			return out, err
		}
		st, err := env.Store(ctx, tools.Changes)
		if err != nil {
			return out, err
		}
		secret := serve.NewToken()
		t, err := st.AddToken(ctx, secret, token.Token{User: user, Audience: string(in.Audience), ReadOnly: in.ReadOnly,
			Only: only, Spaces: spaces, PerMinute: in.Minute, AtOnce: in.AtOnce})
		if err != nil {
			return out, explainToken(env, err)
		}
		if in.Audience != tools.Agents {
			person.Note(ctx, env, t.ID, assurance)
		}
		o := tokenOutOf(env, t)
		return tokenAddOut{o.ID, o.User, secret, o.Audience, o.ReadOnly, o.Only, o.Spaces, o.Minute, o.AtOnce,
			o.Created, env.Localize("Token %s of %s; it is not shown again", o.ID, o.User)}, nil
	})}
}

// confirmToken lets the person confirm a token for more than agents: no program makes itself one.
func confirmToken(ctx context.Context, env *tools.Env, user string, audience tools.Audience) (question.Assurance,
	error) {
	about := tools.Text("Create a token with which its holder may do as %s what only persons may")
	switch audience {
	case tools.Agents:
		return question.None, nil
	case tools.Hosts:
		about = "Create a token of %s for a host, which writes the prompts of agents"
	}
	return person.Confirm(ctx, env, env.Localize(about, user))
}

func spaceNames(given []string) (names []string, err error) {
	for _, name := range catalogue.Split(given) {
		if name != space.Own {
			if name, err = space.NormalName(name); err != nil {
				return nil, err
			}
		}
		names = append(names, name)
	}
	return names, nil
}

// tokenUser returns the user of --user. TECHO_USER and the user of the operating
// system do not count, so that no token is created for the wrong user by accident.
func tokenUser(s *run.Run, env *tools.Env) (string, *tools.Error) {
	named := s.Given.Settings["user"]
	problem := tools.Text("")
	switch {
	case strings.TrimSpace(named) == "":
		problem = "is required"
	case strings.ContainsFunc(named, unicode.IsControl):
		problem = "must not have control characters"
	default:
		return named, nil
	}
	return "", tools.InvalidField(env, "/user", problem).
		WithHint(env.Hint("Name the user: %s",
			tools.Use("token add", tools.Flag("user", tools.Placeholder("NAME")))))
}

// explainToken converts an error of the store.
func explainToken(env *tools.Env, err error) error {
	var (
		missing *ledger.NotFoundError
		limit   *ledger.LimitError
		user    *ledger.UserNameError
	)
	see := env.Localize("See techo token list")
	switch {
	case errors.As(err, &missing):
		return env.Fail(tools.NotFound, "There is no token %q", missing.Name).WithHint(see)
	case errors.As(err, &limit):
		return env.Fail(tools.LimitExceeded, "A store has at most %d tokens", limit.Max).
			WithHint(env.Hint("Remove one: %s", tools.Use("token remove", tools.Placeholder("ID"))))
	case errors.As(err, &user):
		return env.Fail(tools.InvalidInput, "The name of a user must be 1 to %d bytes of UTF-8", user.MaxBytes)
	}
	return err
}

// tokenListOut is the result of the command token list.
type tokenListOut struct {
	Tokens  []tokenOut `json:"tokens"`
	Message string     `json:"message"`
}

// Text writes a line for each token.
func (o tokenListOut) Text(env *tools.Env) string {
	if len(o.Tokens) == 0 {
		return o.Message
	}
	var lines []string
	for _, t := range o.Tokens {
		lines = append(lines, t.line(env))
	}
	return strings.Join(lines, "\n")
}

func tokenListCommand() *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command:  "token list",
		About:    "List the tokens of techo serve",
		More:     "Oldest first. The store does not keep the tokens themselves. last_used_at is exact to the hour.",
		Effect:   tools.Reads,
		Examples: []tools.Example{{Does: "List who may call the server", Line: "token list"}},
	}, func(ctx context.Context, env *tools.Env, _ struct{}) (out tokenListOut, err error) {
		st, err := env.Store(ctx, tools.Reads)
		if err != nil {
			return out, err
		}
		all, err := st.ListTokens(ctx)
		if err != nil {
			return out, err
		}
		out.Tokens = []tokenOut{}
		for _, t := range all {
			out.Tokens = append(out.Tokens, tokenOutOf(env, t))
		}
		out.Message = env.Localize("Tokens: %d", len(all))
		return out, nil
	})}
}

type tokenRemoveIn struct {
	ID string `json:"id" minLength:"1" maxLength:"40" doc:"Id of the token; see token list" record:"token"`
}

type tokenRemoveOut struct {
	Removed tokenOut `json:"removed"`
	Message string   `json:"message"`
}

func tokenRemoveCommand() *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "token remove",
		About:   "Remove a token of techo serve",
		More: "Running servers refuse the token at once; calls that are running continue. Restoring a backup " +
			"restores the tokens in it.",
		Effect: tools.Removes,
		Words:  []string{"id"},
		Examples: []tools.Example{
			{Does: "Remove a token of techo token list", Line: `token remove tok_5m0qzx`},
		},
	}, func(ctx context.Context, env *tools.Env, in tokenRemoveIn) (out tokenRemoveOut, err error) {
		st, err := env.Store(ctx, tools.Removes)
		if err != nil {
			return out, err
		}
		t, err := st.RemoveToken(ctx, in.ID)
		if err != nil {
			return out, explainToken(env, err)
		}
		out.Removed = tokenOutOf(env, t)
		out.Message = env.Localize("Removed %s of %s", t.ID, t.User)
		return out, nil
	})}
}
