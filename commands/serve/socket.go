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
	"time"

	"techo/commands/run"
	"techo/commands/system"
	"techo/internal/neterr"
	"techo/internal/private"
	"techo/tools"
	"techo/tools/message"
)

const socketName = "serve.sock"

// maxSocketPath is the maximum length of the path of a socket, in bytes. The
// longer temporary path of listenSocket must fit into sun_path, which has 104 bytes
// on macOS and 108 on Linux.
const maxSocketPath = 103 - len("/.techo-0123456789/s") + len("/"+socketName)

// defaultSocket returns the path of the default socket and creates its folder. It
// is below $XDG_RUNTIME_DIR if that folder is private to this user, else below the
// folder for state.
func defaultSocket(w system.System) (string, error) {
	if dir := w.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		st, err := os.Lstat(dir)
		if err == nil && st.IsDir() && private.CheckSecret(dir, st) == nil {
			dir = filepath.Join(dir, system.Name)
			return filepath.Join(dir, socketName), private.CreateFolder(dir)
		}
	}
	if w.State() == "" {
		return "", errNoState
	}
	dir := filepath.Join(w.State(), system.Name)
	return filepath.Join(dir, socketName), private.CreateFolder(dir)
}

// pathTooLong is the error for a socket whose path has this many bytes.
func pathTooLong(bytes int) error {
	return message.NewError("the path of a socket has at most %d bytes, this one %d", maxSocketPath, bytes)
}

// errNoState is returned if the environment names no folder for the socket or the
// token.
var errNoState = message.NewError("neither XDG_RUNTIME_DIR, XDG_STATE_HOME nor HOME is set")

// socketListener listens on a socket in the file system. It accepts connections
// from processes of its own user only.
type socketListener struct {
	*net.UnixListener
	path    string
	own     fs.FileInfo // the socket, to recognize another one at its path
	refusal []byte      // the answer to other users
	log     *slog.Logger
	closed  sync.Once
	warned  time.Time // last warning about another user
}

// Addr returns the path of the socket.
func (l *socketListener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }

// Accept waits for a connection of this user. It refuses the connections of other
// users and reads nothing from them.
func (l *socketListener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil || !knowsPeers {
			return c, err
		}
		uid, _, err := peerOf(c)
		if err == nil && uid == os.Geteuid() {
			return c, nil
		}
		if now := time.Now(); now.Sub(l.warned) > time.Second { // at most one line a second
			l.warned = now
			l.log.Warn("refused a connection of another user", "uid", uid, "error", err)
		}
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.Write(l.refusal) // the client may have gone
		_ = c.Close()
	}
}

// Close stops listening and removes the socket, unless another server has
// replaced it.
func (l *socketListener) Close() error {
	err := l.UnixListener.Close()
	l.closed.Do(func() {
		if now, e := os.Lstat(l.path); e == nil && os.SameFile(now, l.own) {
			_ = os.Remove(l.path)
		}
	})
	return err
}

// listenSocket listens on a socket in the file system that only its owner can
// use. It replaces a socket of this user on which no process listens.
func listenSocket(ctx context.Context, env *tools.Env, path string, log *slog.Logger) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, pathTooLong(len(path))
	}
	defer lockFolder(filepath.Dir(path))()
	if err := freeSocket(ctx, path); err != nil {
		return nil, err
	}
	// The socket is created in a private folder and moved after its mode is set,
	// so that other users can never open it, whatever the umask is.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".techo-")
	if e := new(fs.PathError); errors.As(err, &e) {
		return nil, &fs.PathError{Op: e.Op, Path: filepath.Dir(path), Err: e.Err} // the caller named this folder
	}
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	temporary := filepath.Join(dir, "s")
	l, err := new(net.ListenConfig).Listen(ctx, "unix", temporary)
	if err != nil {
		return nil, err
	}
	listener := &socketListener{UnixListener: l.(*net.UnixListener), path: path, refusal: refusal(env), log: log}
	listener.SetUnlinkOnClose(false)
	err = os.Chmod(temporary, 0o600)
	if err == nil {
		listener.own, err = os.Lstat(temporary)
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = listener.UnixListener.Close()
		return nil, err
	}
	return listener, nil
}

var errNotOurs = errors.New("the path is not a socket of this user")

// freeSocket checks that a socket can be created at a path: the path does not
// exist, or it is a socket of this user on which no process listens.
func freeSocket(ctx context.Context, path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if st.Mode()&fs.ModeSocket == 0 || private.CheckOwner(path, st) != nil {
		return errNotOurs
	}
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", path)
	if err == nil {
		_ = c.Close()
	}
	if neterr.Refused(err) {
		return nil
	}
	return &net.OpError{Op: "listen", Err: syscall.EADDRINUSE}
}

// refusal returns the HTTP response to connections of other users.
func refusal(env *tools.Env) []byte {
	e := env.Fail(tools.Forbidden, "This socket is for another user").
		WithHint(env.Hint("Ask its owner to serve at HOST:PORT and for a token (%s)", tools.Use("token add")))
	document := append(run.Document(e), '\n')
	return fmt.Appendf(nil, "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"Connection: close\r\n\r\n%s", len(document), document)
}
