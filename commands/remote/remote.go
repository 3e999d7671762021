// Package remote calls the tools of a techo serve elsewhere, so that the command line
// is a client of it.
package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"techo/export"
	"techo/internal/private"
	"techo/tools"
)

// Limits of a call.
const (
	attempts  = 3
	firstWait = 200 * time.Millisecond // before the second attempt; then twice as long
	maxWait   = 5 * time.Second        // a server that wants more is not asked again
	maxAnswer = 256 << 20              // bytes
)

// ShellHeader is set by a command: the hints of the answer then name commands, as the
// person or agent at the shell needs them. Its value is ShellCommand if the tool is called by
// its own command (tools.Call.SkipWhen), not by techo call.
const ShellHeader = "Techo-Shell"

// PurgeHeader is "true" for a call with --purge. It is not among the headers of settings, so
// that no request over MCP has it: only POST /tools/{name} reads it.
const PurgeHeader = "Techo-Purge"

// ShellCommand is a value of ShellHeader.
const ShellCommand = "command"

// OutcomeHeader has the error code whose exit code ends a command although its call
// succeeded, such as the pending of a question.
const OutcomeHeader = "Techo-Outcome"

// ProtocolHeader is in each answer of a techo serve. Without it an answer is from something
// else, such as the login page of a network.
const ProtocolHeader = "Techo-Protocol"

// Protocol is its value.
const Protocol = "1"

// OutputHeader asks for a text instead of a document.
const OutputHeader = "Techo-Output"

// IsAddress reports whether the address of a store names a server.
func IsAddress(store string) bool {
	for _, scheme := range []string{"https://", "http://", "unix:"} {
		if strings.HasPrefix(store, scheme) {
			return true
		}
	}
	return false
}

// Server is a server that calls are sent to.
type Server struct {
	Address string // as the person named it
	base    string // of its routes, without a final slash
	token   string // "": the server must not need one
	http    *http.Client
}

