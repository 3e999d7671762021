package commands

import (
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

	"techo/store"
	"techo/tools"
	"techo/tools/calendar"
)

// authIn is the input of the command cal auth google.
type authIn struct {
	Calendar     string `json:"calendar" default:"google" min:"1" en:"The name that the calendar has here" ja:"ここでのカレンダー名"`
	Remote       string `json:"remote" default:"primary" min:"1" en:"The calendar's id at Google" ja:"Google でのカレンダー ID"`
	ClientID     string `json:"client_id,omitempty" en:"Id of the OAuth client, of the kind desktop" ja:"OAuth クライアント（デスクトップ）の ID"`
	ClientSecret string `json:"client_secret,omitempty" en:"Its secret" ja:"そのシークレット"`
	RefreshToken string `json:"refresh_token,omitempty" en:"A refresh token that is there already" ja:"既にあるリフレッシュトークン"`
	Command      string `json:"credential_command,omitempty" en:"A command that prints the refresh token, or JSON with client_id, client_secret and refresh_token: of pass, op, aws ssm" ja:"リフレッシュトークン、または client_id などの JSON を出力するコマンド（pass、op、aws ssm など）"`
	NoListen     bool   `json:"no_listen,omitempty" en:"Only print the address to open; go on with --redirected" ja:"開く URL を表示するだけにする（--redirected で続ける）"`
	Redirected   string `json:"redirected,omitempty" en:"The address that the browser ended at" ja:"ブラウザが最後に開いた URL"`
}

// authOut is the result of the command cal auth google.
type authOut struct {
	Calendar   string `json:"calendar"`
	Remote     string `json:"remote"`
	Authorized bool   `json:"authorized"`
	URL        string `json:"url,omitempty"`
	Message    string `json:"message"`
}

// authPatience is how long a person has to agree in the browser.
const authPatience = 5 * time.Minute

// calAuthGoogleCommand binds a calendar to one at Google.
func calAuthGoogleCommand(s *session) *command {
	return &command{Tool: tools.Define(tools.Tool{
		Command: "cal auth google",
		About:   tools.Say{EN: "Bind a calendar to one at Google", JA: "カレンダーを Google カレンダーに結び付ける"},
		More: tools.Say{
			EN: "Prints an address on stderr; once the person has agreed there, the calendar is bound. Where no browser can reach this machine: --no-listen, and then --redirected with the address that the browser ended at. With --refresh-token or --credential-command nobody is asked. TECHO_GOOGLE_CLIENT_ID, _CLIENT_SECRET, _REFRESH_TOKEN and _CREDENTIAL_COMMAND give the same.",
			JA: "標準エラーに表示される URL を開いて許可すると、カレンダーが結び付く。ブラウザからこのマシンに届かない場合は --no-listen で URL を表示し、最後に開いた URL を --redirected で渡す。--refresh-token や --credential-command があれば許可は不要。環境変数 TECHO_GOOGLE_CLIENT_ID、_CLIENT_SECRET、_REFRESH_TOKEN、_CREDENTIAL_COMMAND でも指定できる。",
		},
		Effect:   tools.Changes,
		World:    true,
		Examples: []tools.Example{{Does: tools.Say{EN: "Begin where there is no browser", JA: "ブラウザのない環境で始める"}, Line: "cal auth google --client-id ID --client-secret SECRET --no-listen"}},
	}, func(ctx context.Context, env *tools.Env, in authIn) (out authOut, err error) {
		return s.authGoogle(ctx, env, in)
	})}
}

