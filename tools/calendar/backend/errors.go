package backend

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"techo/store/calendar"
	"techo/store/event"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/internet"
	"techo/tools/message"
)

// Search names the command that lists what an id should have named. What has blanks or Japanese characters is
// a title, and is looked for.
func Search(list, id string, filter ...any) tools.Reference {
	if strings.ContainsFunc(id, func(r rune) bool { return r == ' ' || unicode.Is(unicode.Lo, r) }) {
		filter = append(filter, tools.Field("query", id))
	}
	return tools.Use(list, filter...)
}

// Explain converts errors of the store to the messages of the specification. It
// returns other errors unchanged.
func Explain(env *tools.Env, err error) error {
	var (
		missing *ledger.NotFoundError
		taken   *event.ConflictError
		changed *ledger.ChangedError
		uneven  *event.RuleStartError
		exists  *ledger.TakenError
	)
	if removing := new(event.RemovingError); errors.As(err, &removing) {
		return env.Fail(tools.Conflict, "The calendar %s is being removed", removing.Calendar).
			WithHint(env.Hint("To go on with its removal: %s", tools.Use("cal remove", removing.Calendar)))
	}
	if odd := new(event.CalendarNameError); errors.As(err, &odd) {
		return newNameError(env, odd.Name)
	}
	if full := new(calendar.FullCalendarError); errors.As(err, &full) {
		return env.Fail(tools.AlreadyExists, "The calendar %s has events", full.Calendar).
			WithHint(env.Hint("To remove them too: %s",
				tools.Use("cal remove", full.Calendar, tools.Field("events"))))
	}
	switch {
	case errors.As(err, &exists) && exists.Kind == ledger.KindCalendar:
		return env.Fail(tools.AlreadyExists, "The calendar %s exists", exists.Name).
			WithHint(env.Hint("Choose another name; see %s", tools.Use("cal calendars")))
	case errors.Is(err, event.ErrDefaultCalendar):
		return env.Fail(tools.InvalidInput, "The calendar default always exists").
			WithHint(env.Hint("To use another one for calls that name no calendar: %s",
				tools.Use("cal default", tools.Placeholder("NAME"))))
	case errors.As(err, &missing) && missing.Kind == ledger.KindCalendar:
		e := env.Fail(tools.NotFound, "There is no calendar %q", missing.Name)
		if e.Hint = env.DidYouMean(missing.Near); e.Hint == "" {
			e.Hint = env.Hint("See %s", tools.Use("cal calendars"))
		}
		return e
	case errors.As(err, &missing):
		e := env.Fail(tools.NotFound, "The event was not found")
		e.Details = []tools.Detail{{Path: "/event_id", Message: missing.Name}}
		return e.WithHint(env.Hint("See %s", Search("cal list", missing.Name)))
	case errors.As(err, &taken):
		e := env.Fail(tools.Conflict, "The time is taken: %s", Titles(env, taken.Conflicts))
		for i := range taken.Conflicts {
			e.Details = append(e.Details, tools.Detail{Path: "/start", Message: SummaryLine(env, &taken.Conflicts[i])})
		}
		return e.WithHint(env.Hint("%s finds a free time", tools.Use("cal suggest")))
	case errors.As(err, &changed):
		return env.Fail(tools.Conflict, "The event changed since it was read").
			WithHint(env.Hint("Read it again with %s", tools.Use("cal get", changed.ID)))
	case errors.As(err, &uneven):
		return env.Invalid("/start", "The rule of the series does not fit this start: %s", uneven.Rule).
			WithHint(env.Hint("Also give a new rule with %s", tools.Field("recurrence")))
	}
	return err
}

// newNameError is the error of a new calendar whose name has a slash.
func newNameError(env *tools.Env, name string) error {
	return env.Fail(tools.InvalidInput, "The name of a new calendar cannot have a slash: %s", name).
		WithHint(env.Hint("A calendar of a shared space is named like this: %s %s",
			tools.Field("space", "team"), tools.Field("calendar", "default")))
}

// TitleOrPlaceholder returns a title, or what stands for an empty one.
func TitleOrPlaceholder(env *tools.Env, title string) string {
	if strings.TrimSpace(title) == "" {
		return env.Localize("(no title)")
	}
	return title
}

// RetryAfter returns the time that a server asks to wait, 0 for none.
func RetryAfter(resp *http.Response) time.Duration {
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	return 0
}

