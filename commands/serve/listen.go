package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"techo/commands/run"
	"techo/commands/server"
	"techo/internal/neterr"
	"techo/internal/private"
	"techo/tools"
)

// ListenIn is the address of a server and whether it requires tokens.
type ListenIn struct {
	Address string // HOST:PORT or unix:PATH; "" is the socket of this user
	NoToken bool   // answer requests without a token

	PageOnly bool // answer requests of the page only
	Silent   bool // Listening prints the document for stdout
}

// ListenAndServe answers requests until the context ends, and returns the exit
// code.
func ListenAndServe(ctx context.Context, s *run.Run, in ListenIn, srv *Server, log *slog.Logger) int {
	s.System.CatchSignals()
	env := s.Env()
	listener, e := listen(ctx, s, in, log)
	if e != nil {
		return s.Out.Fail(e)
	}
	defer listener.Close()
	srv.guard.socket = listener.Addr().Network() == "unix"
	where := "unix:" + listener.Addr().String()
	if !srv.guard.socket {
		srv.guard.names = append(srv.guard.names, hostName(in.Address))
		where = "http://" + listener.Addr().String()
	}
	srv.stop, srv.host.Stop = ctx, ctx
	if e := checkPage(env, srv, listener.Addr()); e != nil {
		return s.Out.Fail(e)
	}
	own, e := grant(ctx, s, in, &srv.access, listener.Addr())
	if e != nil {
		return s.Out.Fail(e)
	}
	if srv.Page != nil {
		srv.links.address = where
		defer srv.links.start(ctx, s.System, env)()
	}
	log.Info("listening", "address", where)
	announce(s, own, srv, where, log)
	if srv.Listening != nil {
		srv.Listening(where)
	}
	if err := serveUntil(ctx, listener, srv.handler(), log, srv.drainRequests, finishTime, server.EndTime); err != nil {
		return s.Out.Fail(env.Fail(tools.Internal, "The server failed: %s", env.Cause(err)))
	}
	if in.Silent {
		return 0
	}
	stopped := env.Localize("Stopped")
	return s.Answer(serveOut{where, stopped}, stopped)
}

// grant sets up the access to a server at an address. A socket whose peers are
// known to be this user needs no token. Any other address needs one unless
// --no-token is given; grant creates it if no token exists.
func grant(ctx context.Context, s *run.Run, in ListenIn, a *access, address net.Addr) (own ownerToken,
	e *tools.Error) {
	if in.PageOnly {
		return own, nil
	}
	env, users := s.Env(), &userTokens{run: s}
	a.find, a.secret = users.find, s.System.Getenv("TECHO_TOKEN")
	socket := address.Network() == "unix"
	if in.NoToken {
		a.open = true
		return own, checkNoToken(env, socket, a.secret != "", address)
	}
	if a.open = socket && knowsPeers && a.secret == ""; a.open || a.secret != "" {
		return own, nil
	}
	own, e = findOwnerToken(s, !users.any(ctx))
	a.secret = own.secret
	return own, e
}

// checkPage returns an error if the page cannot be served at an address: a browser does
// not reach a socket, and cookies that leave the machine without TLS can be read.
func checkPage(env *tools.Env, srv *Server, address net.Addr) *tools.Error {
	if srv.Page == nil {
		return nil
	}
	tcp, _ := address.(*net.TCPAddr)
	hint := env.Localize(
		"Give --listen 127.0.0.1:7430; a reverse proxy on this machine can forward to it (--host NAME)")
	switch {
	case tcp == nil:
		return env.Invalid("/listen", "The page needs an address that browsers reach, not a socket").WithHint(hint)
	case !tcp.IP.IsLoopback():
		return env.Fail(tools.Forbidden, "Others could read the session of the page at %s", address).WithHint(hint)
	}
	return nil
}

// checkNoToken returns an error if --no-token has no effect at an address, or
// would let other machines in.
func checkNoToken(env *tools.Env, socket, set bool, address net.Addr) *tools.Error {
	problem := tools.Text("")
	switch tcp, _ := address.(*net.TCPAddr); {
	case socket:
		problem = "is for HOST:PORT; a socket needs no token"
	case set:
		problem = "cannot be given while TECHO_TOKEN is set"
	case tcp == nil || !tcp.IP.IsLoopback():
		return env.Fail(tools.Forbidden, "Without a token, others could use %s", address).
			WithHint(env.Hint("Leave out %s, or listen on 127.0.0.1", tools.Flag("no-token")))
	default:
		return nil
	}
	e := env.Fail(tools.InvalidInput, "no-token %s", env.Localize(problem)).
		WithHint(env.Hint("Leave out %s", tools.Flag("no-token")))
	e.Details = []tools.Detail{{Path: "/no_token", Message: env.Localize(problem)}}
	return e
}

