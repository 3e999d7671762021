package calendar

import (
	"context"
	"errors"
	"net/http"

	"techo/tools"
)

// serviceError converts a failure of a CalDAV server or of the server of a
// subscription to a message for the caller, with the sentences of the specification.
func serviceError(env *tools.Env, err error) error {
	if err == nil || errors.As(err, new(*tools.Error)) || errors.Is(err, context.Canceled) ||
		errors.Is(err, tools.ErrTimeout) {
		return err
	}
	fail := failure(env, err)
	refused := new(statusError)
	switch {
	case tools.IsPrivateAddress(err):
		return fail(tools.Forbidden, "The address is not on the public internet", false).
			WithHint(env.Hint("If you trust the host: TECHO_WEB_ALLOW=HOST"))
	case errors.Is(err, errNoCalendar):
		return fail(tools.InvalidInput, "The address has no calendar", false).WithHint(env.Hint(checkCalendarURL))
	case !errors.As(err, &refused):
		return fail(tools.Upstream, googleUnreachable, true).WithHint(env.Hint(tryLater))
	}
	switch status := refused.status; {
	case status == http.StatusUnauthorized:
		return fail(tools.Unavailable, googleDenied, false).WithHint(env.Hint("Run techo cal auth caldav again"))
	case status == http.StatusForbidden:
		return fail(tools.Forbidden, "The calendar's server does not allow this", false).
			WithHint(env.Hint("Ask the owner of the calendar for the right to change it"))
	case status == http.StatusNotFound, status == http.StatusGone:
		return fail(tools.NotFound, "The calendar's server has no calendar at this address", false).
			WithHint(env.Hint(checkCalendarURL))
	case status == http.StatusPreconditionFailed, status == http.StatusConflict:
		return fail(tools.Conflict, "The event changed since it was read", false).
			WithHint(env.Hint("Read it again with techo cal get"))
	case status == http.StatusTooManyRequests:
		e := fail(tools.RateLimited, googleRateLimited, true).WithHint(env.Hint(tryLater))
		if refused.retry > 0 {
			e.Details = append(e.Details, tools.Detail{Message: env.Localize("try again in %s", refused.retry)})
		}
		return e
	case status >= 500:
		return fail(tools.Upstream, googleUnreachable, true).WithHint(env.Hint(tryLater))
	}
	return fail(tools.Upstream, "The calendar's server refused the request", false).
		WithHint(env.Hint(checkCalendarURL))
}

const (
	checkCalendarURL = tools.Text("Check the address: it must be that of one calendar, not of a web page")
	tryLater         = tools.Text("Check the network, and try again later")
)

// failure returns a function that makes errors of a service with a cause.
func failure(env *tools.Env, cause error) func(code tools.Code, say tools.Text, retryable bool) *tools.Error {
	return func(code tools.Code, say tools.Text, retryable bool) *tools.Error {
		e := env.Fail(code, say)
		e.Retryable = retryable
		e.Details = []tools.Detail{{Message: env.Cause(cause)}}
		return e
	}
}
