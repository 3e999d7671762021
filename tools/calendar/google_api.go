package calendar

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
	"strconv"
	"time"

	"techo/tools"
)

// googleAPI speaks to the Calendar API v3: a thin client, since the generated
// one adds 9 MB and 1.4 ms to every start, reads the first page alone and
// retries nothing.
type googleAPI struct {
	env   *tools.Env
	http  *http.Client
	pause time.Duration // before the second attempt; then twice as long each
}

// Limits of a conversation with Google.
const (
	googleAttempts = 4
	googleTimeout  = 20 * time.Second // of one request
	googleMost     = 32 << 20         // bytes of an answer
	googleWait     = 10 * time.Second // that a Retry-After is followed for
)

// googleError is what Google refused a request with.
type googleError struct {
	Status int
	Reason string
	Text   string
	Retry  time.Duration // when it may be asked again; 0 is unknown
}

func (e *googleError) Error() string {
	return fmt.Sprintf("google: %d %s: %s", e.Status, e.Reason, e.Text)
}

// limited reports whether it was asked too often.
func (e *googleError) limited() bool {
	switch e.Reason {
	case "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded":
		return true
	}
	return e.Status == http.StatusTooManyRequests
}

func (e *googleError) again() bool { return e.limited() || e.Status >= 500 }

// request is one request, which may be sent several times: all that are sent
// here do the same twice as once.
type request struct {
	method string
	path   string
	query  url.Values
	body   any
	etag   string // do it only while the thing has this one
}

// call sends a request and reads the answer into out. It renews the access
// token once, and tries again what may go well a moment later.
func (g *googleAPI) call(ctx context.Context, r request, out any) error {
	renewed, renew := false, false
	pause := g.pause
	for attempt := 1; ; attempt++ {
		err := g.once(ctx, r, renew, out)
		renew = false
		refused := new(googleError)
		isRefusal := errors.As(err, &refused)
		switch {
		case err == nil || ctx.Err() != nil || errors.As(err, new(*tools.Error)):
			return err
		case isRefusal && refused.Status == http.StatusUnauthorized && !renewed:
			renewed, renew = true, true
			continue
		case attempt >= googleAttempts, isRefusal && !refused.again():
			return err
		}
		wait := pause + rand.N(pause/2+1)
		if isRefusal && refused.Retry > 0 {
			if wait = refused.Retry; wait > googleWait {
				return err
			}
		}
		pause *= 2
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// once sends a request once.
func (g *googleAPI) once(ctx context.Context, r request, renew bool, out any) error {
	token, err := g.env.Google.Token(ctx, renew)
	if err != nil {
		return err
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
	address := g.env.Google.Calendar + r.path
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
	b, err := io.ReadAll(io.LimitReader(resp.Body, googleMost))
	if err != nil {
		return fmt.Errorf("google: answer cut off: %w", err)
	}
	if resp.StatusCode >= 300 {
		return refusal(resp, b)
	}
	if out == nil || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("google: answer not understood: %w", err)
	}
	return nil
}

// refusal reads why a request was refused.
func refusal(resp *http.Response, body []byte) error {
	e := &googleError{Status: resp.StatusCode, Text: http.StatusText(resp.StatusCode)}
	var said struct {
		Error struct {
			Message string
			Errors  []struct{ Reason string }
		}
	}
	if json.Unmarshal(body, &said) == nil {
		if said.Error.Message != "" {
			e.Text = clip(said.Error.Message)
		}
		if len(said.Error.Errors) > 0 {
			e.Reason = said.Error.Errors[0].Reason
		}
	}
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
		e.Retry = time.Duration(n) * time.Second
	}
	return e
}

// The sentences of the specification for what Google refuses.
var (
	googleDenied  = tools.Say{EN: "The calendar cannot be accessed. Check the credentials.", JA: "カレンダーにアクセスできません。認証情報を確認してください。"}
	googleMissing = tools.Say{EN: "The event was not found", JA: "指定された予定が見つかりません。"}
	googleLimited = tools.Say{EN: "Access to the calendar is limited for the moment.", JA: "カレンダーへのアクセスが一時的に制限されています。"}
	googleDown    = tools.Say{EN: "The calendar service cannot be reached.", JA: "カレンダーサービスに接続できません。"}
)

// explainGoogle puts a failure into the sentences of the specification.
func explainGoogle(env *tools.Env, id string, err error) error {
	if err == nil || errors.As(err, new(*tools.Error)) || errors.Is(err, context.Canceled) || errors.Is(err, tools.ErrTimeout) {
		return err
	}
	fail := func(code tools.Code, say tools.Say, retryable bool) *tools.Error {
		e := env.Fail(code, say)
		e.Retryable = retryable
		e.Details = []tools.Detail{{Message: err.Error()}}
		return e
	}
	refused := new(googleError)
	if !errors.As(err, &refused) {
		return fail(tools.Upstream, googleDown, true).WithHint(env.Say(tools.Say{EN: "Try again; the local calendars work without it", JA: "時間をおいて再実行してください。ローカルのカレンダーは使えます"}))
	}
	switch {
	case refused.Status == http.StatusUnauthorized:
		return fail(tools.Unavailable, googleDenied, false).WithHint(env.Say(authHint))
	case refused.limited():
		e := fail(tools.RateLimited, googleLimited, true)
		if refused.Retry > 0 {
			e.Details = append(e.Details, tools.Detail{Message: env.Say(tools.Say{EN: "come back in %s", JA: "%s 後に再試行できます"}, refused.Retry)})
		}
		return e
	case refused.Status == http.StatusForbidden:
		return fail(tools.Forbidden, googleDenied, false).WithHint(env.Say(authHint))
	case refused.Status == http.StatusNotFound, refused.Status == http.StatusGone:
		return fail(tools.NotFound, googleMissing, false).WithHint(env.Say(tools.Say{EN: "See techo cal list", JA: "techo cal list で予定を確認してください"}))
	case refused.Status == http.StatusPreconditionFailed, refused.Status == http.StatusConflict:
		return fail(tools.Conflict, tools.Say{EN: "The event changed since it was read", JA: "予定は読み取り後に変更されています"}, false).
			WithHint(env.Say(tools.Say{EN: "Read it again with techo cal get %s", JA: "techo cal get %s で読み直してください"}, id))
	case refused.Status >= 500:
		return fail(tools.Upstream, googleDown, true)
	}
	return fail(tools.Upstream, tools.Say{EN: "Google refused the request", JA: "Google がリクエストを拒否しました"}, false)
}

var authHint = tools.Say{EN: "Run techo cal auth google again", JA: "techo cal auth google をもう一度実行してください"}

// ExplainGoogle puts a failure to reach Google into the sentences of the
// specification.
func ExplainGoogle(env *tools.Env, err error) error { return explainGoogle(env, "", err) }
