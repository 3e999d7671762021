package google

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"techo/tools"
	"techo/tools/calendar/google"
)

// authorization is a pending authorization: the client and the secrets that tie
// the response to the request (RFC 7636, RFC 8252).
type authorization struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret,omitempty"`
	Verifier     string `json:"verifier"`
	State        string `json:"state"`
	Redirect     string `json:"redirect"`
	Calendar     string `json:"calendar,omitempty"` // to connect
	Remote       string `json:"remote,omitempty"`
}

func (c *Credentials) begin(redirect string) *authorization {
	return &authorization{ClientID: c.ClientID, ClientSecret: c.ClientSecret, State: rand.Text(), Redirect: redirect,
		Verifier: rand.Text() + rand.Text()} // at least 43 characters
}

func (a *authorization) address(base string) string {
	challenge := sha256.Sum256([]byte(a.Verifier))
	return base + "?" + url.Values{
		"client_id": {a.ClientID}, "redirect_uri": {a.Redirect}, "response_type": {"code"}, "scope": {googleScope},
		"access_type": {"offline"}, "prompt": {"consent"}, "state": {a.State},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}.Encode()
}

// arrival is a browser that was redirected here and waits for the outcome.
type arrival struct {
	address string
	outcome chan error
}

// listenAuth waits on the loopback interface for the browser's redirect.
func (s *Access) listenAuth(ctx context.Context, env *tools.Env, c *Credentials) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c.Pending = c.begin("http://" + l.Addr().String() + "/")
	arrived := make(chan arrival, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: redirectHandler(env, c.Pending.State, arrived)}
	go func() { _ = server.Serve(l) }() // Close ends it
	defer server.Close()
	fmt.Fprintf(s.system.Stderr, "%s\n%s\n", env.Localize("Open this URL and agree:"),
		c.Pending.address(cmp.Or(s.system.Getenv("TECHO_GOOGLE_AUTH_URL"), googleAuthURL)))
	ctx, stop := context.WithTimeout(ctx, authTimeout)
	defer stop()
	select {
	case a := <-arrived:
		err := s.finishAuth(ctx, env, c, a.address)
		a.outcome <- err
		const farewell = 2 * time.Second // for delivering the last page
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer stop()
		_ = server.Shutdown(ctx)
		return err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return env.Fail(tools.Timeout, "The access was not approved in time")
		}
		return context.Cause(ctx)
	}
}

// redirectHandler serves the page to which the browser is redirected. The page waits
// for the outcome and shows it.
func redirectHandler(env *tools.Env, state string, arrived chan<- arrival) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("state") != state {
			http.Error(w, "state", http.StatusBadRequest)
			return
		}
		a := arrival{r.URL.String(), make(chan error, 1)}
		select {
		case arrived <- a:
		default:
			http.Error(w, "again", http.StatusConflict)
			return
		}
		select {
		case <-r.Context().Done():
		case err := <-a.outcome:
			if err != nil {
				http.Error(w, env.Localize("Not authorized; techo shows the reason. You may close this window."),
					http.StatusForbidden)
				return
			}
			fmt.Fprintln(w, env.Localize("Done. You may close this window."))
		}
	}
}

// finishAuth exchanges the code in the redirect address for tokens. The
// credentials change only on success.
func (s *Access) finishAuth(ctx context.Context, env *tools.Env, c *Credentials, address string) error {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || c.Pending == nil {
		return env.Fail(tools.InvalidInput, "redirected does not belong to a pending authorization")
	}
	q, asked := u.Query(), c.Pending
	switch {
	case q.Get("state") != asked.State:
		return env.Fail(tools.Forbidden, "The URL belongs to another authorization (state)").
			WithHint(env.Hint("Begin again with %s", tools.Use("cal auth google")))
	case q.Get("code") == "":
		return noAccess(env, q.Get("error"))
	}
	answer, err := s.postToken(ctx, url.Values{
		"grant_type": {"authorization_code"}, "code": {q.Get("code")}, "redirect_uri": {asked.Redirect},
		"code_verifier": {asked.Verifier},
		"client_id":     {asked.ClientID}, "client_secret": {asked.ClientSecret},
	})
	if err != nil {
		return google.Explain(env, err)
	}
	if answer.RefreshToken == "" {
		return noAccess(env, env.Localize("Google returned no refresh token")).
			WithHint(env.Hint("Remove this access at https://myaccount.google.com/permissions, then run %s "+
				"again", tools.Use("cal auth google")))
	}
	*c = Credentials{ClientID: asked.ClientID, ClientSecret: asked.ClientSecret, RefreshToken: answer.RefreshToken}
	c.take(answer)
	c.Owner = c.owner()
	return nil
}
