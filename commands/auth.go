package commands

import (
	"context"
	"strings"

	"techo/commands/caldav"
	"techo/commands/google"
	"techo/commands/line"
	"techo/commands/run"
	"techo/tools"
	"techo/tools/calendar"
)

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

func calAuthCalDAVCommand(s *run.Run) *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "cal auth caldav",
		About:   "Connect a calendar to a CalDAV server",
		More: "The address may be a calendar, or a server that lists the user's calendars. With --user, the name " +
			"at the server, the password " +
			"comes from stdin, or from --credential-command, which runs at each use. A password is sent only over " +
			"https, unless TECHO_WEB_ALLOW names the host. Each calendar has credentials of its " +
			"own, in a file that only you can read.",
		Effect: tools.Changes,
		World:  true,
		Words:  []string{"url"},
		Examples: []tools.Example{{Does: "Connect with a password from a secret manager",
			Line: "cal auth caldav https://dav.example.com/ --user me --credential-command 'pass dav'"}},
	}, func(ctx context.Context, env *tools.Env, in caldav.Request) (out caldav.Result, err error) {
		password := ""
		user := strings.TrimSpace(s.Given.Settings["user"]) // of --user only, not of the operating system
		if user == "" && in.Command != "" {
			return out, env.Fail(tools.InvalidInput, "user is required").
				WithHint(env.Hint("Name the user of the server: %s", tools.Flag("user", tools.Placeholder("ME"))))
		}
		if user != "" && in.Command == "" {
			if s.System.StdinTerminal {
				return out, env.Fail(tools.InvalidInput, "The password is required on stdin").
					WithHint(env.Hint("For example: pass dav | %s",
						tools.Use("cal auth caldav", tools.Placeholder("URL"), tools.Flag("user", tools.Placeholder("ME")))))
			}
			b, err := s.ReadStdin(ctx, run.StdinPatience)
			if err != nil {
				return out, run.StdinError(env, err)
			}
			password = strings.TrimRight(string(b), "\r\n")
		}
		return caldav.New(s.System).Connect(ctx, env, in, user, password)
	})}
}

// calSubscribeCommand adds a calendar that comes from a URL.
func calSubscribeCommand() *line.Command {
	return &line.Command{Tool: tools.Define(tools.Tool{
		Command: "cal subscribe",
		About:   "Add a read-only calendar from a URL",
		More: "The file is fetched again when the calendar is used and the copy is 15 minutes old; if it did not " +
			"change, the server sends nothing. If the server cannot be reached, cal list shows the copy and says so.",
		Effect: tools.Adds,
		World:  true,
		Words:  []string{"url", "name"},
		Examples: []tools.Example{{Does: "Public holidays",
			Line: "cal subscribe https://example.com/holidays.ics holidays"}},
	}, calendar.Subscribe)}
}
