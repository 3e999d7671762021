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
	"syscall"
	"time"
	"unicode/utf8"

	"techo/tools"
)

// maxURL is how long an address may be.
const maxURL = 8000

// target reads the address that a caller gave.
func target(env *tools.Env, raw string) (*url.URL, error) {
	text := strings.TrimSpace(raw)
	refuse := func(s tools.Say, args ...any) (*url.URL, error) {
		message := env.Say(s, args...)
		e := env.Fail(tools.InvalidInput, tools.Say{EN: "%s", JA: "%s"}, message)
		e.Details = []tools.Detail{{Path: "/url", Message: message}}
		if full := "https://" + text; !strings.Contains(text, "//") && isHost(full) {
			return nil, e.WithHint(env.DidYouMean([]string{full}))
		}
		return nil, e.WithHint(env.Say(tools.Say{EN: "Give an address such as https://example.com/", JA: "https://example.com/ のような URL を指定してください"}))
	}
	if len(text) > maxURL {
		return refuse(tools.Say{EN: "the URL has more than %d bytes", JA: "URL は%dバイトまでです"}, maxURL)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil && strings.Contains(err.Error(), "first path segment"), err == nil && u.Scheme == "":
		return refuse(tools.Say{EN: "not a URL: %q", JA: "URL ではありません: %q"}, text)
	case err != nil:
		return refuse(tools.Say{EN: "not a URL: %q", JA: "URL ではありません: %q"}, text)
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse(tools.Say{EN: "only http and https URLs are fetched, not %q", JA: "取得できるのは http と https の URL のみです（%q は不可）"}, u.Scheme)
	case u.Hostname() == "":
		return refuse(tools.Say{EN: "the URL has no host", JA: "URL にホスト名がありません"})
	case u.User != nil:
		return refuse(tools.Say{EN: "a URL with a user name or password is not fetched", JA: "ユーザー名やパスワードを含む URL は取得しません"})
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return refuse(tools.Say{EN: "not a URL: %q", JA: "URL ではありません: %q"}, text)
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

// escapeQuery writes a query as browsers do: what may not stand in the line of
// a request is escaped, all else stays as it is.
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

// refused refuses an address that is seen to be private, whatever else is
// wrong with an input.
func refused(env *tools.Env, input []byte) *tools.Error {
	var in struct {
		URL any `json:"url"`
	}
	_ = json.Unmarshal(input, &in) // what is wrong with it is told otherwise
	text, _ := in.URL.(string)
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	if newClient(env).seen(u) == nil {
		return nil
	}
	return refusePrivate(env, u.Hostname())
}

// refusePrivate says that a host may not be fetched from, and how it could be.
func refusePrivate(env *tools.Env, host string) *tools.Error {
	return env.Fail(tools.Forbidden, tools.Say{EN: "%s is not on the public internet", JA: "%s は公開されたインターネット上のアドレスではありません"}, host).
		WithHint(env.Say(tools.Say{EN: "--allow-private fetches it, or TECHO_WEB_ALLOW=%s", JA: "--allow-private か TECHO_WEB_ALLOW=%s を指定すると取得できます"}, host))
}

// headers reads "Name: value" texts.
func headers(env *tools.Env, lines []string) (http.Header, error) {
	h := http.Header{}
	for i, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch http.CanonicalHeaderKey(name) {
		case "Host", "Content-Length", "Connection", "Transfer-Encoding", "Accept-Encoding", "Upgrade", "Te", "Trailer", "":
			ok = false
		}
		if !ok || strings.ContainsAny(value, "\r\n\x00") || strings.IndexFunc(name, func(r rune) bool { return !isToken(r) }) >= 0 {
			e := env.Fail(tools.InvalidInput, tools.Say{EN: "header %d is not a header that may be set: %q", JA: "%d 番目のヘッダーは指定できません: %q"}, i+1, line)
			e.Details = []tools.Detail{{Path: "/headers/" + strconv.Itoa(i), Message: e.Message}}
			return nil, e.WithHint(env.Say(tools.Say{EN: `Write it as "Name: value"`, JA: "「名前: 値」の形で指定してください"}))
		}
		h.Add(name, value)
	}
	return h, nil
}

// isToken reports whether a character may be in the name of a header.
func isToken(r rune) bool {
	return r > ' ' && r < 0x7f && !strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
}

// explain says why a page could not be fetched.
func (f *fetch) explain(ctx context.Context, out *response, err error) error {
	env := f.env
	host := f.url.Hostname()
	if out != nil {
		host = out.url.Hostname()
	}
	failed := func(retry bool, s tools.Say, args ...any) *tools.Error {
		e := env.Fail(tools.Upstream, s, args...)
		e.Retryable = retry
		return e
	}
	var (
		private  *privateError
		redirect *redirectError
		packed   *encodingError
		slow     *slowError
		dns      *net.DNSError
		timeout  net.Error
	)
	switch {
	case errors.As(err, &private):
		return refusePrivate(env, private.host)
	case errors.As(err, &redirect) && redirect.scheme != "":
		return failed(false, tools.Say{EN: "redirected to a %q URL", JA: "%q の URL に転送されました"}, redirect.scheme)
	case errors.As(err, &redirect):
		return failed(false, tools.Say{EN: "stopped after %d redirects", JA: "転送が%d回を超えました"}, maxRedirects)
	case errors.As(err, &packed) && packed.name != "":
		return failed(false, tools.Say{EN: "the server sent the content encoding %q, which was not asked for", JA: "要求していない圧縮形式 %q で送られました"}, packed.name)
	case errors.As(err, &packed):
		return failed(false, tools.Say{EN: "the body is not valid gzip", JA: "本文が正しい gzip ではありません"})
	case f.parent.Err() != nil: // the caller's own time, or an interrupt
		return context.Cause(f.parent)
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		e := env.Fail(tools.Timeout, tools.Say{EN: "Request timed out after %d seconds", JA: "%d秒以内に応答がありませんでした"}, f.in.Timeout)
		if e.Hint = env.Say(tools.Say{EN: "No answer came; give it longer with --timeout", JA: "応答がありません。--timeout で延ばせます"}); errors.As(err, &slow) {
			e.Hint = env.Say(tools.Say{EN: "The body did not end (%d bytes came); give it longer with --timeout", JA: "本文が終わりませんでした（%d バイト受信）。--timeout で延ばせます"}, slow.got)
		}
		return e
	case errors.As(err, &dns):
		return failed(true, tools.Say{EN: "no address for %s", JA: "%s のアドレスが見つかりません"}, host)
	case errors.Is(err, syscall.ECONNREFUSED) && f.client.viaProxy:
		return failed(true, tools.Say{EN: "the proxy for %s refused the connection", JA: "%s へのプロキシに接続を拒否されました"}, host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return failed(true, tools.Say{EN: "%s refused the connection", JA: "%s に接続を拒否されました"}, host)
	case isCertificate(err):
		return failed(false, tools.Say{EN: "%s's certificate is not valid: %v", JA: "%s の証明書が正しくありません: %v"}, host, err)
	}
	return failed(true, tools.Say{EN: "the network failed: %v", JA: "通信に失敗しました: %v"}, err)
}

func isCertificate(err error) bool {
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(x509.UnknownAuthorityError)) ||
		errors.As(err, new(x509.HostnameError)) || errors.As(err, new(x509.CertificateInvalidError))
}

// statusError says what a server answered that is no page.
func (f *fetch) statusError(out *response) error {
	status := out.statusText
	if text := http.StatusText(out.status); text != "" { // in the words that everybody knows
		status = strconv.Itoa(out.status) + " " + text
	}
	code := tools.Upstream
	if out.status == http.StatusTooManyRequests {
		code = tools.RateLimited
	}
	e := f.env.Fail(code, tools.Say{EN: "the server answered %s", JA: "サーバーの応答: %s"}, status)
	switch {
	case out.status == 408, out.status == 425, out.status == 429, out.status >= 500:
		e.Retryable = true
	}
	if wait := out.header.Get("Retry-After"); wait != "" {
		e.Details = append(e.Details, tools.Detail{Message: f.env.Say(tools.Say{EN: "come back after %s", JA: "再試行まで: %s"}, retryAfter(wait))})
	}
	d := f.read(out)
	if d.page != nil {
		d.text = d.page.Plain()
	}
	if excerpt := cut(strings.TrimSpace(d.text), 1000); excerpt != "" {
		e.Details = append(e.Details, tools.Detail{Message: excerpt})
	}
	return e
}

// retryAfter writes the header as it is meant: seconds, or a date.
func retryAfter(text string) string {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < 1<<30 {
		return (time.Duration(n) * time.Second).String()
	}
	return text
}

// cut returns the first characters of a text.
func cut(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i] + "…"
		}
	}
	if !utf8.ValidString(text) {
		return strings.ToValidUTF8(text, "�")
	}
	return text
}
