package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"techo/internal/address"
	"techo/internal/neterr"
	"techo/internal/page"
	"techo/tools"
	"techo/tools/internet"
	"techo/tools/message"
)

// maxURL limits the length of an address in bytes.
const maxURL = 8000

func parseURL(env *tools.Env, raw string) (*url.URL, error) {
	text := strings.TrimSpace(raw)
	refuse := func(s tools.Text, args ...any) (*url.URL, error) {
		e := env.Invalid("/url", s, args...)
		if full := "https://" + text; !strings.Contains(text, "//") && isHost(full) {
			return nil, e.WithHint(env.DidYouMean([]string{full}))
		}
		return nil, e.WithHint(env.Hint("Use a URL such as https://example.com/"))
	}
	if len(text) > maxURL {
		return refuse("the URL has more than %d bytes", maxURL)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil && strings.Contains(err.Error(), "first path segment"), err == nil && u.Scheme == "":
		return refuse("not a URL, and there is no such file: %q", text)
	case err != nil:
		return refuse("not a URL: %q", text)
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse("only http and https URLs are supported, not %q", u.Scheme)
	case u.Hostname() == "":
		return refuse("the URL has no host")
	case u.User != nil:
		return refuse("the URL must not contain a user name or password")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return refuse("not a URL: %q", text)
		}
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	return u, nil
}

// isHost reports whether an address has a host with a dot in it.
func isHost(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.Contains(strings.Trim(u.Hostname(), "."), ".")
}

// escapeQuery escapes the bytes of a query that a request line may not contain, as
// browsers do.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"'<>", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// refused returns the error for a private address in an otherwise invalid input.
func refused(env *tools.Env, input []byte) *tools.Error {
	var in struct {
		URL any `json:"url"`
	}
	_ = json.Unmarshal(input, &in) // the validator reports invalid JSON
	text, _ := in.URL.(string)
	u, err := url.Parse(target(text))
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	return refusePrivate(env, newClient(env).checkName(u))
}

// refusePrivate returns the error for a private host, or nil if err is none.
func refusePrivate(env *tools.Env, err error) *tools.Error {
	private := new(internet.PrivateAddressError)
	if !errors.As(err, &private) {
		return nil
	}
	name := private.Host
	if a, literal := address.Parse(name); literal {
		name = a.Unmap().String() // the spelling that counts
	}
	if private.Cloud != "" {
		return env.Fail(tools.Forbidden, "%s is a service of a cloud for its own machines (%s)", private.Host,
			private.Cloud).WithHint(env.Hint("It may give away credentials; only TECHO_WEB_ALLOW=%s allows it", name))
	}
	return env.Fail(tools.Forbidden, "%s is not on the public internet", private.Host).
		WithHint(env.Hint("To allow it, use %s or TECHO_WEB_ALLOW=%s", tools.Flag("allow-private"), name))
}

// headers parses lines of the form "Name: value".
func headers(env *tools.Env, lines []string) (http.Header, error) {
	h := http.Header{}
	for i, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch http.CanonicalHeaderKey(name) {
		case "Host", "Content-Length", "Connection", "Transfer-Encoding", "Accept-Encoding", "Upgrade", "Te", "Trailer",
			"":
			ok = false
		}
		if !ok || strings.ContainsAny(value, "\r\n\x00") ||
			strings.IndexFunc(name, func(r rune) bool { return !isToken(r) }) >= 0 {
			return nil, env.Invalid("/headers/"+strconv.Itoa(i), "header %d is invalid or not allowed: %q", i+1, line).
				WithHint(env.Hint(`Write it as "Name: value"`))
		}
		h.Add(name, value)
	}
	return h, nil
}

// isToken reports whether a header name may contain the character (RFC 9110,
// token).
func isToken(r rune) bool {
	return r > ' ' && r < 0x7f && !strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
}

