package commands

import (
	"context"
	"strings"

	"techo/commands/line"
	"techo/commands/remote"
	"techo/commands/run"
	"techo/tools"
)

type loginIn struct {
	URL string `json:"url" minLength:"1" maxLength:"2000" doc:"https://HOST, http://127.0.0.1:PORT or unix:PATH"`
}

type loginOut struct {
	Server   string         `json:"server"`
	User     string         `json:"user"`
	Audience tools.Audience `json:"audience,omitempty"` // whose tools may be called with the token
	Message  string         `json:"message"`
}

func loginCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "login",
		About:   "Send calls to a techo serve",
		More: "Asks for your token at a terminal, otherwise reads it from stdin, unless TECHO_TOKEN is set, " +
			"checks it with the server, and says what it may do. A person needs a token that was made with " +
			"--audience person; the agents beside you have tokens of their own. From then on " +
			"calls of tools go there, with the same answers and exit codes, unless --store, TECHO_STORE or a " +
			"workspace names another store. fs, grep, glob and ask run on this machine. The token is kept in " +
			"techo/logins.json in $XDG_STATE_HOME or ~/.local/state, for you alone. For one command, " +
			"--store https://HOST with TECHO_TOKEN does the same.",
		Effect: tools.Changes,
		World:  true,
		Words:  []string{"url"},
		Examples: []tools.Example{
			{Does: "Use the notebook of a team", Line: "login https://techo.example.com < token"},
		},
	}, func(ctx context.Context, env *tools.Env, in loginIn) (loginOut, error) { return login(ctx, s, env, in) })}
}

func login(ctx context.Context, s *run.Run, env *tools.Env, in loginIn) (out loginOut, err error) {
	if !remote.IsAddress(in.URL) {
		return out, tools.InvalidField(env, "/url", "must be https://HOST, http://127.0.0.1:PORT or unix:PATH, not %q",
			in.URL)
	}
	token := strings.TrimSpace(s.System.Getenv("TECHO_TOKEN"))
	if token == "" {
		if token, err = typedToken(ctx, s, env); err != nil {
			return out, err
		}
	}
	address := remote.Normal(in.URL, s.System.Path)
	server, e := remote.New(env, address, token)
	if e != nil {
		return out, e
	}
	who, e := server.Whoami(ctx, env)
	if e != nil {
		return out, e
	}
	logins, err := remote.ReadLogins(s.System.State())
	if err == nil {
		logins.Current, logins.Tokens[address], logins.Users[address] = address, token, who.User
		err = logins.Write()
	}
	if err != nil {
		return out, err
	}
	return loginOut{address, who.User, who.Audience, loggedIn(s, env, address, who.User) + mayDo(env, who)}, nil
}

// mayDo is the rest of the message after a login: the rights of the token.
func mayDo(env *tools.Env, who remote.Identity) string {
	switch {
	case who.Audience == tools.Persons && who.ReadOnly:
		return env.Localize(". You may look at everything that is yours there, also the history, and change nothing")
	case who.Audience == tools.Persons:
		return env.Localize(". You may do what persons may, such as history, undo and spaces")
	case who.Audience == "": // an older server
		return ""
	}
	return env.Localize(". You may do what agents may: history, undo and spaces need a token with --audience person, " +
		"and a server with it")
}

// loggedIn is the message after a login. A named store and a workspace come before it.
func loggedIn(s *run.Run, env *tools.Env, address, user string) string {
	first := "--store"
	_, from, path := run.SettingOf(s, "store")
	switch from {
	case run.FromEnvironment:
		first = "TECHO_STORE"
	case run.FromFile:
		first = path
	case run.FromDefault:
		if first = run.NearestWorkspace(s.System); first == "" {
			return env.Localize("Calls now go to %s as %s", address, user)
		}
	}
	if remote.IsAddress(s.Options.Store) && remote.Normal(s.Options.Store, s.System.Path) == address {
		return env.Localize("Calls now go to %s as %s", address, user)
	}
	return env.Localize("You are logged in to %s as %s, but %s comes first and names another store", address, user,
		first)
}

// typedToken asks for the token at a terminal, or reads it from stdin.
func typedToken(ctx context.Context, s *run.Run, env *tools.Env) (string, error) {
	return s.ReadSecret(ctx, env, run.SecretPrompt{
		About: env.Localize("Your own token, which the owner of the server makes with techo token add --user NAME "+
			"--audience person") + "\n",
		Label: env.Localize("Token (not shown): "),
		None:  "No token was entered",
		Piped: env.Fail(tools.InvalidInput, "The token is read from stdin").WithHint(
			env.Hint("%s < FILE, or set TECHO_TOKEN; %s on the server creates one",
				tools.Use("login", tools.Placeholder("URL")), tools.Use("token add", tools.Flag("audience", "person")))),
	})
}

type logoutIn struct {
	URL *string `json:"url" minLength:"1" maxLength:"2000" doc:"The server (default: the one that calls go to)"`
}

func logoutCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "logout",
		About:   "Send calls to the store of this machine again",
		More:    "Forgets the token of the server. On the server the token stays valid until techo token remove.",
		Effect:  tools.Changes,
		Words:   []string{"url"},
		Examples: []tools.Example{
			{Does: "Use the store of this machine", Line: "logout"},
		},
	}, func(_ context.Context, env *tools.Env, in logoutIn) (loginOut, error) { return logout(s, env, in) })}
}

func logout(s *run.Run, env *tools.Env, in logoutIn) (out loginOut, err error) {
	logins, err := remote.ReadLogins(s.System.State())
	if err != nil {
		return out, err
	}
	address := logins.Current
	if in.URL != nil {
		address = remote.Normal(*in.URL, s.System.Path)
	} else if address == "" {
		return loginOut{"", s.Options.User, "", env.Localize("Calls already go to the store of this machine")}, nil
	}
	if _, ok := logins.Tokens[address]; !ok {
		return out, env.Fail(tools.NotFound, "You are not logged in to %q", address).
			WithHint(env.Hint("Without an address, %s forgets the current server", tools.Use("logout")))
	}
	user := logins.Users[address]
	delete(logins.Tokens, address)
	delete(logins.Users, address)
	if address == logins.Current {
		logins.Current = ""
	}
	if err := logins.Write(); err != nil {
		return out, err
	}
	return loginOut{address, user, "", env.Localize("Logged out of %s", address)}, nil
}
