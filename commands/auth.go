package commands

import (
	"context"

	"techo/commands/google"
	"techo/commands/line"
	"techo/commands/run"
	"techo/tools"
)

// calAuthGoogleCommand binds a calendar to one at Google.
func calAuthGoogleCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "cal auth google",
		About:   "Bind a calendar to one at Google",
		More: "Prints an address on stderr; once the person has agreed there, the calendar is bound. Where no " +
			"browser can reach this machine: --no-listen, and then --redirected with the address that the browser " +
			"ended at. With --refresh-token or --credential-command nobody is asked. TECHO_GOOGLE_CLIENT_ID, " +
			"_CLIENT_SECRET, _REFRESH_TOKEN and _CREDENTIAL_COMMAND give the same.",
		Effect: tools.Changes,
		World:  true,
		Examples: []tools.Example{{Does: "Begin where there is no browser",
			Line: "cal auth google --client-id ID --client-secret SECRET --no-listen"}},
	}, func(ctx context.Context, env *tools.Env, in google.Request) (out google.Result, err error) {
		return google.New(s.System, s.Env).Authorize(ctx, env, in)
	})}
}