// New returns the server at an address, https://HOST, http://LOOPBACK or unix:PATH.
// http must be able to reach it; its proxy is used for https only.
func New(env *tools.Env, address, token string) (*Server, *tools.Error) {
	s := &Server{Address: address, token: token}
	if path, ok := socketPath(address); ok {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
		s.base, s.http = "http://techo", &http.Client{Transport: &http.Transport{DialContext: dial}}
	} else {
		u, err := url.Parse(address)
		switch {
		case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
			return nil, env.Fail(tools.InvalidInput, "%s is not the address of a server", address).WithHint(
				env.Hint("Give https://HOST, http://127.0.0.1:PORT or unix:PATH; the token is in TECHO_TOKEN"))
		case u.Scheme == "http" && !isLoopback(u.Hostname()):
			return nil, env.Fail(tools.Forbidden, "Others could read the token on the way to %s", address).WithHint(
				env.Hint("Use https, with a reverse proxy in front of %s", tools.Use("serve")))
		}
		s.base, s.http = strings.TrimRight(address, "/"), &http.Client{Transport: env.HTTP.Transport}
	}
	s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Call sends a call to the server and returns its answer: the document, or the text
// if the header asks for it. A call is sent again when the server cannot be reached or is
// busy. If it may have been made, only a call that reads or has an idempotency key is; a
// call that adds something always has a key. The error of a change that may have been made
// says so, and is retryable only if the caller gave the key.
func (s *Server) Call(ctx context.Context, env *tools.Env, t *tools.Tool, call tools.Call, header http.Header) (
	*tools.Result, *tools.Error) {
	return s.callAt(ctx, env, "/tools/", t, call, header)
}

// Transfer is Call for the tools of imports and exports, which the server does not list.
func (s *Server) Transfer(ctx context.Context, env *tools.Env, t *tools.Tool, call tools.Call, header http.Header) (
	*tools.Result, *tools.Error) {
	return s.callAt(ctx, env, transferPath, t, call, header)
}

const transferPath = "/transfer/"

func (s *Server) callAt(ctx context.Context, env *tools.Env, path string, t *tools.Tool, call tools.Call,
	header http.Header) (*tools.Result, *tools.Error) {
	named := call.Key
	if named == "" && t.Effect == tools.Adds {
		call.Key = rand.Text()
	}
	if call.Key != "" {
		header.Set("Idempotency-Key", call.Key)
	}
	if call.SkipWhen {
		header.Set(ShellHeader, ShellCommand)
	}
	repeatable := t.Effect == tools.Reads || call.Key != ""
	a := s.repeat(ctx, env, repeatable, func() answer {
		return s.send(ctx, env, http.MethodPost, path+t.Name, call.Input, header)
	})
	if a.err == nil {
		return a.result, nil
	}
	if a.maybe && t.Effect != tools.Reads {
		a.err = s.unknownOutcome(env, call.Key, path == transferPath, a.err)
		a.err.Retryable = a.err.Code != tools.Cancelled && named != "" // the same call adds nothing twice
	}
	return nil, t.AsError(env, a.err)
}

// repeat sends a request until there is an answer, at most attempts times. A request that may
// have been answered is repeated only if it is repeatable. The maybe of the result is about
// all attempts.
func (s *Server) repeat(ctx context.Context, env *tools.Env, repeatable bool, send func() answer) answer {
	wait, maybe := firstWait, false
	for attempt := 1; ; attempt++ {
		a := send()
		if a.err == nil {
			return a
		}
		maybe = maybe || a.maybe
		again := a.again && attempt < attempts && a.after <= maxWait && (repeatable || !a.maybe)
		if again {
			select {
			case <-ctx.Done():
				again, a.err = false, tools.AsError(env, context.Cause(ctx))
			case <-time.After(max(wait, a.after)):
			}
		}
		if !again {
			a.maybe = a.maybe || maybe && (a.err.Retryable || ctx.Err() != nil) // else a server has decided
			return a
		}
		wait *= 2
	}
}

type answer struct {
	result *tools.Result
	err    *tools.Error

	again bool          // another attempt may succeed
	maybe bool          // the call may have been made
	after time.Duration // not before
}

func (s *Server) send(
	ctx context.Context, env *tools.Env, method, path string, body []byte, header http.Header,
) answer {
	r, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return answer{err: tools.AsError(env, err)}
	}
	maps.Copy(r.Header, header)
	encode(r.Header)
	if r.Header.Get(ShellHeader) == "" {
		r.Header.Set(ShellHeader, "1")
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	var connected atomic.Bool // from then on the call may be made
	r = r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}))
	response, err := s.http.Do(r)
	if err != nil {
		return s.unreachable(ctx, env, err, connected.Load())
	}
	defer response.Body.Close()
	document, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return s.unreachable(ctx, env, err, true)
	case len(document) > maxAnswer:
		return answer{err: env.Fail(tools.LimitExceeded,
			"The answer of %s has more than %d bytes", s.Address, maxAnswer)}
	case response.StatusCode != http.StatusOK:
		return s.failed(env, response, document)
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	result := &tools.Result{Outcome: tools.Code(response.Header.Get(OutcomeHeader))}
	switch document = bytes.TrimSuffix(document, []byte("\n")); {
	case !isTecho(response):
		return answer{err: s.stranger(env, response)}
	case kind == "text/plain" && header.Get(OutputHeader) == "text":
		result.Text = string(document)
	case kind == "application/json" && json.Valid(document):
		result.JSON = document
	default:
		return answer{err: s.stranger(env, response)}
	}
	return answer{result: result}
}

// Ready fails if the server cannot take calls or cannot read its store now.
func (s *Server) Ready(ctx context.Context, env *tools.Env) *tools.Error {
	return s.send(ctx, env, http.MethodGet, "/ready", nil, http.Header{"Techo-Lang": {string(env.Lang)}}).err
}

// Identity is the answer of GET /whoami.
type Identity struct {
	User     string         `json:"user"`
	Owner    bool           `json:"owner"`    // may name any user
	Audience tools.Audience `json:"audience"` // whose tools the server takes calls of with the token
	ReadOnly bool           `json:"read_only"`
	Only     []string       `json:"only"`
	Spaces   []string       `json:"spaces"`
	Version  string         `json:"version"`
	Message  string         `json:"message"`
}

