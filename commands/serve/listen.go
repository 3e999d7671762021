package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"techo/commands/run"
	"techo/commands/server"
	"techo/internal/private"
	"techo/tools"
)

// ListenIn says where a server listens, and who may call it.
type ListenIn struct {
	Address string // HOST:PORT or unix:PATH; "" is the socket of this user
	NoToken bool
}

// ListenAndServe serves a face until the person interrupts.
func ListenAndServe(ctx context.Context, s *run.Run, in ListenIn, f *Server, log *slog.Logger) int {
	s.System.CatchSignals()
	env := s.Env()
	listener, e := listen(ctx, s, in, log)
	if e != nil {
		return s.Out.Fail(e)
	}
	defer listener.Close()
	f.socket = listener.Addr().Network() == "unix"
	where := "unix:" + listener.Addr().String()
	if !f.socket {
		f.names = append(f.names, hostName(in.Address))
		where = "http://" + listener.Addr().String()
	}
	own, e := grant(ctx, s, in, &f.Access, listener.Addr())
	if e != nil {
		return s.Out.Fail(e)
	}
	log.Info("listening", "address", where)
	tellAccess(s, own, f, where, log)
	if err := Until(ctx, listener, f.Handler(), log, finishTime, server.EndTime); err != nil {
		return s.Out.Fail(env.Fail(tools.Internal, "The server failed: %v", err))
	}
	out, err := tools.Marshal(serveOut{where, env.Localize("Stopped")})
	if err != nil {
		return s.Out.Fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
	}
	return s.Out.Succeed(&tools.Result{JSON: out, Text: env.Localize("Stopped")})
}

// grant decides who may call a server at an address. On a socket whose other
// end is known to be this user no token is needed; anywhere else one is, and is
// made if there is none, unless --no-token leaves it out.
func grant(ctx context.Context, s *run.Run, in ListenIn, a *Access, address net.Addr) (own ownerToken,
	e *tools.Error) {
	env, users := s.Env(), &userTokens{Run: s}
	a.find, a.Secret = users.find, s.System.Getenv("TECHO_TOKEN")
	socket := address.Network() == "unix"
	if in.NoToken {
		a.Open = true
		return own, noTokenFault(env, socket, a.Secret != "", address)
	}
	if a.Open = socket && knowsPeer && a.Secret == ""; a.Open || a.Secret != "" {
		return own, nil
	}
	own, e = findOwnerToken(s, !users.any(ctx))
	a.Secret = own.secret
	return own, e
}

// noTokenFault is the error of --no-token where it makes no sense, or lets
// other machines in.
func noTokenFault(env *tools.Env, socket, set bool, address net.Addr) *tools.Error {
	fault, hint := tools.Text(""), tools.Text("Leave out --no-token")
	switch tcp, _ := address.(*net.TCPAddr); {
	case socket:
		fault = "is for HOST:PORT; a socket needs no token"
	case set:
		fault = "cannot be given while TECHO_TOKEN is set"
	case tcp == nil || !tcp.IP.IsLoopback():
		return env.Fail(tools.Forbidden, "Without a token, others could use %s", address).
			WithHint(env.Localize("Leave out --no-token, or listen on 127.0.0.1"))
	default:
		return nil
	}
	e := env.Fail(tools.InvalidInput, "no-token %s", env.Localize(fault)).WithHint(env.Localize(hint))
	e.Details = []tools.Detail{{Path: "/no_token", Message: env.Localize(fault)}}
	return e
}

// tellAccess says on stderr who may call. A token that was just made is shown
// here and never again.
func tellAccess(s *run.Run, own ownerToken, f *Server, where string, log *slog.Logger) {
	env := s.Env()
	switch {
	case own.made:
		fmt.Fprint(s.System.Stderr, env.Localize("The token of this server, kept in %s and not shown again:\n    %s\nSend "+
			"it to %s as the header Authorization: Bearer TOKEN\n", own.file, own.secret, where))
	case own.secret != "":
		log.Info("a token is needed", "file", own.file)
	case f.Access.Open && !f.socket:
		log.Warn("no token is needed: every user and program of this machine may call")
	}
	if a, err := netip.ParseAddrPort(strings.TrimPrefix(where, "http://")); err == nil &&
		!a.Addr().Unmap().IsLoopback() {
		log.Warn("other machines may reach this address, and requests are not encrypted: put something in front " +
			"that speaks TLS")
	}
}

// listen opens what an address names.
func listen(ctx context.Context, s *run.Run, in ListenIn, log *slog.Logger) (net.Listener, *tools.Error) {
	env, address := s.Env(), in.Address
	if path, ok := strings.CutPrefix(address, "unix:"); ok || address == "" {
		var err error
		if path = strings.TrimPrefix(path, "//"); ok {
			path = s.System.Path(path)
		} else if path, err = defaultSocket(s.System); err != nil {
			return nil, listenError(env, "unix:"+path, err)
		}
		l, err := ListenSocket(ctx, env, path, log)
		return l, listenError(env, "unix:"+path, err)
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, listenError(env, address, err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	return l, listenError(env, address, err)
}

// listenError tells why nothing can be listened on.
func listenError(env *tools.Env, address string, err error) *tools.Error {
	another := env.Localize("Name another address: --listen unix:PATH or --listen HOST:PORT")
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoState):
		return env.Fail(tools.Unavailable, "There is no place for a socket: %v", err).WithHint(another)
	case errors.As(err, new(*private.Error)):
		return env.Fail(tools.Forbidden, "The folder of the socket is not private: %v", err).WithHint(another)
	case errors.Is(err, syscall.EADDRINUSE):
		return env.Fail(tools.Conflict, "Something else listens on %s", address).
			WithHint(env.Localize("Stop it, or choose another address: --listen 127.0.0.1:0 takes a free port"))
	case errors.Is(err, fs.ErrPermission):
		return env.Fail(tools.Forbidden, "No permission to listen on %s: %v", address, err).WithHint(another)
	}
	e := env.Fail(tools.InvalidInput, "listen: %v", err).
		WithHint(env.Localize("Give HOST:PORT, e.g. 127.0.0.1:7430, or unix:PATH"))
	e.Details = []tools.Detail{{Path: "/listen", Message: err.Error()}}
	return e
}
