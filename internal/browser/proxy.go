package browser

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

const proxyUser = "techo"

// proxy is the browser's only way out. It serves whoever knows its secret, applies the rules
// of its Gate to each connection, and counts the bytes.
type proxy struct {
	gate   Gate
	ctx    context.Context
	stop   context.CancelFunc
	listen net.Listener
	server *http.Server
	secret string
	left   atomic.Int64 // bytes that may still come

	mu      sync.Mutex
	refused error // of a page
}

func newProxy(ctx context.Context, gate Gate) (*proxy, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{gate: gate, listen: l, secret: rand.Text()}
	p.ctx, p.stop = context.WithCancel(ctx)
	p.left.Store(maxBytes)
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

func (p *proxy) address() string { return p.listen.Addr().String() }

func (p *proxy) close() {
	p.stop()
	_ = p.server.Close()
}

// note remembers why a page was refused.
func (p *proxy) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused == nil {
		p.refused = err
	}
}

// refusal returns why a page was refused, or nil.
func (p *proxy) refusal() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// ServeHTTP serves a request of the browser. A refused request gets no answer, so that no page
// can show one.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(proxyUser+":"+p.secret))
	if subtle.ConstantTimeCompare([]byte(r.Header.Get("Proxy-Authorization")), []byte(want)) != 1 {
		w.Header().Set("Proxy-Authenticate", `Basic realm="techo"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	if r.Method == http.MethodConnect {
		p.tunnel(ctx, w, r)
		return
	}
	defer context.AfterFunc(r.Context(), stop)()
	p.forward(ctx, w, r)
}

// forward sends a plain request on. The browser follows redirects itself, through the proxy.
func (p *proxy) forward(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if r.URL.Scheme != "http" || r.URL.Host == "" || r.URL.User != nil || p.gate.Check(ctx, r.URL, false) != nil {
		panic(http.ErrAbortHandler)
	}
	out := r.Clone(ctx)
	out.RequestURI = ""
	for _, name := range []string{"Proxy-Authorization", "Proxy-Connection", "Connection", "Upgrade", "Te", "Trailer"} {
		out.Header.Del(name)
	}
	t := &http.Transport{DialContext: p.dial, DisableKeepAlives: true, DisableCompression: true,
		MaxResponseHeaderBytes: 256 << 10, ResponseHeaderTimeout: 20 * time.Second,
		Proxy: func(r *http.Request) (*url.URL, error) { return p.gate.Via(r.URL) }}
	res, err := t.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer res.Body.Close()
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.Header().Del("Connection")
	w.WriteHeader(res.StatusCode)
	if _, err := io.Copy(w, &counted{io.LimitReader(res.Body, maxHTML+1), p}); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// dial connects, and notes a refused address.
func (p *proxy) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := p.gate.Dial(ctx, network, addr)
	if err != nil {
		p.note(err)
	}
	return conn, err
}

// tunnel connects the browser with a server for TLS, and for nothing else.
func (p *proxy) tunnel(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	to := &url.URL{Scheme: "https", Host: r.Host}
	if p.gate.Check(ctx, to, false) != nil {
		panic(http.ErrAbortHandler)
	}
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	client, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	defer context.AfterFunc(ctx, func() { client.Close() })()
	if _, err := io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	const handshake = 22 // of TLS
	if first, err := buffered.Peek(1); err != nil || first[0] != handshake {
		return
	}
	server, err := p.connect(ctx, to, r.Host)
	if err != nil {
		return
	}
	defer server.Close()
	defer context.AfterFunc(ctx, func() { server.Close() })()
	go func() {
		_, _ = io.Copy(server, &counted{buffered, p})
		server.Close()
	}()
	_, _ = io.Copy(client, &counted{server, p})
}

// connect connects to a server, through the person's proxy if there is one for it.
func (p *proxy) connect(ctx context.Context, to *url.URL, addr string) (net.Conn, error) {
	via, err := p.gate.Via(to)
	if err != nil {
		return nil, err
	}
	if via == nil {
		return p.dial(ctx, "tcp", addr)
	}
	if via.Scheme != "http" {
		return nil, errors.New("proxy: not http")
	}
	port := via.Port()
	if port == "" {
		port = "80"
	}
	conn, err := p.dial(ctx, "tcp", net.JoinHostPort(via.Hostname(), port))
	if err != nil {
		return nil, err
	}
	ask := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{}}
	if via.User != nil {
		password, _ := via.User.Password()
		ask.Header.Set("Proxy-Authorization", "Basic "+
			base64.StdEncoding.EncodeToString([]byte(via.User.Username()+":"+password)))
	}
	if err = ask.Write(conn); err == nil {
		var answer *http.Response
		answer, err = http.ReadResponse(bufio.NewReaderSize(io.LimitReader(conn, 16<<10), 1), ask)
		if err == nil && answer.StatusCode != http.StatusOK {
			err = errors.New("proxy: " + answer.Status)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// counted is a stream whose bytes count.
type counted struct {
	from io.Reader
	p    *proxy
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	if c.p.left.Add(-int64(n)) < 0 {
		return 0, errors.New("too many bytes")
	}
	return n, err
}
