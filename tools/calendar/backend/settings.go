package backend

import (
	"context"
	"time"

	"techo/tools"
)

// Settings are the settings for calendars.
type Settings struct {
	Work WorkingHours

	// Google reaches Google's services for the user.
	Google Google

	// Password returns the name and the password of an account at a CalDAV server. It
	// may be nil.
	Password func(ctx context.Context, account string) (user, password string, err error)

	// Columns returns the width of the terminal that shows the result, or 0 without
	// one. It may be nil.
	Columns func() int
}

// SettingsOf returns the settings of a call.
func SettingsOf(env *tools.Env) Settings { return tools.Setting[Settings](env) }

// WorkingHours are the person's settings for suggestions.
type WorkingHours struct {
	From, To time.Duration // since midnight; both are 0 if not set
	Buffer   int           // free minutes around other events
	Days     string        // all, work or weekdays; "" if not set
}

// Google holds the access to Google's services.
type Google struct {
	Calendar string // address of the Calendar API

	// Token returns an access token of an account, which names its credentials; with
	// renew it gets a new one because the last was refused. nil means that there are no
	// credentials.
	Token func(ctx context.Context, account string, renew bool) (string, error)

	// Lock waits until no other call on this machine holds the lock of a name. It may be
	// nil.
	Lock func(ctx context.Context, name string) (unlock func(), err error)
}
