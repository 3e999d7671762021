package google

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"techo/store"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/google"
)

type binding struct {
	s       *Access
	env     *tools.Env
	in      Request
	name    string
	account string      // whose credentials it will use
	before  Credentials // of the account
}

// start chooses the account: the calendar's, another calendar's, or a new one. New
// credentials of a calendar do not change other calendars.
func (b *binding) start(ctx context.Context) error {
	st, err := b.env.Store(ctx, tools.Changes)
	if err != nil {
		return err
	}
	if err := st.UsableCalendarName(ctx, b.name); err != nil {
		return backend.Explain(b.env, err)
	}
	all, err := st.Calendars(ctx)
	if err != nil {
		return err
	}
	users := map[string][]string{} // names of calendars, by account
	var bound *event.Calendar
	for i, c := range all {
		if c.Name == b.name {
			bound = &all[i]
		}
		if c.Kind == event.GoogleCalendar {
			users[c.Account] = append(users[c.Account], c.Name)
		}
	}
	if bound != nil && bound.Kind != event.GoogleCalendar && (bound.Events() > 0 || !bound.Local()) {
		e := b.env.Fail(tools.AlreadyExists, "The calendar %s exists and is not at Google", b.name)
		return e.WithHint(b.env.Hint("Choose another name: %s, or rename it: %s",
			tools.Flag("calendar", tools.Placeholder("NAME")), tools.Use("cal rename", b.name, tools.Placeholder("NAME"))))
	}
	if bound != nil && bound.Kind != event.GoogleCalendar {
		bound = nil
	}
	if b.account, err = b.choose(bound, all, users); err != nil {
		return err
	}
	b.before, err = storedCredentials(b.s.system, b.account)
	return err
}

// choose returns the account of a calendar, which may be new.
func (b *binding) choose(bound *event.Calendar, all []event.Calendar, users map[string][]string) (string, error) {
	if b.in.SameAs != "" {
		i := slices.IndexFunc(all, func(c event.Calendar) bool {
			return c.Name == b.in.SameAs && c.Kind == event.GoogleCalendar
		})
		if i < 0 {
			return "", b.env.Fail(tools.NotFound, "There is no Google calendar %q", b.in.SameAs).
				WithHint(b.env.Hint("See %s", tools.Use("cal calendars")))
		}
		return all[i].Account, nil
	}
	if bound != nil {
		if b.in.hasCredentials() && len(users[bound.Account]) > 1 {
			return newAccount(), nil
		}
		return bound.Account, nil
	}
	first, err := storedCredentials(b.s.system, "")
	if err != nil {
		return "", err
	}
	if b.in.hasCredentials() {
		if first.RefreshToken == "" && first.Command == "" {
			return "", nil
		}
		return newAccount(), nil
	}
	switch len(users) {
	case 0:
		return "", nil
	case 1:
		for account := range users {
			return account, nil
		}
	}
	return "", b.env.Fail(tools.InvalidInput, "There are several Google accounts").
		WithHint(b.env.Hint("Name a calendar of the account with %s, or give credentials with %s",
			tools.Flag("same-as"), tools.Flag("client-id")))
}

// resume finds the authorization that the browser's last URL belongs to.
func (b *binding) resume() error {
	u, err := url.Parse(strings.TrimSpace(b.in.Redirected))
	if err != nil {
		return b.env.Fail(tools.InvalidInput, "redirected does not belong to a pending authorization")
	}
	accounts := []string{""}
	files, _ := os.ReadDir(filepath.Dir(credentialFile(b.s.system, "0")))
	for _, f := range files {
		accounts = append(accounts, strings.TrimSuffix(f.Name(), ".json"))
	}
	pending := false
	for _, a := range accounts {
		c, err := storedCredentials(b.s.system, a)
		if err != nil || c.Pending == nil {
			continue
		}
		if pending = true; c.Pending.State != u.Query().Get("state") {
			continue
		}
		b.account, b.before = a, c
		if c.Pending.Calendar != "" {
			b.name, b.in.Remote = c.Pending.Calendar, c.Pending.Remote
		}
		return nil
	}
	if pending {
		return b.env.Fail(tools.Forbidden, "The URL belongs to another authorization (state)").
			WithHint(b.env.Hint("Begin again with %s", tools.Use("cal auth google")))
	}
	return b.env.Fail(tools.InvalidInput, "redirected does not belong to a pending authorization")
}