// Messages of the specification.
var (
	Denied      = tools.Text("The calendar cannot be accessed. Check the credentials.")
	Missing     = tools.Text("The event was not found")
	RateLimited = tools.Text("Access to the calendar is limited for the moment.")
	Unreachable = tools.Text("The calendar service cannot be reached.")
	Forbidden   = tools.Text("The Google account is not allowed to do this in the calendar")
	Gone        = tools.Text("The event was deleted")
)

// ServiceError converts a failure of a CalDAV server or of the server of a
// subscription to a message for the caller, with the sentences of the specification.
func ServiceError(env *tools.Env, err error) error {
	if err == nil || errors.As(err, new(*tools.Error)) || errors.Is(err, context.Canceled) ||
		errors.Is(err, tools.ErrTimeout) {
		return err
	}
	fail := Failure(env, err)
	refused := new(StatusError)
	switch {
	case internet.IsPrivateAddress(err):
		return fail(tools.Forbidden, "The address is not on the public internet", false).
			WithHint(env.Hint("If you trust the host: TECHO_WEB_ALLOW=HOST"))
	case errors.Is(err, ErrNoCalendar):
		return fail(tools.InvalidInput, "The address has no calendar", false).WithHint(env.Hint(checkCalendarURL))
	case !errors.As(err, &refused):
		return fail(tools.Upstream, Unreachable, true).WithHint(env.Hint(TryLater))
	}
	switch status := refused.Status; {
	case status == http.StatusUnauthorized:
		return fail(tools.Unavailable, Denied, false).WithHint(env.Hint("Run %s again", tools.Use("cal auth caldav")))
	case status == http.StatusForbidden:
		return fail(tools.Forbidden, "The calendar's server does not allow this", false).
			WithHint(env.Hint("Ask the owner of the calendar for the right to change it"))
	case status == http.StatusNotFound, status == http.StatusGone:
		return fail(tools.NotFound, "The calendar's server has no calendar at this address", false).
			WithHint(env.Hint(checkCalendarURL))
	case status == http.StatusPreconditionFailed, status == http.StatusConflict:
		return fail(tools.Conflict, "The event changed since it was read", false).
			WithHint(env.Hint("Read it again with %s", tools.Use("cal get")))
	case status == http.StatusTooManyRequests:
		e := fail(tools.RateLimited, RateLimited, true).WithHint(env.Hint(TryLater))
		if refused.Retry > 0 {
			e.Details = append(e.Details, tools.Detail{Message: env.Localize("try again in %s", refused.Retry)})
		}
		return e
	case status >= 500:
		return fail(tools.Upstream, Unreachable, true).WithHint(env.Hint(TryLater))
	}
	return fail(tools.Upstream, "The calendar's server refused the request", false).
		WithHint(env.Hint(checkCalendarURL))
}

const (
	checkCalendarURL = tools.Text("Check the address: it must be that of one calendar, not of a web page")
	TryLater         = tools.Text("Check the network, and try again later")
)

// Failure returns a function that makes errors of a service with a cause.
func Failure(env *tools.Env, cause error) func(code tools.Code, say tools.Text, retryable bool) *tools.Error {
	return func(code tools.Code, say tools.Text, retryable bool) *tools.Error {
		e := env.Fail(code, say)
		e.Retryable = retryable
		e.Details = []tools.Detail{{Message: env.Cause(cause)}}
		return e
	}
}

// StatusError is an unexpected status of a server.
type StatusError struct {
	Status int
	Retry  time.Duration
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))
}

// MaxRedirects is the number of redirects that a request for a calendar follows.
const MaxRedirects = 5

// ErrNoCalendar is returned for an address that has no calendar.
var ErrNoCalendar = message.NewError("not a calendar file")

// Titles joins at most three titles of events. A title of several, as of a series, stands once.
func Titles(env *tools.Env, all []event.Occurrence) string {
	var names []string
	for _, o := range all {
		title := TitleOrPlaceholder(env, o.Title)
		if slices.Contains(names, title) {
			continue
		}
		if len(names) == 3 {
			names = append(names, "…")
			break
		}
		names = append(names, title)
	}
	return strings.Join(names, env.Localize(", "))
}

// NewID derives the ID of a new event from the call's idempotency key, which is
// separate for each user. Without a key the ID is random. Repeating a request
// after a lost answer uses the same ID and does not create a second event.
func NewID(remote string, key tools.CallKey, keyed bool) string {
	seed := make([]byte, 20)
	if keyed {
		digest := sha256.Sum256([]byte(remote + "\x00" + key.User + "\x00" + key.Key))
		copy(seed, digest[:])
	} else {
		_, _ = rand.Read(seed) // never fails
	}
	return strings.ToLower(base32.HexEncoding.EncodeToString(seed))
}
