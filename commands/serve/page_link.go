package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"techo/commands/page"
	"techo/commands/system"
	"techo/internal/private"
	"techo/tools"
	"techo/tools/person"
)

// A server of the page also listens on a socket in the private folder of its user, so that a
// later techo page finds it and gets a link from it. The kernel reports to each side which user
// and process the other one is. The request contains no secret.

// PageKind is what a page shows and how. A running server is used for equal kinds only.
type PageKind struct{ Store, User, Zone, Lang, Version string }

// linkPath is the path of the only request on the socket of a page.
const linkPath = "/page/link"

// linkTime is how long a running server has to answer.
const linkTime = 3 * time.Second

// RunningPage is a link of a page that is served already.
type RunningPage struct {
	Link      string    `json:"link"`
	ExpiresAt time.Time `json:"expires_at"`
	PID       int       `json:"-"` // of the server
}

// pageSocket returns the path of the socket for pages of a kind, and creates its folder.
func pageSocket(w system.System, kind PageKind) (string, error) {
	name, err := json.Marshal(kind)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(name)
	other, err := defaultSocket(w)
	return filepath.Join(filepath.Dir(other), "page-"+hex.EncodeToString(hash[:6])+".sock"), err
}

// FindPage asks the server that this user runs for pages of a kind for a link. ok is false
// if no process of this user serves such a page, or if the system does not report users.
func FindPage(ctx context.Context, w system.System, kind PageKind) (found RunningPage, ok bool) {
	ctx, stop := context.WithTimeout(ctx, linkTime)
	defer stop()
	c, pid, err := dialPage(ctx, w, kind)
	if err != nil {
		return found, false
	}
	defer c.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return c, nil }}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://page"+linkPath, nil)
	if err != nil {
		return found, false
	}
	answer, err := client.Do(r)
	if err != nil {
		return found, false
	}
	defer answer.Body.Close()
	err = json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&found)
	found.PID = pid
	return found, err == nil && answer.StatusCode == http.StatusOK && isPageLink(found.Link)
}

// dialPage connects to the socket of a page and checks that a process of this user
// listens there.
func dialPage(ctx context.Context, w system.System, kind PageKind) (c *net.UnixConn, pid int, err error) {
	path, err := pageSocket(w, kind)
	if err != nil {
		return nil, 0, err
	}
	st, err := os.Lstat(path)
	if err == nil {
		err = private.CheckOwner(path, st)
	}
	if err != nil || st.Mode()&fs.ModeSocket == 0 {
		return nil, 0, errNotOurs
	}
	any, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, 0, err
	}
	c = any.(*net.UnixConn)
	uid, pid, err := peerOf(c)
	if err != nil || uid != os.Geteuid() {
		_ = c.Close()
		return nil, 0, errNotOurs
	}
	return c, pid, nil
}

// isPageLink reports whether an address opens a page on this machine.
func isPageLink(link string) bool {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" || u.User != nil || u.Path != page.OpenPath || u.Query().Get("key") == "" {
		return false
	}
	at, err := netip.ParseAddrPort(u.Host)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// linkGiver gives links of a page to commands of its user.
type linkGiver struct {
	site    *page.Site
	kind    PageKind
	address string // of the page, http://HOST:PORT
}

// start listens for commands until stop is called. If another server does so already, later
// commands use that one.
func (g linkGiver) start(ctx context.Context, w system.System, env *tools.Env) (stop func()) {
	path, err := pageSocket(w, g.kind)
	if err != nil || !knowsPeers {
		return func() {}
	}
	quiet := slog.New(slog.DiscardHandler)
	l, err := listenSocket(ctx, env, path, quiet)
	if err != nil {
		return func() {}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+linkPath, g.give)
	server := &http.Server{
		Handler: mux, MaxHeaderBytes: 8 << 10,
		ReadHeaderTimeout: linkTime, ReadTimeout: linkTime, WriteTimeout: linkTime,
		ErrorLog: slog.NewLogLogger(quiet.Handler(), slog.LevelWarn),
	}
	go func() { _ = server.Serve(l) }() // ends when it is closed
	return func() { _ = server.Close() }
}

// give answers with a link. The listener has checked that the same user asks.
func (g linkGiver) give(w http.ResponseWriter, _ *http.Request) {
	link, ends := g.site.Link(g.address)
	document, err := json.Marshal(RunningPage{Link: link, ExpiresAt: ends})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	write(w, http.StatusOK, document)
}

// maxSecretBody is the maximum size of a request with a secret, in bytes.
const maxSecretBody = 16 << 10

// pageSecret answers POST /page/secret: the person unlocks their session of the page by their
// secret.
func (srv *Server) pageSecret(w http.ResponseWriter, r *http.Request) {
	env := srv.envFor(r)
	var in struct {
		Secret string `json:"secret"`
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxSecretBody))
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil {
		srv.fail(w, env.Fail(tools.InvalidInput, "The body must be an object with the field secret"))
		return
	}
	set, err := person.HasSecret(env)
	if err == nil && !set {
		err = env.Fail(tools.NotFound, "No secret is set").WithHint(env.Hint("Set one: %s", tools.Use("ask secret set")))
	}
	if err == nil {
		err = person.CheckSecret(env, in.Secret)
	}
	if err != nil {
		srv.fail(w, tools.AsError(env, err))
		return
	}
	if e := srv.Page.Unlock(env, r); e != nil {
		srv.fail(w, e)
		return
	}
	srv.answerWith(w, env, map[string]string{"message": env.Localize("The secret is right")})
}
