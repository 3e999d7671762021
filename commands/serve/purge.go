package serve

import (
	"net/http"

	"techo/commands/remote"
	"techo/commands/run"
	"techo/tools"
)

// purges reports whether a call has --purge. A server cannot ask the person, who has confirmed
// it for requests with a token. Only a server for persons takes it, and only for the tools whose
// commands have it.
func purges(srv *Server, env *tools.Env, r *http.Request, t *tools.Tool) (bool, []tools.Detail, *tools.Error) {
	setting := run.FindSetting("purge")
	problem := func(named bool, message tools.Text, args ...any) (bool, []tools.Detail, *tools.Error) {
		detail := tools.Detail{Path: "/" + setting.Name, Message: env.Localize(message, args...), Named: named}
		return false, []tools.Detail{detail}, nil
	}
	switch v := r.Header.Get(remote.PurgeHeader); {
	case v == "" || v == "false":
		return false, nil, nil
	case v != "true":
		return problem(false, "must be true or false, not %q", v)
	case !setting.Fits(t.Command):
		return problem(true, "%s is not a flag of techo %s", "--purge", t.Command)
	case srv.host.Audience != tools.Persons:
		return false, nil, env.Fail(tools.Unavailable, "This server does not take --purge").
			WithHint(env.Hint("The server must be started with --audience %s", tools.Persons))
	case srv.host.Of(r.Context()).Audience != tools.Persons:
		return false, nil, env.Fail(tools.Unavailable, "This token cannot have --purge").
			WithHint(env.Hint("It needs a token that the person made with --audience %s", tools.Persons))
	case !srv.host.Run.Options.ServePurge || len(r.Header.Values("Authorization")) == 0:
		return false, nil, env.Fail(tools.Unavailable, "This server does not take --purge").
			WithHint(env.Hint("The server's owner lets requests with a token purge: " +
				"techo config set serve-purge token"))
	}
	return true, nil, nil
}
