package google

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"techo/internal/legible"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
)

// api is a small client for the Calendar API v3. The generated client adds 9
// MB and 1.4 ms to every start, reads only the first page and does not retry.
type api struct {
	env     *tools.Env
	http    *http.Client
	account string        // whose credentials to use
	backoff time.Duration // before the second attempt; doubles each time
}

// Limits of requests.
const (
	googleAttempts  = 4
	googleTimeout   = 20 * time.Second // of one request
	maxGoogleAnswer = 32 << 20         // in bytes
	maxRetryAfter   = 10 * time.Second // longest Retry-After that is obeyed
)

type apiError struct {
	Status int
	Reason string
	Text   string
	Retry  time.Duration // time until a retry is allowed; 0 if unknown
}

func (e *apiError) Error() string {
	return fmt.Sprintf("google: %d %s: %s", e.Status, e.Reason, e.Text)
}

// tokenError is a failure to get an access token.
type tokenError struct{ error }

func (e *tokenError) Unwrap() error { return e.error }

// Refusal returns the error of a request that Google refused with a status.
// ExplainGoogle explains it. Requests are repeated after temporary failures.
func Refusal(resp *http.Response, reason string) error {
	return &apiError{Status: resp.StatusCode, Reason: reason, Text: http.StatusText(resp.StatusCode),
		Retry: backend.RetryAfter(resp)}
}

// limited reports whether a rate limit or quota was exceeded.
func (e *apiError) limited() bool {
	switch e.Reason {
	case "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded":
		return true
	}
	return e.Status == http.StatusTooManyRequests
}

func (e *apiError) retryable() bool { return e.limited() || e.Status >= 500 }

// request is one request. It may be sent repeatedly: all requests here are
// idempotent.
type request struct {
	method string
	path   string
	query  url.Values
	body   any
	etag   string // sent as If-Match
}

// call sends a request and decodes the answer into out. It renews the access token
// once and retries temporary failures.
func (g *api) call(ctx context.Context, r request, out any) error {
	renewed, renew := false, false
	pause := g.backoff
	for attempt := 1; ; attempt++ {
		err := g.send(ctx, r, renew, out)
		renew = renew && errors.As(err, new(*tokenError)) // the refused token was not replaced yet
		refused := new(apiError)
		isRefusal := errors.As(err, &refused)
		switch {
		case err == nil || ctx.Err() != nil || errors.As(err, new(*tools.Error)):
			return err
		case isRefusal && refused.Status == http.StatusUnauthorized && !renewed:
			renewed, renew = true, true
			continue
		case attempt >= googleAttempts, isRefusal && !refused.retryable():
			return err
		}
		wait := pause + rand.N(pause/2+1)
		if isRefusal && refused.Retry > 0 {
			if wait = refused.Retry; wait > maxRetryAfter {
				return err
			}
		}
		pause *= 2
		if err := waitFor(ctx, wait); err != nil {
			return err
		}
	}
}

// waitFor waits, or returns the cause of the end of the context.
func waitFor(ctx context.Context, wait time.Duration) error {
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *api) send(ctx context.Context, r request, renew bool, out any) error {
	token, err := g.env.Calendars.Google.Token(ctx, g.account, renew)
	if err != nil {
		return &tokenError{err}
	}
	ctx, stop := context.WithTimeout(ctx, googleTimeout)
	defer stop()
	var body io.Reader
	if r.body != nil {
		b, err := json.Marshal(r.body)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	address := g.env.Calendars.Google.Calendar + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.etag != "" {
		req.Header.Set("If-Match", r.etag)
	}
	resp, err := g.http.Do(req)
	if err != nil {
		return fmt.Errorf("google: %w", err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxGoogleAnswer))
	if err != nil {
		return fmt.Errorf("google: answer cut off: %w", err)
	}
	if resp.StatusCode >= 300 {
		return readRefusal(resp, b)
	}
	if out == nil || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("google: answer not understood: %w", err)
	}
	return nil
}

func readRefusal(resp *http.Response, body []byte) error {
	e := &apiError{Status: resp.StatusCode, Text: http.StatusText(resp.StatusCode)}
	var said struct {
		Error struct {
			Message string
			Errors  []struct{ Reason string }
		}
	}
	if json.Unmarshal(body, &said) == nil {
		if said.Error.Message != "" {
			e.Text = legible.Clip(said.Error.Message)
		}
		if len(said.Error.Errors) > 0 {
			e.Reason = said.Error.Errors[0].Reason
		}
	}
	e.Retry = backend.RetryAfter(resp)
	return e
}

// errorFor converts a failure to a message of the specification.
func errorFor(env *tools.Env, id string, err error) error {
	if err == nil || errors.As(err, new(*tools.Error)) || errors.Is(err, context.Canceled) ||
		errors.Is(err, tools.ErrTimeout) {
		return err
	}
	fail := backend.Failure(env, err)
	refused := new(apiError)
	if !errors.As(err, &refused) {
		return fail(tools.Upstream, backend.Unreachable,
			true).WithHint(env.Hint("Try again; the local calendars work without it"))
	}
	switch {
	case refused.Status == http.StatusUnauthorized:
		return fail(tools.Unavailable, backend.Denied, false).WithHint(env.Hint("Run %s again", tools.Use("cal auth google")))
	case refused.limited():
		e := fail(tools.RateLimited, backend.RateLimited, true).WithHint(env.Hint(backend.TryLater))
		if refused.Retry > 0 {
			e.Details = append(e.Details, tools.Detail{Message: env.Localize("try again in %s", refused.Retry)})
		}
		return e
	case refused.Status == http.StatusForbidden:
		return fail(tools.Forbidden, backend.Forbidden, false).WithHint(env.Hint("Share the calendar with the account, or connect it to another account: %s",
			tools.Use("cal auth google")))
	case refused.Status == http.StatusGone:
		return fail(tools.NotFound, backend.Gone, false).WithHint(env.Hint("See %s", tools.Use("cal list")))
	case refused.Status == http.StatusNotFound:
		return fail(tools.NotFound, backend.Missing, false).WithHint(env.Hint("See %s", tools.Use("cal list")))
	case refused.Status == http.StatusPreconditionFailed, refused.Status == http.StatusConflict:
		return fail(tools.Conflict, "The event changed since it was read", false).
			WithHint(env.Hint("Read it again with %s", tools.Use("cal get", id)))
	case refused.Status >= 500:
		return fail(tools.Upstream, backend.Unreachable, true).WithHint(env.Hint(backend.TryLater))
	}
	return fail(tools.Upstream, "Google refused the request", false).
		WithHint(env.Hint("The details have the reason that Google gave"))
}

// Explain converts a failure to reach Google to a message of the
// specification.
func Explain(env *tools.Env, err error) error { return errorFor(env, "", err) }

// Check checks that an account can read a calendar at Google.
func Check(ctx context.Context, env *tools.Env, account, remote string) error {
	b, err := Open(env, event.Calendar{Binding: event.Binding{Remote: remote, Account: account}})
	if err != nil {
		return err
	}
	g := b.(Calendar)
	err = g.api.call(ctx, request{method: "GET", path: g.events(), query: url.Values{"maxResults": {"1"}}}, nil)
	if hasStatus(err, http.StatusNotFound) {
		return env.Fail(tools.NotFound, "The account has no calendar %q at Google", remote).
			WithHint(env.Hint("The id of a calendar is in its settings at Google; primary is the main calendar"))
	}
	return errorFor(env, "", err)
}
