package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"techo/internal/neterr"
	"techo/tools"
)

func (s *Server) failed(env *tools.Env, response *http.Response, document []byte) answer {
	a := answer{}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		a.after = time.Duration(seconds) * time.Second
	}
	var said struct{ Error *tools.Error }
	if !isTecho(response) || json.Unmarshal(document, &said) != nil || said.Error == nil || !said.Error.Code.Known() {
		switch response.StatusCode {
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			a.again = true
		}
		a.maybe = response.StatusCode/100 == 5 || response.StatusCode == http.StatusRequestTimeout
		a.err = s.stranger(env, response)
		return a
	}
	a.err = said.Error
	if response.Header.Get("WWW-Authenticate") != "" {
		a.err.Hint = env.Hint("Set TECHO_TOKEN, or log in: %s. %s there makes a token",
			tools.Use("login", s.Address), tools.Use("token add"))
	}
	a.again = a.err.Code == tools.Busy // nothing was changed
	return a
}

// isTecho reports whether an answer is from a techo serve.
func isTecho(response *http.Response) bool { return response.Header.Get(ProtocolHeader) != "" }

// stranger is the error of an answer that is not from a techo serve, but from a proxy in
// front of it or from another program.
func (s *Server) stranger(env *tools.Env, response *http.Response) *tools.Error {
	status := response.StatusCode
	code, hint := tools.Upstream, tools.Text("Check the address and the proxy in front of the server")
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		code, hint = tools.Unavailable, "The proxy in front of the server refuses the request: see its rules"
	case status == http.StatusRequestEntityTooLarge:
		code, hint = tools.LimitExceeded, "The proxy in front of the server refuses large requests: allow 32 MB "+
			"(nginx: client_max_body_size 32m)"
	case status == http.StatusTooManyRequests:
		code, hint = tools.RateLimited, "The proxy in front of the server limits requests: try again later"
	case status/100 == 3 && response.Header.Get("Location") != "":
		return env.Fail(code, "%s answered with status %d, but not as techo serve", s.Address, status).WithHint(
			env.Hint("It redirects to %s: check the address", response.Header.Get("Location")))
	case status/100 == 5:
		hint = "The server or the proxy in front of it has a fault: try again later, and see its log"
	}
	e := env.Fail(code, "%s answered with status %d, but not as techo serve", s.Address, status).
		WithHint(env.Hint(hint))
	e.Retryable = status/100 == 5 || status == http.StatusRequestTimeout || status == http.StatusTooEarly ||
		status == http.StatusTooManyRequests
	return e
}

// unreachable returns the answer for a request that failed. After a connection was there,
// the call may have been made.
func (s *Server) unreachable(ctx context.Context, env *tools.Env, err error, connected bool) answer {
	if ctx.Err() != nil {
		return answer{err: tools.AsError(env, context.Cause(ctx)), maybe: connected}
	}
	if e := s.untrusted(env, err); e != nil {
		return answer{err: e} // another attempt fails as well
	}
	why := err
	if request := new(url.Error); errors.As(err, &request) {
		why = request.Err // without the URL of the request
	}
	e := env.Fail(tools.Upstream, "The server %s cannot be reached: %s", s.Address, env.Cause(why))
	e.Retryable = true
	local := tools.Flag("store", tools.Placeholder("DIR"))
	hint := tools.Advise("Check the network, or use a store on this machine: %s", local)
	switch {
	case errors.As(err, new(*net.DNSError)):
		hint = tools.Advise("Check the name in the address and the network, or use a store on this machine: %s", local)
	case !connected && (neterr.Refused(err) || errors.Is(err, fs.ErrNotExist)):
		hint = tools.Advise("Start %s there, or use a store on this machine: %s", tools.Use("serve"), local)
	}
	return answer{err: e.WithHint(hint.In(env)), again: true, maybe: connected}
}

// untrusted returns the error for a server that cannot prove its name, or does not use
// TLS; nil for other faults.
func (s *Server) untrusted(env *tools.Env, err error) *tools.Error {
	var (
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		plain   tls.RecordHeaderError
	)
	fail := func(why, hint tools.Text, args ...any) *tools.Error {
		return env.Fail(tools.Upstream, "The server %s is not trusted: %s", s.Address, env.Localize(why, args...)).
			WithHint(env.Hint(hint))
	}
	switch {
	case errors.As(err, &plain), errors.Is(err, http.ErrSchemeMismatch):
		return fail("it does not use TLS",
			"Put a reverse proxy with TLS before it; on this machine use http://127.0.0.1:PORT")
	case errors.As(err, new(x509.UnknownAuthorityError)), errors.As(err, new(x509.SystemRootsError)):
		return fail("its certificate is from an authority that this machine does not trust",
			"If it is your own authority, name the file of its certificate: SSL_CERT_FILE")
	case errors.As(err, &name):
		return fail("its certificate is not for the name %s", "Use the name in the certificate", name.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fail("its certificate has expired or is not valid yet",
			"Renew the certificate on the server, and check the clock of this machine")
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fail("its certificate is not valid", "Renew the certificate on the server")
	}
	return nil
}

// unknownOutcome is the error for a call that must not be repeated blindly, because it may
// have been made. With the key of its requests, "" for none, it can be repeated. An import
// (transfer) skips what the server has.
func (s *Server) unknownOutcome(env *tools.Env, key string, transfer bool, lost *tools.Error) *tools.Error {
	var e *tools.Error
	switch lost.Code {
	case tools.Timeout:
		e = env.Fail(lost.Code, "The time given by --timeout ran out during the call, which may have been made")
	case tools.Cancelled:
		e = env.Fail(lost.Code, "Interrupted during the call, which may have been made")
	default:
		e = env.Fail(tools.Upstream, "The connection to %s was lost during the call, which may have been made",
			s.Address)
		e.Details = []tools.Detail{{Message: lost.Message}}
	}
	switch {
	case transfer:
		return e.WithHint(env.Hint("Run it again: an import adds only what is missing"))
	case key != "":
		return e.WithHint(env.Hint("It adds nothing twice if you run it again with %s",
			tools.Flag("idempotency-key", key)))
	}
	return e.WithHint(env.Hint("Look before you run it again"))
}
