package commands

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"

	"techo/tools"
)

// serveIn is the input of the command serve.
type serveIn struct {
	Listen   string   `json:"listen" default:"127.0.0.1:7430" en:"HOST:PORT, or unix:PATH" ja:"HOST:PORT、または unix:PATH"`
	Hosts    []string `json:"hosts,omitempty" en:"A name that clients call this server by, besides its address and localhost" ja:"アドレスと localhost 以外に、クライアントが使うサーバー名"`
	Only     []string `json:"only,omitempty" en:"Offer only these families or tools, e.g. memo,grep" ja:"提供する分類またはツール（例: memo,grep）"`
	ReadOnly bool     `json:"read_only,omitempty" en:"Offer only what changes nothing" ja:"変更しないツールだけを提供する"`
	Quiet    bool     `json:"quiet,omitempty" en:"No access log on stderr" ja:"アクセスログを出さない"`
	Unit     *string  `json:"unit" enum:"systemd,launchd" en:"Print the file that starts it with the system, and end" ja:"自動起動用の設定ファイルを出力して終了する"`
}

// serveOut is what serve leaves behind when it is stopped.
type serveOut struct {
	Address string `json:"address"`
	Message string `json:"message"`
}

// serveCommand is the HTTP face.
func serveCommand() *command {
	return answering(tools.Tool{
		Command: "serve",
		About:   tools.Say{EN: "Answer calls over HTTP", JA: "HTTP で呼び出しに答える"},
		More: tools.Say{
			EN: "POST /tools/{name} with the input as JSON answers what techo call prints, with the status that belongs to the error. GET /tools is the catalogue (?format=openai…), /mcp speaks MCP, GET /memories/full?user_id=U&ids=a,b is the memory service, GET /health says that it is there.\nThe headers Techo-User, Techo-Lang, Techo-Tz and Idempotency-Key do what the flags do. With $TECHO_TOKEN set every request but /health needs Authorization: Bearer; on an address that others can reach it must be set, and something in front should speak TLS. Other commands use the same store meanwhile. Stop it with Ctrl-C or SIGTERM: what runs is finished first.",
			JA: "POST /tools/{name} に入力の JSON を送ると techo call と同じ答えが、エラーに応じたステータスで返る。GET /tools は一覧（?format=openai など）、/mcp は MCP、GET /memories/full?user_id=U&ids=a,b は記憶サービス、GET /health は死活確認。\nヘッダー Techo-User、Techo-Lang、Techo-Tz、Idempotency-Key はフラグと同じ働きをする。$TECHO_TOKEN を設定すると /health 以外で Authorization: Bearer が必要になる。外部から届くアドレスでは必須で、TLS の終端を前に置くこと。同じストアは他のコマンドからも同時に使える。Ctrl-C か SIGTERM で、実行中のものを終えてから止まる。",
		},
		Examples: []tools.Example{
			{Does: tools.Say{EN: "Start it when you log in, on Linux", JA: "ログイン時に起動する（Linux）"}, Line: "serve --unit systemd > techo.service"},
			{Does: tools.Say{EN: "The same on a Mac, on a socket that only you can reach", JA: "Mac で、自分だけが使えるソケットを使う"}, Line: `serve --listen unix:/tmp/techo.sock --unit launchd`},
		},
	}, doServe)
}

func doServe(ctx context.Context, s *session, in serveIn) int {
	if in.Unit != nil {
		return s.document(s.unit(in))
	}
	h, e := newHost(s, narrowIn{in.Only, in.ReadOnly})
	if e != nil {
		return s.fail(e)
	}
	log := slog.New(slog.NewTextHandler(s.Stderr, nil))
	f := &httpFace{host: h, guard: guard{names: in.Hosts}, mcp: mcpHandler(newMCP(h))}
	if !in.Quiet {
		f.log = log
	}
	return s.listenAndServe(ctx, in.Listen, f, log)
}