// merged returns the stored credentials with the fields of the input in their place.
// ask reports whether a person has to agree in a browser.
func (b *binding) merged() (c Credentials, ask bool, err error) {
	in := b.in
	c = b.before
	all, err := readCredentials(b.s.system, b.account) // including the environment
	if err != nil {
		return c, false, err
	}
	if c.ClientID == "" && in.ClientID == "" && in.RefreshToken != "" { // another account of the same client
		first, err := readCredentials(b.s.system, "")
		if err != nil {
			return c, false, err
		}
		c.ClientID, c.ClientSecret = first.ClientID, first.ClientSecret
	}
	if in.ClientID != "" && in.ClientID != c.ClientID {
		c.ClientSecret = ""
	}
	for _, f := range []struct {
		from string
		to   *string
	}{{in.ClientID, &c.ClientID}, {in.ClientSecret, &c.ClientSecret}, {in.RefreshToken, &c.RefreshToken},
		{in.Command, &c.Command}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	if all.ClientID == "" && all.Command == "" && c.ClientID == "" && c.Command == "" && in.Redirected == "" {
		return c, false, b.env.Fail(tools.InvalidInput, "client_id is required").
			WithHint(b.env.Hint("Create an OAuth client of type Desktop in the Google Cloud console"))
	}
	if c.ClientID == "" {
		c.ClientID, c.ClientSecret = all.ClientID, all.ClientSecret
	}
	given := c.RefreshToken != "" || c.Command != "" || all.RefreshToken != "" || all.Command != ""
	return c, !given || in.ClientID != "" && in.RefreshToken == "" && in.Command == "", nil
}

// save stores credentials, tries them on the calendar, and connects it. On failure
// it restores the previous credentials.
func (b *binding) save(ctx context.Context, c Credentials) error {
	if err := writeCredentials(b.s.system, b.account, c); err != nil {
		return err
	}
	err := google.Check(ctx, b.env, b.account, b.in.Remote)
	if err == nil {
		var st *store.Store
		if st, err = b.env.Store(ctx, tools.Changes); err == nil {
			err = b.connect(ctx, st)
		}
	}
	if err != nil {
		return errors.Join(err, writeCredentials(b.s.system, b.account, b.before))
	}
	return nil
}

// connect connects the calendar and removes the credentials that nothing uses any
// more.
func (b *binding) connect(ctx context.Context, st *store.Store) error {
	old, err := st.FindCalendar(ctx, b.name)
	known := err == nil
	to := event.Binding{Kind: event.GoogleCalendar, Remote: b.in.Remote, Account: b.account}
	if err := st.BindCalendar(ctx, b.name, to); err != nil {
		return backend.Explain(b.env, err)
	}
	if known && old.Kind == event.GoogleCalendar && old.Account != b.account {
		return b.s.Forget(ctx, st, old.Account)
	}
	return nil
}

// Forget removes the credentials of an account unless a calendar uses them. The
// first account keeps its file: calendars of other stores may use it.
func (s *Access) Forget(ctx context.Context, st *store.Store, account string) error {
	if account == "" || !validAccount(account) {
		return nil
	}
	all, err := st.Calendars(ctx)
	if err != nil || slices.ContainsFunc(all, func(c event.Calendar) bool { return c.Account == account }) {
		return err
	}
	return writeCredentials(s.system, account, Credentials{})
}
