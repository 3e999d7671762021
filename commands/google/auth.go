// Package google authorizes techo for Google Calendar and stores the credentials.
package google

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"techo/commands/system"
	"techo/store/event"
	"techo/tools"
)

// Request is the input of the command cal auth google.
type Request struct {
	Calendar     string `json:"calendar" default:"google" minLength:"1" doc:"Name of the calendar in techo"`
	Remote       string `json:"remote" default:"primary" minLength:"1" doc:"Id of the calendar at Google"`
	ClientID     string `json:"client_id,omitempty" doc:"Id of the OAuth client, of type Desktop"`
	ClientSecret string `json:"client_secret,omitempty" doc:"Secret of the OAuth client"`
	RefreshToken string `json:"refresh_token,omitempty" doc:"An existing refresh token"`
	Command      string `json:"credential_command,omitempty" doc:"A command that prints the credentials"`
	SameAs       string `json:"same_as,omitempty" doc:"Use the account of this calendar"`
	NoListen     bool   `json:"no_listen,omitempty" doc:"Only print the URL to open; continue with --redirected"`
	Redirected   string `json:"redirected,omitempty" doc:"The last URL of the browser"`
}

// hasCredentials reports whether the request brings credentials of its own.
func (r *Request) hasCredentials() bool {
	return r.ClientID != "" || r.RefreshToken != "" || r.Command != ""
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

// Authorize gets credentials as the request describes, checks them and the calendar
// at Google, and connects the calendar. With NoListen it returns only the URL to
// open.
func (s *Access) Authorize(ctx context.Context, env *tools.Env, in Request) (out Result, err error) {
	b := binding{s: s, env: env, in: in, name: event.CalendarName(in.Calendar)}
	out.Calendar, out.Remote = b.name, in.Remote
	if b.name == "" || b.name == event.DefaultCalendar {
		return out, env.Fail(tools.InvalidInput, "Calendar %q cannot be connected to Google", in.Calendar).
			WithHint(env.Hint("To use it for calls that name no calendar: %s",
				tools.Use("cal default", tools.Placeholder("NAME"))))
	}
	if in.Redirected != "" {
		err = b.resume()
	} else {
		err = b.start(ctx)
	}
	if err != nil {
		return out, s.explain(env, err)
	}
	out.Calendar, out.Remote = b.name, b.in.Remote
	c, ask, err := b.merged()
	if err != nil {
		return out, err
	}
	switch {
	case in.Redirected != "":
		c = b.before
		err = s.finishAuth(ctx, env, &c, in.Redirected)
	case in.NoListen:
		b.before.Pending = c.begin("http://127.0.0.1:1/")
		b.before.Pending.Calendar, b.before.Pending.Remote = b.name, in.Remote
		out.URL = b.before.Pending.address(cmp.Or(s.system.Getenv("TECHO_GOOGLE_AUTH_URL"), googleAuthURL))
		out.Message = env.Localize("Open the URL and agree, then run techo cal auth google --redirected with " +
			"the last URL of the browser")
		return out, writeCredentials(s.system, b.account, b.before)
	case ask:
		err = s.listenAuth(ctx, env, &c)
	}
	if err != nil {
		return out, err
	}
	if err := b.save(ctx, c); err != nil {
		return out, err
	}
	out.Authorized = true
	out.Message = env.Localize("The calendar %s is connected to %s at Google", b.name, b.in.Remote)
	return out, nil
}

// explain explains a damaged file of credentials.
func (s *Access) explain(env *tools.Env, err error) error {
	if damaged := new(credentialsError); errors.As(err, &damaged) {
		return damaged.explain(env)
	}
	return err
}

// Access reads and changes a person's Google credentials.
type Access struct {
	system system.System
	env    func() *tools.Env
}

// New returns the access of a person. env returns the environment of the current
// call.
func New(w system.System, env func() *tools.Env) *Access { return &Access{w, env} }

// lock waits until no other call on this machine holds the lock of a name. Where
// files cannot be locked it does not wait: callers check their result again.
func (s *Access) lock(ctx context.Context, name string) (unlock func(), err error) {
	dir := filepath.Join(s.system.Config(), "techo", "locks")
	if os.MkdirAll(dir, 0o700) != nil {
		return func() {}, nil
	}
	digest := sha256.Sum256([]byte(name))
	path := filepath.Join(dir, hex.EncodeToString(digest[:8]))
	locked := make(chan func(), 1)
	go func() {
		unlock, err := lockedfile.MutexAt(path).Lock()
		if err != nil {
			unlock = func() {}
		}
		locked <- unlock
	}()
	select {
	case unlock := <-locked:
		return unlock, nil
	case <-ctx.Done():
		go func() { (<-locked)() }()
		return nil, context.Cause(ctx)
	}
}
