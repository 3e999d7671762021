// Package caldav connects calendars to CalDAV servers and stores the passwords.
package caldav

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"techo/commands/system"
	"techo/export"
	"techo/internal/regular"
	"techo/internal/shell"
	"techo/store"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/caldav"
	"techo/tools/message"
)

// Access reads and stores passwords for CalDAV servers.
type Access struct{ system system.System }

// New returns the access of a person.
func New(w system.System) *Access { return &Access{w} }

// credentials are stored in a file that only the person can read, one for each
// calendar.
type credentials struct {
	User     string `json:"user"`
	Password string `json:"password,omitempty"`
	Command  string `json:"credential_command,omitempty"`
}

// Request is the input of the command cal auth caldav.
type Request struct {
	URL      string `json:"url" minLength:"1" doc:"Address of the calendar, of the user's calendars, or of the server"`
	Calendar string `json:"calendar" default:"caldav" minLength:"1" doc:"Name of the calendar in techo"`
	Command  string `json:"credential_command,omitempty" doc:"A command that prints the password, run at each use"`
}

// Result is the result of the command cal auth caldav.
type Result struct {
	Calendar   string `json:"calendar"`
	URL        string `json:"url"`
	Authorized bool   `json:"authorized"`
	Message    string `json:"message"`
}

// Connect finds the calendar at an address, checks the password of a user and
// connects the calendar. user may be "".
func (s *Access) Connect(ctx context.Context, env *tools.Env, in Request, user, password string) (out Result,
	err error) {
	out.Calendar = event.CalendarName(in.Calendar)
	if out.Calendar == "" || out.Calendar == event.DefaultCalendar {
		return out, env.Fail(tools.InvalidInput, "Calendar %q cannot be connected to a server", in.Calendar).
			WithHint(env.Hint("To use it for calls that name no calendar: %s",
				tools.Use("cal default", tools.Placeholder("NAME"))))
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	if err := st.UsableCalendarName(ctx, out.Calendar); err != nil {
		return out, backend.Explain(env, err)
	}
	before, err := st.FindCalendar(ctx, out.Calendar)
	again := err == nil && before.Kind == event.CalDAVCalendar
	if err == nil && !again && (!before.Local() || before.Events() > 0) {
		return out, env.Fail(tools.AlreadyExists, "The calendar %s exists", out.Calendar).
			WithHint(env.Hint("Choose another name: %s, or rename it: %s",
				tools.Flag("calendar", tools.Placeholder("NAME")), tools.Use("cal rename", out.Calendar, tools.Placeholder("NAME"))))
	}
	account := ""
	if user != "" {
		account = newAccount()
		if err := s.write(account, credentials{user, password, in.Command}); err != nil {
			return out, err
		}
	}
	if out.URL, err = caldav.Check(ctx, env, account, in.URL); err == nil {
		to := event.Binding{Kind: event.CalDAVCalendar, Remote: out.URL, Account: account}
		err = s.bind(ctx, st, &before, again, to, out.Calendar)
	}
	if err != nil {
		return out, errors.Join(backend.Explain(env, err), s.remove(account))
	}
	out.Authorized = true
	out.Message = env.Localize("The calendar %s is connected to %s", out.Calendar, out.URL)
	return out, nil
}

// bind connects the calendar. A calendar that is connected already gets a new copy.
func (s *Access) bind(ctx context.Context, st *store.Store, before *event.Calendar, again bool, to event.Binding,
	name string) error {
	if again {
		if _, err := st.RemoveCalendar(ctx, name, true); err != nil {
			return err
		}
	}
	if err := st.BindCalendar(ctx, name, to); err != nil || !again {
		return err
	}
	return s.remove(before.Account)
}

func newAccount() string {
	b := make([]byte, 10)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func (s *Access) file(account string) (string, error) {
	if _, err := hex.DecodeString(account); err != nil || account == "" {
		return "", fs.ErrInvalid
	}
	return filepath.Join(s.system.Config(), "techo", "credentials", account+".json"), nil
}

func (s *Access) write(account string, c credentials) error {
	path, err := s.file(account)
	if err != nil {
		return err
	}
	return export.Secret(path, c)
}

func (s *Access) remove(account string) error {
	path, err := s.file(account)
	if err != nil {
		return nil
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

const maxCredentials = 1 << 20

// Password returns the user and the password of an account; both are "" for the account "".
func (s *Access) Password(ctx context.Context, account string) (user, password string, err error) {
	if account == "" {
		return "", "", nil
	}
	path, err := s.file(account)
	if err != nil {
		return "", "", err
	}
	b, err := regular.Read(path, maxCredentials)
	if err != nil {
		return "", "", err
	}
	var c credentials
	if err := json.Unmarshal(b, &c); err != nil {
		return "", "", err
	}
	if c.Command == "" {
		return c.User, c.Password, nil
	}
	out, err := shell.Output(ctx, c.Command)
	if err != nil {
		return "", "", message.NewError("credential command: %v", err)
	}
	return c.User, strings.TrimRight(string(out), "\r\n"), nil
}
