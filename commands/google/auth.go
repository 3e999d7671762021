package google

import (
	"context"
	"errors"
	"time"

	"techo/store"
	"techo/tools"
	"techo/tools/calendar"
)

// Request is the input of the command cal auth google.
type Request struct {
	Calendar     string `json:"calendar" default:"google" minLength:"1" doc:"Name of the calendar in techo"`
	Remote       string `json:"remote" default:"primary" minLength:"1" doc:"Id of the calendar at Google"`
	ClientID     string `json:"client_id,omitempty" doc:"Id of the OAuth client, of type Desktop"`
	ClientSecret string `json:"client_secret,omitempty" doc:"Secret of the OAuth client"`
	RefreshToken string `json:"refresh_token,omitempty" doc:"An existing refresh token"`
	Command      string `json:"credential_command,omitempty" doc:"A command that prints the credentials"`
	NoListen     bool   `json:"no_listen,omitempty" doc:"Only print the URL to open; continue with --redirected"`
	Redirected   string `json:"redirected,omitempty" doc:"The last URL of the browser"`
}

// Result is the result of the command cal auth google.
type Result struct {
	Calendar   string `json:"calendar"`
	Remote     string `json:"remote"`
	Authorized bool   `json:"authorized"`
	URL        string `json:"url,omitempty"`
	Message    string `json:"message"`
}

// authTimeout is how long to wait for the person to agree in the browser.
const authTimeout = 5 * time.Minute

// Authorize gets credentials as the request describes, checks them, and connects
// the calendar. With NoListen it returns only the URL to open.
func (s *Access) Authorize(ctx context.Context, env *tools.Env, in Request) (out Result, err error) {
	out.Calendar, out.Remote = store.CalendarName(in.Calendar), in.Remote
	if out.Calendar == "" || out.Calendar == store.DefaultCalendar {
		return out, env.Fail(tools.InvalidInput, "Calendar %q cannot be connected to Google", in.Calendar)
	}
	before, err := storedCredentials(s.system)
	if damaged := new(credentialsError); errors.As(err, &damaged) {
		return out, damaged.explain(env)
	}
	if err != nil {
		return out, err
	}
	c, ask, err := s.mergedCredentials(env, before, in)
	if err != nil {
		return out, err
	}
	switch {
	case in.Redirected != "":
		c = before
		err = s.finishAuth(ctx, env, &c, in.Redirected)
	case in.NoListen:
		before.Pending = c.begin("http://127.0.0.1:1/")
		out.URL = before.Pending.address(s.system.Or("TECHO_GOOGLE_AUTH_URL", googleAuthURL))
		out.Message = env.Localize("Open the URL and agree, then run techo cal auth google --redirected with " +
			"the last URL of the browser")
		return out, writeCredentials(s.system, before)
	case ask:
		err = s.listenAuth(ctx, env, &c)
	}
	if err != nil {
		return out, err
	}
	if err := s.saveValid(ctx, env, before, c); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	if err := st.BindCalendar(ctx, out.Calendar, store.GoogleCalendar, in.Remote); err != nil {
		return out, err
	}
	out.Authorized = true
	out.Message = env.Localize("The calendar %s is connected to %s at Google", out.Calendar, in.Remote)
	return out, nil
}

// mergedCredentials returns the stored credentials with the fields of the input
// in their place. ask reports whether a person has to agree in a browser.
func (s *Access) mergedCredentials(env *tools.Env, kept Credentials, in Request) (c Credentials, ask bool, err error) {
	c = kept
	for _, f := range []struct {
		from string
		to   *string
	}{{in.ClientID, &c.ClientID}, {in.ClientSecret, &c.ClientSecret}, {in.RefreshToken, &c.RefreshToken},
		{in.Command, &c.Command}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	all, err := readCredentials(s.system) // including the environment
	if err != nil {
		return c, false, err
	}
	pending := in.Redirected != "" && kept.Pending != nil
	if all.ClientID == "" && all.Command == "" && c.ClientID == "" && c.Command == "" && !pending {
		return c, false, env.Fail(tools.InvalidInput, "client_id is required").
			WithHint(env.Localize("Create an OAuth client of type Desktop in the Google Cloud console"))
	}
	if c.ClientID == "" {
		c.ClientID, c.ClientSecret = all.ClientID, all.ClientSecret
	}
	given := c.RefreshToken != "" || c.Command != "" || all.RefreshToken != "" || all.Command != ""
	return c, !given || in.ClientID != "" && in.RefreshToken == "" && in.Command == "", nil
}

// saveValid stores credentials and tries them. If Google refuses them, it
// restores the previous ones.
func (s *Access) saveValid(ctx context.Context, env *tools.Env, before, c Credentials) error {
	if err := writeCredentials(s.system, c); err != nil {
		return err
	}
	if _, err := s.googleToken(ctx, false); err != nil {
		return errors.Join(calendar.ExplainGoogle(env, err), writeCredentials(s.system, before))
	}
	return nil
}