func (f *fetch) explain(ctx context.Context, out *response, err error) error {
	env := f.env
	host := f.url.Hostname()
	if out != nil {
		host = out.url.Hostname()
	}
	failed := func(retry bool, s tools.Text, args ...any) *tools.Error {
		e := env.Fail(tools.Upstream, s, args...)
		e.Retryable = retry
		return e
	}
	var (
		redirect *redirectError
		packed   *encodingError
		slow     *slowError
		dns      *net.DNSError
		timeout  net.Error
	)
	switch {
	case internet.IsPrivateAddress(err):
		return refusePrivate(env, err)
	case errors.As(err, &redirect):
		return redirect.explain(env)
	case errors.As(err, &packed) && packed.name != "":
		return failed(false, "the server sent an unsupported content encoding: %q", packed.name).
			WithHint(f.env.Hint("gzip, deflate and br are read; save the page in a browser and name its file"))
	case errors.As(err, &packed):
		return failed(false, "the compressed body is not valid").
			WithHint(f.env.Hint("Try again, or save the page in a browser and name its file"))
	case f.parent.Err() != nil: // the call's own timeout, or an interrupt
		return context.Cause(f.parent)
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		e := env.Fail(tools.Timeout, "Request timed out after %d seconds", f.in.Timeout)
		if e.Hint = env.Hint("No response; allow more time with %s", tools.Field("timeout")); errors.As(err, &slow) {
			e.Hint = env.Hint("The body did not end (received %s); allow more time with %s",
				env.Count(slow.got, "%d byte", "%d bytes"), tools.Field("timeout"))
		}
		return e
	case errors.As(err, &dns):
		return failed(true, "no address for %s", host).WithHint(f.noAddress(host))
	case neterr.Refused(err) && f.client.viaProxy:
		return failed(true, "the proxy for %s refused the connection", host).
			WithHint(f.env.Hint("Check that the proxy runs, and its address in HTTPS_PROXY or HTTP_PROXY"))
	case neterr.Refused(err):
		return failed(true, "%s refused the connection", host).
			WithHint(f.env.Hint("Check the host and the port; the server may not run"))
	case errors.As(err, new(tls.RecordHeaderError)):
		return failed(false, "%s does not speak TLS", host).
			WithHint(f.env.Hint("Write http:// before it to read it without encryption"))
	case isCertificate(err):
		return failed(false, "%s's certificate is not valid: %v", host, certificateCause(err)).
			WithHint(f.env.Hint("Check the address; nothing is read from a server that proves no identity"))
	}
	if closed := message.ClosedCause(err); closed != "" {
		return failed(true, closed).WithHint(f.env.Hint("Check the network, and try again later"))
	}
	return failed(true, "network error: %v", err).WithHint(f.env.Hint("Check the network, and try again later"))
}

// noAddress returns the hint for a host without an address. What stands without a scheme may have
// been meant as a file.
func (f *fetch) noAddress(host string) string {
	if f.bare && host == f.url.Hostname() {
		return f.env.Hint("Check the name of the host, or of the file: no file %s can be read here",
			strings.TrimPrefix(f.in.URL, "https://"))
	}
	return f.env.Hint("Check the name of the host")
}

func (e *redirectError) explain(env *tools.Env) error {
	switch {
	case e.user:
		return env.Fail(tools.Upstream, "the server redirected to a URL with a user name or password").
			WithHint(env.Hint("Such a URL is not read"))
	case e.scheme != "":
		return env.Fail(tools.Upstream, "the server redirected to a %q URL", e.scheme).
			WithHint(env.Hint("Only http and https are read"))
	}
	return env.Fail(tools.Upstream, "stopped after %d redirects", maxRedirects).
		WithHint(env.Hint("Check the address in a browser; the page may want a login"))
}

func isCertificate(err error) bool {
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(x509.UnknownAuthorityError)) ||
		errors.As(err, new(x509.HostnameError)) || errors.As(err, new(x509.CertificateInvalidError))
}

// certificateCause gives the frequent errors of certificates a text in every
// language.
func certificateCause(err error) error {
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	switch {
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return message.NewError("signed by an unknown authority")
	case errors.As(err, &host):
		return message.NewError("made for another host than %s", host.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return message.NewError("expired or not yet valid")
	}
	return err
}

// maxExcerpt limits the bytes of an error page that are parsed for an excerpt.
const maxExcerpt = 256 << 10

// statusError returns the error for a status other than 2xx, with an excerpt of
// the page.
func (f *fetch) statusError(out *response) error {
	status := out.statusText
	if text := http.StatusText(out.status); text != "" { // the standard text
		status = strconv.Itoa(out.status) + " " + text
	}
	code := tools.Upstream
	if out.status == http.StatusTooManyRequests {
		code = tools.RateLimited
	}
	e := f.env.Fail(code, "the server answered %s", status)
	switch {
	case out.status == 408, out.status == 425, out.status == 429, out.status >= 500:
		e.Retryable = true
		e.Hint = f.env.Hint("Try again later")
	case out.status == 404, out.status == 410:
		e.Hint = f.env.Hint("Check the address; the page may have moved")
	default:
		e.Hint = f.env.Hint("The server decides who may read this; %s can send what it asks for",
			tools.Field("header"))
	}
	if wait := out.header.Get("Retry-After"); wait != "" {
		e.Details = append(e.Details, tools.Detail{Message: f.env.Localize("retry after %s", retryAfter(wait))})
	}
	out.body = out.body[:min(len(out.body), maxExcerpt)]
	d := f.read(f.parent, out)
	if d.page != nil {
		d.text = d.page.Plain()
		if page.AbsenceOf(d.page) == page.RobotCheck {
			e.Hint = f.env.Hint(askToSave)
		}
	}
	if excerpt := truncate(strings.TrimSpace(d.text), 1000); excerpt != "" {
		e.Details = append(e.Details, tools.Detail{Message: excerpt})
	}
	return e
}

// retryAfter formats the header: a duration for seconds, else the text itself.
func retryAfter(text string) string {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < 1<<30 {
		return (time.Duration(n) * time.Second).String()
	}
	return text
}

// truncate returns at most limit characters of a text.
func truncate(text string, limit int) string {
	for i := range text {
		if limit--; limit < 0 {
			return text[:i] + "…"
		}
	}
	if !utf8.ValidString(text) {
		return strings.ToValidUTF8(text, "�")
	}
	return text
}