// announce reports on stderr who may call the server. A token that was just
// created is printed here and never again.
func announce(s *run.Run, own ownerToken, srv *Server, where string, log *slog.Logger) {
	env := s.Env()
	switch {
	case own.created:
		fmt.Fprint(s.System.Stderr, env.Localize("The token of this server, kept in %s and not shown again:\n    "+
			"%s\nSend it to %s as the header Authorization: Bearer TOKEN\n", own.file, own.secret, where))
	case own.secret != "":
		log.Info("a token is required", "file", own.file)
	case srv.access.open && !srv.guard.socket:
		log.Warn("no token is required: every user and program of this machine may call")
	}
	if a, err := netip.ParseAddrPort(strings.TrimPrefix(where, "http://")); err == nil &&
		!a.Addr().Unmap().IsLoopback() {
		log.Warn("other machines may reach this address, and requests are not encrypted: use a reverse proxy with TLS")
	}
}

func listen(ctx context.Context, s *run.Run, in ListenIn, log *slog.Logger) (net.Listener, *tools.Error) {
	env, address := s.Env(), in.Address
	if path, ok := strings.CutPrefix(address, "unix:"); ok || address == "" {
		var err error
		if path = strings.TrimPrefix(path, "//"); ok {
			path = s.System.Path(path)
		} else if path, err = defaultSocket(s.System); err != nil {
			return nil, listenError(env, "unix:"+path, err)
		}
		l, err := listenSocket(ctx, env, path, log)
		return l, listenError(env, "unix:"+path, err)
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, listenError(env, address, err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	return l, listenError(env, address, err)
}

// listenError returns the error for an address that cannot be listened on, or nil
// if err is nil.
func listenError(env *tools.Env, address string, err error) *tools.Error {
	another := env.Localize("Name another address: --listen unix:PATH or --listen HOST:PORT")
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoState):
		return env.Fail(tools.Unavailable, "There is no place for a socket: %v", err).WithHint(another)
	case errors.As(err, new(*private.Error)):
		return env.Fail(tools.Forbidden, "The folder of the socket is not private: %v", err).
			WithHint(another)
	case errors.Is(err, errNotOurs):
		return env.Fail(tools.Conflict, "%s exists and is not a socket of yours", address).WithHint(another)
	case neterr.Taken(err):
		return env.Fail(tools.Conflict, "Something else listens on %s", address).
			WithHint(env.Hint("Stop it, or choose another address: %s takes a free port",
				tools.Flag("listen", "127.0.0.1:0")))
	case errors.Is(err, fs.ErrPermission):
		return env.Fail(tools.Forbidden, "No permission to listen on %s", address).WithHint(another)
	}
	why := env.Cause(err)
	e := env.Fail(tools.InvalidInput, "listen: %s", why).
		WithHint(env.Hint("Give HOST:PORT, e.g. 127.0.0.1:7430, or unix:PATH"))
	e.Details = []tools.Detail{{Path: "/listen", Message: why}}
	return e
}

type serveOut struct {
	Address string `json:"address"`
	Message string `json:"message"`
}

// finishTime is how long running calls may continue after a stop.
const finishTime = 10 * time.Second

// serveUntil serves until the context ends, and calls drain. It then waits for the
// running requests for each of the waits in turn, and cancels what remains after
// the first one. Requests that remain after the last one are cut off.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger, drain func(),
	waits ...time.Duration) error {
	work, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := &http.Server{
		Handler: h, BaseContext: func(net.Listener) context.Context { return work },
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	drain()
	log.Info("stopping")
	for _, wait := range waits {
		// The limit must not derive from work, which is cancelled after the first wait.
		limit, stop := context.WithTimeout(context.WithoutCancel(ctx), wait)
		err := server.Shutdown(limit)
		stop()
		if err == nil {
			return nil
		}
		end()
	}
	return server.Close()
}

// drainRequests makes the server not ready, and gives load balancers time to send new
// requests elsewhere.
func (srv *Server) drainRequests() {
	srv.state.stopping.Store(true)
	if srv.Drain > 0 {
		time.Sleep(srv.Drain)
	}
}