func (s *session) authGoogle(ctx context.Context, env *tools.Env, in authIn) (out authOut, err error) {
	out.Calendar, out.Remote = store.CalendarName(in.Calendar), in.Remote
	if out.Calendar == "" || out.Calendar == store.DefaultCalendar {
		return out, env.Fail(tools.InvalidInput, tools.Say{EN: "calendar %q cannot be bound to Google", JA: "「%s」は Google に結び付けられません"}, in.Calendar)
	}
	c, err := s.keptCredentials()
	if err != nil {
		return out, err
	}
	for _, f := range []struct {
		from string
		to   *string
	}{{in.ClientID, &c.ClientID}, {in.ClientSecret, &c.ClientSecret}, {in.RefreshToken, &c.RefreshToken}, {in.Command, &c.Command}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	all, err := s.readCredentials() // with what the environment says
	if err != nil {
		return out, err
	}
	if all.ClientID == "" && all.Command == "" && c.ClientID == "" && c.Command == "" {
		return out, env.Fail(tools.InvalidInput, tools.Say{EN: "client_id is required", JA: "client_id: 必須です"}).
			WithHint(env.Say(tools.Say{EN: "Make an OAuth client of the kind desktop in the Google Cloud console", JA: "Google Cloud コンソールで OAuth クライアント（デスクトップ）を作成してください"}))
	}
	if c.ClientID == "" {
		c.ClientID, c.ClientSecret = all.ClientID, all.ClientSecret
	}
	switch {
	case in.Redirected != "":
		err = s.finishAuth(ctx, env, &c, in.Redirected)
	case in.NoListen:
		c.begin("http://127.0.0.1:1/")
		out.URL = c.address(s.or("TECHO_GOOGLE_AUTH_URL", googleAuthURL))
		out.Message = env.Say(tools.Say{EN: "Open the address, agree, then run techo cal auth google --redirected with the address that the browser ended at", JA: "URL を開いて許可し、ブラウザが最後に開いた URL を techo cal auth google --redirected に渡してください"})
		return out, s.writeCredentials(c)
	case c.RefreshToken == "" && c.Command == "" && all.RefreshToken == "" && all.Command == "" || in.ClientID != "" && in.RefreshToken == "" && in.Command == "":
		err = s.listenAuth(ctx, env, &c)
	}
	if err != nil {
		return out, err
	}
	if err := s.writeCredentials(c); err != nil {
		return out, err
	}
	if _, err := s.googleToken(ctx, false); err != nil { // so that a wrong one is told now
		return out, calendar.ExplainGoogle(env, err)
	}
	st, err := env.Store(ctx, tools.Changes)
	if err != nil {
		return out, err
	}
	if err := st.BindCalendar(ctx, out.Calendar, store.GoogleCalendar, in.Remote); err != nil {
		return out, err
	}
	out.Authorized = true
	out.Message = env.Say(tools.Say{EN: "The calendar %s is now %s at Google", JA: "カレンダー %s を Google の %s に結び付けました"}, out.Calendar, in.Remote)
	return out, nil
}

// begin makes the secrets of one authorization (RFC 7636, RFC 8252).
func (c *credentials) begin(redirect string) {
	c.Verifier, c.State, c.Redirect = secret(), secret(), redirect
}

func secret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// address is what the person opens to agree.
func (c *credentials) address(base string) string {
	challenge := sha256.Sum256([]byte(c.Verifier))
	return base + "?" + url.Values{
		"client_id": {c.ClientID}, "redirect_uri": {c.Redirect}, "response_type": {"code"}, "scope": {googleScope},
		"access_type": {"offline"}, "prompt": {"consent"}, "state": {c.State},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}.Encode()
}

// listenAuth waits on the loopback for the browser to come back.
func (s *session) listenAuth(ctx context.Context, env *tools.Env, c *credentials) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c.begin("http://" + l.Addr().String() + "/")
	came := make(chan string, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("state") != c.State {
			http.Error(w, "state", http.StatusBadRequest)
			return
		}
		fmt.Fprintln(w, env.Say(tools.Say{EN: "Done. You may close this window.", JA: "完了しました。このウィンドウを閉じてください。"}))
		select {
		case came <- r.URL.String():
		default:
		}
	})}
	go func() { _ = server.Serve(l) }() // it ends with Close
	defer server.Close()
	fmt.Fprintf(s.Stderr, "%s\n%s\n", env.Say(tools.Say{EN: "Open this address and agree:", JA: "次の URL を開いて許可してください:"}), c.address(s.or("TECHO_GOOGLE_AUTH_URL", googleAuthURL)))
	ctx, stop := context.WithTimeout(ctx, authPatience)
	defer stop()
	select {
	case address := <-came:
		return s.finishAuth(ctx, env, c, address)
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return env.Fail(tools.Timeout, tools.Say{EN: "Nobody agreed in time", JA: "時間内に許可されませんでした"})
		}
		return context.Cause(ctx)
	}
}

// finishAuth changes the code that came back into tokens.
func (s *session) finishAuth(ctx context.Context, env *tools.Env, c *credentials, address string) error {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || c.Verifier == "" {
		return env.Fail(tools.InvalidInput, tools.Say{EN: "redirected is no address of an authorization that has begun", JA: "redirected は開始済みの認証の URL ではありません"})
	}
	q := u.Query()
	switch {
	case q.Get("state") != c.State:
		return env.Fail(tools.Forbidden, tools.Say{EN: "The address is of another authorization (state)", JA: "別の認証の URL です（state が一致しません）"})
	case q.Get("code") == "":
		return noAccess(env, q.Get("error"))
	}
	answer, err := s.postToken(ctx, url.Values{
		"grant_type": {"authorization_code"}, "code": {q.Get("code")}, "redirect_uri": {c.Redirect}, "code_verifier": {c.Verifier},
		"client_id": {c.ClientID}, "client_secret": {c.ClientSecret},
	})
	if err != nil {
		return calendar.ExplainGoogle(env, err)
	}
	if answer.RefreshToken != "" {
		c.RefreshToken = answer.RefreshToken
	}
	c.take(answer)
	c.Owner = c.owner()
	c.Verifier, c.State, c.Redirect = "", "", ""
	return nil
}
