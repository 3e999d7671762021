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
		About:   "Connect a calendar to Google Calendar",
		More: "Prints a URL on stderr. Open it and agree; then the calendar is connected. If no browser can " +
			"reach this machine, use --no-listen, open the URL elsewhere, and pass the last URL of the " +
			"browser with --redirected. --refresh-token and --credential-command need no browser; the command " +
			"prints the refresh token, or JSON with client_id, client_secret and refresh_token. The variables " +
			"TECHO_GOOGLE_CLIENT_ID, _CLIENT_SECRET, _REFRESH_TOKEN and _CREDENTIAL_COMMAND have the same " +
			"effect as the flags, for the first account. A calendar with credentials of its own belongs to an " +
			"account of its own; without credentials it uses the account of the other calendars. " +
			"TECHO_GOOGLE_CALENDAR_URL, _TOKEN_URL and _AUTH_URL replace the addresses of Google's services.",
		Effect: tools.Changes,
		World:  true,
		Examples: []tools.Example{{Does: "Start without a browser",
			Line: "cal auth google --client-id ID --client-secret SECRET --no-listen"}},
	}, func(ctx context.Context, env *tools.Env, in google.Request) (out google.Result, err error) {
		return google.New(s.System, s.Env).Authorize(ctx, env, in)
	})}
}