// listenAndServe serves a face until the person interrupts.
func (s *session) listenAndServe(ctx context.Context, address string, f *httpFace, log *slog.Logger) int {
	env := s.env()
	f.token = s.Getenv("TECHO_TOKEN")
	listener, e := listen(ctx, env, address, f.token != "")
	if e != nil {
		return s.fail(e)
	}
	f.socket = listener.Addr().Network() == "unix"
	if name := hostName(address); !f.socket {
		f.names = append(f.names, name)
	}
	where := "http://" + listener.Addr().String()
	if f.socket {
		where = "unix:" + listener.Addr().String()
	}
	log.Info("listening", "address", where)
	if err := serveUntil(ctx, listener, f.handler(), log); err != nil {
		return s.fail(env.Fail(tools.Internal, tools.Say{EN: "The server failed: %v", JA: "サーバーが止まりました: %v"}, err))
	}
	out, err := tools.Marshal(serveOut{where, env.Say(tools.Say{EN: "Stopped", JA: "停止しました"})})
	if err != nil {
		return s.fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
	}
	return s.succeed(&tools.Result{JSON: out, Text: env.Say(tools.Say{EN: "Stopped", JA: "停止しました"})})
}

// Times of a stop: what runs may finish, is then told to end, and is left.
const (
	finishTime = 10 * time.Second
	endTime    = 2 * time.Second
)

// serveUntil serves until the context ends, then lets what runs finish.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
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
	log.Info("stopping")
	for _, patience := range []time.Duration{finishTime, endTime} {
		limit, stop := context.WithTimeout(work, patience)
		err := server.Shutdown(limit)
		stop()
		if err == nil {
			return nil
		}
		end()
	}
	return server.Close()
}

// listen opens what an address names. An address that other machines can reach
// needs a token.
func listen(ctx context.Context, env *tools.Env, address string, token bool) (net.Listener, *tools.Error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		l, err := listenSocket(ctx, strings.TrimPrefix(path, "//"))
		return l, listenError(env, address, err)
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, listenError(env, address, err)
	}
	if !isLoopback(address) && !token {
		return nil, env.Fail(tools.Unavailable, tools.Say{EN: "Others could reach %s, and no token is set", JA: "%s は外部から到達できますが、トークンが設定されていません"}, address).
			WithHint(env.Say(tools.Say{EN: "Set TECHO_TOKEN to a long random text, or listen on 127.0.0.1", JA: "TECHO_TOKEN に長いランダムな文字列を設定するか、127.0.0.1 を使ってください"}))
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	return l, listenError(env, address, err)
}

// isLoopback reports whether only this machine can reach an address.
func isLoopback(address string) bool {
	name := hostName(address)
	if strings.EqualFold(name, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(name)
	return err == nil && a.Unmap().IsLoopback()
}

// listenSocket listens on a socket in the file system that only its owner can
// use. One that nobody answers on is left over, and taken over.
func listenSocket(ctx context.Context, path string) (net.Listener, error) {
	if st, err := os.Lstat(path); err == nil {
		if st.Mode()&fs.ModeSocket == 0 {
			return nil, &net.OpError{Op: "listen", Err: syscall.EADDRINUSE}
		}
		c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", path)
		if err == nil {
			_ = c.Close()
			return nil, &net.OpError{Op: "listen", Err: syscall.EADDRINUSE}
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// listenError tells why nothing can be listened on.
func listenError(env *tools.Env, address string, err error) *tools.Error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EADDRINUSE):
		return env.Fail(tools.Conflict, tools.Say{EN: "Something else listens on %s", JA: "%s は既に使用されています"}, address).
			WithHint(env.Say(tools.Say{EN: "Stop it, or choose another address: --listen 127.0.0.1:0 takes a free port", JA: "それを止めるか、別のアドレスを指定してください（--listen 127.0.0.1:0 は空きポート）"}))
	case errors.Is(err, fs.ErrPermission):
		return env.Fail(tools.Forbidden, tools.Say{EN: "No permission to listen on %s: %v", JA: "%s で待ち受ける権限がありません: %v"}, address, err)
	}
	e := env.Fail(tools.InvalidInput, tools.Say{EN: "listen: %v", JA: "listen: %v"}, err).
		WithHint(env.Say(tools.Say{EN: "Give HOST:PORT, e.g. 127.0.0.1:7430, or unix:PATH", JA: "127.0.0.1:7430 のような HOST:PORT か unix:PATH を指定してください"}))
	e.Details = []tools.Detail{{Path: "/listen", Message: err.Error()}}
	return e
}
