package calendar

import (
	"context"
	"net/url"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
)

// SubscribeIn is the input of the command cal subscribe.
type SubscribeIn struct {
	URL  string `json:"url" minLength:"1" doc:"Address of an .ics file; webcal: means https:"`
	Name string `json:"name,omitempty" doc:"Name of the calendar (default: the server's name)"`
}

// SubscribeOut is the result of the command cal subscribe.
type SubscribeOut struct {
	Calendar string `json:"calendar"`
	Events   int    `json:"events"`
	Message  string `json:"message"`
}

// Subscribe adds a calendar whose events come from a URL.
func Subscribe(ctx context.Context, env *tools.Env, in SubscribeIn) (out SubscribeOut, err error) {
	f := &agenda.Checker{Env: env}
	u, err := url.Parse(in.URL)
	if err == nil && (u.Scheme == "webcal" || u.Scheme == "webcals") {
		u.Scheme = "https"
	}
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		f.Add("url", "must be an http, https or webcal address")
		return out, f.Err()
	}
	name := in.Name
	if name == "" {
		name = u.Hostname()
	}
	out.Calendar = f.Calendar(name)
	if err := f.Err(); err != nil {
		return out, err
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	if err := st.UsableCalendarName(ctx, out.Calendar); err != nil {
		return out, backend.Explain(env, err)
	}
	c, err := st.FindCalendar(ctx, out.Calendar)
	if err == nil && (c.Name == event.DefaultCalendar || c.Events() > 0 || !c.Local()) {
		return out, env.Fail(tools.AlreadyExists, "The calendar %s exists", out.Calendar).
			WithHint(env.Hint("Choose another name, or remove it: %s", tools.Use("cal remove", out.Calendar)))
	}
	to := event.Binding{Kind: event.SubscriptionCalendar, Remote: u.String()}
	var state event.SyncState
	data, err := agenda.FetchFile(ctx, env, to.Remote, &state)
	if err != nil {
		return out, err
	}
	if err := st.BindCalendar(ctx, out.Calendar, to); err != nil {
		return out, backend.Explain(env, err)
	}
	if err := agenda.StoreFile(ctx, env, out.Calendar, data, state); err != nil {
		return out, err
	}
	if c, err = st.FindCalendar(ctx, out.Calendar); err != nil {
		return out, err
	}
	out.Events = c.Events()
	out.Message = env.Localize("Subscribed to %s: %s", out.Calendar, env.Count(out.Events, "%d event", "%d events"))
	return out, nil
}
