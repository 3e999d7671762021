package google

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"techo/commands/system"
	"techo/export"
	"techo/internal/regular"
	"techo/internal/shell"
	"techo/tools"
	"techo/tools/calendar/google"
	"techo/tools/message"
)

// Google's endpoints. Environment variables override them.
const (
	googleCalendarURL = "https://www.googleapis.com/calendar/v3"
	googleTokenURL    = "https://oauth2.googleapis.com/token"
	googleAuthURL     = "https://accounts.google.com/o/oauth2/v2/auth"
	googleScope       = "https://www.googleapis.com/auth/calendar"
)

// Credentials are stored in a file that only the person can read. They include
// the access token, so that not every process has to request one.
type Credentials struct {
	ClientID     string    `json:"client_id"`
	ClientSecret string    `json:"client_secret,omitempty"`
	RefreshToken string    `json:"refresh_token,omitempty"`
	Command      string    `json:"credential_command,omitempty"`
	AccessToken  string    `json:"access_token,omitempty"`
	Expiry       time.Time `json:"expiry,omitzero"`
	Owner        string    `json:"owner,omitempty"` // of the access token; see owner

	// Pending is an authorization that was started. The other fields stay in use
	// until the person agrees.
	Pending *authorization `json:"pending,omitempty"`
}

// credentialFile returns the path of the credentials of an account. "" is the first
// account; the others have ids of newAccount.
func credentialFile(w system.System, account string) string {
	if account == "" {
		return filepath.Join(w.Config(), "techo", "google.json")
	}
	return filepath.Join(w.Config(), "techo", "credentials", account+".json")
}

// newAccount returns an id for the credentials of another account. It is random, so
// that calendars in other stores do not share it.
func newAccount() string {
	b := make([]byte, 10)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func validAccount(account string) bool {
	_, err := hex.DecodeString(account)
	return err == nil && len(account) <= 64
}

const maxCredentials = 1 << 20

// storedCredentials reads the file of credentials.
func storedCredentials(w system.System, account string) (c Credentials, err error) {
	if !validAccount(account) {
		return c, fs.ErrInvalid
	}
	b, err := regular.Read(credentialFile(w, account), maxCredentials)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		if err = json.Unmarshal(b, &c); err != nil {
			err = &credentialsError{credentialFile(w, account), err}
		}
	}
	return c, err
}

type credentialsError struct {
	path  string
	cause error
}

func (e *credentialsError) Error() string { return e.path + ": " + e.cause.Error() }
func (e *credentialsError) Unwrap() error { return e.cause }

func (e *credentialsError) explain(env *tools.Env) *tools.Error {
	return noAccess(env, e.Error()).WithHint(env.Hint("Remove %s, then run %s again", e.path, tools.Use("cal auth google")))
}

// readCredentials reads the credentials from the file and, for the first account, from
// the environment, which takes precedence.
func readCredentials(w system.System, account string) (c Credentials, err error) {
	if c, err = storedCredentials(w, account); err != nil {
		return c, err
	}
	for name, to := range map[string]*string{
		"TECHO_GOOGLE_CLIENT_ID": &c.ClientID, "TECHO_GOOGLE_CLIENT_SECRET": &c.ClientSecret,
		"TECHO_GOOGLE_REFRESH_TOKEN": &c.RefreshToken, "TECHO_GOOGLE_CREDENTIAL_COMMAND": &c.Command,
	} {
		if v := w.Getenv(name); v != "" && account == "" {
			*to = v
		}
	}
	if c.Owner != c.owner() {
		c.AccessToken = "" // it was issued for other credentials
	}
	return c, nil
}

// owner returns a hash that identifies the credentials of an access token.
func (c *Credentials) owner() string {
	digest := sha256.Sum256([]byte(c.ClientID + "\x00" + c.RefreshToken + "\x00" + c.Command))
	return hex.EncodeToString(digest[:8])
}

