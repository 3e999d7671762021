package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"techo/commands/output"
	"techo/commands/system"
	"techo/internal/private"
	"techo/tools"
	"time"
)

// socketName is the name of the socket that a server uses unless it is told
// another address.
const socketName = "serve.sock"

// maxSocketPath is how many bytes of a path every system takes for a socket,
// less what its temporary name needs (sun_path has 104 on macOS, 108 on Linux).
const maxSocketPath = 103 - len("/.techo-0123456789/s") + len("/"+socketName)

// defaultSocket is where a server listens unless it is told: in the folder that
// the system keeps for what runs, if it is this user's alone, else among the
// state.
func defaultSocket(w system.System) (string, error) {
	if dir := w.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		st, err := os.Lstat(dir)
		if err == nil && st.IsDir() && private.CheckSecret(dir, st) == nil {
			dir = filepath.Join(dir, system.Name)
			return filepath.Join(dir, socketName), createPrivate(dir)
		}
	}
	if w.State() == "" {
		return "", errNoState
	}
	dir := filepath.Join(w.State(), system.Name)
	return filepath.Join(dir, socketName), createPrivate(dir)
}

// errNoState says that nothing tells where state could be kept.
var errNoState = errors.New("neither XDG_RUNTIME_DIR, XDG_STATE_HOME nor HOME is set")

// socketListener listens on a socket in the file system. It hears processes of
// its own user only.
type socketListener struct {
	*net.UnixListener
	path    string
	own     fs.FileInfo // the socket, to tell it from a later one at the path
	refusal []byte      // what others are answered with
	log     *slog.Logger
	closed  sync.Once
	warned  time.Time
}

// Addr is where clients find the socket.
func (l *socketListener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }

// Accept waits for a connection of this user. Others are told that they are
// refused; nothing that they send is read.
func (l *socketListener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil || !knowsPeer {
			return c, err
		}
		uid, err := peerUID(c)
		if err == nil && uid == os.Geteuid() {
			return c, nil
		}
		if now := time.Now(); now.Sub(l.warned) > time.Second { // who is refused does not fill the log
			l.warned = now
			l.log.Warn("refused a connection of another user", "uid", uid, "error", err)
		}
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.Write(l.refusal) // whether it is read is their business
		_ = c.Close()
	}
}

// Close stops listening and removes the socket, unless another server has put
// its own there.
func (l *socketListener) Close() error {
	err := l.UnixListener.Close()
	l.closed.Do(func() {
		if now, e := os.Lstat(l.path); e == nil && os.SameFile(now, l.own) {
			_ = os.Remove(l.path)
		}
	})
	return err
}

// ListenSocket listens on a socket in the file system that only its owner can
// use. A socket of this user on which no process listens is replaced.
func ListenSocket(ctx context.Context, env *tools.Env, path string, log *slog.Logger) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("the path of a socket has at most %d bytes, this one %d", maxSocketPath, len(path))
	}
	defer lockFolder(filepath.Dir(path))()
	if err := freeSocket(ctx, path); err != nil {
		return nil, err
	}
	// The socket is made in a folder that is closed to others and moved when its
	// mode is set: it is never open to them, whatever the umask is.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".techo-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, "s")
	l, err := new(net.ListenConfig).Listen(ctx, "unix", made)
	if err != nil {
		return nil, err
	}
	listener := &socketListener{UnixListener: l.(*net.UnixListener), path: path, refusal: refusal(env), log: log}
	listener.SetUnlinkOnClose(false)
	err = os.Chmod(made, 0o600)
	if err == nil {
		listener.own, err = os.Lstat(made)
	}
	if err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		_ = listener.UnixListener.Close()
		return nil, err
	}
	return listener, nil
}

// freeSocket returns an error unless nothing is at a path, or a socket of this
// user on which no process listens.
func freeSocket(ctx context.Context, path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if st.Mode()&fs.ModeSocket == 0 || private.CheckOwner(path, st) != nil {
		return &net.OpError{Op: "listen", Err: syscall.EADDRINUSE}
	}
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", path)
	if err == nil {
		_ = c.Close()
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil
	}
	return &net.OpError{Op: "listen", Err: syscall.EADDRINUSE}
}

// refusal is what another user's connection is answered with.
func refusal(env *tools.Env) []byte {
	e := env.Fail(tools.Forbidden, "This socket is for another user").
		WithHint(env.Localize("Ask its owner for a server at HOST:PORT and a token: techo token add"))
	document := append(output.Document(e), '\n')
	return fmt.Appendf(nil, "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"Connection: close\r\n\r\n%s", len(document), document)
}

// control runs fn with the descriptor of a connection.
func control(c *net.UnixConn, fn func(fd int)) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(func(fd uintptr) { fn(int(fd)) })
}