// Whoami returns the user whose calls the server takes: the user of the token, or the named
// one.
func (s *Server) Whoami(ctx context.Context, env *tools.Env) (who Identity, e *tools.Error) {
	header := http.Header{"Techo-Lang": {string(env.Lang)}}
	if env.Named {
		header.Set("Techo-User", env.User)
	}
	a := s.repeat(ctx, env, true, func() answer { return s.send(ctx, env, http.MethodGet, "/whoami", nil, header) })
	if a.err != nil {
		return who, a.err
	}
	if json.Unmarshal(a.result.JSON, &who) != nil || who.User == "" {
		return who, s.stranger(env, &http.Response{StatusCode: http.StatusOK})
	}
	return who, nil
}

// EncodedHeader names the headers of a request whose values are percent-encoded, because a
// header cannot carry them: it has one line of ASCII without spaces around it.
const EncodedHeader = "Techo-Encoded"

func encode(h http.Header) {
	var encoded []string
	for name, values := range h {
		for _, v := range values {
			if !fits(v) {
				h[name] = []string{url.PathEscape(v)} // each name has one value
				encoded = append(encoded, name)
			}
		}
	}
	if encoded != nil {
		h.Set(EncodedHeader, strings.Join(encoded, ", "))
	}
}

// fits reports whether a header can carry a value.
func fits(v string) bool {
	return strings.TrimSpace(v) == v && !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r > '~' })
}

// Decode decodes the values of the header of a request. Only settings of a call can be encoded.
func Decode(h http.Header) error {
	for list := range strings.SplitSeq(h.Get(EncodedHeader), ",") {
		name := http.CanonicalHeaderKey(strings.TrimSpace(list))
		if !strings.HasPrefix(name, "Techo-") && name != "Idempotency-Key" {
			continue
		}
		for i, v := range h[name] {
			text, err := url.PathUnescape(v)
			if err != nil {
				return err
			}
			h[name][i] = text
		}
	}
	h.Del(EncodedHeader)
	return nil
}

// loginsFile is the name of the file with the tokens of servers, in the folder of
// techo's state.
const loginsFile = "logins.json"

const maxLogins = 1 << 20

// Logins are the servers that the person logged in to.
type Logins struct {
	dir string

	Current string            `json:"current"` // the address that calls are sent to, or ""
	Tokens  map[string]string `json:"tokens"`  // by address (Normal)
	Users   map[string]string `json:"users"`   // whose tokens they are, by address
}

// LoginsPath returns the path of the file with the logins of a state folder.
func LoginsPath(state string) string { return filepath.Join(state, "techo", loginsFile) }

// Normal returns the address of a server in the form of Logins, so that the spellings of one
// address have one token. path makes the path of a socket absolute.
func Normal(address string, path func(string) string) string {
	if socket, ok := socketPath(address); ok {
		return "unix:" + path(socket)
	}
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Host = strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		u.Host = strings.TrimSuffix(u.Host, ":80")
	case "https":
		u.Host = strings.TrimSuffix(u.Host, ":443")
	}
	return strings.TrimRight(u.String(), "/")
}

// socketPath returns the path in the address of a unix socket. ok is false for others.
func socketPath(address string) (path string, ok bool) {
	path, ok = strings.CutPrefix(address, "unix:")
	return strings.TrimPrefix(path, "//"), ok
}

// ReadLogins reads the logins of a state folder. A missing file is no login.
func ReadLogins(state string) (Logins, error) {
	l := Logins{dir: filepath.Join(state, "techo"), Tokens: map[string]string{}, Users: map[string]string{}}
	if state == "" {
		return l, nil
	}
	err := private.ReadSecretJSON(LoginsPath(state), maxLogins, &l)
	return l, err
}

// Write replaces the file.
func (l Logins) Write() error { return export.Secret(filepath.Join(l.dir, loginsFile), l) }