// writeCredentials stores credentials. Without any it removes the file.
func writeCredentials(w system.System, account string, c Credentials) error {
	path := credentialFile(w, account)
	if c == (Credentials{}) {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return export.Secret(path, c)
}

// Calendar returns the access for the calendar tools.
func (s *Access) Calendar() tools.GoogleSettings {
	return tools.GoogleSettings{Calendar: cmp.Or(s.system.Getenv("TECHO_GOOGLE_CALENDAR_URL"), googleCalendarURL), Token: s.googleToken,
		Lock: s.lock}
}

// renewBefore is how long before its expiry an access token is renewed.
const renewBefore = time.Minute

// googleToken returns an access token of an account that is valid for at least a
// minute.
func (s *Access) googleToken(ctx context.Context, account string, renew bool) (string, error) {
	env := s.env()
	c, err := readCredentials(s.system, account)
	if damaged := new(credentialsError); errors.As(err, &damaged) {
		return "", damaged.explain(env)
	}
	if err != nil {
		return "", noAccess(env, env.Cause(err))
	}
	if c.AccessToken != "" && !renew && time.Now().Add(renewBefore).Before(c.Expiry) {
		return c.AccessToken, nil
	}
	from := c
	if c.Command != "" {
		if err := from.ask(ctx, c.Command); err != nil {
			return "", noAccess(env, env.Cause(err))
		}
	}
	if from.RefreshToken == "" || from.ClientID == "" {
		return "", noAccess(env, env.Localize("there are no credentials"))
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {from.RefreshToken},
		"client_id": {from.ClientID}}
	if from.ClientSecret != "" {
		form.Set("client_secret", from.ClientSecret)
	}
	answer, err := s.postToken(ctx, form)
	if err != nil {
		return "", err
	}
	kept, err := storedCredentials(s.system, account) // without the environment
	if err == nil {
		kept.take(answer)
		kept.Owner = c.owner()
		err = writeCredentials(s.system, account, kept)
	}
	if err != nil {
		fmt.Fprintf(s.system.Stderr, "%s: warning: %v\n", system.Name, err) // the token is valid anyway
	}
	return answer.AccessToken, nil
}

// take copies the access token of an answer.
func (c *Credentials) take(answer tokenAnswer) {
	c.AccessToken, c.Expiry = answer.AccessToken, time.Now().Add(time.Duration(answer.ExpiresIn)*time.Second)
}

// ask runs the command of a secret manager, which prints a refresh token or a
// JSON object of credentials.
func (c *Credentials) ask(ctx context.Context, command string) error {
	out, err := shell.Output(ctx, command)
	if err != nil {
		return message.NewError("credential command: %v", err)
	}
	text := strings.TrimSpace(string(out))
	if strings.HasPrefix(text, "{") {
		if err := json.Unmarshal([]byte(text), c); err != nil {
			return message.NewError("credential command: %v", err)
		}
		return nil
	}
	c.RefreshToken = text
	return nil
}

type tokenAnswer struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int    `json:"expires_in"`
	Error        string `json:"error"`
	Description  string `json:"error_description"`
}

// postToken sends a request to the token endpoint. The client id and secret are
// in the form: with HTTP Basic, the library would repeat every refused request.
func (s *Access) postToken(ctx context.Context, form url.Values) (answer tokenAnswer, err error) {
	env := s.env()
	ctx, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, cmp.Or(s.system.Getenv("TECHO_GOOGLE_TOKEN_URL"), googleTokenURL),
		strings.NewReader(form.Encode()))
	if err != nil {
		return answer, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := s.env().HTTP.Do(req)
	if err != nil {
		return answer, err // the caller retries
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(b, &answer); err != nil && resp.StatusCode == http.StatusOK {
		return answer, fmt.Errorf("token endpoint: %s: %w", resp.Status, err)
	}
	switch {
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusTooManyRequests:
		return answer, fmt.Errorf("token endpoint: %w", google.Refusal(resp, answer.Error))
	case resp.StatusCode == http.StatusNotFound, resp.StatusCode == http.StatusGone:
		e := env.Fail(tools.Upstream, "The calendar service cannot be reached.")
		e.Details = []tools.Detail{{Message: "token endpoint: " + resp.Status}}
		return answer, e
	case resp.StatusCode != http.StatusOK || answer.AccessToken == "":
		e := noAccess(env, answer.Error+" "+answer.Description)
		if answer.Error == "invalid_grant" {
			e.Hint = env.Hint("Run %s again. While the OAuth client is in testing mode, Google ends an "+
				"authorization after 7 days: publish the client", tools.Use("cal auth google"))
		}
		return answer, e
	}
	return answer, nil
}

// noAccess is the error, worded by the specification, for missing or refused
// credentials.
func noAccess(env *tools.Env, why string) *tools.Error {
	e := env.Fail(tools.Unavailable, "The calendar cannot be accessed. Check the credentials.").
		WithHint(env.Hint("Run %s", tools.Use("cal auth google")))
	if why = strings.TrimSpace(why); why != "" {
		e.Details = []tools.Detail{{Message: why}}
	}
	return e
}
